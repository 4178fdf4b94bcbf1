//! A recorded run, told again as whoever watched it was told.

use std::ops::ControlFlow;
use std::thread;
use std::time::Duration;

use windlass_core::observation::{Observation, ToolTrace};
use windlass_core::spec::Mode;
use windlass_core::values::RunId;
use windlass_engine::replay::{Reading, Replay};
use windlass_engine::store::{RunFolder, index};

pub use windlass_engine::replay::Replayed;

use crate::app::App;
use crate::configuration::Configuration;
use crate::error::AppError;
use crate::fleet::{self, Depth, FollowedCopy};
use crate::here::Here;
use crate::inspect::which;

/// How often a run that goes on is looked at.
const LOOK: Duration = Duration::from_millis(100);

/// Is told a run.
pub trait Listener<T> {
    /// This happened; says whether more is wanted.
    fn told(&mut self, what: Replayed<T>) -> ControlFlow<()>;

    /// All that has happened so far is told; says whether what comes is wanted.
    fn caught_up(&mut self) -> ControlFlow<()>;
}

/// What of a run is told.
#[derive(Clone, Copy, Debug)]
pub struct Telling {
    /// Of what agents said and did that of this iteration alone; `None` = all of it.
    pub iteration: Option<u32>,
    /// Also what comes, until the run ends, its process is gone, or nobody listens.
    pub follows: bool,
}

/// A run that was recorded, or is.
pub struct RecordedRun {
    here: Here,
    folder: RunFolder,
}

impl App {
    /// The run of this name, or the live or newest one here.
    pub fn recorded_run(&self, run: Option<&str>) -> Result<RecordedRun, AppError> {
        let here = Here::find_broken(self)?;
        let folder = which::shown_to(&here, run, Depth::Files)?;
        if run.is_none() {
            fleet::refresh(&here, &folder, Depth::Files);
        }
        Ok(RecordedRun { here, folder })
    }

    /// The same, and where this project has none of this name, of whatever project of this machine.
    pub fn recorded_anywhere(&self, run: Option<&str>) -> Result<RecordedRun, AppError> {
        let known = self.known_run(run)?;
        let here = Here::find_broken(self)?;
        if *known.project() == here.project {
            return self.recorded_run(Some(&known.run().0));
        }
        Ok(RecordedRun { here: Here::of_project(self, known.project()), folder: known.folder() })
    }
}

impl RecordedRun {
    /// Which.
    pub fn run(&self) -> &RunId {
        self.folder.run()
    }

    /// Are emoji wanted here? A broken configuration must not hide what happened.
    pub fn wants_emoji(&self) -> bool {
        Configuration::read(&self.here.directory, None, Mode::Goal)
            .map_or(true, |configuration| configuration.resolved.emoji)
    }

    /// Is it still kept what its agents said and did?
    pub fn has_streams(&self) -> bool {
        // outside: the run's folder.
        self.folder.iterations().exists()
    }

    /// Tells its facts, and what its agents said and did.
    pub fn tell(&self, what: Telling, listener: &mut impl Listener<Observation>) -> Result<(), AppError> {
        self.replay(Replay::new(&self.folder), what, listener)
    }

    /// Tells its facts, and its tool calls.
    pub fn tell_tools(&self, what: Telling, listener: &mut impl Listener<ToolTrace>) -> Result<(), AppError> {
        self.replay(Replay::tools(&self.folder), what, listener)
    }

    fn replay<R: Reading>(
        &self,
        replay: Replay<R>,
        Telling { iteration, follows }: Telling,
        listener: &mut impl Listener<R::Item>,
    ) -> Result<(), AppError> {
        let mut replay = match iteration {
            Some(iteration) => replay.of_iteration(iteration),
            None => replay,
        };
        // Nothing at all would look like a run in which nothing was said.
        if !follows
            && let Err(error) = index::summarize(&self.folder)
            && error.is_nothing_yet()
        {
            return Err(error.into());
        }
        let mut elsewhere = if follows { FollowedCopy::begin(&self.here, &self.folder)? } else { None };
        loop {
            // Asked first: what a run says last comes before it gives its directory back.
            let goes_on = follows
                && match &mut elsewhere {
                    Some(elsewhere) => elsewhere.look()?,
                    None => which::all_live(&self.here)?.contains(self.run()),
                };
            let told = replay.advance(&mut |told| listener.told(told))?;
            if told.is_break() || !follows {
                return Ok(());
            }
            if listener.caught_up().is_break() || replay.has_ended() || !goes_on {
                return Ok(());
            }
            thread::sleep(LOOK);
        }
    }
}
