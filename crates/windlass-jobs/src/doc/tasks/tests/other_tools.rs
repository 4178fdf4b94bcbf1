//! What other tools mean by what they write.

use super::*;
use crate::doc::tasks::sources::{Beads, TaskMaster};

fn backlog(statuses: &str, files: &[(&str, &str)]) -> TaskList {
    let own = FrontMatter.own_words(&format!("project_name: \"Shop\"\n{statuses}\nlabels: []\n"));
    let file = |(name, text): &(&str, &str)| {
        let alone = file(&format!("backlog/tasks/{name}"), &FrontMatter, text);
        TaskFile { role: FileRole::Part, own: own.clone(), ..alone }
    };
    TaskList::parse(files.iter().map(file).collect())
}

const FILES: &[(&str, &str)] = &[
    ("task-1.md", "---\nid: task-1\ntitle: a\nstatus: \"Ideas\"\n---\n"),
    ("task-2.md", "---\nid: task-2\ntitle: b\nstatus: Testing\ndependencies: [task-1]\n---\n"),
    ("task-3.md", "---\nid: task-3\ntitle: c\nstatus: Live\n---\n"),
    ("task-4.md", "---\nid: task-4\ntitle: d\nstatus: Blocked\n---\n"),
];

#[test]
fn the_statuses_of_backlogs_configuration_are_its_words() {
    for statuses in [
        "statuses: [\"Ideas\", \"Testing\", \"Blocked\", \"Live\"]",
        "statuses:\n  - Ideas\n  - 'Testing'\n  - Blocked\n  - Live",
    ] {
        let list = backlog(statuses, FILES);
        assert_eq!(
            told(&list),
            ["open task-1 a", "in_progress task-2 b <task-1", "done task-3 c", "open task-4 d"],
            "{statuses}"
        );
        assert_eq!(list.problems().len(), 1, "what is blocked is not in progress: {:?}", list.problems());
        let splice = list.set_state(&"task-1".into(), TaskState::Done).unwrap();
        let text = splice.apply(FILES[0].1.as_bytes()).unwrap();
        assert_eq!(String::from_utf8_lossy(&text), FILES[0].1.replace("Ideas", "Live"));
        let done = list.reread("backlog/tasks/task-1.md", text.clone());
        let splice = done.set_state(&"task-1".into(), TaskState::Open).unwrap();
        assert_eq!(splice.apply(&text).unwrap(), FILES[0].1.as_bytes(), "done and open again");
    }
    let without = backlog("date_format: yyyy-mm-dd", FILES);
    assert_eq!(without.problems().len(), 4, "{:?}", without.problems());
}

#[test]
fn what_waits_for_deleted_issues_of_beads_is_ready_and_epics_are_their_issues() {
    let issues = [
        r#"{"id":"b-1","title":"Shop","status":"open","issue_type":"epic","dependencies":[{"depends_on_id":"b-9","type":"blocks"}]}"#,
        r#"{"id":"b-2","title":"Cart","status":"open","dependencies":[{"depends_on_id":"b-1","type":"parent-child"},{"depends_on_id":"b-8","type":"blocks"}]}"#,
        r#"{"id":"b-3","title":"Print","status":"open","dependencies":[{"depends_on_id":"b-1","type":"blocks"}]}"#,
        r#"{"id":"b-4","title":"Later","status":"open","issue_type":"epic"}"#,
        r#"{"id":"b-8","title":"Gone","status":"tombstone"}"#,
        r#"{"id":"b-9","title":"First","status":"open"}"#,
    ];
    let list = TaskList::parse(vec![file("issues.jsonl", &Beads, &issues.join("\n"))]);
    assert_eq!(
        told(&list),
        [
            "open b-1 Shop <b-9 b-2",
            "open b-2 Cart <b-9",
            "open b-3 Print <b-1",
            "open b-4 Later",
            "open b-9 First"
        ]
    );
    let later = list.task(&"b-4".into()).unwrap();
    assert!(later.row.unclear.as_ref().is_some_and(|why| why.contains("epic without issues")));
    assert_eq!(list.problems(), [], "what is deleted is no unknown dependency");
    let done =
        issues.join("\n").replace(r#""title":"Cart","status":"open""#, r#""title":"Cart","status":"closed""#);
    let list = TaskList::parse(vec![file("issues.jsonl", &Beads, &done)]);
    assert_eq!(told(&list)[0], "done b-1 Shop <b-9 b-2", "an epic is done with its issues");
}

#[test]
fn ids_of_task_master_count_within_their_tag_and_their_task() {
    let text = r#"{
      "master": {"tasks": [{"id": "1", "title": "a", "status": "done"}]},
      "web": {"tasks": [
        {"id": "1", "title": "b", "status": "pending"},
        {"id": "2", "title": "c", "status": "pending", "dependencies": ["1"], "subtasks": [
          {"id": "1", "title": "d", "status": "pending"},
          {"id": "2", "title": "e", "status": "pending", "dependencies": ["1"]},
          {"id": 3, "title": "f", "status": "pending", "dependencies": [2, "1.1", "2.1"]}
        ]}
      ]}
    }"#;
    let list = TaskList::parse(vec![file("tasks.json", &TaskMaster, text)]);
    assert_eq!(
        told(&list),
        [
            "done 1 a",
            "open web:1 b",
            "open web:2 c <web:1 web:2.1 web:2.2 web:2.3",
            "open web:2.1 d",
            "open web:2.2 e <web:2.1",
            "open web:2.3 f <web:2.2 web:1.1 web:2.1",
        ]
    );
    assert_eq!(list.problems().len(), 1, "only 1.1 is not there: {:?}", list.problems());
}

