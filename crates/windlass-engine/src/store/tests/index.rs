//! All runs of a project.

use std::fs;
use std::io::Write as _;
use std::sync::Arc;
use std::time::Instant;

use windlass_core::fact::Fact;
use windlass_core::values::{Cost, RunId, StopReason};

use super::Fixture;
use super::fixture::{at, numbered, plan};
use crate::store::StoreError;
use crate::store::index::{Listing, list, record_ending, record_resumption, summarize};
use crate::store::journal::Journal;
use crate::store::run_folder::RunFolder;
use crate::store::summary::RunSummary;

impl Fixture {
    /// A run with a journal, as if it began `second` seconds later; its ending is not in the index.
    fn journalled(&self, second: i64, ending: Option<StopReason>) -> (RunFolder, Arc<RunSummary>) {
        let folder = self.run();
        let mut entries = self.facts(folder.run(), 1, ending);
        for entry in &mut entries {
            entry.at.wall += jiff::SignedDuration::from_secs(second);
        }
        Journal::create(&folder).unwrap().append(&entries).unwrap();
        let summary = summarize(&folder).unwrap();
        (folder, Arc::new(summary))
    }

    fn recorded(&self, second: i64, ending: StopReason) -> (RunFolder, Arc<RunSummary>) {
        let (folder, summary) = self.journalled(second, Some(ending));
        record_ending(&self.project, &summary).unwrap();
        (folder, summary)
    }

    fn index_lines(&self) -> usize {
        fs::read_to_string(self.project.index()).unwrap().lines().count()
    }
}

fn names(listing: &Listing) -> Vec<&RunId> {
    listing.runs.iter().map(|run| &run.run).collect()
}

#[test]
fn ended_and_unfinished_runs_are_listed_newest_first() {
    let fixture = Fixture::new();
    let (_, old) = fixture.recorded(0, StopReason::Complete);
    let (_, crashed) = fixture.journalled(100, None);
    let (_, new) = fixture.recorded(200, StopReason::MaxCost);
    let listing = list(&fixture.project).unwrap();
    assert_eq!(listing.runs, [new.clone(), crashed, old]);
    assert_eq!(listing.newest(&fixture.directory), Some(new.as_ref()));
    assert_eq!(listing.newest(std::path::Path::new("/elsewhere")), None);
    assert_eq!(fixture.index_lines(), 2, "listing writes nothing without need");
}

#[test]
fn journals_of_ended_runs_are_not_opened() {
    let fixture = Fixture::new();
    let (folder, ended) = fixture.recorded(0, StopReason::Complete);
    fs::write(folder.journal(), "not even a journal\n").unwrap();
    assert_eq!(list(&fixture.project).unwrap().runs, [ended]);
}

#[test]
fn a_resumed_run_is_unfinished_until_it_is_recorded_again() {
    let fixture = Fixture::new();
    let (folder, _) = fixture.recorded(0, StopReason::MaxIterations);
    record_resumption(&fixture.project, folder.run(), at(50)).unwrap();
    let mut journal = Journal::open(&folder).unwrap();
    let next = journal.entries.last().unwrap().seq + 1;
    let resumed = Fact::RunResumed { plan: Box::new(plan(folder.run(), &fixture.directory)) };
    journal.journal.append(&numbered(vec![resumed], next)).unwrap();
    assert!(list(&fixture.project).unwrap().runs[0].is_unfinished());
    let end = super::fixture::finished(StopReason::Complete, 1);
    journal.journal.append(&numbered(vec![end], next + 1)).unwrap();
    record_ending(&fixture.project, &summarize(&folder).unwrap()).unwrap();
    let listing = list(&fixture.project).unwrap();
    assert_eq!(listing.runs[0].ending.unwrap().stop_reason, StopReason::Complete);
    assert_eq!(listing.runs.len(), 1, "the last line of a run counts");
}

#[test]
fn an_unfinished_run_is_not_recorded() {
    let fixture = Fixture::new();
    let (_, summary) = fixture.journalled(0, None);
    record_ending(&fixture.project, &summary).unwrap();
    assert!(!fixture.project.index().exists());
}

#[test]
fn a_lost_index_is_rebuilt() {
    let fixture = Fixture::new();
    for second in 0..5 {
        fixture.recorded(second, StopReason::Complete);
    }
    fixture.journalled(9, None);
    let before = list(&fixture.project).unwrap();
    fs::remove_file(fixture.project.index()).unwrap();
    assert_eq!(list(&fixture.project).unwrap().runs, before.runs);
    assert_eq!(fixture.index_lines(), 5);
    assert_eq!(list(&fixture.project).unwrap().runs, before.runs);
}

#[test]
fn a_damaged_index_is_rebuilt_whatever_the_damage() {
    let fixture = Fixture::new();
    for second in 0..3 {
        fixture.recorded(second, StopReason::Complete);
    }
    let whole = fs::read(fixture.project.index()).unwrap();
    let expected = list(&fixture.project).unwrap().runs;
    for cut in (0..whole.len()).step_by(7) {
        let mut damaged = whole[..cut].to_vec();
        damaged.extend_from_slice(b"\xff\0{\n{}\n");
        fs::write(fixture.project.index(), damaged).unwrap();
        assert_eq!(list(&fixture.project).unwrap().runs, expected, "cut at {cut}");
        assert_eq!(fs::read(fixture.project.index()).unwrap(), whole, "cut at {cut}");
    }
}

