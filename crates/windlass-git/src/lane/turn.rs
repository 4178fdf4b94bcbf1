//! Landings and parkings of one repository, one after another.

use std::fs::File;
use std::time::Duration;

use super::LaneError;
use crate::git::Repository;
use windlass_host::file::{FileError, lock_within};
use windlass_host::tree::at;

/// How long another windlass may take. A landing takes well under a second, unless a filter has to fetch large files.
const PATIENCE: Duration = Duration::from_mins(2);

const PAUSE: Duration = Duration::from_millis(20);

/// The right to land, for as long as it is there.
///
/// It is a lock of the operating system on a file beside the repository's references (`.git/windlass-turn`): git's own
/// locks guard one reference or one index each, and a landing is about several; runs in linked working trees share the
/// references but not the folder of the run; and the system takes the lock back from whoever is killed. The file stays; it is not called a lock, since that is what git calls its own.
/// What others than windlass do meanwhile is caught by git's locks: the branch is advanced only from where it was seen,
/// and an index is only replaced under its own lock.
#[derive(Debug)]
pub(super) struct Turn {
    _file: File,
}

impl Turn {
    pub fn take(main: &Repository) -> Result<Self, LaneError> {
        Self::take_within(main, PATIENCE)
    }

    fn take_within(main: &Repository, patience: Duration) -> Result<Self, LaneError> {
        let path = main.common_dir.join("windlass-turn");
        let file = at(&path).append_to(0o666)?;
        match lock_within(&file, patience, PAUSE) {
            Ok(true) => Ok(Self { _file: file }),
            Ok(false) => Err(LaneError::Busy { path, after: patience }),
            Err(source) => Err(FileError { action: "lock", path, source }.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;
    use crate::testing::Scratch;

    #[test]
    fn landings_take_turns() {
        let scratch = Scratch::repository();
        let (main, began) = (scratch.found(), Instant::now());
        let turn = Turn::take_within(&main, Duration::ZERO).unwrap();
        let error = Turn::take_within(&main, Duration::from_millis(60)).unwrap_err();
        assert!(matches!(error, LaneError::Busy { .. }) && began.elapsed().as_millis() >= 60, "{error}");
        drop(turn);
        Turn::take_within(&main, Duration::ZERO).unwrap();
    }
}
