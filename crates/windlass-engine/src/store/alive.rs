//! Until when a session was at work, where no fact says so: its runner was killed in the midst of a call.

use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::PathBuf;
use std::time::Duration;

use windlass_core::values::Now;

use super::RunFolder;
use super::files::open_private;

impl RunFolder {
    /// A sign of life: a session is at work at this moment, and the next fact will have this number. Whatever hinders it, the run
    /// goes on; a power cut may take it.
    pub fn note_alive(&self, next: u64, now: Now) {
        // As long each time, so that half of it is never there.
        let line = format!("{next:020} {:020}\n", now.monotonic.as_millis());
        // outside: the run's folder.
        let file = open_private(OpenOptions::new().create(true).write(true).truncate(false), &self.alive());
        let _ = file.and_then(|mut file| file.write_all(line.as_bytes()));
    }

    /// How long a session was at work after its last fact, which has this number and was at this time, by its last sign of life; nothing where it had none since.
    pub fn worked_unseen(&self, (seq, last): (u64, Now)) -> Duration {
        // outside: the run's folder.
        let noted = fs::read(self.alive()).ok().and_then(|line| String::from_utf8(line).ok());
        let noted = noted.as_deref().and_then(|line| line.trim_end().split_once(' '));
        let noted = noted.and_then(|(next, at)| Some((next.parse::<u64>().ok()?, at.parse().ok()?)));
        match noted.filter(|(next, _)| *next == seq + 1) {
            Some((_, at)) => Duration::from_millis(at).saturating_sub(last.monotonic),
            None => Duration::ZERO,
        }
    }

    pub(super) fn alive(&self) -> PathBuf {
        self.path().join("alive")
    }
}
