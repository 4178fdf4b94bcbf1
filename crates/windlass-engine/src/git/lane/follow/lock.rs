//! The lock on a checkout's index, as git takes it.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::super::super::Repository;
use super::super::super::obstacle::locked;
use super::super::LaneError;
use crate::file::{AtPath, read_if_there, replace};

/// How long a person's git may take.
const PATIENCE: Duration = if cfg!(test) { Duration::from_millis(100) } else { Duration::from_secs(10) };

const PAUSE: Duration = Duration::from_millis(20);

/// What a lock of ours says. git never reads its locks, so that ours is known when whoever took it was killed; and nobody
/// takes one but in its turn.
const OURS: &[u8] = b"windlass is landing\n";

/// Is this lock that of a landing?
pub(in crate::git) fn is_of_a_landing(lock: &Path) -> bool {
    read_if_there(lock).is_ok_and(|content| content.as_deref() == Some(OURS))
}

/// `index.lock`, gone when it is dropped.
#[derive(Debug)]
pub(super) struct IndexLock {
    path: PathBuf,
}

impl IndexLock {
    /// Takes it; a sentence when somebody else keeps it.
    pub fn take(checkout: &Repository, stage: &Path) -> Result<Result<Self, String>, LaneError> {
        let path = checkout.git_dir.join("index.lock");
        // Made aside, so that it never is there without saying whose it is.
        let aside = stage.join("lock");
        replace(&aside, OURS, 0o600)?;
        let began = Instant::now();
        loop {
            match fs::hard_link(&aside, &path) {
                Ok(()) => return Ok(Ok(Self { path })),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Ok(Err(error).at("create", &path)?),
            }
            if read_if_there(&path)?.as_deref() == Some(OURS) {
                return Ok(Ok(Self { path }));
            }
            if began.elapsed() > PATIENCE {
                return Ok(Err(locked(&path)));
            }
            sleep(PAUSE);
        }
    }
}

impl Drop for IndexLock {
    fn drop(&mut self) {
        // What stays is known to be ours.
        let _ = fs::remove_file(&self.path);
    }
}
