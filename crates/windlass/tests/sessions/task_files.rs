//! `init --tasks` and `continue` at a terminal: a task file, written by an agent and a person.

use windlass_testkit::environment::PersonsTerminal;

use super::desk::{CLEARED, Desk, PATIENCE, strip, undo};

/// What people have that no beginning may touch.
const THEIRS: [(&str, &str); 3] = [
    ("CLAUDE.md", "# My rules\n"),
    (".claude/settings.json", "{ \"permissions\": {} }\n"),
    ("AGENTS.md", "# Ours\n"),
];

fn desk(calls: &[&str]) -> Desk {
    let desk = Desk::new(calls);
    std::fs::remove_dir_all(desk.env.project().join(".windlass")).unwrap();
    for (name, text) in THEIRS {
        desk.env.write(name, text);
    }
    desk
}

fn assert_theirs(desk: &Desk) {
    for (name, text) in THEIRS {
        assert_eq!(desk.env.read(name), text, "{name}");
    }
}

// rows: 6, 7, 19
// Seed defect D3, commands/init.ts:307-311, 409-413: the user's CLAUDE.md was overwritten.
#[test]
fn a_fresh_beginning_writes_the_tasks_with_a_person() {
    let desk = desk(&[]);
    let mut terminal = PersonsTerminal::start(&mut desk.windlass(&["init", "--tasks", "--mock"]));
    terminal.wait_for("What is to be done?");
    terminal.press("Port the parser\r");
    assert_eq!(terminal.wait(), 0, "{}", terminal.text());
    let file = desk.env.read("requirements.md");
    assert!(file.contains("### TASK-002: Port the parser, second part"), "{file}");
    let said = strip(&terminal.text());
    for piece in [
        "requirements.md is made; there is no task in it yet",
        "the tasks are in requirements.md",
        "3: 1 ready, 2 waiting for others",
        "TASK-001 Port the parser, first part",
        "windlass run --mode tasks",
        "windlass restore s-",
    ] {
        assert!(said.contains(piece), "{piece}: {said}");
    }
    assert_theirs(&desk);
    assert!(desk.env.project().join(".windlass/config.toml").exists() && terminal.is_ordinary());
    desk.env.assert_no_processes(CLEARED);

    // What the session did can be taken back like an iteration.
    let words = undo(&terminal.text());
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    desk.env.run(&mut desk.windlass(&words), PATIENCE).expect_success("restore");
    assert!(!desk.env.read("requirements.md").contains("TASK-002: Port"));
}

/// As the seed has it: the first commit comes when the tasks are written, and with them.
#[test]
fn a_repository_that_is_asked_for_begins_with_the_tasks_in_it() {
    let env = windlass_testkit::TestEnv::new();
    let mut command = env.command(env!("CARGO_BIN_EXE_windlass"));
    let mut terminal = PersonsTerminal::start(command.args(["init", "--tasks", "--git", "--mock"]));
    terminal.wait_for("What is to be done?");
    terminal.press("Port the parser\r");
    assert_eq!(terminal.wait(), 0, "{}", terminal.text());
    assert!(strip(&terminal.text()).contains("this is a git repository now"), "{}", terminal.text());
    let committed = env.git(&["show", "HEAD:requirements.md"]);
    assert!(committed.contains("### TASK-002: Port the parser, second part"), "{committed}");
    assert_eq!(env.git(&["status", "--porcelain"]), "");
}

// Seed defect D3, commands/init.ts:334-345: a session that failed ended with exit code 0.
#[test]
fn a_session_without_a_task_is_no_success() {
    let desk = desk(&["{ say = 'I wrote nothing.' }, { exit = 3 }"]);
    let mut terminal = desk.sit(&["init", "--tasks"]);
    assert_eq!(terminal.wait(), 1, "{}", terminal.text());
    let said = strip(&terminal.text());
    assert!(said.contains("the agent ended with exit code 3"), "{said}");
    assert!(said.contains("there is no task in requirements.md yet"), "{said}");
    assert!(said.contains("windlass continue requirements"), "{said}");
    assert!(desk.env.read("requirements.md").contains("<!--"), "the template stays");
}

