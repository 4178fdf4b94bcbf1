//! Nothing is destroyed, whatever word or sign a file has for a state: all that are known, in all places that are read.

use super::*;
use crate::doc::tasks::sources::{Boxes, FeatureList, Issues, Table, TaskMaster};
use crate::doc::tasks::status::{DRAWN, SIGNS, WORDS};

/// A form, and a text with a task whose state is `@` and another whose state is `%`.
const PLACES: &[(TaskForm, &str)] = &[
    (&Markdown, "### T1: t\n- **Status**: @\n- **Priority**: high\n\n### T2: u\n- **Status**: %\n"),
    (&Markdown, "### T1: t\r\n**Status:** @ | **Owner:** Bo\r\n\r\n### T2: u\r\n**Status:** %\r\n"),
    (&Markdown, "### T1: t\nStatus: @ <!-- ask -->\nPriority: high\n\n### T2: u\nStatus: %\n"),
    (
        &Markdown,
        "### T1: t\n- **Priority**: high\n- **Status**: **@** (half of it)\n\n### T2: u\n- Status: %\n",
    ),
    (&Markdown, "## Stage 1: t\n**Status**: @\n\n## Stage 2: u\n**Status**: %\n"),
    (
        &Issues,
        "# Issues of a.b/c/d\n\n## #1: t\n- **Status**: @\n\n> t\n\n## #2: u\n- **Status**: %\n\n> u\n",
    ),
    (&Boxes, "## Tasks\n### 1.1 t\n**Status**: @\n\n### 1.2 u\n**Status:** %\n"),
    (&Table, "| ID | Title | Status |\n|---|---|---|\n| T1 | t | @ |\n| T2 | u | % |\n"),
    (&FrontMatter, "---\nid: T1\nstatus: @\n---\nbody\n"),
    (&FrontMatter, "\u{feff}---\r\nid: T1\r\nstatus: \"@\" # soon\r\n---\r\n"),
    (&FrontMatter, "---\nid: T1\nstatus: @\nassignee: []\ncreated_date: '2025-01-02'\n---\n"),
    (&Prd, "{\"userStories\": [{\"id\": \"A\", \"status\":\"@\"}, {\"id\": \"B\", \"status\": \"%\"}]}\n"),
    (&Prd, "[{\"id\": \"A\", \"state\": \"@\", \"title\": \"done\"}]"),
    (
        &FeatureList,
        "{\"features\": [{\"name\": \"a\", \"status\": \"@\"}, {\"name\": \"b\", \"status\": \"%\"}]}",
    ),
    (
        &TaskMaster,
        "{\"master\": {\"tasks\": [{\"id\": 1, \"title\": \"a\", \"status\": \"@\"}, {\"id\": 2, \"title\": \"b\", \"status\": \"%\"}]}}",
    ),
];

/// What the other task of a file may be called.
const OTHERS: [&str; 5] = ["pending", "To Do", "⬜", "done", "In Progress"];

/// Every word and sign of a state, however people spell it.
fn spelled(state: TaskState) -> Vec<String> {
    let capital = |part: &str| {
        let (first, rest) = part.split_at(part.len().min(1));
        format!("{}{rest}", first.to_uppercase())
    };
    let mut all = Vec::new();
    for (word, ..) in WORDS.iter().filter(|(_, of, _)| *of == state) {
        let (first, second) = word.split_once('-').unwrap_or((word, ""));
        let joints: &[&str] = if second.is_empty() { &[""] } else { &["-", "_", " "] };
        for between in joints {
            all.push(format!("{first}{between}{second}"));
            all.push(format!("{}{between}{}", capital(first), capital(second)));
            all.push(format!("{}{between}{second}", capital(first)));
            all.push(format!("{first}{between}{second}").to_uppercase());
        }
    }
    let signs = SIGNS.iter().filter(|(_, of, _)| *of == state);
    all.extend(signs.flat_map(|(sign, ..)| [sign.to_string(), format!("{sign}{DRAWN}")]));
    all
}

fn read(form: TaskForm, text: &str) -> TaskList {
    TaskList::parse(vec![file("tasks/T1.md", form, text)])
}

/// The text after the first task was brought to a state.
fn marked(form: TaskForm, text: &str, state: TaskState) -> Result<String, String> {
    let list = read(form, text);
    let first = &list.tasks()[0];
    let splice = list.set_state(&first.row.id, state).map_err(|error| format!("{error:?} in {text:?}"))?;
    let bytes = splice.apply(text.as_bytes()).unwrap();
    let after = String::from_utf8(bytes).unwrap();
    if read(form, &after).tasks()[0].row.state == state {
        Ok(after)
    } else {
        Err(format!("{after:?} is not {state:?}"))
    }
}

/// What stands around the word of the first task, without the word.
fn around(place: &str, other: &str) -> (String, String) {
    let text = place.replace('%', other);
    let (before, after) = text.split_once('@').unwrap();
    (before.to_owned(), after.to_owned())
}

