//! What tasks protect: patterns of files in each form, and what is none.

use super::*;

fn protected(list: &TaskList) -> Vec<Vec<&str>> {
    list.tasks().iter().map(|task| task.row.protected.iter().map(String::as_str).collect()).collect()
}

#[test]
fn patterns_are_read_as_they_are_written() {
    let table: &[(&str, &[&str])] = &[
        ("tests/golden/**", &["tests/golden/**"]),
        ("tests/**, !ci/**, a*b*", &["tests/**", "!ci/**", "a*b*"]),
        ("`tests/**`, !`ci/**`, `!x`", &["tests/**", "!ci/**", "!x"]),
        ("src/{a,b}/**, [a,b].rs", &["src/{a,b}/**", "[a,b].rs"]),
        ("tests/\\*\\*, a\\_b <!-- why -->", &["tests/**", "a_b"]),
        ("\n  - tests/**\n  - `!docs/**`\n  * *.snap", &["tests/**", "!docs/**", "*.snap"]),
        ("my tests/**,\n  more/", &["my tests/**", "more/"]),
        ("none", &[]),
        ("", &[]),
    ];
    for (written, expected) in table {
        for text in [
            format!("### T1: one\n- **Status**: pending\n- **Protected**: {written}\n- **Type**: fix\n"),
            format!("### T1: one\n- **protected:** {written}\n- **Type**: fix\n").replace('\n', "\r\n"),
        ] {
            let list = markdown(&text);
            assert_eq!(protected(&list), [*expected], "{text}");
            assert_eq!(problems(&list), [""; 0], "{text}");
            assert_eq!(list.tasks()[0].row.kind.as_deref(), Some("fix"), "{text}");
        }
    }
    let lines =
        markdown("### T1: one\n**Protected**: a/**, !b/**\n**Status**: done\n\n```\n**Protected**: x\n```\n");
    assert_eq!(protected(&lines), [["a/**", "!b/**"]]);
    assert_eq!(lines.tasks()[0].row.state, TaskState::Done);
}

#[test]
fn stories_and_front_matter_have_lists_of_patterns() {
    let list = prd(
        r#"{"userStories": [{"id": "A1", "protected": ["tests/**", "!src/{a,b}/*", " "]}, {"id": "A2", "protected": "a/**, !b"}, {"id": "A3", "protected": null}]}"#,
    );
    assert_eq!(protected(&list), [vec!["tests/**", "!src/{a,b}/*"], vec!["a/**", "!b"], vec![]]);
    assert_eq!(problems(&list), [""; 0]);
    let list = folder(&[
        ("T1.md", "---\nprotected: [tests/**, \"!src/{a,b}/*\", '[ab].rs'] # as before\n---\n"),
        ("T2.md", "---\nprotected:\n  - tests/**\n  - \"!ci/**\"\nstatus: done\n---\n"),
        ("T3.md", "---\r\nProtected: a/**, !b # words\r\n---\r\n"),
        ("T4.md", "---\nprotected: []\n---\n"),
    ]);
    assert_eq!(
        protected(&list),
        [vec!["tests/**", "!src/{a,b}/*", "[ab].rs"], vec!["tests/**", "!ci/**"], vec!["a/**", "!b"], vec![]]
    );
    assert_eq!(problems(&list), [""; 0]);
}

#[test]
fn what_is_no_pattern_is_named_with_its_line_and_left_out() {
    let list = markdown("### T1: one\n- **Status**: pending\n- **Protected**: a/**, `[`, !, b\n");
    assert_eq!(protected(&list), [["a/**", "b"]]);
    assert_eq!(
        problems(&list),
        [
            "tasks.md:3: T1 protects `[`, which is not a pattern for files: unclosed character class; missing ']'",
            "tasks.md:3: T1 protects `!`, which is not a pattern for files: it names nothing",
        ]
    );
    assert!(!list.is_unusable(), "the task can be worked on");
    let many: Vec<String> = (0..101).map(|number| format!("f{number}")).collect();
    let list = prd(&format!("{{\"userStories\": [{{\"id\": \"A1\",\n\"protected\": {many:?}}}]}}"));
    assert_eq!(list.tasks()[0].row.protected.len(), 100);
    assert_eq!(
        problems(&list),
        ["prd.json:2: A1 has more than 100 patterns of protected files; the first 100 count"]
    );
    let list = folder(&[("T1.md", &format!("---\nprotected: {}\n---\n", "x".repeat(257)))]);
    assert_eq!(protected(&list), [[""; 0]]);
    assert_eq!(
        problems(&list),
        ["tasks/T1.md:2: T1 has a pattern of protected files that is longer than 256 bytes"]
    );
}

#[test]
fn as_many_patterns_as_a_task_may_have_can_be_used() {
    let worst = ["?".repeat(256), "[!a-z]".repeat(42), "{a,b}".repeat(51), "**/".repeat(85)];
    for pattern in worst {
        let globs = vec![pattern.as_str(); 100];
        assert!(windlass_core::guard::Protected::new(globs).is_ok(), "{pattern}");
    }
}
