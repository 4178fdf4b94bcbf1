//! A change of a state changes the word and nothing else.

use super::*;

fn changed(list: &TaskList, text: &str, id: &str, state: TaskState) -> String {
    let splice = list.set_state(&id.into(), state).unwrap();
    String::from_utf8(splice.apply(text.as_bytes()).unwrap()).unwrap()
}

// Seed defect D3, later tasks.ts (updateTaskStatus): a file with CRLF was written anew with LF, and ids were prefixes and patterns.
// rows: 90
#[test]
fn only_the_word_of_this_very_task_changes() {
    let text = "\u{feff}### TASK-1: a\r\n-  **Status**:   Pending <!-- x -->  \r\n### TASK-10: b\r\n* __status:__ *in progress* (half)\r\n### TASK-1.1: c\r\n- **Status**: done";
    let list = markdown(text);
    assert_eq!(changed(&list, text, "TASK-1", TaskState::Done), text.replace("Pending", "Done"));
    assert_eq!(changed(&list, text, "TASK-1", TaskState::InProgress), text.replace("Pending", "In-progress"));
    assert_eq!(changed(&list, text, "TASK-1", TaskState::Open), text);
    assert_eq!(changed(&list, text, "TASK-10", TaskState::Open), text.replace("in progress", "pending"));
    assert_eq!(changed(&list, text, "TASK-10", TaskState::InProgress), text, "another word for the same");
    assert_eq!(changed(&list, text, "TASK-1.1", TaskState::Open), text.replace(": done", ": pending"));
    assert_eq!(list.set_state(&"TASK-2".into(), TaskState::Done), Err(Unwritable::NoTask));
}

#[test]
fn a_missing_status_is_put_in() {
    let table = [
        ("### T1: a\n- **Priority**: low\n", "### T1: a\n- **Status**:  done\n- **Priority**: low\n"),
        (
            "### T1: a\r\n\r\n  * **Priority**: low\r\n",
            "### T1: a\r\n\r\n  * **Status**:  done\r\n  * **Priority**: low\r\n",
        ),
        ("### T1: a\n**Priority**: low\n", "### T1: a\n**Status**:  done\n**Priority**: low\n"),
        ("### T1: a", "### T1: a\n\n- **Status**:  done"),
        ("### T1: a\n", "### T1: a\n\n- **Status**:  done\n"),
        ("### T1: a\ntext\n", "### T1: a\n- **Status**:  done\n\ntext\n"),
        ("### T1: a\n\ntext\n", "### T1: a\n\n- **Status**:  done\n\ntext\n"),
        (
            "### T1: a\n- **Status**:\n- **Priority**: low\n",
            "### T1: a\n- **Status**:   done\n- **Priority**: low\n",
        ),
        ("### T1: a\n- **Status**: \n", "### T1: a\n- **Status**:   done \n"),
        ("### T1: a\n- **Status**: blocked\n", "### T1: a\n- **Status**: done\n"),
    ];
    for (text, expected) in table {
        assert_eq!(changed(&markdown(text), text, "T1", TaskState::Done), expected, "{text:?}");
    }
    let text = "### T1: a\n- **Status**: blocked\n";
    let open = changed(&markdown(text), text, "T1", TaskState::Open);
    assert_eq!(open, "### T1: a\n- **Status**: pending\n", "what is not a status is not left");
}

#[test]
fn stories_pass_or_do_not() {
    let text = "\u{feff}{\"userStories\": [\n {\"id\": \"A-1\", \"passes\" :  false , \"notes\": \"passes: false\"},\n {\"id\":\"A-2\"}]}";
    let list = prd(text);
    assert_eq!(changed(&list, text, "A-1", TaskState::Done), text.replace(":  false", ":  true"));
    assert_eq!(changed(&list, text, "A-1", TaskState::InProgress), text, "there is no word for it");
    assert_eq!(changed(&list, text, "A-1", TaskState::Open), text);
    assert_eq!(changed(&list, text, "A-2", TaskState::InProgress), text);
    let expected = text.replace("\"A-2\"", "\"A-2\", \"passes\":  true");
    assert_eq!(changed(&list, text, "A-2", TaskState::Done), expected);
    assert_eq!(
        changed(&prd(&expected), &expected, "A-2", TaskState::InProgress),
        expected.replace("passes\":  true", "passes\":  false")
    );
}

#[test]
fn front_matter_gets_its_status_line() {
    let table = [
        ("---\nstatus: pending # x\n---\nstatus: pending\n", "---\nstatus: done # x\n---\nstatus: pending\n"),
        ("---\r\nstatus: \"Pending\"\r\n---\r\n", "---\r\nstatus: \"Done\"\r\n---\r\n"),
        ("---\nid: T1\n---\n", "---\nid: T1\nstatus:  done\n---\n"),
        ("---\r\nid: T1\r\n---", "---\r\nid: T1\r\nstatus:  done\r\n---"),
        ("---\n---\n", "---\nstatus:  done\n---\n"),
        ("---\nstatus:\nid: T1\n---\n", "---\nstatus:   done\nid: T1\n---\n"),
        ("---\ndependencies:\n- T2\n---\n", "---\ndependencies:\n- T2\nstatus:  done\n---\n"),
    ];
    for (text, expected) in table {
        let list = folder(&[("T1.md", text), ("T2.md", "---\n---\n")]);
        assert_eq!(changed(&list, text, "T1", TaskState::Done), expected, "{text:?}");
    }
}

