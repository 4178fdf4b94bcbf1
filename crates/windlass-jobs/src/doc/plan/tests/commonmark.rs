//! The same boxes as another implementation of `CommonMark` sees, and nothing but a box is changed.

use comrak::nodes::{AstNode, NodeValue};
use comrak::{Arena, Options};
use proptest::prelude::*;

use super::*;

/// What may begin a line: indentation and containers.
const BEGINNINGS: &[&str] = &[
    "",
    "",
    "",
    "  ",
    "    ",
    "      ",
    "\t",
    "- ",
    "* ",
    "+ ",
    "1. ",
    "12) ",
    "- - ",
    "  - ",
    "    - ",
    "   1) ",
    "\t- ",
    "-\t",
    "-   ",
    "-      ",
    "> ",
    "> - ",
    "- > ",
    "10. - ",
    "        - ",
    "   * ",
    "     + ",
];

/// What may follow.
const CONTENTS: &[&str] = &[
    "[ ] open",
    "[x] done",
    "[X] DONE",
    "[~] begun",
    "[ ]",
    "[ ] ",
    "[ ]\topen",
    "[y] other",
    "[] none",
    "[ ] `code`",
    "[ ] **bold** (refs: specs/a.md)",
    "text",
    "text [ ] inside",
    "# Heading",
    "### 1.2 Heading",
    "```",
    "~~~",
    "```rust",
    "---",
    "===",
    "***",
    "<!-- comment",
    "-->",
    "<!-- whole -->",
    "<details>",
    "</details>",
    "<div>",
    "</div>",
    "| a | b |",
    "|---|---|",
    "ü 日本 🎉",
    "[ ] ü 日本 🎉",
    "[link](target)",
    "Dependencies: none",
    "**Complexity:** low",
    "\\[ ] escaped",
    "&#91; ] entity",
    "[ ] a\\",
    "<script>",
    "end</script>",
    "<?php",
    "?>",
    "[ ] [link](specs/a.md)",
    "*[ ] emphasis*",
];

fn plans() -> impl Strategy<Value = String> {
    plans_of(CONTENTS)
}

/// Labels of links that look like boxes: comrak takes the link, GitHub the box, and so do we.
fn plans_with_labels() -> impl Strategy<Value = String> {
    plans_of(&[
        "[x]: target",
        "[~]: target",
        "[X]: target",
        "[ ] open",
        "[x] done",
        "[~] begun",
        "[x][x] link",
        "text",
        "### 1.2 Title ✅",
        "### 1.2 Title",
    ])
}

fn plans_of(contents: &'static [&'static str]) -> impl Strategy<Value = String> {
    let beginning = proptest::sample::select(BEGINNINGS);
    let content = proptest::sample::select(contents);
    let line = prop_oneof![
        6 => (beginning, content).prop_map(|(beginning, content)| format!("{beginning}{content}")),
        1 => Just(String::new()),
    ];
    let ends = proptest::sample::select(&["\n", "\r\n"][..]);
    let first = proptest::sample::select(&["", "", "\u{feff}"][..]);
    (proptest::collection::vec(line, 0..24), ends, first, any::<bool>()).prop_map(
        |(lines, end, first, closed)| format!("{first}{}{}", lines.join(end), if closed { end } else { "" }),
    )
}

/// Line and state of every box outside of quotes, as comrak sees them.
fn boxes_of_comrak(text: &str) -> Vec<(usize, char)> {
    let mut options = Options::default();
    options.extension.tasklist = true;
    options.parse.relaxed_tasklist_matching = true;
    let arena = Arena::new();
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let root = comrak::parse_document(&arena, text, &options);
    let mut found = Vec::new();
    collect(root, text, &mut found);
    found.sort_unstable();
    found
}

fn collect<'a>(node: &'a AstNode<'a>, text: &str, found: &mut Vec<(usize, char)>) {
    let quoted = matches!(node.data.borrow().value, NodeValue::BlockQuote);
    if let NodeValue::TaskItem(item) = &node.data.borrow().value {
        let at = item.symbol_sourcepos.start;
        let symbol = item.symbol.unwrap_or(' ');
        let line = text.split('\n').nth(at.line - 1).unwrap_or_default().as_bytes();
        // comrak also takes a box that something else follows than a blank, and one whose bracket is escaped or an entity.
        let column = line.windows(3).position(|three| three == format!("[{symbol}]").as_bytes());
        let after = column.and_then(|column| line.get(column + 3));
        let escaped =
            column.and_then(|column| column.checked_sub(1)).is_some_and(|before| line[before] == b'\\');
        if column.is_some()
            && " xX~".contains(symbol)
            && after.is_none_or(u8::is_ascii_whitespace)
            && !escaped
        {
            found.push((at.line, symbol));
        }
    }
    if !quoted {
        node.children().for_each(|child| collect(child, text, found));
    }
}

fn boxes_of_ours(text: &str) -> Vec<(usize, char)> {
    let plan = single(text);
    let boxes = plan.tasks().iter().filter(|task| task.is_box());
    let symbol = |task: &Task| text.as_bytes()[marker(task).start] as char;
    boxes.map(|task| (task.line, symbol(task))).collect()
}

/// Whatever is done to each task, no other byte changes, and the task has the state.
fn check_splices(text: &str) {
    let plan = single(text);
    for (index, task) in plan.tasks().iter().enumerate() {
        for state in [TaskState::Open, TaskState::InProgress, TaskState::Done] {
            let Ok(splice) = plan.mark(task, state) else { continue };
            let changed = splice.apply(text.as_bytes()).expect("a range of the text");
            let changed = String::from_utf8(changed).expect("UTF-8 as before");
            assert_eq!(changed[..splice.range.start], text[..splice.range.start]);
            assert!(changed.ends_with(&text[splice.range.end..]), "{text:?}");
            if task.is_box() && state != task.row.state {
                assert_eq!((splice.range.len(), changed.len()), (1, text.len()));
            }
            let after = single(&changed);
            let states =
                |plan: &Plan| plan.tasks().iter().map(|task| (task.line, task.row.state)).collect::<Vec<_>>();
            let mut expected = states(&plan);
            expected[index].1 = state;
            assert_eq!(states(&after), expected, "{text:?} with {splice:?}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, ..ProptestConfig::default() })]

    // rows: 94
    #[test]
    fn the_same_boxes_as_another_implementation_sees(text in plans()) {
        prop_assert_eq!(boxes_of_ours(&text), boxes_of_comrak(&text), "{}", text);
    }

    // rows: 94
    #[test]
    fn a_splice_changes_its_task_and_nothing_else(text in plans()) {
        check_splices(&text);
    }

    #[test]
    fn a_splice_changes_its_task_and_nothing_else_where_links_look_like_boxes(text in plans_with_labels()) {
        check_splices(&text);
    }

    #[test]
    fn any_text_at_all_can_be_read(text in "(\\PC|[-*+>#\\[\\] x~\n\t`.1)✅]){0,200}") {
        check_splices(&text);
    }
}
