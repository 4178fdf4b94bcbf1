use std::fs;
use std::os::unix::fs::symlink;
use std::time::Duration;

use windlass_core::config::RunsSettings;
use windlass_core::values::{Purpose, RunId, StopReason};

use super::Fixture;
use super::fixture::numbered;
use crate::store::files::size;
use crate::store::retention::{Pruned, prune};
use crate::store::{Journal, Lock, RunFolder, RunSummary, index, lock::Acquired};

/// A run that began so many seconds after the others, with a recording of so many bytes.
fn run(fixture: &Fixture, ending: Option<StopReason>, second: u64, bytes: usize) -> RunFolder {
    let folder = fixture.run();
    let mut entries = fixture.facts(folder.run(), 1, ending);
    let facts = entries.drain(..).map(|entry| entry.fact).collect();
    let entries: Vec<_> = numbered(facts, 1)
        .into_iter()
        .map(|mut entry| {
            entry.at.wall += Duration::from_secs(second * 100);
            entry
        })
        .collect();
    Journal::create(&folder).unwrap().append(&entries).unwrap();
    let call = folder.call(1, 1, Purpose::Work);
    call.create().unwrap();
    fs::write(call.stream(), vec![b'x'; bytes]).unwrap();
    index::record_ending(&fixture.project, &index::summarize(&folder).unwrap()).unwrap();
    folder
}

const ENDED: Option<StopReason> = Some(StopReason::Complete);

fn pruned(fixture: &Fixture, count: Option<u32>, bytes: Option<u64>, spared: &[&RunId]) -> Pruned {
    let is_spared = |run: &RunSummary| spared.contains(&&run.run);
    prune(&fixture.project, RunsSettings { count, bytes }, is_spared).unwrap()
}

fn recorded(runs: &[RunFolder]) -> Vec<bool> {
    runs.iter().map(|run| run.iterations().exists()).collect()
}

// rows: 116
#[test]
fn the_oldest_go_first_by_count_and_by_size() {
    let fixture = Fixture::new();
    let runs: Vec<RunFolder> = (0..5).map(|second| run(&fixture, ENDED, second, 1000)).collect();
    assert_eq!(pruned(&fixture, None, None, &[]).runs, 0);
    assert_eq!(pruned(&fixture, Some(5), Some(5000), &[]).runs, 0);
    let by_size = pruned(&fixture, None, Some(4999), &[]);
    assert_eq!((by_size.runs, by_size.bytes), (1, 1000));
    assert_eq!(recorded(&runs), [false, true, true, true, true]);
    assert_eq!(pruned(&fixture, Some(2), None, &[]).runs, 2);
    assert_eq!(recorded(&runs), [false, false, false, true, true]);
    // The newest stays, however large it is.
    assert_eq!(pruned(&fixture, None, Some(1), &[]).runs, 1);
    assert_eq!(recorded(&runs), [false, false, false, false, true]);

    let listing = index::list(&fixture.project).unwrap();
    assert_eq!((listing.runs.len(), listing.unreadable.len()), (5, 0));
    fs::remove_file(fixture.project.index()).unwrap();
    let listing = index::list(&fixture.project).unwrap();
    assert_eq!((listing.runs.len(), listing.unreadable.len()), (5, 0), "journals stay");
}

#[test]
fn a_size_is_looked_up_once_and_found_again_without_the_index() {
    let fixture = Fixture::new();
    let runs: Vec<RunFolder> = (0..3).map(|second| run(&fixture, ENDED, second, 1000)).collect();
    let known = |run: &RunFolder| index::look(&fixture.project).unwrap().recorded.get(run.run()).copied();
    assert_eq!(known(&runs[1]), Some(1000));
    fs::remove_file(fixture.project.index()).unwrap();
    assert_eq!(known(&runs[1]), None);
    assert_eq!(pruned(&fixture, None, Some(2500), &[]).runs, 1, "found without it");
    index::list(&fixture.project).unwrap();
    assert_eq!((known(&runs[0]), known(&runs[1])), (None, Some(1000)), "and written down");
    assert_eq!(recorded(&runs), [false, true, true]);
}

#[test]
fn what_can_go_on_or_goes_on_is_never_touched() {
    let fixture = Fixture::new();
    let spared = run(&fixture, Some(StopReason::Interrupted), 0, 1000);
    let unfinished = run(&fixture, None, 1, 1000);
    let resumed = run(&fixture, ENDED, 2, 1000);
    let old = run(&fixture, ENDED, 3, 1000);
    let newest = run(&fixture, ENDED, 4, 1000);
    let lock = Lock::acquire(&fixture.project, &fixture.directory, resumed.run(), Duration::ZERO).unwrap();
    let Acquired::Taken(lock) = lock else { panic!("{lock:?}") };
    let gone = pruned(&fixture, Some(1), Some(1), &[spared.run()]);
    assert_eq!((gone.runs, gone.bytes), (1, 1000));
    let runs = [spared, unfinished, resumed, old, newest];
    assert_eq!(recorded(&runs), [true, true, true, false, true]);
    lock.release().unwrap();
    assert_eq!(pruned(&fixture, Some(1), None, &[]).runs, 2);
}

#[test]
fn what_a_crash_left_is_removed_and_one_trouble_stops_nothing() {
    let fixture = Fixture::new();
    let runs: Vec<RunFolder> = (0..4).map(|second| run(&fixture, ENDED, second, 10)).collect();
    // Killed between renaming and removing.
    fs::rename(runs[0].iterations(), runs[0].removed_iterations()).unwrap();
    fs::create_dir_all(runs[1].removed_iterations().join("0001")).unwrap();
    // A link in its place is not a recording; what it leads to stays.
    fs::remove_dir_all(runs[2].iterations()).unwrap();
    let elsewhere = fixture.directory.join("elsewhere");
    fs::create_dir(&elsewhere).unwrap();
    fs::write(elsewhere.join("theirs"), "theirs").unwrap();
    symlink(&elsewhere, runs[2].iterations()).unwrap();
    let gone = pruned(&fixture, Some(1), None, &[]);
    assert!(elsewhere.join("theirs").exists(), "{gone:?}");
    assert!(!runs[1].iterations().exists() && runs[3].iterations().exists(), "{gone:?}");
    assert!(!runs[0].removed_iterations().exists() && !runs[1].removed_iterations().exists());
    // A file where a folder should be.
    let broken = run(&fixture, ENDED, 5, 10);
    let _newest = run(&fixture, ENDED, 6, 10);
    fs::write(runs[3].removed_iterations(), "x").unwrap();
    let gone = pruned(&fixture, Some(1), None, &[]);
    assert!(!broken.iterations().exists() && gone.trouble.is_some(), "{gone:?}");
}

#[test]
fn a_folder_that_is_gone_has_no_size_and_what_cannot_be_read_is_no_folder_that_is_gone() {
    let fixture = Fixture::new();
    let folder = run(&fixture, ENDED, 0, 1000).iterations();
    assert_eq!(size(&folder).unwrap(), Some(1000));
    assert_eq!(size(&folder.join("gone")).unwrap(), None);
    let file = folder.with_file_name("file");
    fs::write(&file, "x").unwrap();
    assert!(size(&file).is_err());
}
