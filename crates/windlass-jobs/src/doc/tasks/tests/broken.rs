//! Files that are damaged, in every form: each is refused with its reason, or read as what it is.

use super::*;

fn read(form: TaskForm, bytes: &[u8]) -> TaskList {
    TaskList::parse(vec![TaskFile::alone("T1.md", form, Ok(bytes.to_vec()))])
}

#[test]
fn what_is_utf_16_or_an_unsettled_merge_is_refused_in_every_form() {
    let utf_16: Vec<u8> = "\u{feff}- [ ] a\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let merge = b"- [ ] a\n<<<<<<< HEAD\n- [x] b\n=======\n- [ ] b\n>>>>>>> other\n";
    for form in SOURCES {
        let list = read(form, &utf_16);
        assert!(list.is_unusable(), "{}", form.name());
        assert_eq!(problems(&list), ["T1.md:1: is UTF-16: save it as UTF-8"], "{}", form.name());
        let list = read(form, merge);
        assert!(list.is_unusable(), "{}", form.name());
        assert!(
            problems(&list)[0].starts_with("T1.md:2: holds a merge that was not settled"),
            "{}",
            form.name()
        );
    }
}

#[test]
fn half_of_a_json_document_is_refused_with_its_line() {
    let names = ["prd", "task_master", "feature_list"];
    let whole =
        "{\"features\": [\n{\"id\": \"A\", \"title\": \"a\", \"passes\": false},\n{\"id\": \"B\", \"pas";
    for form in SOURCES.into_iter().filter(|form| names.contains(&form.name())) {
        let list = read(form, whole.as_bytes());
        assert!(list.is_unusable() && !problems(&list).is_empty(), "{}", form.name());
    }
}

#[test]
fn one_id_in_two_files_is_said_with_both_and_none_of_them_is_worked_on() {
    let list = folder(&[
        ("a.md", "---\nid: T1\nstatus: pending\n---\n"),
        ("b.md", "---\nid: t1\nstatus: pending\n---\n"),
    ]);
    assert_eq!(problems(&list), ["tasks/b.md:1: has the id t1 of tasks/a.md:1: give one of them another"]);
    assert_eq!(list.schedule().next(), None);
}

#[test]
fn tabs_and_line_ends_of_windows_behind_a_byte_order_mark_are_read_as_usual() {
    let list = read(&Boxes, b"\xef\xbb\xbf-\t[ ]\ta\r\n\t-\t[x]\tb\r\n");
    assert_eq!(told(&list), ["open L1 a <L2", "done L2 b"]);
    let list = read(&Markdown, b"\xef\xbb\xbf### T1: a\r\n-\t**Status**:\tpending\r\n");
    assert_eq!(told(&list), ["open T1 a"]);
}

#[test]
fn open_work_that_is_no_task_as_it_is_written_may_be_hidden_and_nothing_else_is() {
    let lone = |text: &str| markdown(text).hidden_work();
    let task = "### TASK-001: a\n- **Status**: done\n\n";
    assert_eq!(
        lone(&format!("{task}### Task two: b\n- **Status**: pending\n")),
        Some(
            "tasks.md:5: this status belongs to no task: a task begins with `### TASK-001: Title`".to_owned()
        )
    );
    assert_eq!(lone(&format!("{task}### Task two: b\n- **Status**: done\n")), None);
    let group = "### Phase one\n**Status**: in progress\n\n#### TASK-001: a\n- **Status**: done\n";
    assert_eq!(lone(group), None, "it is that of the tasks below it");
    let done = "---\nid: T1\nstatus: done\n---\n";
    for (name, text, hides) in [
        ("T002.md", "# Two\n\nDo it.\n", true),
        ("notes.md", "# Notes\n", false),
        ("flow.md", "---\n{id: T-6, status: pending, title: flow}\n---\n", true),
        ("more.md", "---\nauthor: Bo\n---\n", false),
    ] {
        let list = folder(&[("T001.md", done), (name, text)]);
        assert_eq!(list.hidden_work().is_some(), hides, "{name}: {:?}", problems(&list));
    }
}

#[test]
fn a_second_list_of_stories_is_no_list_that_nobody_reads() {
    let one = r#"[{"id": "US-1", "title": "a", "passes": true}]"#;
    let other = r#"[{"id": "US-2", "title": "b"}]"#;
    for (document, said) in [
        (
            format!(r#"{{"userStories": {one}, "stories": {other}}}"#),
            "has open work in `stories` beside `userStories`",
        ),
        (format!(r#"{{"userStories": {one}, "userStories": {other}}}"#), "has `userStories` twice"),
        (
            format!(r#"{{"prd": {{"userStories": {one}, "tasks": {other}}}}}"#),
            "has open work in `tasks` beside `userStories`",
        ),
    ] {
        let list = prd(&document);
        assert!(list.is_unusable(), "{document}");
        assert!(problems(&list)[0].contains(said), "{document}: {:?}", problems(&list));
    }
}
