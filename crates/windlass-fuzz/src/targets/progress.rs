//! A journal of a task file, read and added to.

use jiff::Timestamp;
use windlass_core::values::{Cost, Spent, Tokens};
use windlass_jobs::doc::progress::{
    Progress, ProgressEntry, ProgressError, ProgressExit, ProgressSummary, ReadEntry, with_entry,
};

pub(crate) fn run(data: &[u8]) {
    let before = Progress::parse(data);
    check(&before, data);
    let summary = ProgressSummary { total: 7, completed: 3, updated: Timestamp::UNIX_EPOCH };
    let entry = entry(&String::from_utf8_lossy(data.get(..data.len().min(2000)).unwrap_or_default()));
    let is_it = |read: &&ReadEntry| read.run.as_ref().is_some_and(|run| *run == ("r-fuzz".to_owned(), 1));
    if before.entries.iter().any(|read| is_it(&read)) {
        return;
    }
    let written = with_entry(data, &entry, &summary);
    let after = Progress::parse(&written);
    assert_eq!(after.entries.len(), before.entries.len() + 1, "one entry more");
    let others = after.entries.iter().filter(|read| !is_it(read));
    assert!(others.map(without_line).eq(before.entries.iter().map(without_line)), "another entry changed");
    let Some(read) = after.entries.iter().find(is_it) else { panic!("the entry is not there") };
    assert_eq!(read.exit, Some(ProgressExit::Error));
    assert_eq!((read.tokens, read.cost), (Some(entry.tokens), Some(entry.cost.cost)));
    assert_eq!(with_entry(&written, &entry, &summary), written, "written again, it is another file");
}

/// An entry whose texts are these bytes, too.
fn entry(text: &str) -> ProgressEntry {
    ProgressEntry {
        run: "r-fuzz".to_owned(),
        iteration: 1,
        time: Timestamp::UNIX_EPOCH,
        attempted: Some(text.to_owned()),
        completed: None,
        summary: text.to_owned(),
        seconds: 61,
        exit: ProgressExit::Error,
        tokens: Tokens { input: 1, output: 2, cache_creation: 3, cache_read: 4 },
        cost: Spent::of(Cost::from_micros(1200), false),
        error: Some(ProgressError { kind: "unknown".to_owned(), detail: text.to_owned() }),
    }
}

fn check(progress: &Progress, data: &[u8]) {
    let lines = data.split(|byte| *byte == b'\n').count();
    assert!(progress.entries.len() <= lines);
    assert!(progress.entries.iter().all(|entry| (1..=lines).contains(&entry.line)));
    let totals = progress.totals();
    assert_eq!(totals.iterations, progress.entries.len() as u64);
    assert!(totals.completed.len() <= progress.entries.len(), "each task counts once");
}

fn without_line(entry: &ReadEntry) -> ReadEntry {
    ReadEntry { line: 0, ..entry.clone() }
}
