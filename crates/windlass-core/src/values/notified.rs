//! Notifications, as the journal knows them.

use serde::{Deserialize, Serialize};
use strum::{EnumIter, EnumString, IntoStaticStr, VariantNames};

/// What can be told of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[derive(EnumIter, EnumString, IntoStaticStr, VariantNames)]
#[strum(serialize_all = "snake_case")]
pub enum NotifyEvent {
    /// The instructions of a workspace are written.
    SetupComplete,
    /// A run begins.
    ExecutionStart,
    /// An iteration ended.
    Iteration,
    /// So many iterations ended: each `notify.milestone`.
    IterationMilestone,
    /// The status file changed.
    StatusUpdate,
    /// The job is complete, or the run stagnated.
    Completion,
    /// Something went wrong.
    Error,
    /// A usage limit is waited for, or another agent takes over.
    LimitWait,
    /// The run cannot go on without a person.
    NeedsHuman,
    /// The run ended, whatever the reason.
    RunEnd,
}

/// Which notification: the same one has the same key, whichever session sends it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct NotificationKey {
    /// The number of the fact that it tells of.
    pub about: u64,
    /// What it tells.
    pub event: NotifyEvent,
}

/// A way to tell somebody.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[derive(IntoStaticStr, VariantNames)]
#[strum(serialize_all = "snake_case")]
pub enum SinkKind {
    /// HTTP POST in ntfy's form (`notify.url`).
    Ntfy,
    /// HTTP POST of JSON (`notify.webhook`).
    Webhook,
    /// A shell command with JSON on its standard input (`notify.command`).
    Command,
}

/// What became of a notification.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, VariantNames)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Delivery {
    /// It was accepted.
    Sent,
    /// It was refused, or nobody answered, and it will not be tried again.
    Failed,
    /// The runner gave it up: the sink is too slow, or the run does not wait for it any longer. It may have arrived.
    Abandoned,
}
