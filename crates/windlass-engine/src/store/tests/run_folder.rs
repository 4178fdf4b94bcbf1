//! Run ids and what lies in a run's folder.

use std::collections::HashSet;
use std::fs;

use jiff::Timestamp;
use windlass_core::values::{Purpose, RunId, StopSource};

use super::Fixture;
use crate::store::StoreError;
use crate::store::run_folder::{RunFolder, find_run};
use crate::store::session_folder::{SessionFolder, SessionRecord};

#[test]
fn new_ids_are_well_formed_and_differ() {
    let fixture = Fixture::new();
    let runs: HashSet<String> = (0..100).map(|_| fixture.run().run().0.clone()).collect();
    assert_eq!(runs.len(), 100);
    for run in runs {
        let id = run.strip_prefix("r-").unwrap();
        assert_eq!(id.len(), 8);
        assert!(id.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit()), "{run}");
    }
}

fn project_with(runs: &[&str]) -> Fixture {
    let fixture = Fixture::new();
    for run in runs {
        fs::create_dir(fixture.project.runs().join(run)).unwrap();
    }
    fixture
}

#[test]
fn lookup_by_table() {
    let fixture = project_with(&["r-abc11111", "r-abd22222", "r-r3333333", "not-a-run", "r-", "r-ABC"]);
    let cases = [
        ("r-abc11111", Some("r-abc11111")),
        ("abc", Some("r-abc11111")),
        ("r-abd", Some("r-abd22222")),
        ("R-ABD", Some("r-abd22222")),
        (" abd ", Some("r-abd22222")),
        ("r", Some("r-r3333333")),
        ("ab", None),
        ("", None),
        ("zzz", None),
        ("not-a-run", None),
        ("../", None),
        ("🪝", None),
    ];
    for (text, expected) in cases {
        let found = find_run(&fixture.project, text).ok().map(|run| run.0);
        assert_eq!(found.as_deref(), expected, "{text:?}");
    }
}

#[test]
fn lookup_errors_say_what_fits() {
    let fixture = project_with(&["r-a1", "r-a2", "r-a3", "r-a4", "r-a5", "r-a6", "r-a7"]);
    let error = find_run(&fixture.project, "r-a").unwrap_err();
    assert_eq!(
        error.to_string(),
        "\"r-a\" could be r-a1, r-a2, r-a3, r-a4, r-a5 or one of 2 more; add a character or two"
    );
    let error = find_run(&fixture.project, "b").unwrap_err();
    assert!(matches!(error, StoreError::NoSuchRun { text } if text == "b"));
}

#[test]
fn an_id_in_full_wins_over_a_longer_one() {
    let fixture = project_with(&["r-a", "r-ab"]);
    assert_eq!(find_run(&fixture.project, "r-a").unwrap(), RunId("r-a".to_owned()));
}

#[test]
fn a_project_without_a_folder_has_no_runs() {
    let fixture = Fixture::new();
    fs::remove_dir_all(fixture.project.path()).unwrap();
    assert!(find_run(&fixture.project, "a").is_err());
}

#[test]
fn a_call_has_its_files() {
    let fixture = Fixture::new();
    let folder = RunFolder::of(&fixture.project, &RunId("r-x".to_owned()));
    let call = folder.call(7, 2, Purpose::Work);
    assert!(call.path().ends_with("runs/r-x/iterations/0007/2-work"));
    assert!(folder.call(12_345, 1, Purpose::Review).path().ends_with("12345/1-review"));
    call.create().unwrap();
    call.create().unwrap();
    assert!(call.path().is_dir());
}

#[test]
fn purposes_are_called_as_in_the_journal() {
    let folder = RunFolder::of(&Fixture::new().project, &RunId("r-x".to_owned()));
    for purpose in
        [Purpose::Work, Purpose::Review, Purpose::Council, Purpose::Verify, Purpose::Plan, Purpose::Merge]
    {
        let name = serde_json::to_value(purpose).unwrap();
        let expected = format!("1-{}", name.as_str().unwrap());
        assert!(folder.call(1, 1, purpose).path().ends_with(expected));
    }
}

#[test]
fn a_session_has_its_files() {
    let fixture = Fixture::new();
    let record = SessionRecord {
        verb: "edit".to_owned(),
        about: "Work".to_owned(),
        directory: fixture.project.path().to_owned(),
        started: Timestamp::UNIX_EPOCH,
    };
    let session = SessionFolder::create(&fixture.project, &record).unwrap();
    session.write("Be brief.", "{}").unwrap();
    let read = |name: &str| fs::read_to_string(session.path().join(name)).unwrap();
    assert_eq!((read("system.md"), read("settings.json")), ("Be brief.".to_owned(), "{}".to_owned()));
    assert_eq!(serde_json::from_str::<SessionRecord>(&read("session.json")).unwrap(), record);
    let told = [session.system(), session.settings()];
    assert_eq!(told, ["system.md", "settings.json"].map(|name| session.path().join(name)));
}

#[test]
fn a_stop_request_is_seen_and_taken_once() {
    let folder = Fixture::new();
    let folder = (folder.run(), folder);
    assert!(!folder.0.stop_requested());
    folder.0.request_stop(StopSource::Command).unwrap();
    folder.0.request_stop(StopSource::Command).unwrap();
    assert!(folder.0.stop_requested());
    assert!(folder.0.take_stop_request().unwrap());
    assert!(!folder.0.stop_requested());
    assert!(!folder.0.take_stop_request().unwrap());
}

#[test]
fn who_asked_first_is_remembered() {
    let fixture = Fixture::new();
    let folder = fixture.run();
    assert_eq!(folder.stop_request(), None);
    for by in [StopSource::Command, StopSource::Page, StopSource::Watch] {
        folder.request_stop(by).unwrap();
        folder.request_stop(StopSource::Page).unwrap();
        assert_eq!(folder.stop_request(), Some(by));
        folder.take_stop_request().unwrap();
    }
    // No file can press as a signal does, whoever wrote it.
    for said in ["interrupt", "\u{fffd}", "page\nwatch"] {
        fs::write(folder.path().join("stop"), said).unwrap();
        assert_eq!(folder.stop_request(), Some(StopSource::Command), "{said}");
    }
}

#[test]
fn the_goal_comes_back() {
    let fixture = Fixture::new();
    let folder = fixture.run();
    let goal = "-x\n/y 🪝\r\n".repeat(100_000);
    folder.write_goal(&goal).unwrap();
    assert_eq!(folder.read_goal().unwrap(), goal);
}
