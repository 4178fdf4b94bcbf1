//! The issues that a run works off: what is asked of their forge, what it said, and what follows.

use std::time::Duration;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use strum::VariantNames;

use crate::values::{TaskId, millis};

/// Something to be done with an issue. Each looks first whether it is done already.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, VariantNames)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum IssueTask {
    /// Lease it, or renew the lease.
    Lease,
    /// Tell that it is done, and with what evidence.
    TellDone,
    /// Tell that it was parked, and why.
    TellParked,
    /// Give the lease back.
    GiveBack,
}

/// What came of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "of", rename_all = "snake_case")]
pub enum IssueReport {
    /// This run has it.
    Leased {
        /// The issue.
        task: TaskId,
        /// For so long.
        #[serde(with = "millis")]
        lasts: Duration,
    },
    /// Another run has it.
    Taken {
        /// The issue.
        task: TaskId,
        /// Which.
        by: String,
        /// For so long, unless it is renewed.
        #[serde(with = "millis")]
        lasts: Duration,
    },
    /// It waits for nobody any longer: somebody closed it, or called it done.
    Closed {
        /// The issue.
        task: TaskId,
    },
    /// It is told, or given back.
    Done {
        /// The issue.
        task: TaskId,
        /// What.
        what: IssueTask,
    },
    /// It was understood, and is not done.
    Refused {
        /// The issue.
        task: TaskId,
        /// What.
        what: IssueTask,
        /// One sentence.
        why: String,
    },
    /// It could not be asked.
    Unreachable {
        /// The issue.
        task: TaskId,
        /// What.
        what: IssueTask,
        /// One sentence.
        why: String,
        /// It may answer later, without anybody doing anything.
        passes: bool,
        /// When, where it said so.
        #[serde(default, skip_serializing_if = "Option::is_none", with = "crate::values::some_wall_time")]
        again: Option<Timestamp>,
    },
}

/// A step with an issue.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, VariantNames)]
#[serde(tag = "step", rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum IssueStep {
    /// It is to be leased, or its lease to be renewed.
    Wanted {
        /// The issue.
        task: TaskId,
    },
    /// This run has it.
    Leased {
        /// The issue.
        task: TaskId,
        /// Until then.
        #[serde(with = "crate::values::wall_time")]
        until: Timestamp,
        /// From then on the lease is renewed.
        #[serde(with = "crate::values::wall_time")]
        renew: Timestamp,
    },
    /// Another run has it.
    Taken {
        /// The issue.
        task: TaskId,
        /// Which.
        by: String,
        /// Until then, unless it is renewed.
        #[serde(with = "crate::values::wall_time")]
        until: Timestamp,
    },
    /// Somebody closed it, or called it done.
    Closed {
        /// The issue.
        task: TaskId,
    },
    /// The run comes to its end: what it still has is given back.
    Ending,
    /// It is told, or given back.
    Told {
        /// The issue.
        task: TaskId,
        /// What.
        what: IssueTask,
    },
    /// Something could not be done, or not yet.
    Stalled {
        /// The issue.
        task: TaskId,
        /// What.
        what: IssueTask,
        /// One sentence.
        why: String,
        /// What follows.
        next: IssueMove,
    },
    /// What was waited for is done now.
    Due,
}

/// What follows where something could not be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum IssueMove {
    /// It is done again at this time.
    Again(Timestamp),
    /// It is left out, and everything else goes on.
    LeftOut,
    /// Nothing more is asked of the forge in this session.
    GivenUp,
}
