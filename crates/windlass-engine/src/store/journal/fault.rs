//! Faults for tests, in debug builds only: the environment variable `WINDLASS_TEST_FAULT` holds one or more of these,
//! separated by commas. Writes are counted from 1 since the journal was opened; a new journal's header is one, and so
//! is a batch of facts, however many it holds.
//!
//! | value | what happens |
//! |---|---|
//! | `kill-before-write=N` | SIGKILL to this process directly before the Nth write |
//! | `kill-after-write=N` | SIGKILL to this process directly after the Nth write |
//! | `tear-write=N:K` | only the first K bytes of the Nth write reach the file, then SIGKILL |
//! | `full-after-write=N` | every write after the Nth is cut in half and refused as if the disk were full, until the reserve is released |
//!
//! A release build ignores the variable. A value that cannot be read is ignored as well.

use std::sync::OnceLock;

use rustix::process::{Signal, getpid, kill_process};

/// What is to become of a write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Write {
    /// It is done.
    Whole,
    /// So many bytes of it are done, then the process is killed.
    TornThenKilled(usize),
    /// So many bytes of it are done, then the disk is full.
    TornThenFull(usize),
}

/// Faults to inject, and where.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Faults {
    kill_before: Option<u64>,
    kill_after: Option<u64>,
    tear: Option<(u64, usize)>,
    full_after: Option<u64>,
    reserve_released: bool,
    /// The write that is being made.
    write: u64,
}

impl Faults {
    /// What the environment asks for; it is read once.
    pub(super) fn from_environment() -> Faults {
        static WANTED: OnceLock<Faults> = OnceLock::new();
        let wanted = WANTED.get_or_init(|| {
            let text = std::env::var("WINDLASS_TEST_FAULT").ok().filter(|_| cfg!(debug_assertions));
            Faults::parse(&text.unwrap_or_default())
        });
        wanted.clone()
    }

    pub(super) fn parse(text: &str) -> Faults {
        let mut faults = Faults::default();
        for (name, value) in text.split(',').filter_map(|fault| fault.split_once('=')) {
            match name.trim() {
                "kill-before-write" => faults.kill_before = value.parse().ok(),
                "kill-after-write" => faults.kill_after = value.parse().ok(),
                "full-after-write" => faults.full_after = value.parse().ok(),
                "tear-write" => {
                    faults.tear = value
                        .split_once(':')
                        .and_then(|(write, bytes)| Some((write.parse().ok()?, bytes.parse().ok()?)));
                }
                _ => {}
            }
        }
        faults
    }

    pub(super) fn before_write(&mut self, bytes: usize) -> Write {
        self.write += 1;
        if self.kill_before == Some(self.write) {
            kill_this_process();
        }
        match (self.tear, self.full_after) {
            (Some((write, kept)), _) if write == self.write => Write::TornThenKilled(kept.min(bytes)),
            (_, Some(last)) if self.write > last && !self.reserve_released => Write::TornThenFull(bytes / 2),
            _ => Write::Whole,
        }
    }

    pub(super) fn after_write(&self) {
        if self.kill_after == Some(self.write) {
            kill_this_process();
        }
    }

    pub(super) const fn reserve_released(&mut self) {
        self.reserve_released = true;
    }
}

/// SIGKILL: nothing is cleaned up, nothing is flushed.
pub(super) fn kill_this_process() -> ! {
    // It cannot be refused for one's own process; should it be, nothing may go on either.
    let _ = kill_process(getpid(), Signal::KILL);
    loop {
        std::thread::park();
    }
}