#[test]
fn what_lies_in_the_place_of_the_index_is_put_aside() {
    let fixture = Fixture::new();
    let (_, first) = fixture.recorded(0, StopReason::Complete);
    let inside = fixture.project.index().join("of-a-person");
    for _ in 0..2 {
        fs::remove_file(fixture.project.index()).unwrap();
        fs::create_dir_all(&inside).unwrap();
        assert_eq!(list(&fixture.project).unwrap().runs[0].run, first.run);
        assert_eq!(fixture.index_lines(), 1, "it is a file again");
    }
    fs::remove_file(fixture.project.index()).unwrap();
    fs::create_dir_all(&inside).unwrap();
    let (_, second) = fixture.recorded(10, StopReason::Complete);
    assert_eq!(list(&fixture.project).unwrap().runs, [second, first]);
    let aside = |number: u32| fixture.project.runs().join(format!("index.jsonl.aside-{number}/of-a-person"));
    assert!((1..=3).all(|number| aside(number).is_dir()));
}

#[test]
fn an_ending_says_whether_anything_was_called_and_old_ones_by_what_came_of_it() {
    let fixture = Fixture::new();
    let (_, called) = fixture.recorded(0, StopReason::Complete);
    assert!(called.called);
    let line = fs::read_to_string(fixture.project.index()).unwrap();
    assert!(line.contains("\"called\":true"), "{line}");
    fs::write(fixture.project.index(), line.replace("\"called\":true,", "")).unwrap();
    assert_eq!(list(&fixture.project).unwrap().runs, std::slice::from_ref(&called));
    let cost = |cost: Cost| format!("\"cost_usd\":{}", serde_json::to_string(&cost).unwrap());
    let iterations = |count: u32| format!("\"iterations\":{count}");
    let nothing = line.replace("\"called\":true,", "").replace(&cost(called.cost), &cost(Cost::ZERO));
    let nothing = nothing.replace(&iterations(called.iterations), &iterations(0));
    fs::write(fixture.project.index(), nothing).unwrap();
    assert!(!list(&fixture.project).unwrap().runs[0].called);
}

#[test]
fn a_line_cut_off_by_a_crash_does_not_swallow_the_next() {
    let fixture = Fixture::new();
    fixture.recorded(0, StopReason::Complete);
    let mut index = fs::OpenOptions::new().append(true).open(fixture.project.index()).unwrap();
    index.write_all(b"{\"v\":1,\"run\":\"r-").unwrap();
    let (_, new) = fixture.recorded(10, StopReason::Complete);
    assert_eq!(fixture.index_lines(), 3);
    assert_eq!(list(&fixture.project).unwrap().runs[0], new);
    assert_eq!(fixture.index_lines(), 2);
}

#[test]
fn runs_whose_folder_is_gone_are_not_listed() {
    let fixture = Fixture::new();
    let (folder, _) = fixture.recorded(0, StopReason::Complete);
    let (_, kept) = fixture.recorded(1, StopReason::Complete);
    fs::remove_dir_all(folder.path()).unwrap();
    assert_eq!(names(&list(&fixture.project).unwrap()), [&kept.run]);
}

#[test]
fn runs_that_cannot_be_read_are_named() {
    let fixture = Fixture::new();
    let empty = fixture.run();
    let headed = fixture.run();
    drop(Journal::create(&headed).unwrap());
    let alien = fixture.run();
    fs::write(alien.journal(), "{\"windlass_journal\":2,\"run\":\"x\"}\n").unwrap();
    let (_, good) = fixture.recorded(1, StopReason::Complete);
    let listing = list(&fixture.project).unwrap();
    assert_eq!(names(&listing), [&good.run]);
    assert_eq!(listing.unreadable.len(), 3);
    for (run, error) in listing.unreadable {
        match error {
            StoreError::Io { .. } => assert_eq!(run, *empty.run()),
            StoreError::NothingJournalled { .. } => assert_eq!(run, *headed.run()),
            StoreError::NewerJournal { .. } => assert_eq!(run, *alien.run()),
            other => panic!("{run}: {other}"),
        }
    }
}

#[test]
fn an_index_that_cannot_be_written_is_no_error() {
    let fixture = Fixture::new();
    let (_, ended) = fixture.journalled(0, Some(StopReason::Complete));
    // A folder in its place can neither be read nor replaced, not even by root.
    fs::create_dir(fixture.project.runs().join("index.lock")).unwrap();
    assert_eq!(list(&fixture.project).unwrap().runs, [ended]);
    assert!(!fixture.project.index().exists());
}

/// 10,000 runs: right, and the time is printed.
#[test]
#[expect(clippy::print_stderr, reason = "a time to look at, not to be asserted")]
fn ten_thousand_runs() {
    let fixture = Fixture::in_memory();
    let (folder, _) = fixture.recorded(0, StopReason::Complete);
    let line = fs::read_to_string(fixture.project.index()).unwrap();
    let mut index = String::new();
    for number in 0..10_000 {
        let run = format!("r-{number:08}");
        fs::create_dir(fixture.project.runs().join(&run)).unwrap();
        index.push_str(&line.replace(&folder.run().0, &run));
    }
    fs::write(fixture.project.index(), index + &line).unwrap();
    let began = Instant::now();
    let listing = list(&fixture.project).unwrap();
    eprintln!("10,000 runs listed in {:?}", began.elapsed());
    assert_eq!(listing.runs.len(), 10_001);
    assert!(listing.unreadable.is_empty());
}
