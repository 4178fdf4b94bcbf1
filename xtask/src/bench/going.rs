//! Runs that are looked at: those that go on, and large ones.

use std::process::{Child, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::bed::{Bed, Ground, spawn};
use super::pretended::{self, Recorded};
use crate::program::Failure;

/// An agent that says a megabyte a second.
pub const QUICK: &str = "pace 1000000";

/// An agent that says nothing.
pub const SILENT: &str = "sleep 600";

/// How long something is watched.
pub const WATCHED: Duration = Duration::from_secs(10);

/// How long a run may take to come up.
const PATIENCE: Duration = Duration::from_mins(1);

/// A run that goes on; its agent is at work.
pub struct Going {
    runner: Child,
    /// Its name.
    pub run: String,
}

impl Going {
    /// Starts one whose agent does this, and waits until it is at work.
    pub fn start(ground: &Ground<'_>, action: &str) -> Result<Going, Failure> {
        let mut runner = spawn(ground.run(action, 1).arg("-q").stdin(Stdio::null()))?;
        let began = Instant::now();
        while began.elapsed() < PATIENCE {
            if let Ok((run, folder)) = pretended::the_run(ground) {
                let journal = std::fs::read_to_string(folder.join("journal.jsonl")).unwrap_or_default();
                if journal.contains("\"fact\":\"call_spawned\"") {
                    sleep(Duration::from_millis(300));
                    return Ok(Going { runner, run });
                }
            }
            sleep(Duration::from_millis(10));
        }
        let _ = runner.kill();
        let _ = runner.wait();
        Err(Failure("the run's agent was not started within a minute".to_owned()))
    }
}

impl Drop for Going {
    fn drop(&mut self) {
        let _ = self.runner.kill();
        let _ = self.runner.wait();
        // Its keeper clears up within two seconds; its folder goes after that.
        sleep(Duration::from_secs(3));
    }
}

/// A share as it is told.
pub fn share(percent: f64) -> String {
    format!("{percent:.1} % of a core")
}

/// A run with a journal of 100 MB: where, its name, how many iterations.
pub fn long_journal(bed: &Bed) -> Result<(Ground<'_>, String, u64), Failure> {
    let Recorded { ground, run, folder } = pretended::recorded(bed, "", 3)?;
    let iterations = pretended::lengthen(&folder, 100_000_000)?;
    Ok((ground, run, iterations))
}

/// A run with a transcript of 200 MB: where, and its name.
pub fn long_transcript(bed: &Bed) -> Result<(Ground<'_>, String), Failure> {
    let Recorded { ground, run, .. } = pretended::recorded(bed, "stream 200000000", 1)?;
    Ok((ground, run))
}
