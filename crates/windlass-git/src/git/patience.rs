//! Waiting for another git that holds a lock: an editor, a prompt or a person's own command takes one for a moment.

use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::GitError;
use super::call::Call;
use windlass_host::tree::at;

/// Pauses between tries while another git holds a lock; together some 3 s.
const PAUSES: [Duration; 6] = [
    Duration::from_millis(20),
    Duration::from_millis(50),
    Duration::from_millis(130),
    Duration::from_millis(400),
    Duration::from_millis(900),
    Duration::from_millis(1500),
];

/// How long a git that is at work in a checkout is waited for before a commit is given up, and before a landing is.
pub(crate) const FOR_INDEX: Duration =
    if cfg!(test) { Duration::from_millis(100) } else { Duration::from_secs(10) };

/// Waits until this lock on an index is gone, for a while. Says whether it is.
pub(crate) fn is_released(lock: &Path) -> bool {
    let is_there = || at(lock).is_taken();
    let began = Instant::now();
    while is_there() {
        if began.elapsed() > FOR_INDEX {
            return false;
        }
        sleep(PAUSES[0]);
    }
    true
}

/// Runs a call until no other git stands in its way, for a while.
pub(crate) fn patiently(call: impl Fn() -> Call) -> Result<(), GitError> {
    with_pauses(|| call().output().map(drop))
}

pub(crate) fn with_pauses<T>(mut attempt: impl FnMut() -> Result<T, GitError>) -> Result<T, GitError> {
    for pause in PAUSES {
        match attempt() {
            Err(GitError::Failed { said, .. }) if is_locked(&said) => sleep(pause),
            done => return done,
        }
    }
    attempt()
}

/// Does git say that another one holds a lock? Of references, of `packed-refs`, of the configuration, of the index.
pub(crate) fn is_locked(said: &str) -> bool {
    let other = said.contains("File exists") || said.contains("Another git process");
    other && (said.contains(".lock") || said.contains("cannot lock ref") || said.contains("could not lock"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(said: &str) -> Result<(), GitError> {
        Err(GitError::Failed { command: "git worktree".to_owned(), said: said.to_owned() })
    }

    #[test]
    fn a_lock_that_goes_is_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let lock = folder.path().join("index.lock");
        assert!(is_released(&lock), "there is none");
        std::fs::write(&lock, "").unwrap();
        let holder = lock.clone();
        let released = std::thread::spawn(move || std::fs::remove_file(holder));
        assert!(is_released(&lock));
        released.join().unwrap().unwrap();
    }

    #[test]
    fn a_lock_is_waited_for_and_nothing_else_is() {
        let held = "fatal: cannot lock ref 'refs/heads/x': Unable to create '/p/.git/refs/heads/x.lock': File exists.";
        for (sentence, attempts) in [
            (held, 3),
            ("error: could not lock config file .git/config: File exists", 3),
            ("fatal: a branch named 'windlass/x' already exists", 1),
            ("fatal: '/p/x' already exists", 1),
        ] {
            let mut made = 0;
            let outcome = with_pauses(|| {
                made += 1;
                if made < 3 { said(sentence) } else { Ok(()) }
            });
            assert_eq!((made, outcome.is_ok()), (attempts, attempts == 3), "{sentence}");
        }
    }
}
