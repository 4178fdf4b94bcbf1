//! Notifications, as the journal knows them.

use serde::{Deserialize, Serialize};

use crate::config::NotifyEvent;

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
pub enum SinkKind {
    /// HTTP POST in ntfy's form (`notify.url`).
    Ntfy,
    /// HTTP POST of JSON (`notify.webhook`).
    Webhook,
    /// A shell command with JSON on its standard input (`notify.command`).
    Command,
}

impl SinkKind {
    /// Its name in messages and JSON.
    pub const fn name(self) -> &'static str {
        match self {
            SinkKind::Ntfy => "ntfy",
            SinkKind::Webhook => "webhook",
            SinkKind::Command => "command",
        }
    }
}

/// What became of a notification.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Delivery {
    /// It was accepted.
    Sent,
    /// It was refused, or nobody answered, and it will not be tried again.
    Failed,
    /// The runner gave it up: the sink is too slow, or the run does not wait for it any longer. It may have arrived.
    Abandoned,
}
