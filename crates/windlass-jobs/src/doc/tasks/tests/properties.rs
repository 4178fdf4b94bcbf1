//! Whatever a file holds: it is read, and a change of one state is that and nothing else.

use proptest::prelude::*;

use super::*;

const LINES: &[&str] = &[
    "### T1: one",
    "### TASK-2: two",
    "### TASK-2: again",
    "## FEAT-3: level",
    "### Heading",
    "#### Below",
    "- **Status**: pending",
    "- **Status**: done",
    "  - **Status**: done",
    "* **Status:** in progress",
    "**Status**: done",
    "- **Status**:",
    "- **Status**: what",
    "- **Status**: pending — waiting on Bob",
    "**Status:** done | **Domain:** Security",
    "- **Status**: done-by-code | x",
    "- **Status**: in-progress (half)",
    "- **Priority**: high",
    "**Priority**: low",
    "- **Dependencies**: T1, TASK-2",
    "- **Dependencies**: GONE-1",
    "- **Description**: words",
    "  more words",
    "",
    "",
    "text",
    "```",
    "~~~",
    "> quote",
    "> ### T9: quoted",
    "<!--",
    "-->",
    "<div>",
    "    ### T8: code",
    "- item",
    "1. **Status**: done",
    "---",
    "===",
    "- ### T7: item",
    "***",
    "[done]: x",
    "- **Type**: fix",
    "- **Protected**: a/**, !b/**, [",
    "**Protected**: `c`",
    "\t- **Status**: done",
    "+ **Status** : Done",
];

fn document() -> impl Strategy<Value = String> {
    let line = prop::sample::select(LINES);
    let end = prop::sample::select(&["\n", "\n", "\n", "\r\n", "\r"][..]);
    prop::collection::vec((line, end), 0..25)
        .prop_map(|lines| lines.into_iter().flat_map(|(line, end)| [line, end]).collect())
}

fn check(list: &TaskList, text: &str, read: impl Fn(&str) -> TaskList) -> Result<(), TestCaseError> {
    for (index, task) in list.tasks().iter().enumerate() {
        prop_assert_eq!(text.get(task.block().clone()).is_some(), true);
        if list.task(&task.row.id).is_none_or(|first| !std::ptr::eq(first, task)) {
            continue;
        }
        for state in [TaskState::Open, TaskState::InProgress, TaskState::Done] {
            let Ok(splice) = list.set_state(&task.row.id, state) else { continue };
            let bytes = splice.apply(text.as_bytes()).unwrap();
            prop_assert!(bytes.starts_with(&text.as_bytes()[..splice.range.start]));
            prop_assert!(bytes.ends_with(&text.as_bytes()[splice.range.end..]));
            let bytes_after = bytes.clone();
            let after = read(&String::from_utf8(bytes).unwrap());
            let mut expected = list.rows();
            expected[index].state = state;
            // What was said of it stays with it: a word that is none is replaced by one that is.
            expected[index].unclear = None;
            // What was put in may be taken out again, with its line.
            let word = text.get(splice.range.clone()).filter(|_| !splice.text.is_empty());
            if let Some(word) = word {
                prop_assert!(!word.contains(['|', '(', '\n', '\r']), "{:?}", word);
            }
            let back = after.set_state(&task.row.id, task.row.state).unwrap();
            let canonical = matches!(&text[splice.range.clone()], "pending" | "in-progress" | "done");
            if canonical && !splice.is_empty() {
                prop_assert_eq!(back.apply(&bytes_after).unwrap(), text.as_bytes(), "there and back");
            }
            prop_assert_eq!(after.rows(), expected, "{:?}", splice);
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]
    #[test]
    fn one_state_changes_and_nothing_else(text in document()) {
        check(&markdown(&text), &text, markdown)?;
        let matter = format!("---\n{text}");
        check(&folder(&[("T1.md", &matter)]), &matter, |text| folder(&[("T1.md", text)]))?;
    }

    #[test]
    fn what_is_added_is_one_task_more(text in document(), title in "\\PC{1,12}", description in "\\PC{0,12}\n?[-#*`> a]{0,6}") {
        let list = markdown(&text);
        let Ok(addition) = list.addition(&NewTask { title, description, ..NewTask::default() }) else { return Ok(()) };
        let after = markdown(&String::from_utf8(addition.splice.apply(text.as_bytes()).unwrap()).unwrap());
        prop_assert_eq!(after.tasks().len(), list.tasks().len() + 1);
        prop_assert!(after.task(&addition.id).is_some_and(|task| task.row.state == TaskState::Open));
        prop_assert!(list.task(&addition.id).is_none());
    }

    #[test]
    fn any_text_at_all_can_be_read(text in "\\PC{0,200}", bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        for form in SOURCES {
            let _ = TaskList::parse(vec![file("x", form, &text)]);
            let _ = TaskList::parse(vec![TaskFile::alone("x", form, Ok(bytes.clone()))]);
        }
    }
}
