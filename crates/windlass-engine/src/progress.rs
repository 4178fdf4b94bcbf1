//! `progress.md` on disk: read within bounds, and replaced in one step.

use std::path::{Path, PathBuf};

use windlass_jobs::doc::progress::{LONGEST_PROGRESS, Progress, ProgressEntry, ProgressSummary, with_entry};

use windlass_host::file::FileError;
use windlass_host::tree::{TreePath, at};

/// For a journal that is made; people may read it.
const PERMISSIONS: u32 = 0o644;

/// Why a journal cannot be read or added to. It is as it was.
#[derive(Debug, thiserror::Error)]
pub enum ProgressFileError {
    /// The file system refused.
    #[error(transparent)]
    File(#[from] FileError),
    /// It is longer than [`LONGEST_PROGRESS`].
    #[error("{} is longer than 16 MiB; move it away, and a new one is begun", .0.display())]
    TooLong(PathBuf),
}

/// Reads a journal; `None` where there is none.
pub fn read_progress(path: &Path) -> Result<Option<Progress>, ProgressFileError> {
    Ok(read(&at(path))?.map(|bytes| Progress::parse(&bytes)))
}

/// Adds an iteration to a journal, or replaces what is there of it (see [`with_entry`]); makes the journal, and its folder,
/// where there is none. Readers see the old journal or the new one. A link is followed; permissions stay. A journal that
/// says so already is not touched, even if it says another time: what was noted before a crash may be in a commit.
///
/// # Errors
/// It cannot be read or written, is not a file, or too long. It is as it was.
pub fn write_progress(
    path: &Path,
    entry: &ProgressEntry,
    summary: &ProgressSummary,
) -> Result<(), ProgressFileError> {
    let path = &at(path);
    let former = read(path)?;
    let bytes = with_entry(former.as_deref().unwrap_or_default(), entry, summary);
    let there = former.as_deref().unwrap_or_default();
    if there == bytes || says_the_same(there, entry, summary) {
        return Ok(());
    }
    if former.is_none() {
        let folder = path.parent().unwrap_or_else(|| path.clone());
        folder.make_folders()?;
        // A link to nothing: what it names is made.
        let target = path.link_target().map_or_else(|_| path.clone(), |target| folder.join(target));
        return Ok(target.replace(&bytes, PERMISSIONS)?);
    }
    let target = path.resolved().map_err(|error| path.failed("find", error))?;
    Ok(target.prepare_like(&bytes)?.put_in_place()?)
}

/// Is there nothing new but the time?
fn says_the_same(there: &[u8], entry: &ProgressEntry, summary: &ProgressSummary) -> bool {
    let progress = Progress::parse(there);
    let is_it = |run: &(String, u32)| run.0 == entry.run && run.1 == entry.iteration;
    let former = progress.entries.iter().find(|former| former.run.as_ref().is_some_and(is_it));
    let Some((time, seconds)) = former.and_then(|former| former.time.zip(former.seconds)) else {
        return false;
    };
    let entry = ProgressEntry { time, seconds, ..entry.clone() };
    with_entry(there, &entry, &ProgressSummary { updated: time, ..*summary }) == there
}

fn read(path: &TreePath) -> Result<Option<Vec<u8>>, ProgressFileError> {
    match path.read_beginning(LONGEST_PROGRESS)? {
        Some(bytes) if bytes.len() > LONGEST_PROGRESS => Err(ProgressFileError::TooLong(path.shown())),
        bytes => Ok(bytes),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use jiff::Timestamp;
    use windlass_core::values::{Spent, Tokens};
    use windlass_jobs::doc::progress::ProgressExit;

    use super::*;

    fn write(path: &Path, iteration: u32) -> Result<(), ProgressFileError> {
        let time = Timestamp::UNIX_EPOCH;
        let entry = ProgressEntry {
            run: "r-1".to_owned(),
            iteration,
            time,
            attempted: Some("TASK-001".to_owned()),
            completed: None,
            summary: "A start".to_owned(),
            seconds: 5,
            exit: ProgressExit::Partial,
            tokens: Tokens::default(),
            cost: Spent::default(),
            error: None,
        };
        write_progress(path, &entry, &ProgressSummary { total: 2, completed: 0, updated: time })
    }

    #[test]
    fn what_is_noted_again_after_a_crash_stays_as_it_was_noted() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("progress.md");
        write(&path, 1).unwrap();
        let noted = fs::read(&path).unwrap();
        let time = Timestamp::from_second(1_000_000).unwrap();
        let entry = ProgressEntry {
            run: "r-1".to_owned(),
            iteration: 1,
            time,
            attempted: Some("TASK-001".to_owned()),
            completed: None,
            summary: "A start".to_owned(),
            seconds: 77,
            exit: ProgressExit::Partial,
            tokens: Tokens::default(),
            cost: Spent::default(),
            error: None,
        };
        let summary = ProgressSummary { total: 2, completed: 0, updated: time };
        write_progress(&path, &entry, &summary).unwrap();
        assert_eq!(fs::read(&path).unwrap(), noted, "nothing is new but the time");
        write_progress(&path, &ProgressEntry { exit: ProgressExit::Error, ..entry.clone() }, &summary)
            .unwrap();
        assert!(String::from_utf8(fs::read(&path).unwrap()).unwrap().contains("77s"));
        let done = ProgressSummary { completed: 1, ..summary };
        write_progress(&path, &ProgressEntry { exit: ProgressExit::Error, ..entry }, &done).unwrap();
        assert!(String::from_utf8(fs::read(&path).unwrap()).unwrap().contains("**Completed**: 1"));
    }

    fn numbers(path: &Path) -> Vec<u64> {
        let progress = read_progress(path).unwrap().unwrap_or_default();
        progress.entries.iter().map(|entry| entry.number).collect()
    }

    // Seed defect D3, parser/progress.ts:135; core/session.ts:31-35; core/config.ts:31-34: it was written in place.
    #[test]
    fn it_is_made_added_to_and_keeps_its_permissions_and_its_link() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("progress/pay.md");
        write(&path, 1).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        let link = folder.path().join("progress.md");
        windlass_host::tree::hold(folder.path());
        symlink("progress/pay.md", &link).unwrap();
        write(&link, 2).unwrap();
        write(&link, 2).unwrap();
        assert_eq!(numbers(&path), [1, 2]);
        assert!(link.is_symlink());
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o640);
        assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1, "nothing is left beside it");
    }

    // Seed defect D3, parser/progress.ts:9-11, 143-153: a journal that could not be read was replaced by one entry.
    #[test]
    fn what_cannot_be_read_is_not_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("progress.md");
        fs::create_dir(&path).unwrap();
        let error = write(&path, 1).unwrap_err().to_string();
        assert!(error.contains("progress.md") && path.is_dir(), "{error}");
        let long = folder.path().join("long.md");
        fs::File::create(&long).unwrap().set_len(LONGEST_PROGRESS as u64 + 1).unwrap();
        let error = write(&long, 1).unwrap_err().to_string();
        assert!(error.contains("long.md is longer than 16 MiB"), "{error}");
        assert_eq!(long.metadata().unwrap().len(), LONGEST_PROGRESS as u64 + 1);
        let broken = folder.path().join("broken.md");
        fs::write(&broken, b"\xff\xfe no journal\n```\n### Iteration 3\n").unwrap();
        write(&broken, 1).unwrap();
        assert!(fs::read(&broken).unwrap().starts_with(b"\xff\xfe no journal\n```\n### Iteration 3\n```\n"));
        assert_eq!(numbers(&broken), [1]);
    }
}
