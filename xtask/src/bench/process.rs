//! What a process that goes on uses, as `/proc` tells it.

use std::fs;
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::program::Failure;

/// Clock ticks in a second, as `/proc` counts processor time.
const TICKS: f64 = 100.0;

/// A process that goes on.
#[derive(Clone, Copy, Debug)]
pub struct Process(pub u32);

impl Process {
    /// Milliseconds of processor time so far, that of ended threads included.
    pub fn processor(self) -> Result<f64, Failure> {
        let stat = self.file("stat")?;
        let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
        let ticks =
            |index: usize| fields.get(index).and_then(|field| field.parse::<f64>().ok()).unwrap_or_default();
        Ok((ticks(11) + ticks(12)) * 1e3 / TICKS)
    }

    /// Its share of a core over a time, in percent.
    pub fn share(self, watched: Duration) -> Result<f64, Failure> {
        let (before, began) = (self.processor()?, Instant::now());
        sleep(watched);
        Ok((self.processor()? - before) / began.elapsed().as_secs_f64() / 10.0)
    }

    /// Megabytes that it holds: all, with the program's own pages, and without what lies in files.
    pub fn memory(self) -> Result<Memory, Failure> {
        let status = self.file("status")?;
        let of = |name: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(name));
            let number = line.and_then(|line| line.split_whitespace().next()?.parse::<f64>().ok());
            number.unwrap_or_default() * 1024.0 / 1e6
        };
        Ok(Memory { all: of("VmRSS:"), own: of("RssAnon:") })
    }

    fn file(self, name: &str) -> Result<String, Failure> {
        let path = format!("/proc/{}/{name}", self.0);
        fs::read_to_string(&path).map_err(|error| Failure(format!("{path}: {error}")))
    }
}

/// Megabytes.
#[derive(Clone, Copy, Debug)]
pub struct Memory {
    /// All that is resident.
    pub all: f64,
    /// What is not pages of the program and of libraries.
    pub own: f64,
}

impl Memory {
    /// `17 MB, 6 of them its own`.
    pub fn text(self) -> String {
        format!("{:.1} MB, {:.1} of them its own", self.all, self.own)
    }
}
