//! Checks: commands that the runner executes itself. Exit 0 passes.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use strum::{IntoStaticStr, VariantNames};

use super::TaskId;
use super::time::millis;

/// What a check is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[derive(IntoStaticStr, VariantNames)]
#[strum(serialize_all = "snake_case")]
pub enum CheckKind {
    /// `--until`: replaces the agent's claim.
    Until,
    /// `--gate`: a claim counts only when it is green.
    Gate,
    /// A success criterion of a task: a claim that this task is done counts only when it holds.
    Criterion,
}

/// A check, as configured when the run started.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Check {
    /// What it is for.
    pub kind: CheckKind,
    /// A command for `sh -c`, run in the working directory; of a criterion that is looked up its words.
    pub command: String,
    /// After this long it is killed and counts as failed.
    #[serde(rename = "timeout_ms", with = "millis")]
    pub timeout: Duration,
    /// Of a criterion: whose it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub criterion: Option<CriterionOf>,
}

/// Which task a criterion shows to be done, and how.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CriterionOf {
    /// The task.
    pub task: TaskId,
    /// What the runner looks up itself; `None` = the command is run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lookup: Option<Lookup>,
    /// It has to hold with the last task as well. Runs of earlier releases did not ask again.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub to_the_end: bool,
}

/// What the runner looks up in the tree that an agent left. Paths are relative to the working directory.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "what")]
pub enum Lookup {
    /// A file or a folder is there.
    Exists {
        /// Which.
        path: String,
    },
    /// A file holds a text.
    Contains {
        /// Which.
        path: String,
        /// The text.
        text: String,
    },
}

impl Check {
    /// A gate, or an until command.
    pub const fn new(kind: CheckKind, command: String, timeout: Duration) -> Check {
        Check { kind, command, timeout, criterion: None }
    }

    /// Does it show that this task is done?
    pub fn is_criterion_of(&self, task: &TaskId) -> bool {
        self.criterion.as_ref().is_some_and(|of| of.task == *task)
    }
}

/// When a check was run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, VariantNames)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum CheckStage {
    /// Before the first iteration.
    Baseline,
    /// On the tree that an iteration left.
    Candidate,
    /// On what a commit hook made of it.
    Committed,
    /// On what a merge with the branch made of it.
    Merged,
}

/// How a check's command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CheckResult {
    /// Exit 0.
    Passed,
    /// Any other exit code.
    Failed(i32),
    /// A signal ended it.
    Signalled(i32),
    /// It took longer than its timeout.
    TimedOut,
    /// It could not be started, or nobody saw its end.
    Lost,
}

/// How one run of a check ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckOutcome {
    /// Which: an index into the run's checks.
    pub check: u16,
    /// How it ended.
    pub result: CheckResult,
    /// How long it took.
    #[serde(rename = "duration_ms", with = "millis")]
    pub duration: Duration,
    /// Its output, standard output and error together: a file below the run's folder.
    pub log: String,
    /// Its output's last line with anything in it, cut to 200 characters.
    pub last_line: String,
    /// The line of its output that tells most of a failure, cut like that; empty where that is the last one.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub telling_line: String,
}

impl CheckOutcome {
    /// Exit 0?
    pub const fn passed(&self) -> bool {
        matches!(self.result, CheckResult::Passed)
    }

    /// The line that tells most of how it went.
    pub fn told(&self) -> &str {
        if self.telling_line.is_empty() { &self.last_line } else { &self.telling_line }
    }
}
