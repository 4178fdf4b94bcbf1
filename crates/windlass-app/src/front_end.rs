//! Whoever starts jobs: is told, is asked, and watches.

use std::sync::Arc;

use windlass_agents::Detail;
use windlass_core::config::OutputLevel;
use windlass_core::fact::Entry;
use windlass_core::observation::Observation;
use windlass_core::spec::AgentSpec;
use windlass_core::trust::{Startables, Starter};
use windlass_core::values::{Ended, RunId};
pub use windlass_engine::supervisor::{Audience, Place};
use windlass_ui::RunState;

use crate::error::AppError;

/// Whoever starts jobs, and the person behind it. Without anything of its own it tells nobody, and nobody answers.
pub trait FrontEnd: Send + Sync {
    /// What a person should know, and what keeps nothing from being done: one sentence.
    fn notice(&self, _sentence: &str) {}

    /// Is somebody there who can be asked?
    fn has_person(&self) -> bool {
        false
    }

    /// Asks. Where nobody is there the answer is no.
    fn ask(&self, _question: &Question<'_>) -> Result<Reply, AppError> {
        Ok(Reply::No)
    }

    /// Reads a secret, so that it is in no list of processes and in no shell's history.
    fn secret(&self) -> Result<String, AppError> {
        Err(AppError::usage("nobody is there to say a secret"))
    }

    /// Is there a terminal that can be lent to an agent, which a person speaks with there?
    fn has_terminal(&self) -> bool {
        false
    }

    /// The terminal is an agent's from now on. Asked of nobody who has none.
    fn lend_terminal(&self, _to: &Borrower<'_>) -> Result<(), AppError> {
        Ok(())
    }

    /// The terminal is back from an agent that ended so.
    fn take_terminal_back(&self, _ended: Ended) -> Result<(), AppError> {
        Ok(())
    }

    /// Can somebody stop a run step by step, as with Ctrl-C at a terminal? Without it the first request to stop ends the
    /// agent as well.
    fn stops_by_steps(&self) -> bool {
        false
    }

    /// Who watches a run that begins or goes on.
    fn watch(&self, _watched: &Watched<'_>) -> Result<Arc<dyn Watcher>, AppError> {
        Ok(Arc::new(Unattended))
    }
}

/// What a person is asked.
#[derive(Clone, Copy, Debug)]
pub enum Question<'a> {
    /// There is an unfinished run of the same job: is that to go on?
    GoOn {
        /// The run.
        run: &'a RunId,
        /// How it stands.
        state: RunState,
    },
    /// Is this to be done?
    Confirm {
        /// As it is asked.
        question: &'a str,
        /// What does it without a question.
        command: &'a str,
    },
    /// Is what the repository's files would start trusted?
    Trust {
        /// Who would start it.
        starter: &'a Starter,
        /// What.
        items: &'a Startables,
        /// All that the files start.
        all: &'a Startables,
        /// What was trusted before.
        trusted: &'a Startables,
    },
}

/// Must a person be asked first?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Consent {
    /// They said so already.
    Given,
    /// They must.
    Wanted,
}

impl Consent {
    /// By a flag such as `--yes`.
    pub const fn by_flag(force: bool) -> Consent {
        if force { Consent::Given } else { Consent::Wanted }
    }
}

/// What a person said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reply {
    /// Do it.
    Yes,
    /// Leave it.
    No,
    /// Go on without what was asked about.
    Without,
}

/// An agent that gets a terminal.
#[derive(Clone, Copy, Debug)]
pub struct Borrower<'a> {
    /// The agent.
    pub agent: &'a AgentSpec,
    /// The verb that it is lent for.
    pub verb: &'a str,
    /// What they speak about.
    pub about: &'a str,
}

/// A run that is to be watched.
#[derive(Clone, Copy, Debug)]
pub struct Watched<'a> {
    /// How much of it is to be shown, as configured.
    pub level: OutputLevel,
    /// Emoji are wanted.
    pub emoji: bool,
    /// What happened in it before.
    pub past: &'a [Entry],
}

/// Watches a run.
pub trait Watcher: Audience {
    /// The run is over: waits until all of it is shown, but not for somebody who does not look.
    fn finish(&self) {}
}

/// Nobody watches, and nobody is there.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unattended;

impl FrontEnd for Unattended {}

impl Audience for Unattended {
    fn fact(&self, _: &Entry) {}

    fn observation(&self, _: Place, _: Observation) {}

    fn detail(&self) -> Detail {
        Detail::Digests
    }
}

impl Watcher for Unattended {}
