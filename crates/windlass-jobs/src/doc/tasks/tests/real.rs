//! How plans and task files are really written: what is read of each style, and that marking destroys nothing. All of them are
//! written for this test.

use super::styles::STYLES;
use super::styles_more::MORE;
use super::styles_others::OTHERS;
use super::*;
use crate::doc::tasks::sources::form_of;

fn list(name: &str, text: &str) -> TaskList {
    let form = form_of(name, Place::Alone, text.as_bytes()).unwrap();
    TaskList::parse(vec![file(name, form, text)])
}

#[test]
fn every_style_is_read_as_it_is_meant() {
    let mut others = Vec::new();
    for (name, text, expected) in STYLES.iter().chain(MORE).chain(OTHERS) {
        let list = list(name, text);
        let said =
            told(&list).into_iter().chain(problems(&list).into_iter().map(|problem| format!("!{problem}")));
        let said: Vec<String> = said.collect();
        // What is to be done about it is said once, not in every row.
        let is_same = |(said, expected): (&String, &&str)| {
            said == expected || (said.starts_with('!') && said.starts_with(expected))
        };
        if said.len() != expected.len() || !said.iter().zip(*expected).all(is_same) {
            others.push(format!("{name}: {said:#?} is not {expected:#?}"));
        }
    }
    assert!(others.is_empty(), "{}", others.join("\n"));
    let styles = STYLES.len() + MORE.len() + OTHERS.len();
    assert!(styles >= 127, "{styles} styles stand here: none is given up");
}

#[test]
fn an_open_task_that_is_done_and_open_again_leaves_the_same_bytes() {
    let more = [
        ("todo.md", "### T1: a\n- **Status**: todo\n### T2: b\n- **Status**: done\n"),
        ("mixed.md", "### T1: a\n- **Status**: pending\n### T2: b\n- **Status**: Open\n"),
        ("started.md", "### T1: a\n**Status:** Not Started | **Owner:** Bo\n"),
        ("crlf.md", "\u{feff}### T1: a\r\n- **Status**: open\r\n"),
        ("tick.md", "### T1: a\n- **Status**: [ ] pending\n"),
        ("words.json", "[{\"id\": \"a\", \"status\": \"not_started\"}]"),
    ];
    // beads is only read.
    let written = STYLES.iter().chain(MORE).chain(OTHERS).filter(|(name, ..)| *name != "beads.jsonl");
    let styles = written.map(|(name, text, _)| (*name, *text)).chain(more);
    for (name, text) in styles {
        let before = list(name, text);
        for task in before
            .tasks()
            .iter()
            .filter(|task| task.row.state == TaskState::Open && task.row.unclear.is_none())
        {
            let id = &task.row.id;
            let splice = before
                .set_state(id, TaskState::Done)
                .unwrap_or_else(|error| panic!("{name} {id}: {error:?}"));
            if splice.range.is_empty() {
                continue;
            }
            let bytes = splice.apply(text.as_bytes()).unwrap();
            let after = list(name, std::str::from_utf8(&bytes).unwrap());
            assert_eq!(after.task(id).map(|task| task.row.state), Some(TaskState::Done), "{name} {id}");
            let back = after.set_state(id, TaskState::Open).unwrap().apply(&bytes).unwrap();
            assert_eq!(String::from_utf8_lossy(&back), text, "{name} {id}");
        }
    }
}

#[test]
fn what_was_taken_for_what_is_said() {
    let notes = |name: &str| {
        STYLES.iter().find(|(of, ..)| *of == name).map(|(name, text, _)| list(name, text).notes()).unwrap()
    };
    assert_eq!(
        notes("prose.md")[1],
        "1 heading with a number taken for prose (line 5): a box makes a task of one"
    );
    assert_eq!(
        notes("criteria.md")[1],
        "2 boxes taken for criteria of the whole, to be ticked after all tasks (lines 5, 6)"
    );
    assert_eq!(notes("kiro.md")[1], "1 task optional, after all others (line 3)");
}

// What was a task until a box stood below it, and what was prose after all, has no criteria: the whole has them.
#[test]
fn criteria_of_a_heading_that_is_no_task_are_those_of_the_whole() {
    for (text, line) in [
        ("## Tasks\n### 1.1 Login\nAcceptance criteria:\n- [ ] for admins\n\nSteps:\n- [x] 1.1.1 form\n", 4),
        (
            "- [x] work\n## 4. Design\n### 4.1 Log in once\nAcceptance criteria:\n- [ ] no second password\n",
            5,
        ),
    ] {
        let plan = crate::doc::plan::Plan::parse(vec![file("plan.md", &Boxes, text)]);
        assert_eq!(plan.criteria().iter().map(|one| one.line).collect::<Vec<_>>(), [line], "{text}");
        assert!(!crate::doc::plan::standing_for_build(&plan, "").complete, "{text}");
    }
}

// A phase of which parts are marked is unclear; who says that it is done may take it back.
#[test]
fn what_was_unclear_and_is_done_is_unclear_again() {
    let text = "## Phase 1: Read\n\n**a** Parse ✅\n\n## Phase 2: Write\n";
    let before = list("plan.md", text);
    assert!(before.tasks()[0].row.unclear.is_some());
    let bytes = before.set_state(&"Phase-1".into(), TaskState::Done).unwrap().apply(text.as_bytes()).unwrap();
    let after = list("plan.md", std::str::from_utf8(&bytes).unwrap());
    assert_eq!(after.tasks()[0].row.state, TaskState::Done);
    let back = after.set_state(&"Phase-1".into(), TaskState::Open).unwrap().apply(&bytes).unwrap();
    assert_eq!(String::from_utf8_lossy(&back), text);
}

#[test]
fn a_mark_that_a_heading_speaks_of_is_no_state_and_is_not_removed() {
    let list = list("plan.md", "## Tasks\n### 1.2 Show the ✅\n### 1.3 Store ✅\n");
    assert_eq!(told(&list), ["open 1.2 Show the ✅", "done 1.3 Store"]);
    assert!(list.set_state(&"1.2".into(), TaskState::Done).is_err());
}
