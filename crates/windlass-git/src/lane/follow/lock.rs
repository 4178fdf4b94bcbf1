//! The lock on a checkout's index, as git takes it.

use std::io;
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::git::Repository;
use crate::git::locks::{LANDING, is_of_a_landing};
use crate::git::obstacle::locked;
use crate::git::patience::FOR_INDEX;
use crate::lane::LaneError;
use windlass_host::tree::{TreePath, at};

const PAUSE: Duration = Duration::from_millis(20);

/// `index.lock`, gone when it is dropped.
#[derive(Debug)]
pub(super) struct IndexLock {
    path: TreePath,
}

impl IndexLock {
    /// Takes it; a sentence when somebody else keeps it.
    pub fn take(checkout: &Repository, stage: &TreePath) -> Result<Result<Self, String>, LaneError> {
        let path = at(&checkout.git_dir.join("index.lock"));
        // Made aside, so that it never is there without saying whose it is.
        let aside = stage.join("lock");
        aside.replace(LANDING, 0o600)?;
        let began = Instant::now();
        loop {
            match aside.give_name(&path) {
                Ok(()) => return Ok(Ok(Self { path })),
                Err(error) if error.source.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error.into()),
            }
            if is_of_a_landing(&path) {
                return Ok(Ok(Self { path }));
            }
            if began.elapsed() > FOR_INDEX {
                return Ok(Err(locked(&path.shown())));
            }
            sleep(PAUSE);
        }
    }
}

impl Drop for IndexLock {
    fn drop(&mut self) {
        // What stays is known to be ours.
        let _ = self.path.remove_file();
    }
}