/// A status of the files that people have, in each form; the word that may change, and how it is written once it is done.
const LINES: &[(&str, &str, &str)] = &[
    ("- **Status**: pending — waiting on API key from Bob", "pending", "done"),
    ("**Status:** Pending | **Domain:** Security | **Effort:** S", "Pending", "Done"),
    ("- **Status**: `pending` (blocked by **nothing**)", "pending", "done"),
    ("* **Status**: PENDING, see [x](y)", "PENDING", "DONE"),
    ("- **Status**: pending <!-- done -->", "pending", "done"),
    ("1. **Status:** *pending* ⏳ since Monday", "pending", "done"),
];

#[test]
fn what_stands_beside_the_word_stays() {
    for (line, word, done) in LINES {
        for end in ["", "\n", "\r\n", "\n  more of it: pending\n"] {
            let text = format!("### TASK-1: pending\n{line}{end}");
            let list = markdown(&text);
            assert_eq!(list.problems(), [], "{text}");
            let marked = changed(&list, &text, "TASK-1", TaskState::Done);
            let heading = "### TASK-1: pending\n".len();
            let (before, after) = text.split_at(heading + line.find(word).unwrap());
            assert_eq!(marked, format!("{before}{done}{}", &after[word.len()..]), "only the word: {text:?}");
            assert_eq!(changed(&markdown(&marked), &marked, "TASK-1", TaskState::Open), text, "and back");
        }
    }
}

#[test]
fn what_is_surely_no_status_is_neither_taken_for_one_nor_changed() {
    for value in ["done-by-code | **Domain:** Security", "blocked by Bob", "done?", "50% done"] {
        let text = format!("### TASK-1: a\n- **Status**: {value}\n");
        let list = markdown(&text);
        let refused = list.set_state(&"TASK-1".into(), TaskState::Done);
        assert!(matches!(refused, Err(Unwritable::Unclear(_))), "{value}: {refused:?}");
        assert_eq!(list.problems()[0].kind, ProblemKind::UnknownStatus);
        let [row] = &list.rows()[..] else { panic!() };
        assert!(row.state == TaskState::Open && row.unclear.is_some(), "{row:?}");
    }
    let matter = "---\nid: T1\nstatus: pending, waiting on Bob # x\n---\n";
    let list = folder(&[("T1.md", matter)]);
    assert_eq!(changed(&list, matter, "T1", TaskState::Done), matter.replace("pending", "done"));
}

#[test]
fn of_two_tasks_with_one_id_none_is_changed_while_one_is_open() {
    let lists = [
        markdown("### TASK-1: a\n- **Status**: done\n### TASK-1: b\n- **Status**: pending\n"),
        prd(r#"{"userStories": [{"id": "TASK-1", "passes": true}, {"id": "task-1", "passes": false}]}"#),
        folder(&[("a.md", "---\nid: TASK-1\nstatus: done\n---\n"), ("b.md", "---\nid: TASK-1\n---\n")]),
    ];
    for list in lists {
        let first = &list.rows()[0];
        assert_eq!(first.state, TaskState::Open, "an open task is open whatever its id");
        assert!(first.unclear.as_ref().is_some_and(|why| why == "2 tasks have its id"), "{first:?}");
        let why = "2 tasks have its id".to_owned();
        assert_eq!(list.set_state(&"TASK-1".into(), TaskState::Done), Err(Unwritable::Unclear(why)));
        assert!(list.schedule().next().is_none());
    }
    let done = markdown("### TASK-1: a\n- **Status**: done\n### TASK-1: b\n- **Status**: done\n");
    assert!(done.rows().iter().all(|row| row.state == TaskState::Done && row.unclear.is_none()));
}

#[test]
fn an_underlined_heading_is_marked_in_its_text() {
    let text = "# Plan\n\nTask 1: Build login\n-------------------\nMake it.\n\nTask 2: Show\n---------\n\nTask 3: Of two\nlines\n---\n";
    let list = TaskList::parse(vec![file("plan.md", &Boxes, text)]);
    assert_eq!(told(&list), ["open 1 Build login", "open 2 Show", "open 3 Of two lines"]);
    let marked = changed(&list, text, "1", TaskState::Done);
    assert_eq!(marked, text.replace("Build login", "Build login ✅"));
    let after = TaskList::parse(vec![file("plan.md", &Boxes, &marked)]);
    assert_eq!(told(&after), ["done 1 Build login", "open 2 Show", "open 3 Of two lines"]);
    assert_eq!(changed(&after, &marked, "1", TaskState::Open), text);
    assert_eq!(list.set_state(&"3".into(), TaskState::Done), Err(Unwritable::NoPlace), "no line is its end");
}

#[test]
fn a_change_that_would_change_how_anything_else_is_read_is_refused_in_every_form() {
    let unsafe_place = |text: &str, range: std::ops::Range<usize>| {
        let mut list = TaskList::parse(vec![file("plan.md", &Boxes, text)]);
        list.contents.tasks[0].place = StatePlace::Word(range);
        list.set_state(&"L1".into(), TaskState::Done)
    };
    let text = "- [ ] a\n- [ ] b\n";
    assert!(unsafe_place(text, 3..4).is_ok());
    assert_eq!(unsafe_place(text, 8..9), Err(Unwritable::NoPlace), "a task is lost");
    assert_eq!(unsafe_place(text, 11..12), Err(Unwritable::NoPlace), "another task is done");
}
