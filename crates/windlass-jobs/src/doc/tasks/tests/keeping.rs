//! Nothing is destroyed, in any form: what is done and open again is what it was, and only the word of a state changes.

use proptest::prelude::*;

use super::*;

/// The words of a file: what is open, begun, done.
const PALETTES: [[&str; 3]; 8] = [
    ["pending", "in-progress", "done"],
    ["todo", "in_progress", "completed"],
    ["Not Started", "In Progress", "Complete"],
    ["open", "started", "closed"],
    ["To Do", "In Progress", "Done"],
    ["planned", "wip", "implemented"],
    ["TODO", "DOING", "DONE"],
    ["⬜", "🚧", "✅"],
];

/// What a person wrote behind a status.
const REMARKS: [&str; 4] = ["", " (half of it)", " | **Owner:** Bo", " <!-- ask Bo -->"];

/// A task of a file: how far it is, and which remark follows.
type TaskCase = (usize, usize);

/// How a form writes tasks with these words.
fn written(form: TaskForm, words: [&str; 3], tasks: &[TaskCase]) -> String {
    let each = |tell: &dyn Fn(usize, &str, &str) -> String| -> Vec<String> {
        let tell =
            |(index, (state, remark)): (usize, &TaskCase)| tell(index + 1, words[*state], REMARKS[*remark]);
        tasks.iter().enumerate().map(tell).collect()
    };
    let object =
        |index: usize, word: &str| format!("{{\"id\": {index}, \"title\": \"t\",\"status\" : \"{word}\"}}");
    let objects = || each(&|index, word, _| object(index, word)).join(",\n ");
    match form.name() {
        "markdown" => each(&|index, word, remark| {
            format!("### T{index}: t\n\n- **Status**: {word}{remark}\n- **Priority**: high\n\n")
        })
        .concat(),
        "issues" => {
            let issues = each(&|index, word, _| {
                format!("## #{index}: t\n- **Status**: {word}\n- **Author**: bo\n\n> t\n\n")
            });
            format!("# Issues of github.com/acme/anvil\n\n{}", issues.concat())
        }
        "boxes" => {
            let signs = [" ", "~", "x"];
            let line = |(index, (state, _)): (usize, &TaskCase)| {
                format!("- [{}] 1.{index} t\n  more\n", signs[*state])
            };
            tasks.iter().enumerate().map(line).collect()
        }
        "table" => {
            let rows = each(&|index, word, _| format!("| T{index} | t | {word} |\n")).concat();
            format!("# Work\n\n| ID | Title | Status |\n|---|---|---|\n{rows}")
        }
        "front_matter" => each(&|index, word, _| {
            if index == 1 {
                format!("---\nid: T{index}\nstatus: {word}\ntitle: t\n---\n\nbody\n")
            } else {
                String::new()
            }
        })
        .concat(),
        "cursor" => {
            let todo = |index: usize, word: &str, _: &str| {
                format!("  - id: T{index}\n    content: t\n    status: {word}\n")
            };
            format!("---\nname: n\ntodos:\n{}---\n\n# n\n", each(&todo).concat())
        }
        "task_master" => format!("{{\"master\": {{\"tasks\": [{}]}}}}\n", objects()),
        "feature_list" => format!("{{\"features\": [{}]}}\n", objects()),
        "beads" => each(&|index, word, _| object(index, word)).join("\n"),
        _ => format!("{{\"project\": \"p\", \"userStories\": [{}]}}\n", objects()),
    }
}

/// Forms that say by a mark what is done: one that is open is nothing.
fn marked(tasks: &[TaskCase]) -> [(TaskForm, String); 4] {
    let rows = |open: &str, done: &str| -> String {
        let row = |(index, (state, _)): (usize, &TaskCase)| {
            let done = if *state == 2 { done } else { open };
            format!("| {}T{} | t |\n", done, index + 1)
        };
        tasks.iter().enumerate().map(row).collect()
    };
    let headings = |begin: &str| -> String {
        let line = |(index, (state, _)): (usize, &TaskCase)| {
            format!("### {begin}{}: t{}\n\ntext\n\n", index + 1, if *state == 2 { " ✅" } else { "" })
        };
        tasks.iter().enumerate().map(line).collect()
    };
    let passes: Vec<String> = tasks
        .iter()
        .enumerate()
        .map(|(index, (state, _))| format!("{{\"id\": \"U{index}\", \"passes\": {}}}", *state == 2))
        .collect();
    [
        (by_name("table"), format!("| ID | Title |\n|---|---|\n{}", rows("", "✅ "))),
        (by_name("boxes"), headings("Phase ")),
        (by_name("boxes"), headings("Task 1.")),
        (by_name("prd"), format!("[{}]", passes.join(", "))),
    ]
}

