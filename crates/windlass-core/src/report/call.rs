//! Reports of calls.

use serde::{Deserialize, Serialize};

use crate::values::{CallId, CallReport, Cut, LaneId};

/// The agent's process exists.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallSpawned {
    /// Where.
    pub lane: LaneId,
    /// The call.
    pub call: CallId,
    /// Its process id.
    pub pid: u32,
}

/// One of a call's clocks ran out, or it cannot heal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallDue {
    /// Where.
    pub lane: LaneId,
    /// The call.
    pub call: CallId,
    /// Which clock.
    pub cut: Cut,
}

/// A call is over: process gone, output read, nothing left of what it started.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CallEnded {
    /// Where.
    pub lane: LaneId,
    /// The call.
    pub call: CallId,
    /// What there is to say about it.
    pub report: Box<CallReport>,
}

/// A call whose end nobody had seen was heard of after all: its worker had lost the lane meanwhile, so what it did does not count.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LateResult {
    /// Where it was made.
    pub lane: LaneId,
    /// The call.
    pub call: CallId,
    /// What there is to say about it.
    pub report: Box<CallReport>,
}
