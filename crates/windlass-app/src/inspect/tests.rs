//! Lists and runs that are followed, over journals that earlier releases wrote.

use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use windlass_engine::store::{Project, journal};
use windlass_ui::model::Course;

use super::known::KnownRun;
use super::machine::{Heading, Machine};
use crate::app::App;
use crate::front_end::Unattended;

/// Journals of every mode, and of every way to end.
fn journals() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../windlass/tests/fixtures/runs");
    let mut paths: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|end| end == "jsonl"));
    paths.sort();
    assert!(paths.len() > 80);
    paths
}

/// A state folder with two projects and all of these runs in turn.
fn state() -> tempfile::TempDir {
    let root = tempfile::tempdir().unwrap();
    for (number, journal) in journals().iter().enumerate() {
        let folder = root.path().join(format!("projects/p{}-0/runs/r-{number:08}", number % 2));
        fs::create_dir_all(&folder).unwrap();
        fs::copy(journal, folder.join("journal.jsonl")).unwrap();
    }
    root
}

fn now() -> Timestamp {
    "2027-01-01T12:00:00Z".parse().unwrap()
}

fn look(machine: &mut Machine) -> bool {
    machine.look(now(), &TimeZone::UTC).unwrap()
}

#[test]
fn all_runs_are_listed_once_and_what_has_not_changed_is_not_read_again() {
    let root = state();
    let mut machine = Machine::at(root.path().to_owned());
    assert!(look(&mut machine));
    let all = machine.runs().len();
    assert_eq!(all + machine.unreadable().len(), journals().len());
    assert!(machine.runs().is_sorted_by_key(|run| run.heading));
    assert!(machine.runs().iter().all(|run| run.heading != Heading::Running), "nobody works on them");
    assert!(!look(&mut machine), "nothing has changed");
    // One begins anew, one is cut off, one goes.
    let runs = root.path().join("projects/p1-0/runs");
    fs::create_dir(runs.join("r-new00000")).unwrap();
    fs::copy(&journals()[0], runs.join("r-new00000/journal.jsonl")).unwrap();
    assert!(look(&mut machine));
    assert_eq!(machine.runs().len(), all + 1);
    fs::remove_dir_all(root.path().join("projects/p0-0")).unwrap();
    assert!(look(&mut machine));
    assert!(machine.runs().iter().all(|run| run.known().project_name() == "p1-0"));
}

#[test]
fn a_run_that_is_followed_is_as_if_folded_at_once() {
    let root = tempfile::tempdir().unwrap();
    let folder = root.path().join("projects/p-0/runs/r-00000001");
    fs::create_dir_all(&folder).unwrap();
    let app = App::here(Arc::new(Unattended)).unwrap();
    let project = Project::all(root.path()).unwrap().remove(0);
    let known = KnownRun::of(&project, &windlass_core::values::RunId("r-00000001".to_owned()));
    let path = folder.join("journal.jsonl");
    for kept in journals().iter().step_by(7) {
        let bytes = fs::read(kept).unwrap();
        let begun = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n').nth(1).unwrap().0 + 1;
        fs::write(&path, &bytes[..begun]).unwrap();
        let mut followed = app.follow(&known).unwrap();
        let mut facts = 1;
        // Pieces end anywhere, in the middle of a line, too.
        for piece in bytes[begun..].chunks(977) {
            OpenOptions::new().append(true).open(&path).unwrap().write_all(piece).unwrap();
            followed.advance(|_| facts += 1).unwrap();
        }
        let entries = journal::read(&path).unwrap();
        assert_eq!(facts, entries.len(), "{}", kept.display());
        let seen = |course: &Course| {
            let state = (windlass_ui::RunState::Interrupted, None);
            serde_json::to_value(course.seen(state, None, now())).unwrap()
        };
        assert_eq!(seen(followed.course()), seen(&Course::of(&entries)), "{}", kept.display());
        assert_eq!(followed.at_work().unwrap(), []);
        for (_, call) in Course::of(&entries).calls() {
            let page = followed.transcript(call.call).unwrap().last().unwrap();
            assert_eq!(page.rows, [], "the recording is gone");
        }
    }
}

#[test]
fn a_run_without_a_fact_is_not_there_yet() {
    let root = tempfile::tempdir().unwrap();
    fs::create_dir_all(root.path().join("projects/p-0/runs/r-00000001")).unwrap();
    let project = Project::all(root.path()).unwrap().remove(0);
    let known = KnownRun::of(&project, &windlass_core::values::RunId("r-00000001".to_owned()));
    let app = App::here(Arc::new(Unattended)).unwrap();
    assert!(app.follow(&known).unwrap_err().message.contains("no fact"), "it says so");
}
