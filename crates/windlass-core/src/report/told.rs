//! Reports of commands and notifications, and what a person should know.

use serde::{Deserialize, Serialize};

use crate::values::{
    CheckOutcome, CheckStage, Delivery, HookName, HookOutcome, LaneId, NotificationKey, SinkKind, StopReason,
    StopSource,
};

/// Nothing runs in any lane any more.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LanesClosed {}

/// The prompt of a lane's attempt is written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Prepared {
    /// Where.
    pub lane: LaneId,
}

/// Too little had changed for a reviewer to be asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReviewSkipped {
    /// Where.
    pub lane: LaneId,
    /// The iteration.
    pub iteration: u32,
    /// The attempt that would have been the reviewer's.
    pub attempt: u32,
    /// Changed lines, added and removed ones; 0 where none of them is for a reviewer.
    pub lines: u32,
}

/// What a council has decided stands in the project's log of decisions, or cannot.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DecisionLogged {
    /// Where.
    pub lane: LaneId,
    /// The iteration.
    pub iteration: u32,
    /// The council's attempt.
    pub attempt: u32,
    /// The SHA-256 of the log with it; `None` where it could not be written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
    /// Why it could not be: the end of a sentence; empty where it was.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub refused: String,
}

/// A check ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckFinished {
    /// The lane whose tree it judged.
    pub lane: LaneId,
    /// When it was run.
    pub stage: CheckStage,
    /// How it ended.
    pub outcome: CheckOutcome,
}

/// A hook ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HookFinished {
    /// Below whose keeper it ran.
    pub lane: LaneId,
    /// Which.
    pub hook: HookName,
    /// How it went, and what follows.
    #[serde(flatten)]
    pub outcome: HookOutcome,
}

/// A notification has been accepted by a sink, or will not be. Changes no decision.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NotificationSettled {
    /// Which.
    #[serde(flatten)]
    pub key: NotificationKey,
    /// Whom it was for.
    pub sink: SinkKind,
    /// What became of it.
    pub delivery: Delivery,
    /// The last answer's HTTP status, or the command's exit code; `None` without an answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<i32>,
    /// Why it was not accepted: one line, without addresses or secrets.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub detail: String,
    /// How often it was tried; 0 = never.
    pub attempts: u32,
}

/// Something a person should know that changes no decision.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Noticed {
    /// One sentence.
    pub text: String,
}

/// Somebody asked through a view for something to be done about the run. Changes no decision, and may come after the run's end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ActionAsked {
    /// Through which.
    pub by: StopSource,
    /// Who: what their browser calls itself, and where it is.
    pub who: String,
    /// What, in words.
    pub what: String,
    /// The SHA-256 of what was drawn for this wish alone: said again with the same, it is not done again.
    pub once: String,
}

/// The run is to end, since something is not as it has to be; what was asked for is answered all the same.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failed {
    /// What the run ends with.
    pub stop_reason: StopReason,
    /// One sentence.
    pub detail: String,
}

/// What was asked for failed, and will never be answered: the disk is full, the store or git is broken.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Broken {
    /// What the run ends with.
    pub stop_reason: StopReason,
    /// One sentence.
    pub detail: String,
}
