//! Every end of `-f`: which verb, in which form the file is, how it is. What comes of it is a table, and each command that is
//! printed is tried as it is printed.

use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

use windlass_testkit::environment::{Outcome, TestEnv};

use super::ask;

/// The table as it was found right.
const TABLE: &str = "tests/fixtures/ends.txt";

/// Writes the table anew.
const RENEWS: &str = "WINDLASS_TEST_RENEW";

/// What can be said with a file; what would be paid for is only rehearsed, which reads and refuses as a run does.
const VERBS: &[&str] = &[
    "tasks list -f",
    "tasks next -f",
    "tasks graph -f",
    "tasks validate -f",
    "tasks done NONE -f",
    "tasks add More -f",
    "plan --dry-run -f",
    "build --dry-run -f",
    "run --mode tasks --dry-run -f",
    "run --dry-run -f",
    "continue -f",
    "verify --plan",
];

const BACKLOG: &str = "---\nid: task-1\ntitle: One\nstatus: To Do\n---\n\n- [ ] #1 it works\n";

/// Paths and texts.
type Files<'a> = &'a [(&'a str, &'a str)];

/// What is tried, how it is, and the files it consists of; the first path is what is named.
const PLACES: &[(&str, &str, Files<'_>)] = &[
    ("TODO.md", "boxes, open", &[("TODO.md", "- [x] a\n- [ ] b\n- [ ] c\n")]),
    ("TODO.md", "boxes, all done", &[("TODO.md", "- [x] a\n- [x] b\n- [x] c\n")]),
    ("TODO.md", "boxes, one unclear", &[("TODO.md", "- [x] a\n- [?] b\n- [ ] c\n")]),
    ("tasks.md", "headings, open", &[("tasks.md", "### TASK-001: a\n- **Status**: pending\n")]),
    ("tasks.md", "headings, all done", &[("tasks.md", "### TASK-001: a\n- **Status**: done\n")]),
    ("table.md", "a table", &[("table.md", "| ID | Task | Status |\n|--|--|--|\n| T1 | a | todo |\n")]),
    (
        "prd.json",
        "stories",
        &[("prd.json", "{\"userStories\":[{\"id\":\"US-1\",\"title\":\"a\",\"passes\":false}]}\n")],
    ),
    ("prd.json", "no story", &[("prd.json", "{\"userStories\":[]}\n")]),
    ("prd.json", "half written", &[("prd.json", "{\"userStories\":[{\"id\":\"US-1\",\"pass")]),
    (
        "feature_list.json",
        "features",
        &[("feature_list.json", "[{\"description\":\"a\",\"passes\":false}]\n")],
    ),
    (
        ".taskmaster/tasks/tasks.json",
        "tags",
        &[(
            ".taskmaster/tasks/tasks.json",
            "{\"master\":{\"tasks\":[{\"id\":1,\"title\":\"a\",\"status\":\"pending\"}]}}\n",
        )],
    ),
    (
        ".beads/issues.jsonl",
        "issues",
        &[(".beads/issues.jsonl", "{\"id\":\"b-1\",\"title\":\"a\",\"status\":\"open\"}\n")],
    ),
    ("backlog/tasks", "a file per task", &[("backlog/tasks/task-1 - One.md", BACKLOG)]),
    ("backlog/tasks/task-1 - One.md", "one of them", &[("backlog/tasks/task-1 - One.md", BACKLOG)]),
    ("plan", "a plan's folder", &[("plan/README.md", "# Plan\n"), ("plan/a.md", "# A\n\n- [ ] 1.1 x\n")]),
    ("notes", "a folder with boxes in its files", &[("notes/a b.md", "- [ ] x\n- [ ] y\n- [ ] z\n")]),
    ("notes", "a folder of prose", &[("notes/a.md", "# Notes\n")]),
    ("notes", "an empty folder", &[("notes/", "")]),
    ("notes.md", "prose", &[("notes.md", "# Notes\n\nWe want it all.\n")]),
    ("notes.md", "blank", &[("notes.md", "\n")]),
    ("gone.md", "not there", &[("TODO.md", "- [ ] NONE\n")]),
    ("gone.json", "not there", &[]),
    (
        "tasks.md",
        "a merge that was not settled",
        &[("tasks.md", "<<<<<<< a\n- [ ] x\n=======\n- [ ] y\n>>>>>>> b\n")],
    ),
    ("tasks.md", "NUL bytes", &[("tasks.md", "- [ ] a\0b\n")]),
];

fn lay_out(files: Files<'_>) -> TestEnv {
    let env = TestEnv::new();
    env.write("specs/a.md", "# A\n");
    for (name, text) in files {
        match name.strip_suffix('/') {
            Some(folder) => fs::create_dir_all(env.project().join(folder)).unwrap(),
            None => drop(env.write(name, text)),
        }
    }
    env
}

fn ask_for(env: &TestEnv, verb: &str, place: &str) -> Outcome {
    let mut words: Vec<&str> = verb.split(' ').collect();
    let plan = format!("--plan={place}");
    if words.last() == Some(&"--plan") {
        words.pop();
        words.push(&plan);
    } else {
        words.push(place);
    }
    ask(env, &words)
}

/// What is said first of what is wrong.
pub(super) fn sentence(outcome: &Outcome) -> String {
    let text = outcome.stderr_text() + &outcome.stdout_text();
    let is_it = |line: &&str| ["error: ", "✗ ", "! "].iter().any(|mark| line.trim_start().starts_with(mark));
    let lines: Vec<&str> = text.lines().filter(is_it).collect();
    let last = if lines.first().is_some_and(|line| line.starts_with("error: ")) {
        lines.first()
    } else {
        lines.last()
    };
    last.map(|line| line.trim().to_owned()).unwrap_or_default()
}

/// The commands that are printed: each to the end of its line, of its code or of its column.
fn commands(outcome: &Outcome) -> Vec<String> {
    let text = outcome.stderr_text() + &outcome.stdout_text();
    let mut found = Vec::new();
    for line in text.lines().filter(|line| !line.contains("windlass continue requirements")) {
        let Some((before, command)) = line.split_once("windlass ") else { continue };
        let is_said = before.ends_with([' ', '`']);
        let command =
            command.split(['`', '(']).next().unwrap_or_default().split("  ").next().unwrap_or_default();
        found.extend(is_said.then(|| format!("windlass {}", command.trim())));
    }
    found
}

/// A printed command as it is typed; what would be paid for is rehearsed.
fn type_in(env: &TestEnv, command: &str) -> Outcome {
    let paid =
        ["windlass run", "windlass build", "windlass plan"].iter().any(|verb| command.starts_with(verb));
    let rehearsed = if paid { " --dry-run" } else { "" };
    let program = env!("CARGO_BIN_EXE_windlass");
    let folder = PathBuf::from(program).parent().unwrap().display().to_string();
    let mut shell = env.command("sh");
    shell.args(["-c", &format!("PATH='{folder}':$PATH; {command}{rehearsed}")]);
    env.run(&mut shell, super::PATIENCE)
}

fn table() -> String {
    let mut table = String::new();
    for (place, state, files) in PLACES {
        let _ = writeln!(table, "{place}: {state}");
        for verb in VERBS {
            let env = lay_out(files);
            let outcome = ask_for(&env, verb, place);
            let code = outcome.code.unwrap_or(-1);
            let _ = writeln!(table, "  {verb:<30} {code:>2}  {}", sentence(&outcome));
            for command in commands(&outcome) {
                let _ = writeln!(table, "      {command}");
                let tried = type_in(&lay_out(files), &command);
                let said = tried.stderr_text();
                assert!(
                    tried.code.is_some() && !said.contains("error: "),
                    "`{verb} {place}` ({state}) prints `{command}`, which says: {said}"
                );
            }
        }
    }
    table
}

#[test]
fn every_end_of_a_named_file_is_said_and_its_commands_work() {
    let found = table();
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(TABLE);
    if std::env::var_os(RENEWS).is_some() {
        fs::write(&path, &found).unwrap();
    }
    let expected = fs::read_to_string(&path).unwrap_or_default();
    let differing = found.lines().zip(expected.lines()).find(|(one, other)| one != other);
    assert!(found == expected, "first: {differing:?}; if it is right, renew it with {RENEWS}=1");
}
