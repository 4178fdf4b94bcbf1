//! Lists and states of JSON, where a document says more than one thing.

use windlass_core::values::TaskState;

use crate::doc::tasks::sources::form_of;
use crate::doc::tasks::tests::{file, problems, told};
use crate::doc::tasks::{Place, TaskList};

fn list(text: &str) -> TaskList {
    let form = form_of("work.json", Place::Alone, text.as_bytes()).unwrap();
    TaskList::parse(vec![file("work.json", form, text)])
}

#[test]
fn open_work_beside_the_list_that_is_read_is_named() {
    let table = [
        (
            r#"{"features":[{"id":"F1","title":"x","status":"done"}],"tasks":[{"id":"T1","title":"y","status":"pending"}]}"#,
            "`tasks` beside `features`",
        ),
        (
            r#"{"tasks":[{"id":1,"title":"x","status":"done"}],"later":{"tasks":[{"id":9,"title":"y","status":"pending"}]}}"#,
            "`later.tasks` beside `tasks`",
        ),
        (
            r#"{"master":{"tasks":[{"id":1,"title":"x","status":"done"}]},"extra":[{"id":9,"title":"y","status":"pending"}]}"#,
            "`extra` beside `master`",
        ),
        (
            r#"{"userStories":[{"id":"U1","title":"x","passes":true}],"phases":[{"name":"Later","tasks":[{"id":"P1","title":"y","passes":false}]}]}"#,
            "`phases.tasks` beside `userStories`",
        ),
        (
            r#"{"features":[{"id":"F1","title":"x","passes":true}],"plan":{"next":[{"name":"b","stories":[{"id":"S","title":"y"}]}]}}"#,
            "`plan.next.stories` beside `features`",
        ),
    ];
    for (text, expected) in table {
        let list = list(text);
        assert!(list.is_unusable(), "{text}");
        assert!(problems(&list)[0].contains(expected), "{:?}", list.problems());
    }
    let archive = r#"{"tasks":[{"id":1,"title":"open","status":"pending"}],"archive":{"tasks":[{"id":9,"title":"old","status":"done"}]}}"#;
    assert_eq!(told(&list(archive)), ["open 1 open"]);
    assert_eq!(problems(&list(archive)), [""; 0], "what is done is not missed");
    let done = r#"{"tasks":[{"id":1,"title":"x","status":"done"}],"archive":[{"title":"old","status":"done","parts":[{"title":"y","status":"open"}]}]}"#;
    assert_eq!(problems(&list(done)), [""; 0], "nor is what stands in something done");
    let words = r#"{"features":["fast"],"tasks":[{"id":"T1","title":"y","status":"pending"}]}"#;
    assert_eq!(told(&list(words)), ["open T1 y"]);
}

#[test]
fn open_work_in_a_list_that_is_not_read_keeps_its_record_from_being_done() {
    let text = r#"[{"id":"A","title":"a","status":"done","checklist":[{"title":"b","done":false}]},
        {"id":"B","title":"b","status":"done","acceptanceCriteria":[{"title":"c","passes":false}]}]"#;
    let list = list(text);
    assert_eq!(told(&list), ["open A a", "done B b"]);
    assert_eq!(
        problems(&list),
        ["work.json:1: A is done, and its `checklist` holds open work: call that list `tasks`"]
    );
}

#[test]
fn what_says_the_opposite_of_itself_is_not_done() {
    let table = [
        (r#""passes":true,"status":"failing""#, "`passes` true and `status` \"failing\""),
        (r#""passes":true,"status":"in-progress""#, "`passes` true and `status` \"in-progress\""),
        (r#""status":"done","completed":false"#, "`status` \"done\" and `completed` false"),
        (r#""passes":false,"done":true"#, "`passes` false and `done` true"),
        (r#""passes":true,"status":"waiting""#, "the status `waiting`"),
    ];
    for (members, expected) in table {
        let list = list(&format!(r#"[{{"id":"A","title":"a",{members}}}]"#));
        let [row] = &list.rows()[..] else { panic!("{members}") };
        assert!(row.state == TaskState::Open && row.unclear.is_some(), "{row:?}");
        assert!(problems(&list)[0].contains(expected), "{:?}", list.problems());
    }
    for members in
        [r#""passes":true,"status":"done","state":"CA""#, r#""status":"done","completed":"2025-01-02""#]
    {
        let list = list(&format!(r#"[{{"id":"A","title":"a",{members}}}]"#));
        assert_eq!((told(&list), problems(&list)), (vec!["done A a".to_owned()], Vec::new()), "{members}");
    }
}

#[test]
fn all_that_says_how_far_a_record_is_is_changed_together() {
    let text =
        r#"[{"id":"A","passes": false,"notes":"false","status":"not-started"},{"id":"B","passes":true}]"#;
    let before = list(text);
    let done = before.set_state(&"A".into(), TaskState::Done).unwrap().apply(text.as_bytes()).unwrap();
    let done = String::from_utf8(done).unwrap();
    assert!(done.contains(r#""passes": true,"notes":"false","status":"now-complete""#), "{done}");
    let after = list(&done);
    assert_eq!(after.rows()[0].state, TaskState::Done);
    let again = after.set_state(&"A".into(), TaskState::Open).unwrap().apply(done.as_bytes()).unwrap();
    assert_eq!(String::from_utf8(again).unwrap(), text);
}

// The words that a list of features has for how far they are: by its legend, or by its entries.
#[test]
fn what_is_done_is_called_as_the_file_calls_it() {
    let legend =
        |legend: &str, features: &str| format!(r#"{{"status_legend":{legend},"features":[{features}]}}"#);
    let one = r#"{"id":"A","title":"a","state":"not_started"}"#;
    let begun = r#"{"id":"A","title":"a","state":"in_progress"}"#;
    let passing = r#"{"id":"B","title":"b","state":"passing"}"#;
    let words = r#"{"not_started":"","in_progress":"","blocked":"","passing":""}"#;
    let others = r#"["pending","finished"]"#;
    for (text, expected) in [
        (legend(words, one), "passing"),
        (legend(words, begun), "passing"),
        (format!("[{one},{passing}]"), "passing"),
        (format!("[{begun},{passing}]"), "passing"),
        (format!("[{one}]"), "complete"),
        (format!("[{begun}]"), "done"),
        // It would be called `to-do` when it is open again.
        (legend(others, one), "complete"),
        (format!(r#"{{"rules":{{"valid_status":{others}}},"features":[{begun}]}}"#), "finished"),
    ] {
        let before = list(&text);
        let done = before.set_state(&"A".into(), TaskState::Done).unwrap().apply(text.as_bytes()).unwrap();
        let done = String::from_utf8(done).unwrap();
        assert!(done.contains(&format!(r#""title":"a","state":"{expected}""#)), "{text}: {done}");
        let again =
            list(&done).set_state(&"A".into(), TaskState::Open).unwrap().apply(done.as_bytes()).unwrap();
        let again = String::from_utf8(again).unwrap();
        if !text.contains("in_progress\"}") {
            assert_eq!(again, text);
        }
        let twice =
            list(&again).set_state(&"A".into(), TaskState::Done).unwrap().apply(again.as_bytes()).unwrap();
        assert_eq!(String::from_utf8(twice).unwrap(), done, "done, open and done again");
    }
}
