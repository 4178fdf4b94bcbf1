//! The lock on a checkout's index, as git takes it.

use std::io;
use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::super::super::Repository;
use super::super::super::obstacle::locked;
use super::super::LaneError;
use windlass_host::tree::{TreePath, at};

/// How long a person's git may take.
const PATIENCE: Duration = if cfg!(test) { Duration::from_millis(100) } else { Duration::from_secs(10) };

const PAUSE: Duration = Duration::from_millis(20);

/// What a lock of ours says. git never reads its locks, so that ours is known when whoever took it was killed; and nobody
/// takes one but in its turn.
const OURS: &[u8] = b"windlass is landing\n";

/// Is this lock that of a landing?
pub(in crate::git) fn is_of_a_landing(lock: &Path) -> bool {
    says_ours(&at(lock))
}

/// A lock is short; what is longer is not ours.
fn says_ours(lock: &TreePath) -> bool {
    lock.read_beginning(OURS.len()).is_ok_and(|content| content.as_deref() == Some(OURS))
}

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
        aside.replace(OURS, 0o600)?;
        let began = Instant::now();
        loop {
            match aside.give_name(&path) {
                Ok(()) => return Ok(Ok(Self { path })),
                Err(error) if error.source.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error.into()),
            }
            if says_ours(&path) {
                return Ok(Ok(Self { path }));
            }
            if began.elapsed() > PATIENCE {
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
