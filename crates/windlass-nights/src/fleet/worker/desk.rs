//! A worker's desk: what orders of the queue, letters, signals and leases mean for it.

use windlass_core::fleet::leases::LeaseEpoch;
use windlass_core::run::Effect;
use windlass_core::values::LaneId;

use super::lanes::RunRoom;
use crate::fleet::agenda::{Answer, Event, OrderLetter};
use crate::fleet::network::{Fate, Who};
use crate::fleet::night::Night;
use crate::fleet::plant::FleetPlant;
use crate::fleet::record::{Free, What};
use crate::fleet::servers::{Place, Queued};

/// How often leases are renewed.
const BEAT: u64 = 3_000;

/// One question for an order waits so long.
const WAIT: u64 = 2_000;

/// An order that is for somebody else is put back for so long.
const PAUSE: u64 = 5_000;

impl Night<'_> {
    pub(super) fn poll_queue(&mut self, worker: usize) {
        // Whoever puts something into an empty queue calls.
        if self.servers.queue.is_empty() {
            return;
        }
        if self.workers[worker].next_poll <= self.now {
            self.workers[worker].next_poll = self.now + WAIT;
            self.soon(worker, WAIT, Event::Poll);
        }
        let known = &self.workers[worker];
        if known.is_drained || known.free == 0 {
            return;
        }
        let fate = self.asks(Who::Worker(worker));
        if fate == Fate::Lost {
            return;
        }
        let Some(queued) = self.servers.give(self.now) else { return };
        if fate == Fate::Answered {
            self.workers[worker].free -= 1;
            let after = self.between(2, 60);
            self.soon(worker, after, Event::Took(queued));
        }
    }

    /// An order of the queue: its slot is taken.
    pub(super) fn took(&mut self, worker: usize, queued: &Queued) {
        if !self.takes(worker, queued) {
            self.workers[worker].free += 1;
        }
    }

    fn takes(&mut self, worker: usize, queued: &Queued) -> bool {
        let Some(lane) = queued.errand.order.effect.lane() else { return false };
        if self.workers[worker].is_drained {
            self.servers.put_back(queued.number, self.now + PAUSE);
            return false;
        }
        if self.asks(Who::Worker(worker)) != Fate::Answered {
            return false;
        }
        if self.servers.epoch(Place::Run) != Some(queued.runner) {
            self.servers.remove(queued.number);
            return false;
        }
        if self.workers[worker].room.is_none() {
            self.workers[worker].room = Some(RunRoom::new(queued.runner));
        }
        let Some(lease) = self.take_lane(worker, lane, queued) else { return false };
        if self.asks(Who::Worker(worker)) != Fate::Lost {
            self.servers.remove(queued.number);
        }
        self.begin_lane(worker, lane, lease, &queued.errand);
        true
    }

    /// Is this lane free, and taken now?
    fn take_lane(&mut self, worker: usize, lane: LaneId, queued: &Queued) -> Option<u64> {
        let place = Place::Lane(lane);
        let seen = self.servers.look(place);
        let holds = self.servers.epoch(place).is_some();
        if holds && !self.is(FleetPlant::TakenUnfree) {
            // Somebody has the lane: the order has come to them.
            self.servers.remove(queued.number);
            return None;
        }
        let fate = self.asks(Who::Worker(worker));
        if fate == Fate::Lost {
            return None;
        }
        let (nonce, name) = (self.number(), self.workers[worker].name.clone());
        let seen = seen.map(|lease| lease.revision.0);
        let held = self.servers.take(self.now, place, seen, &name, nonce)?;
        if fate == Fate::Unheard {
            return None;
        }
        let lease = held.epoch;
        let was_free = if holds { Free::No } else { Free::Yes };
        self.note(What::Took { worker, lane, lease, was_free });
        self.workers[worker].lanes.insert(lane, held);
        Some(lease)
    }

    pub(super) fn ordered(&mut self, worker: usize, letter: &OrderLetter) {
        let answer = self.accept(worker, letter);
        self.answer_order(worker, letter, answer);
    }

    fn accept(&mut self, worker: usize, letter: &OrderLetter) -> Answer {
        let order = &letter.errand.order;
        let Some(lane) = order.effect.lane() else { return Answer::Refused };
        let holds = self.workers[worker].lanes.get(&lane).is_some_and(|held| held.epoch == letter.lease);
        if !holds {
            return Answer::Refused;
        }
        let Some(room) = &mut self.workers[worker].room else { return Answer::Refused };
        if room.runner > letter.runner {
            return Answer::Refused;
        }
        if room.runner < letter.runner {
            room.runner = letter.runner;
        }
        // What is left of a parked task is still to be sent.
        if matches!(order.effect, Effect::CloseTask { .. }) && !order.effect.parks() {
            if let Some(room) = &mut self.workers[worker].room {
                room.held.leave(lane);
            }
            if !self.is(FleetPlant::KeptLane) {
                self.give_back(worker, lane);
            }
            return Answer::Accepted;
        }
        self.order(worker, lane, &letter.errand);
        Answer::Accepted
    }

    /// A lane is given back, and its place is free.
    pub(super) fn give_back(&mut self, worker: usize, lane: LaneId) {
        let Some(held) = self.workers[worker].lanes.remove(&lane) else { return };
        self.note_left(worker, lane, &held);
        if self.asks(Who::Worker(worker)) != Fate::Lost {
            self.servers.release(self.now, Place::Lane(lane), &held);
        }
        self.workers[worker].free += 1;
        self.end_when_drained(worker);
    }

    pub(super) fn beat(&mut self, worker: usize) {
        self.soon(worker, BEAT, Event::Beat);
        let lanes: Vec<LaneId> = self.workers[worker].lanes.keys().copied().collect();
        for lane in lanes {
            let fate = self.asks(Who::Worker(worker));
            let Some(held) = self.workers[worker].lanes.get_mut(&lane) else { continue };
            let value = held.clone();
            held.beat += 1;
            if fate == Fate::Lost {
                return;
            }
            let renewed = self.servers.renew(self.now, Place::Lane(lane), &value);
            if fate == Fate::Unheard {
                return;
            }
            match renewed {
                Some(revision) => {
                    if let Some(held) = self.workers[worker].lanes.get_mut(&lane) {
                        held.revision = revision;
                    }
                }
                None => self.lane_is_gone(worker, lane),
            }
        }
        if self.workers[worker].room.is_some()
            && self.asks(Who::Worker(worker)) == Fate::Answered
            && self.servers.epoch(Place::Run).is_none()
        {
            self.run_is_over(worker);
        }
    }

    fn lane_is_gone(&mut self, worker: usize, lane: LaneId) {
        let Some(held) = self.workers[worker].lanes.remove(&lane) else { return };
        self.note_left(worker, lane, &held);
        self.workers[worker].free += 1;
        self.abandon(worker, lane);
        self.end_when_drained(worker);
    }

    pub(super) fn cancelled(&mut self, worker: usize, runner: u64) {
        if self.workers[worker].room.as_ref().is_some_and(|room| runner >= room.runner) {
            self.run_is_over(worker);
        }
    }

    /// Nobody needs what this worker does for the run.
    fn run_is_over(&mut self, worker: usize) {
        if self.is(FleetPlant::DeafToTheEnd) {
            return;
        }
        self.workers[worker].room = None;
        self.workers[worker].works.clear();
        self.end_agents(worker, None);
        let takes = self.between(20, 800);
        self.soon(worker, takes, Event::RunClosed);
    }

    pub(super) fn run_closed(&mut self, worker: usize) {
        let lanes: Vec<LaneId> = self.workers[worker].lanes.keys().copied().collect();
        for lane in lanes {
            self.give_back(worker, lane);
        }
    }

    fn begin_lane(
        &mut self,
        worker: usize,
        lane: LaneId,
        lease: u64,
        errand: &std::sync::Arc<crate::fleet::servers::Errand>,
    ) {
        if let Some(room) = &mut self.workers[worker].room {
            room.held.begin(lane, LeaseEpoch(lease), &errand.order);
        }
        self.order(worker, lane, errand);
    }
}
