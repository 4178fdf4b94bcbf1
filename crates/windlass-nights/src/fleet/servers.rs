//! The servers of a fleet as a model: a bucket of leases, a queue of first orders, the journal of the run.
//!
//! What is asked of them happens at one moment, as it does on a stream's leader. Whether the question arrives, and its answer, is the
//! network's affair.

use std::sync::Arc;

use windlass_core::fact::Entry;
use windlass_core::fleet::leases::{Holder, Lease, LeaseEpoch, LeaseKey, Revision, Tenure};
use windlass_core::fleet::names::WorkerName;
use windlass_core::run::Order;
use windlass_core::values::{LaneId, RunId};

/// An order that was taken and not acknowledged is given to somebody else after so long.
const TAKEN_FOR: u64 = 30_000;

#[derive(Debug, Default)]
pub(crate) struct Servers {
    revision: u64,
    /// Of the run, and of each lane by its number.
    leases: Vec<Option<Stored>>,
    pub queue: Vec<Queued>,
    queued: u64,
    pub journal: Vec<Piece>,
    /// The number of the newest fact in it.
    pub published: u64,
    /// The commits of the branch that are kept here.
    pub code: Vec<String>,
}

/// How a lease is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Value {
    pub holder: Option<WorkerName>,
    /// Of whoever took it.
    pub nonce: u64,
    pub beat: u64,
    /// `None` in the value that takes it.
    pub epoch: Option<u64>,
}

#[derive(Clone, Debug)]
struct Stored {
    revision: u64,
    /// When it was written.
    at: u64,
    value: Value,
}

/// What can be held.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Place {
    Run,
    Lane(LaneId),
}

impl Place {
    fn index(self) -> usize {
        match self {
            Place::Run => 0,
            Place::Lane(lane) => usize::from(lane.0),
        }
    }

    pub fn key(self, run: &RunId) -> LeaseKey {
        match self {
            Place::Run => LeaseKey::Run(run.clone()),
            Place::Lane(lane) => LeaseKey::Lane(run.clone(), lane),
        }
    }
}

/// A lease that somebody holds.
#[derive(Clone, Debug)]
pub(crate) struct Held {
    pub revision: u64,
    pub epoch: u64,
    pub holder: WorkerName,
    pub nonce: u64,
    pub beat: u64,
}

/// What compare-and-set came to.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Set {
    Ours(u64),
    Other,
}

/// An order with what its worker needs for it.
#[derive(Debug)]
pub(crate) struct Errand {
    pub order: Order,
    /// The tip of the branch.
    pub tip: String,
}

/// An order in the queue.
#[derive(Clone, Debug)]
pub(crate) struct Queued {
    pub number: u64,
    pub errand: Arc<Errand>,
    /// The epoch of the runner that put it there.
    pub runner: u64,
    /// It is given to nobody before that.
    pub not_before: u64,
}

/// A line of the run's journal, or what belongs to it.
#[derive(Clone, Debug)]
pub(crate) struct Piece {
    /// The epoch of the runner that wrote it.
    pub writer: u64,
    pub what: Written,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Written {
    /// With it an earlier runner is refused its next line.
    Brief,
    Lines(Vec<Arc<Entry>>),
    Code(Vec<String>),
}

/// What became of a piece that was to be appended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Appended {
    /// The journal ends with it, and is so long.
    Written(usize),
    /// It ends otherwise than was expected.
    Refused,
}

impl Servers {
    pub fn new(lanes: u16) -> Servers {
        Servers { leases: vec![None; usize::from(lanes) + 1], ..Servers::default() }
    }

    /// A lease as it is seen.
    pub fn look(&self, place: Place) -> Option<Lease> {
        let stored = self.leases[place.index()].as_ref()?;
        let tenure = match &stored.value.holder {
            Some(name) => Tenure::Held(Holder::of(name.clone())),
            None => Tenure::Free,
        };
        let epoch = LeaseEpoch(stored.value.epoch.unwrap_or(stored.revision));
        Some(Lease { revision: Revision(stored.revision), epoch, tenure })
    }

    /// The epoch of whoever holds it now.
    pub fn epoch(&self, place: Place) -> Option<u64> {
        let stored = self.leases[place.index()].as_ref()?;
        stored.value.holder.as_ref()?;
        Some(stored.value.epoch.unwrap_or(stored.revision))
    }

