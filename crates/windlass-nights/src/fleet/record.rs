//! What happened in a night of a fleet, in order.

use std::sync::Arc;

use windlass_core::fact::Entry;
use windlass_core::values::{CallId, Cost, LaneId};

use super::script::FleetScript;
use super::servers::Piece;

/// A whole night of a fleet.
#[derive(Debug)]
pub struct FleetRecord {
    pub(crate) script: FleetScript,
    pub(crate) moments: Vec<Moment>,
    /// The run's journal, as the servers have it at the end.
    pub(crate) journal: Vec<Piece>,
    /// What has landed, on the machine on which the run ended.
    pub(crate) branch: Vec<String>,
    /// Agents that were started.
    pub(crate) agents: Vec<Agent>,
    pub(crate) steps: u32,
}

/// An agent that was started for a call.
#[derive(Clone, Debug)]
pub(crate) struct Agent {
    pub call: CallId,
    pub worker: usize,
    pub lane: LaneId,
    /// The epoch of the lane's lease.
    pub lease: u64,
    pub cost: Cost,
    pub end: AgentEnd,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AgentEnd {
    /// It is at work.
    Alive,
    /// It came to its end and said what it cost.
    Finished,
    /// It was ended, or died with its worker.
    Killed,
}

#[derive(Clone, Debug)]
pub(crate) struct Moment {
    /// In milliseconds.
    pub at: u64,
    pub what: What,
}

#[derive(Clone, Debug)]
pub(crate) enum What {
    /// Something that is only told.
    Said(String),
    /// A runner has the run.
    Runs { runner: usize, epoch: u64, machine: usize },
    /// It is over with a runner.
    RunnerEnded { runner: usize, how: RunnerEnd },
    /// A worker was killed, or has ended.
    WorkerEnded { worker: usize },
    /// A runner wrote a fact into the journal of its machine.
    Wrote { runner: usize, entry: Arc<Entry> },
    /// A runner began an effect.
    Began(Began),
    /// A runner counted what a worker reported.
    Counted { runner: usize, lane: LaneId, lease: u64, number: u64, worker: usize },
    /// A runner gives up on a worker.
    Lost { runner: usize, lane: LaneId, lease: u64 },
    /// A lease was taken over that had not been renewed for so many milliseconds.
    TakenOver { lane: LaneId, silent: u64 },
    /// A worker has a lane.
    Took { worker: usize, lane: LaneId, lease: u64, was_free: Free },
    /// It has not any more.
    Left { worker: usize, lane: LaneId, lease: u64 },
    /// An agent was started: its place among them.
    Started(usize),
    /// It ended.
    Ended(usize),
    /// Work reached the branch.
    Landed { machine: usize, commit: String },
    /// Nothing goes wrong from now on.
    Healed,
    /// What somebody still does, a minute after the run has ended.
    Left60(String),
    /// The servers were away for too long when a runner gave its run's lease back: workers whom nobody could tell of the end wait as they
    /// do for whoever goes on with a run whose runner was killed.
    NotGivenBack,
    /// The core refused a fact.
    Illegal(String),
    /// The state in memory is not what the journal says.
    Differs,
    /// The night does not come to an end.
    Stuck(String),
}

/// An effect that a runner began.
#[derive(Clone, Debug)]
pub(crate) struct Began {
    pub runner: usize,
    pub effect: &'static str,
    /// It leaves a trace, or costs money.
    pub traces: bool,
    /// The number of its order, and up to where the fleet has the journal.
    pub order: u64,
    pub published: u64,
    /// The epoch of the runner, and of whoever has the run.
    pub epoch: u64,
    pub run_epoch: Option<u64>,
}

/// Whether a lane was free when it was taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Free {
    Yes,
    No,
}

/// How it ended with a runner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RunnerEnd {
    /// The run has ended.
    Finished,
    Killed,
    /// The run is somebody else's, or the servers stay away.
    Left,
    /// Somebody else has the run, and it was not begun.
    Refused,
}

impl FleetRecord {
    /// The facts that the servers have.
    pub(crate) fn entries(&self) -> impl Iterator<Item = &Arc<Entry>> {
        self.journal.iter().flat_map(|piece| match &piece.what {
            super::servers::Written::Lines(lines) => lines.as_slice(),
            super::servers::Written::Brief | super::servers::Written::Code(_) => &[],
        })
    }

    /// The bytes that these are in a journal.
    pub fn journal(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        for entry in self.entries() {
            // The shapes are those of the real journal; none of them can fail to be written.
            let _ = serde_json::to_writer(&mut bytes, &**entry);
            bytes.push(b'\n');
        }
        bytes
    }
}
