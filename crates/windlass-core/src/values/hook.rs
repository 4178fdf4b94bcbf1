//! Hooks: commands of a person's at the turns of a run (seed 002).

use std::path::PathBuf;
use std::time::Duration;
use strum::{IntoStaticStr, VariantNames};

use serde::{Deserialize, Serialize};

use super::check::CheckResult;
use super::path_text;
use super::time::millis;

/// At which turn of a run a hook is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[derive(IntoStaticStr, VariantNames)]
#[strum(serialize_all = "snake_case")]
pub enum HookName {
    /// Before anything else is done, at each start and each resumption.
    Started,
    /// Before each iteration.
    NextIteration,
    /// After the end of the run is decided, on every way out.
    Finished,
}

/// A hook, as configured when the run started.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hook {
    /// When it is called.
    pub name: HookName,
    /// What is called.
    pub command: HookCommand,
    /// After this long it is ended, with all it started, and counts as failed.
    #[serde(rename = "timeout_ms", with = "millis")]
    pub timeout: Duration,
}

/// What a hook runs, in the working directory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HookCommand {
    /// A command for `sh -c`.
    Shell(String),
    /// An executable file, absolute.
    File(#[serde(with = "path_text")] PathBuf),
}

/// What follows from a hook.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, VariantNames)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum HookDecision {
    /// The run goes on.
    Continue,
    /// This iteration is not begun; after the usual pause the hook is asked again.
    Skip,
    /// The run ends.
    Abort,
    /// The hook itself went wrong; the run goes on, and it is said.
    Warn,
}

/// How one call of a hook went.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HookOutcome {
    /// How its command ended.
    pub result: CheckResult,
    /// What follows.
    pub decision: HookDecision,
    /// Why, in one line; empty where nothing was said.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reason: String,
    /// What it wants the agent of the next iteration to be told; empty = nothing.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub prompt: String,
    /// How long it took.
    #[serde(rename = "duration_ms", with = "millis")]
    pub duration: Duration,
    /// Its output, standard output and error together: a file below the run's folder; empty where it could not be kept.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub log: String,
}

impl HookName {
    /// Every hook, in the order of a run.
    pub const ALL: [HookName; 3] = [HookName::Started, HookName::NextIteration, HookName::Finished];
}