#[test]
fn an_agent_that_is_not_there_leaves_the_template_and_says_how_to_go_on() {
    let desk = desk(&[]);
    let mut command = desk.windlass(&["init", "--tasks", "--feature", "pay"]);
    command.env("WINDLASS_AGENT__COMMAND", "/nonexistent/claude");
    let mut terminal = PersonsTerminal::start(&mut command);
    assert_ne!(terminal.wait(), 0);
    let said = strip(&terminal.text());
    assert!(said.contains("requirements/pay.md is made"), "{said}");
    let words: Vec<&str> = said.split_whitespace().collect();
    assert!(words.join(" ").contains("windlass continue requirements --feature pay"), "{said}");
}

// rows: 7
#[test]
fn the_menu_changes_the_file_or_begins_nothing() {
    let desk = desk(&[]);
    desk.env.write("requirements.md", "# Work\r\n\r\n### TASK-001: Parse\r\n- **Status**: pending\r\n");
    let before = desk.env.read("requirements.md");
    for answer in ["3\r", "cancel\r", "\r", "nonsense\r"] {
        let mut terminal = PersonsTerminal::start(&mut desk.windlass(&["continue", "--mock"]));
        terminal.wait_for("Go on with: 1 requirements, 2 run, 3 cancel");
        terminal.press(answer);
        assert_eq!(terminal.wait(), 0, "{}", terminal.text());
        assert_eq!(desk.env.read("requirements.md"), before, "{answer:?}");
    }
    let mut terminal = PersonsTerminal::start(&mut desk.windlass(&["continue", "--mock"]));
    terminal.wait_for("Go on with:");
    terminal.press("1\r");
    terminal.wait_for("What is to be changed?");
    terminal.press("And the lexer.\r");
    assert_eq!(terminal.wait(), 0, "{}", terminal.text());
    assert_eq!(desk.env.read("requirements.md"), before + "\nAnd the lexer.\n");
    assert_theirs(&desk);
}

// rows: 7
#[test]
fn the_menu_begins_a_run_as_if_it_had_been_typed() {
    for answer in ["2\r", "run\r"] {
        let works = "{ write = { path = 'work/{{task}}', text = 'x' } }, 'tick_task', { result = { text = 'Done.' } }";
        let desk = desk(&[works]);
        desk.env
            .write("requirements.md", "### TASK-001: Parse\n- **Status**: pending\n\n### TASK-002: Print\n");
        desk.env.git(&["add", "--all"]);
        desk.env.git(&["commit", "--quiet", "--message", "Tasks"]);
        let mut terminal = desk.sit(&["continue"]);
        terminal.wait_for("Go on with: 1 requirements, 2 run, 3 cancel");
        terminal.press(answer);
        assert_eq!(terminal.wait(), 0, "{}", terminal.text());
        let said = strip(&terminal.text());
        assert!(said.contains("TASK-002") && said.contains("complete"), "{said}");
        let text = desk.env.read("requirements.md");
        // The second one was put in, and its two blanks say so.
        let lines: Vec<&str> = text.lines().filter(|line| line.contains("Status")).collect();
        assert_eq!(lines, ["- **Status**: done", "- **Status**:  done"]);
        let subjects = desk.env.git(&["log", "--format=%s"]);
        assert_eq!(subjects.lines().count(), 4, "the first commit, the tasks, one for each: {subjects}");
        assert!(terminal.is_ordinary(), "{answer:?}");
        desk.env.assert_no_processes(CLEARED);

        // Now that all is done, there is nothing to run.
        let mut terminal = desk.sit(&["continue"]);
        terminal.wait_for("Go on with: 1 requirements, 2 cancel");
        terminal.press(answer);
        assert_eq!(terminal.wait(), 0, "{}", terminal.text());
    }
}

#[test]
fn the_agent_may_write_the_task_file_and_nothing_of_ours() {
    let desk = desk(&["{ bash = 'env > ../environment' }"]);
    desk.env.write("requirements.md", "### TASK-001: Parse\n");
    let mut terminal = desk.sit(&["continue", "requirements"]);
    assert_eq!(terminal.wait(), 0, "{}", terminal.text());
    let seen = std::fs::read_to_string(desk.env.root().join("environment")).unwrap();
    assert!(seen.contains("WINDLASS_TASK_FILE=") && seen.contains("WINDLASS_RUN=s-"), "{seen}");
    let said = strip(&terminal.text());
    assert!(said.contains("requirements.md is as it was"), "{said}");
}
