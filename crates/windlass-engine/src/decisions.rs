//! The project's log of what councils have decided: read within bounds, and replaced in one step.

use std::path::Path;

use windlass_core::council::DECISION_LOG;
use windlass_host::file::{FileError, digest};
use windlass_host::tree::at;
use windlass_jobs::doc::decision_log::{Decision, Decisions, LONGEST, decisions, with};

/// For a log that is made; people may read it.
const PERMISSIONS: u32 = 0o644;

/// What is in a log; `None` where there is none. `file` is relative to the working directory.
///
/// # Errors
/// It cannot be read, is not a file, or longer than [`LONGEST`].
pub fn read_decisions(directory: &Path, file: &Path) -> Result<Option<Decisions>, FileError> {
    let bytes = at(directory).join(file).read(LONGEST)?;
    Ok(bytes.map(|bytes| decisions(&String::from_utf8_lossy(&bytes))))
}

/// Adds a decision to the log of a working directory, where it does not stand there already: readers see the old log or the
/// new one, and so does whoever comes after a crash. Says the SHA-256 of the log with it.
///
/// # Errors
/// It cannot be read or written, is not a file, or longer than [`LONGEST`]. It is as it was.
pub fn log_decision(directory: &Path, decision: &Decision) -> Result<String, FileError> {
    let path = at(directory).join(DECISION_LOG);
    let former = path.read(LONGEST)?;
    let there = former.as_deref().unwrap_or_default();
    let Some(bytes) = with(there, decision) else { return Ok(digest(there)) };
    if former.is_some() {
        let target = path.resolved().map_err(|error| path.failed("find", error))?;
        target.prepare_like(&bytes)?.put_in_place()?;
    } else {
        let folder = path.parent().unwrap_or_else(|| path.clone());
        folder.make_folders()?;
        path.replace(&bytes, PERMISSIONS)?;
    }
    // What is said to be there outlives a power cut.
    path.parent().map_or(Ok(()), |folder| folder.sync_folder())?;
    Ok(digest(&bytes))
}

/// Is the log, at this moment, what has this SHA-256?
pub(crate) fn is_log_of(directory: &Path, expected: &str) -> bool {
    let bytes = at(directory).join(DECISION_LOG).read(LONGEST).ok().flatten();
    bytes.is_some_and(|bytes| digest(&bytes) == expected)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use super::*;

    fn decision(iteration: u32) -> Decision {
        Decision {
            time: "2026-11-23T10:00:00Z".to_owned(),
            run: "r-1".to_owned(),
            iteration,
            attempt: 2,
            decision: "go".to_owned(),
            ..Decision::default()
        }
    }

    // rows: 103
    // Seed defect D4, council: the log's path was relative to where the tool was started.
    #[test]
    fn it_is_made_in_the_project_and_has_each_decision_once() {
        let folder = tempfile::tempdir().unwrap();
        let directory = folder.path();
        let log = directory.join(DECISION_LOG);
        assert_eq!(read_decisions(directory, Path::new(DECISION_LOG)).unwrap(), None);
        let first = log_decision(directory, &decision(1)).unwrap();
        assert!(is_log_of(directory, &first));
        assert_eq!(
            log_decision(directory, &decision(1)).unwrap(),
            first,
            "after a crash it is looked at first"
        );
        fs::set_permissions(&log, fs::Permissions::from_mode(0o640)).unwrap();
        let second = log_decision(directory, &decision(2)).unwrap();
        assert!(is_log_of(directory, &second) && !is_log_of(directory, &first));
        assert_eq!(log.metadata().unwrap().permissions().mode() & 0o777, 0o640);
        let read = read_decisions(directory, Path::new(DECISION_LOG)).unwrap().unwrap();
        assert_eq!(read.all, [decision(1), decision(2)]);
        assert_eq!(fs::read_dir(log.parent().unwrap()).unwrap().count(), 1, "nothing is left beside it");
    }

    #[test]
    fn what_is_no_file_of_the_project_is_neither_read_nor_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let outside = tempfile::tempdir().unwrap();
        let directory = folder.path();
        let log = directory.join(DECISION_LOG);
        fs::create_dir_all(&log).unwrap();
        let error = log_decision(directory, &decision(1)).unwrap_err().to_string();
        assert!(error.contains("decisions.jsonl") && log.is_dir(), "{error}");
        fs::remove_dir(&log).unwrap();
        let foreign = outside.path().join("foreign");
        fs::write(&foreign, "mine\n").unwrap();
        windlass_host::tree::hold(directory);
        symlink(&foreign, &log).unwrap();
        log_decision(directory, &decision(1)).unwrap_err();
        assert_eq!(fs::read_to_string(&foreign).unwrap(), "mine\n");
        fs::remove_file(&log).unwrap();
        fs::File::create(&log).unwrap().set_len(LONGEST as u64 + 1).unwrap();
        let error = log_decision(directory, &decision(1)).unwrap_err().to_string();
        assert!(error.contains("longer than"), "{error}");
    }
}
