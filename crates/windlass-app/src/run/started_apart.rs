//! Starting a run apart from whoever wants it: in a process of its own, that goes on when they leave.

use std::ffi::OsString;
use std::fs::{self, File};
use std::path::Path;
use std::thread;
use std::time::Duration;

use tempfile::TempDir;
use windlass_core::values::RunId;
use windlass_host::file::read_beginning;
use windlass_host::process::Apart;

use crate::app::App;
use crate::error::{AppError, Kind};

const LOOK: Duration = Duration::from_millis(20);

/// Bytes of what it printed that are told.
const TOLD: usize = 64 * 1024;

/// The file in which the process says which run it is.
const RUN: &str = "run";

/// What it printed.
const PRINTED: &str = "printed";

/// A run in a process of its own. Dropping this ends nothing.
#[derive(Debug)]
pub struct ApartRun {
    apart: Apart,
    folder: TempDir,
}

/// What became of a process that was to be a run.
#[derive(Debug, PartialEq, Eq)]
pub enum Begun {
    /// It is this run.
    Run(RunId),
    /// It ended before it was one, with this exit code.
    Ended(u8),
}

impl App {
    /// Starts this program with these arguments in a directory. A flag is added that has it say, in a file, which run it is:
    /// [`announce`] is what it calls then.
    ///
    /// # Errors
    /// It cannot be started.
    pub fn start_apart(
        &self,
        directory: &Path,
        arguments: impl FnOnce(&Path) -> Vec<OsString>,
    ) -> Result<ApartRun, AppError> {
        let failed = |error: std::io::Error| {
            AppError::new(Kind::System, format!("cannot start a run of its own: {error}")).because(error)
        };
        let folder = tempfile::Builder::new().prefix("windlass-").tempdir().map_err(failed)?;
        // outside: a folder that was made just now.
        let output = File::create_new(folder.path().join(PRINTED)).map_err(failed)?;
        let arguments = arguments(&folder.path().join(RUN));
        let apart = Apart::start(self.program(), &arguments, directory, output).map_err(failed)?;
        Ok(ApartRun { apart, folder })
    }
}

/// Says in the file that was named which run this process is.
pub fn announce(file: &Path, run: &RunId) -> std::io::Result<()> {
    // Whoever looks finds all of it or nothing.
    let begun = file.with_extension("begun");
    // outside: the folder of whoever started this process.
    fs::write(&begun, &run.0)?;
    // outside: the same.
    fs::rename(&begun, file)
}

impl ApartRun {
    /// Waits until it is a run, or has ended.
    pub fn begun(&mut self) -> Result<Begun, AppError> {
        loop {
            // Asked first: what it says last comes before its end.
            let ended = self.ended()?;
            // outside: a folder of our own.
            if let Ok(run) = fs::read_to_string(self.folder.path().join(RUN)) {
                return Ok(Begun::Run(RunId(run)));
            }
            if let Some(code) = ended {
                return Ok(Begun::Ended(code));
            }
            // sleep: nothing else is going on here that could wake it.
            thread::sleep(LOOK);
        }
    }

    /// Its exit code; `None` while it goes on.
    pub fn ended(&mut self) -> Result<Option<u8>, AppError> {
        let ended = self.apart.ended().map_err(|error| {
            AppError::new(Kind::System, format!("cannot wait for the run's process: {error}")).because(error)
        })?;
        // One that a signal ended has no code of its own.
        Ok(ended.map(|ended| ended.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1)))
    }

    /// What it has printed so far, its beginning.
    pub fn printed(&self) -> String {
        let path = self.folder.path().join(PRINTED);
        // outside: the state folder.
        let printed = read_beginning(&path, TOLD).ok().flatten().unwrap_or_default();
        String::from_utf8_lossy(&printed).into_owned()
    }
}
