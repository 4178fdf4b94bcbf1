//! What single tables of the configuration say, as types.

use std::collections::BTreeSet;
use std::time::Duration;

use super::setting::{NotifyEvent, Secret};
use crate::run::{Depth, JobLog, StatusNews, StatusWatch};

/// What configuration says about the agent; the rest of an `AgentPlan` is found on the machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentSettings {
    /// The program: a name to look up, or a path.
    pub command: String,
    /// Arguments before ours.
    pub arguments: Vec<String>,
    /// The model; `None` = the agent's own choice.
    pub model: Option<String>,
    /// Turns per call; `None` = the agent's own limit.
    pub max_turns: Option<u32>,
    /// Rules that allow tools.
    pub allow: Vec<String>,
    /// Hand API keys of the environment to the agent.
    pub api_keys: bool,
    /// Let it start background tasks.
    pub background: bool,
}

/// How claims of a workspace are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WorkspaceSettings {
    /// A status file from before the run counts as well.
    pub trust_existing_status: bool,
    /// The boxes of `TODO.md` count where no status file can be read.
    pub todo_fallback: bool,
}

/// How finished work is verified.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifySettings {
    /// A fresh agent verifies the work before it counts as finished.
    pub on_completion: bool,
    /// How closely it looks.
    pub depth: Depth,
    /// Verifications that may refuse the work before a person is needed: 1 to 10.
    pub attempts: u32,
    /// The name of the report's file in the workspace.
    pub report: String,
}

/// How the status file is watched while the agent works.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StatusSettings {
    /// It is watched at all.
    pub watch: bool,
    /// Changes are gathered for so long: 0.5 to 10 seconds.
    pub debounce: Duration,
    /// Only changed counts and claims are told of.
    pub only_meaningful: bool,
}

impl StatusSettings {
    /// As a run's plan has it.
    #[must_use]
    pub fn watch(&self) -> Option<StatusWatch> {
        let news = if self.only_meaningful { StatusNews::Meaningful } else { StatusNews::EveryWrite };
        self.watch.then_some(StatusWatch { debounce: self.debounce, news })
    }
}

impl LogSettings {
    /// As a run's plan has it, before its log is made.
    #[must_use]
    pub fn log(&self) -> Option<JobLog> {
        self.enabled.then_some(JobLog { keep: self.keep, file: None })
    }
}

/// The log of a run in its workspace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LogSettings {
    /// It is written.
    pub enabled: bool,
    /// So many are kept; `None` = all.
    pub keep: Option<u32>,
}

/// Who is told what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotifySettings {
    /// An ntfy topic's address: `http://` or `https://`. It may hold credentials.
    pub url: Option<String>,
    /// An address that takes JSON. It may hold credentials.
    pub webhook: Option<String>,
    /// A shell command that takes JSON on its standard input.
    pub command: Option<String>,
    /// Which events are told of.
    pub events: BTreeSet<NotifyEvent>,
    /// Iterations from one milestone to the next; `None` = there is none.
    pub milestone: Option<u32>,
    /// Time that one delivery may take.
    pub timeout: Duration,
    /// Retries of one delivery that failed: 0 to 10.
    pub retries: u32,
    /// Signs what is sent.
    pub secret: Option<Secret>,
}
