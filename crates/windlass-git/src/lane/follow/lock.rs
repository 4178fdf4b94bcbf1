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

#[cfg(test)]
mod tests {
    use std::fs;

    use rustix::fs::inotify::{CreateFlags, WatchFlags, add_watch, init};

    use super::*;
    use crate::testing::Scratch;

    #[test]
    fn another_gits_lock_that_goes_is_waited_for() {
        let scratch = Scratch::committed();
        let (checkout, lock) = (scratch.found(), scratch.path(".git/index.lock"));
        let stage = at(&scratch.path(".git/stage"));
        stage.make_folders().unwrap();
        // On a machine that is very busy it may go too late.
        let is_taken = || {
            fs::write(&lock, "another git's").unwrap();
            let opened = init(CreateFlags::CLOEXEC).unwrap();
            add_watch(&opened, &lock, WatchFlags::OPEN).unwrap();
            std::thread::scope(|scope| {
                scope.spawn(|| {
                    // Whoever did not get it looks whose it is.
                    rustix::io::read(&opened, &mut [0; 4096]).unwrap();
                    fs::remove_file(&lock).unwrap();
                });
                IndexLock::take(&checkout, &stage).unwrap().is_ok()
            })
        };
        assert!((0..20).any(|_| is_taken()));
    }
}