#[test]
fn a_file_of_a_folder_is_no_list_and_says_so() {
    let form = sources::form_of("backlog/tasks/a.md", Place::Alone, FILES[0].1.as_bytes()).unwrap();
    assert_eq!(form.name(), "front_matter");
    let role = form.role("backlog/tasks/a.md", Place::Alone).unwrap();
    let list = TaskList::parse(vec![TaskFile { role, ..file("backlog/tasks/a.md", form, FILES[0].1) }]);
    assert_eq!(problems(&list), ["backlog/tasks/a.md is one task of a list: its folder is the list"]);
    let plan = "---\nid: plan\nstatus: draft\n---\n\n- [ ] one\n- [ ] two\n";
    let form = sources::form_of("PLAN.md", Place::Alone, plan.as_bytes()).unwrap();
    assert_eq!(form.name(), "boxes", "a plan may have front matter");
}

#[test]
fn lists_of_task_master_without_tags_are_its_own_and_not_stories() {
    let text = r#"{"meta": {"version": "1"}, "tasks": [
      {"id": 1, "title": "a", "status": "done"},
      {"id": 2, "title": "b", "status": "pending", "dependencies": [1], "subtasks": [
        {"id": 1, "title": "c", "status": "pending"}]}]}"#;
    let form = sources::form_of("tasks/tasks.json", Place::Alone, text.as_bytes()).unwrap();
    assert_eq!(form.name(), "task_master");
    let list = TaskList::parse(vec![file("tasks/tasks.json", form, text)]);
    assert_eq!(told(&list), ["done 1 a", "open 2 b <1 2.1", "open 2.1 c"]);
    let stories = r#"{"tasks": [{"id": "US-1", "title": "a", "passes": false}]}"#;
    let form = sources::form_of("tasks/tasks.json", Place::Alone, stories.as_bytes()).unwrap();
    assert_eq!(form.name(), "prd");
}

#[test]
fn features_say_by_two_ticks_how_far_they_are() {
    let text = r#"[{"id": "F1", "title": "a", "implemented": false, "tested": false},
      {"id": "F2", "title": "b", "implemented": true, "tested": true},
      {"id": "F3", "title": "c", "implemented": true, "tested": false}]"#;
    let list = prd(text);
    assert_eq!(told(&list), ["open F1 a", "done F2 b", "open F3 c"]);
    assert_eq!(list.problems().len(), 1, "{:?}", list.problems());
    let splice = list.set_state(&"F1".into(), TaskState::Done).unwrap();
    let after = String::from_utf8(splice.apply(text.as_bytes()).unwrap()).unwrap();
    assert!(
        after.starts_with(r#"[{"id": "F1", "title": "a", "implemented": true, "tested": true}"#),
        "{after}"
    );
    let object = prd(r#"{"features": {"auth": {"passes": false}}}"#);
    assert!(problems(&object)[0].contains("has `features` as an object"), "{:?}", object.problems());
}
