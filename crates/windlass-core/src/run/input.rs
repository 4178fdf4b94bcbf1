//! What comes in from the world.

use crate::report::{Noticed, Report};
use crate::spec::RunSpec;
use crate::values::{StopSource, TaskId};

/// Something that happened, as the shell saw it.
#[derive(Clone, Debug, PartialEq)]
pub enum Input {
    /// A run is to begin.
    Start(Box<RunSpec>),
    /// A run is to be continued by this process.
    Resume(Box<RunSpec>),
    /// The same, where [`Input::TryNow`] comes next: however long a wait is, it ends no run.
    ResumeNow(Box<RunSpec>),
    /// Something came of an order, or happened to what carries them out.
    Report(Box<Report>),
    /// Whoever has to be told of the end was told, or is not waited for any longer.
    Announced,
    /// Somebody asks that nothing is waited for any longer: a usage limit, an outage, agents that were away.
    TryNow,
    /// Somebody asks the run to stop.
    Stop {
        /// Who.
        by: StopSource,
        /// The least stage that this leads to: 2 for SIGTERM, and for Ctrl-C without a terminal.
        least: u8,
    },
    /// Somebody asks the run to leave a task.
    Park {
        /// Who.
        by: StopSource,
        /// Which; one that this run does not have means nothing.
        task: TaskId,
    },
    /// The run's own folder was removed, and its journal with it: nothing of it can be resumed.
    RecordLost {
        /// One sentence.
        detail: String,
    },
    /// Time has passed, or a fact was applied: is anything due?
    Tick,
}

impl Input {
    /// Something a person should know.
    pub fn notice(text: impl Into<String>) -> Input {
        Noticed { text: text.into() }.into()
    }
}

impl<T: Into<Report>> From<T> for Input {
    fn from(report: T) -> Input {
        Input::Report(Box::new(report.into()))
    }
}
