//! What is to happen next, in the order of time.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

use windlass_core::run::{Order, Reported};
use windlass_core::values::LaneId;

use super::servers::{Appended, Errand, Held, Queued};
use super::worker::Outcome;

/// Whom something happens to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    World,
    Runner(usize),
    /// A worker, and how often it was started before that.
    Worker(usize, u32),
}

/// What happens.
#[derive(Clone, Debug)]
pub(crate) enum Event {
    // To the world.
    Fault(usize),
    WorkerBack(usize),
    WorkerThaws(usize, u32),
    RunnerThaws(usize),
    WorkerReaches(usize),
    RunnerReaches(usize),
    ServersBack,
    Calm,
    Resume { on: usize },
    Person,
    Heal,
    // To a runner.
    Claim,
    Open(Box<Held>),
    Loop,
    Post { lane: LaneId, token: u64 },
    Answered { lane: LaneId, token: u64, answer: Answer },
    Watch,
    Renewed(Option<u64>),
    RenewalFailed { began: u64 },
    Appended { token: u64, appended: Option<Appended> },
    Arrived(Letter),
    BroughtIn(Letter),
    LocalDone(Box<Order>),
    Stored(Box<Reported>),
    Closed,
    Leaves,
    // To a worker.
    Poll,
    Took(Queued),
    Beat,
    Ordered(Box<OrderLetter>),
    WorkDone(u64),
    Spawned(usize),
    Sent { token: u64, answer: Answer },
    SendsAgain { token: u64 },
    Cancelled(u64),
    RunClosed,
}

/// What a letter is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    Accepted,
    Refused,
    /// It did not arrive in time, or nobody was there.
    None,
}

/// An order to the one who holds the lane.
#[derive(Clone, Debug)]
pub(crate) struct OrderLetter {
    pub from: usize,
    pub lane: LaneId,
    pub token: u64,
    pub errand: Arc<Errand>,
    /// Under which leases it was sent.
    pub runner: u64,
    pub lease: u64,
}

/// An outcome on its way to whoever runs the run.
#[derive(Clone, Debug)]
pub(crate) struct Letter {
    pub worker: usize,
    pub started: u32,
    pub token: u64,
    /// The epoch of the runner that the worker knows.
    pub runner: u64,
    pub outcome: Arc<Outcome>,
}

#[derive(Debug)]
struct Timed {
    at: u64,
    number: u64,
    target: Target,
    event: Event,
}

impl PartialEq for Timed {
    fn eq(&self, other: &Timed) -> bool {
        self.number == other.number
    }
}

impl Eq for Timed {}

impl PartialOrd for Timed {
    fn partial_cmp(&self, other: &Timed) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Timed {
    fn cmp(&self, other: &Timed) -> std::cmp::Ordering {
        (self.at, self.number).cmp(&(other.at, other.number))
    }
}

/// What is to happen.
#[derive(Debug, Default)]
pub(crate) struct Agenda {
    heap: BinaryHeap<Reverse<Timed>>,
    number: u64,
}

impl Agenda {
    pub fn add(&mut self, at: u64, target: Target, event: Event) {
        self.number += 1;
        self.heap.push(Reverse(Timed { at, number: self.number, target, event }));
    }

    pub fn next(&mut self) -> Option<(u64, Target, Event)> {
        let Reverse(Timed { at, target, event, .. }) = self.heap.pop()?;
        Some((at, target, event))
    }
}