#[test]
fn every_word_of_what_is_open_is_there_again_after_done_in_every_place() {
    let mut wrong = Vec::new();
    for (form, place) in PLACES {
        // In a table that sign stands for what was put in an empty cell.
        let words = spelled(TaskState::Open).into_iter();
        for word in words.filter(|word| form.name() != "table" || word != "🔲\u{fe0f}") {
            for other in OTHERS.iter().take(if place.contains('%') { OTHERS.len() } else { 1 }) {
                let (before, after) = around(place, other);
                let text = format!("{before}{word}{after}");
                if read(*form, &text)
                    .tasks()
                    .first()
                    .is_none_or(|task| task.row.state != TaskState::Open || task.row.unclear.is_some())
                {
                    wrong.push(format!("{text:?} is not open"));
                    continue;
                }
                match marked(*form, &text, TaskState::Done) {
                    Ok(done) if !(done.starts_with(&before) && done.ends_with(&after)) => {
                        wrong.push(format!("{done:?} for {text:?}"));
                    }
                    Ok(done) => match marked(*form, &done, TaskState::Open) {
                        Ok(again) if again == text => {}
                        other => wrong.push(format!("{other:?} for {text:?} by {done:?}")),
                    },
                    Err(error) => wrong.push(error),
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong: {}", wrong.len(), wrong[..wrong.len().min(9)].join("\n"));
}

#[test]
fn a_status_that_was_put_in_is_taken_out_again_and_no_other() {
    let without: &[(TaskForm, &str)] = &[
        (&Markdown, "### T1: t\n- **Priority**: high\n\n### T2: u\n- **Priority**: low\n"),
        (&Markdown, "\u{feff}### T1: t\r\n  **Priority**: high\r\n### T2: u\r\n"),
        (&Markdown, "### T1: t\ntext\n### T2: u\n"),
        (&Markdown, "### T1: t\n\ntext\n\n### T2: u"),
        (&Markdown, "### T1: t\n### T2: u\n- **Status**: done\n### T3: v\n### T4: w\n"),
        (&Markdown, "### T1: t\n### T2: u\n- **Status**: pending\n### T3: v\n- **Status**: In progress\n"),
        (&FrontMatter, "---\nid: T1\n---\nbody\n"),
        (&FrontMatter, "---\nid: T1\nstatus:\n---\nbody\n"),
        (
            &Prd,
            "{\"userStories\": [{\"id\": \"A\"}, {\"id\": \"B\", \"passes\": false}, {\"id\": \"C\", \"passes\": true}]}",
        ),
        (&Prd, "[{\n  \"id\": \"A\",\n  \"title\": \"a\"\n}]\n"),
        (&Markdown, "### T1: t\n- **Status**:\n### T2: u\n"),
        (&Markdown, "### T1: t\r\n- **Status**: \r\n### T2: u\r\n"),
        (&Markdown, "### T1: t\n- **Status**:\n- **Priority**: high\n"),
        (&Prd, "{\"userStories\": [{\"id\": \"A\", \"title\": \"a\"},\n {\"id\": \"B\"}]}"),
        (
            &Prd,
            "{\"phases\": [{\"id\": \"p\", \"name\": \"p\", \"tasks\": [{\"id\": \"1.1\"}, {\"id\": \"1.2\"}]}]}",
        ),
    ];
    // Each stands where one is put in, so that it has to be called otherwise as long as it is done.
    let with: &[(TaskForm, &str)] = &[
        (
            &Markdown,
            "### T1: t\n- **Status**: pending\n- **Priority**: high\n\n### T2: u\n- **Priority**: low\n",
        ),
        (&Markdown, "### T1: t\n\n- **Status**: pending\n\n### T2: u\n"),
        (&Markdown, "### T1: t\n- **Status**: pending\n"),
        (&Markdown, "### T1: t\n\n- **Status**:  pending\n\ntext\n"),
        (&Markdown, "### T1: t\n- **Status**:  to-do\n- **Priority**: high\n"),
        (&Prd, "[{\"id\": \"A\", \"passes\": false}, {\"id\": \"B\", \"passes\": false}]"),
    ];
    for (form, text) in without.iter().chain(with) {
        let done = marked(*form, text, TaskState::Done).unwrap();
        assert_ne!(done, *text);
        assert_eq!(marked(*form, &done, TaskState::Open).as_deref(), Ok(*text), "{done:?}");
    }
}

#[test]
fn several_that_are_done_one_after_the_other_are_open_again_without_a_trace() {
    let text = "### T1: t\n- **Priority**: high\n\n### T2: u\ntext\n\n### T3: v\n### T4: w\n";
    let list = markdown(text);
    let one = list.set_state(&"T1".into(), TaskState::Done).unwrap().apply(text.as_bytes()).unwrap();
    let one = String::from_utf8(one).unwrap();
    let both =
        markdown(&one).set_state(&"T2".into(), TaskState::Done).unwrap().apply(one.as_bytes()).unwrap();
    let both = String::from_utf8(both).unwrap();
    let second =
        markdown(&both).set_state(&"T1".into(), TaskState::Open).unwrap().apply(both.as_bytes()).unwrap();
    let second = String::from_utf8(second).unwrap();
    let none =
        markdown(&second).set_state(&"T2".into(), TaskState::Open).unwrap().apply(second.as_bytes()).unwrap();
    assert_eq!(String::from_utf8(none).unwrap(), text);
}

#[test]
fn of_what_is_begun_or_done_only_the_word_changes_in_every_place() {
    let mut wrong = Vec::new();
    for (form, place) in PLACES {
        for word in spelled(TaskState::InProgress).into_iter().chain(spelled(TaskState::Done)) {
            for other in OTHERS.iter().take(if place.contains('%') { 2 } else { 1 }) {
                let (before, after) = around(place, other);
                let text = format!("{before}{word}{after}");
                for state in [TaskState::Open, TaskState::InProgress, TaskState::Done] {
                    let keeps = |text: &str| text.starts_with(&before) && text.ends_with(&after);
                    match marked(*form, &text, state) {
                        Ok(changed) if keeps(&changed) => {}
                        other => wrong.push(format!("{other:?} for {text:?}")),
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong: {}", wrong.len(), wrong[..wrong.len().min(9)].join("\n"));
}
