//! Another task, in the file's own form.

use super::*;

fn added(list: &TaskList, text: &str, task: &NewTask) -> (String, String) {
    let addition = list.addition(task).unwrap();
    let bytes = addition.splice.apply(text.as_bytes()).unwrap();
    (addition.id.0, String::from_utf8(bytes).unwrap())
}

fn new(title: &str, dependencies: &[&str]) -> NewTask {
    NewTask {
        title: title.to_owned(),
        dependencies: dependencies.iter().map(|id| (*id).to_owned()).collect(),
        ..NewTask::default()
    }
}

#[test]
fn a_heading_after_the_last_task_with_the_next_id() {
    let text = "# X\r\n\r\n### TASK-009: a\r\n- **Status**: done\r\n\r\n## Notes\r\n";
    let task = NewTask {
        priority: Some("High".to_owned()),
        description: "one\n\ntwo".to_owned(),
        ..new("  b   c ", &["task-009"])
    };
    let (id, after) = added(&markdown(text), text, &task);
    assert_eq!(id, "TASK-010");
    let block = "### TASK-010: b c\r\n- **Status**: pending\r\n- **Priority**: high\r\n- **Dependencies**: TASK-009\r\n- **Description**: one\r\n\r\n  two";
    assert_eq!(after, text.replace("done\r\n", &format!("done\r\n\r\n{block}\r\n")));
    let list = markdown(&after);
    assert_eq!(told(&list), ["done TASK-009 a", "open TASK-010 b c <TASK-009 !1"]);
    assert_eq!(list.tasks()[1].description, "one\ntwo");
}

#[test]
fn the_next_id_goes_on_as_the_last_one_began() {
    for (ids, expected) in [
        (&["T9", "T3"][..], "T10"),
        (&["TASK-001", "FEAT-07b"], "FEAT-08"),
        (&["TASK-099", "task-100"], "task-101"),
        (&[], "TASK-001"),
    ] {
        let texts: Vec<String> = ids.iter().map(|id| format!("### {id}: x\n- **Status**: done\n")).collect();
        let text = format!("# Title\n{}", texts.concat());
        assert_eq!(added(&markdown(&text), &text, &new("y", &[])).0, expected, "{ids:?}");
    }
    let empty = markdown("");
    let (_, after) = added(&empty, "", &new("y", &[]));
    assert!(after.starts_with("### TASK-001: y\n") && after.ends_with("none\n"), "{after}");
}

#[test]
fn a_story_at_the_end_of_the_list_indented_as_the_last_one() {
    let text = "{\n  \"userStories\": [\n    {\n      \"id\": \"US-001\",\n      \"priority\": 4,\n      \"passes\": true\n    }\n  ]\n}\n";
    let (id, after) = added(&prd(text), text, &new("Say \"hi\"", &["US-001"]));
    assert_eq!(id, "US-002");
    assert!(
        after.contains(
            "true\n    },\n    {\n      \"id\": \"US-002\",\n      \"title\": \"Say \\\"hi\\\"\",\n"
        ),
        "{after}"
    );
    assert!(after.ends_with("      \"dependsOn\": [\"US-001\"]\n    }\n  ]\n}\n"), "{after}");
    assert_eq!(told(&prd(&after)), ["done US-001 US-001 !4", "open US-002 Say \"hi\" <US-001 !5"]);
    for text in
        ["{\"userStories\": []}", "{\"userStories\": [{\"id\":\"A1\"}]}", "\u{feff}{\"userStories\": [ ]}"]
    {
        let (id, after) = added(&prd(text), text, &new("x", &[]));
        assert_eq!(prd(&after).find(&id).map(|task| task.row.title.as_str()), Some("x"), "{after}");
    }
}

#[test]
fn an_entry_of_a_list_without_ids_is_called_by_its_place_as_the_others_are() {
    let text = "[\n  {\n    \"category\": \"CLI\",\n    \"description\": \"Add --root\",\n    \"steps\": [\"a\"],\n    \
                \"started\": true,\n    \"complete\": true\n  }\n]\n";
    let (id, after) = added(&prd(text), text, &new("Say \"hi\"", &["1"]));
    assert_eq!(id, "2");
    assert!(
        after.ends_with(
            "\"complete\": true\n  },\n  {\n    \"description\": \"Say \\\"hi\\\"\",\n    \"steps\": [],\n    \
             \"priority\": 3,\n    \"complete\": false,\n    \"dependsOn\": [\"1\"]\n  }\n]\n"
        ),
        "{after}"
    );
    let described = NewTask { description: "All of it.".to_owned(), ..new("More", &[]) };
    let (_, more) = added(&prd(&after), &after, &described);
    assert!(more.contains("\"title\": \"More\",\n    \"description\": \"All of it.\""), "{more}");
}

#[test]
fn a_list_of_json_swallows_nothing_and_is_not_said_to() {
    let text = "{\"phases\": [{\"name\": \"p\", \"tasks\": [{\"title\": \"a\", \"passes\": false}]}]}";
    let refused = prd(text).addition(&new("x", &[])).unwrap_err().to_string();
    let expected =
        "a task put into prd.json would not be read as that task: add it by hand, as the others are written";
    assert_eq!(refused, expected);
}

#[test]
fn a_file_of_its_own_beside_the_others() {
    let list = folder(&[("TASK-001.md", "---\nstatus: done\n---\n")]);
    let task = NewTask { description: "Words".to_owned(), ..new("Pay: now", &["TASK-001"]) };
    let addition = list.addition(&task).unwrap();
    assert_eq!(&*addition.splice.file, "tasks/TASK-002.md");
    assert_eq!(
        addition.splice.text,
        "---\nid: TASK-002\ntitle: \"Pay: now\"\nstatus: pending\npriority: medium\ndependencies: [TASK-001]\n---\n\nWords\n"
    );
}

#[test]
fn what_cannot_be_added_is_refused() {
    let list = markdown("### T1: a\n");
    let refused = |list: &TaskList, task: &NewTask| list.addition(task).unwrap_err().to_string();
    assert_eq!(refused(&list, &new(" \n", &[])), "a task needs a title");
    assert_eq!(refused(&list, &new("x", &["T9"])), "there is no task T9 to depend on");
    let task = NewTask { priority: Some("soon".to_owned()), ..new("x", &[]) };
    assert_eq!(refused(&list, &task), "`soon` is not a priority: say high, medium, low or a number");
    assert_eq!(
        list.addition(&NewTask { priority: Some("7".to_owned()), ..new("x", &[]) }).unwrap().id,
        "T2".into()
    );
    let open = markdown("### T1: a\n\n```\ncode\n");
    let expected = "tasks.md ends in something that would swallow a task, such as an open block of code";
    assert_eq!(refused(&open, &new("x", &[])), expected);
    assert_eq!(refused(&prd("{"), &new("x", &[])), "the list cannot be read");
    assert_eq!(refused(&TaskList::default(), &new("x", &[])), "the list cannot be read");
}