fn by_name(name: &str) -> TaskForm {
    SOURCES.into_iter().find(|form| form.name() == name).unwrap()
}

fn read(form: TaskForm, text: &str) -> TaskList {
    TaskList::parse(vec![file("tasks/T1.md", form, text)])
}

/// Every task of a text, in each state: what is open again is what it was, and nothing but the word is ever replaced.
fn keeps(form: TaskForm, text: &str) -> Result<usize, TestCaseError> {
    let list = read(form, text);
    let mut changed = 0;
    for task in list.tasks() {
        for state in [TaskState::Open, TaskState::InProgress, TaskState::Done] {
            let Ok(splice) = list.set_state(&task.row.id, state) else { continue };
            let word = &text[splice.range.clone()];
            prop_assert!(!word.contains(['|', '(', '<', '"', '#', '\r', '\n']), "{:?} in {:?}", word, text);
            let bytes = splice.apply(text.as_bytes()).unwrap();
            let after = read(form, std::str::from_utf8(&bytes).unwrap());
            prop_assert_eq!(
                after.tasks().len(),
                list.tasks().len(),
                "{} {:?} in {:?}",
                form.name(),
                splice,
                text
            );
            if task.row.state != TaskState::Open || splice.is_empty() || state != TaskState::Done {
                continue;
            }
            let back = after.set_state(&task.row.id, TaskState::Open).unwrap().apply(&bytes).unwrap();
            prop_assert_eq!(String::from_utf8_lossy(&back), text, "{} {}", form.name(), &task.row.id);
            changed += 1;
        }
    }
    Ok(changed)
}

fn dressed(text: &str, line_end: &str, mark: &str) -> String {
    format!("{mark}{}", text.replace('\n', line_end))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    #[test]
    fn what_is_done_and_open_again_is_what_it_was_in_every_form(
        tasks in prop::collection::vec((0_usize..3, 0..REMARKS.len()), 1..7),
        words in prop::sample::select(&PALETTES[..]),
        line_end in prop::sample::select(&["\n", "\r\n"][..]),
        mark in prop::sample::select(&["", "\u{feff}"][..]),
    ) {
        for form in SOURCES {
            keeps(form, &dressed(&written(form, words, &tasks), line_end, mark))?;
        }
        for (form, text) in marked(&tasks) {
            keeps(form, &dressed(&text, line_end, mark))?;
        }
    }
}

#[test]
fn each_form_that_is_written_is_marked_by_the_property_above() {
    for form in SOURCES {
        let changed = keeps(form, &written(form, PALETTES[0], &[(0, 1), (2, 0)])).unwrap();
        assert_eq!(changed, usize::from(form.name() != "beads"), "{}", form.name());
    }
    for (form, text) in marked(&[(0, 0), (2, 0)]) {
        assert_eq!(keeps(form, &text).unwrap(), 1, "{}: {text}", form.name());
    }
}

/// Files with a task of which nothing says how far it is, and those of them in which a word says it that is put in elsewhere.
fn lone(begin: &str, word: Option<&str>) -> Vec<(TaskForm, String)> {
    let status = word.map_or(String::new(), |word| format!("- **Status**: {word}\n"));
    let line = word.map_or(String::new(), |word| format!("status: {word}\n"));
    let heading = |rest: &str| (by_name("markdown"), format!("{begin}### T1: a\n{rest}"));
    vec![
        heading(&status),
        heading(&format!("\n{status}\ntext\n")),
        heading(&format!("{status}- **Priority**: low\n")),
        heading(&format!("{status}\ntext\n")),
        (by_name("front_matter"), format!("---\nid: T1\n{line}---\n\nbody\n")),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    #[test]
    fn a_lone_task_that_is_done_and_open_again_is_what_it_was(
        begin in prop::sample::select(&["", "# Plan\n\nWhy.\n\n"][..]),
        word in prop::option::of(prop::sample::select(&["pending", "to-do", "To-do", "todo", "open", "planned", "Not Started"][..])),
        line_end in prop::sample::select(&["\n", "\r\n"][..]),
        mark in prop::sample::select(&["", "\u{feff}"][..]),
    ) {
        for (form, text) in lone(begin, word) {
            let begins = form.name() == "front_matter" && !begin.is_empty();
            if !begins {
                prop_assert_eq!(keeps(form, &dressed(&text, line_end, mark))?, 1, "{}", text);
            }
        }
    }
}