    /// When it was written last.
    pub fn written_at(&self, place: Place) -> Option<u64> {
        Some(self.leases[place.index()].as_ref()?.at)
    }

    /// Compare-and-set, as the client of the servers does it: what is its own it knows, also where an answer was lost.
    fn set(&mut self, now: u64, place: Place, value: Value, before: u64) -> Set {
        let slot = &mut self.leases[place.index()];
        let current = slot.as_ref().map_or(0, |stored| stored.revision);
        if let Some(stored) = slot.as_ref().filter(|_| current != before) {
            if stored.value == value {
                return Set::Ours(current);
            }
            // Only an earlier write of one's own may be written over.
            if stored.value.nonce != value.nonce {
                return Set::Other;
            }
        }
        self.revision += 1;
        *slot = Some(Stored { revision: self.revision, at: now, value });
        Set::Ours(self.revision)
    }

    /// Takes a lease as it was seen.
    pub fn take(
        &mut self,
        now: u64,
        place: Place,
        seen: Option<u64>,
        by: &WorkerName,
        nonce: u64,
    ) -> Option<Held> {
        let value = Value { holder: Some(by.clone()), nonce, beat: 0, epoch: None };
        match self.set(now, place, value, seen.unwrap_or(0)) {
            Set::Ours(revision) => {
                Some(Held { revision, epoch: revision, holder: by.clone(), nonce, beat: 0 })
            }
            Set::Other => None,
        }
    }

    /// Whether it is still one's own.
    pub fn renew(&mut self, now: u64, place: Place, held: &Held) -> Option<u64> {
        let (beat, epoch) = (held.beat + 1, Some(held.epoch));
        let value = Value { holder: Some(held.holder.clone()), nonce: held.nonce, beat, epoch };
        match self.set(now, place, value, held.revision) {
            Set::Ours(revision) => Some(revision),
            Set::Other => None,
        }
    }

    pub fn release(&mut self, now: u64, place: Place, held: &Held) {
        let value = Value { holder: None, nonce: held.nonce, beat: held.beat + 1, epoch: Some(held.epoch) };
        self.set(now, place, value, held.revision);
    }

    pub fn publish(&mut self, errand: Arc<Errand>, runner: u64) {
        self.queued += 1;
        self.queue.push(Queued { number: self.queued, errand, runner, not_before: 0 });
    }

    /// The first order that somebody may take; it is given to somebody else where it is not acknowledged.
    pub fn give(&mut self, now: u64) -> Option<Queued> {
        let queued = self.queue.iter_mut().find(|queued| queued.not_before <= now)?;
        queued.not_before = now + TAKEN_FOR;
        Some(queued.clone())
    }

    /// It is acknowledged, or for nobody.
    pub fn remove(&mut self, number: u64) {
        self.queue.retain(|queued| queued.number != number);
    }

    pub fn put_back(&mut self, number: u64, not_before: u64) {
        let there = self.queue.iter_mut().find(|queued| queued.number == number);
        if let Some(queued) = there {
            queued.not_before = not_before;
        }
    }

    /// Appends a piece where the journal has so many. A piece of one's own that is there already was written.
    pub fn append(&mut self, piece: Piece, after: usize) -> Appended {
        match self.journal.get(after) {
            None if self.journal.len() == after => {
                match &piece.what {
                    Written::Lines(lines) => {
                        self.published = lines.last().map_or(self.published, |entry| entry.seq);
                    }
                    Written::Code(code) => self.code.clone_from(code),
                    Written::Brief => {}
                }
                self.journal.push(piece);
                Appended::Written(after + 1)
            }
            Some(there) if there.writer == piece.writer && there.what == piece.what => {
                Appended::Written(after + 1)
            }
            _ => Appended::Refused,
        }
    }

    /// All facts, in their order.
    pub fn entries(&self) -> Vec<Arc<Entry>> {
        let lines = self.journal.iter().filter_map(|piece| match &piece.what {
            Written::Lines(lines) => Some(lines),
            Written::Brief | Written::Code(_) => None,
        });
        lines.flatten().cloned().collect()
    }
}
