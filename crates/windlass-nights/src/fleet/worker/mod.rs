//! A worker: takes orders, carries them out, and keeps what came of them until the runner has it. Which order is new and what its
//! answer is decides the program's own code.

mod desk;
mod lanes;
mod outbox;

use std::collections::BTreeMap;

use windlass_core::fleet::names::WorkerName;
use windlass_core::run::{Order, Reported};
use windlass_core::values::LaneId;

use super::agenda::{Answer, Event, Target};
use super::network::Who;
use super::night::{LEASE, Night, worker_name};
use super::record::What;
use super::servers::Held;

use lanes::RunRoom;
pub(super) use lanes::{lost_call, passed};

/// A drained worker is started again after so long.
pub(super) const DRAINED_FOR: u64 = 60_000;

/// What came of orders of a lane.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub lane: LaneId,
    /// The epoch of the lane's lease.
    pub lease: u64,
    pub number: u64,
    pub reported: Vec<Reported>,
    /// A commit that belongs to it.
    pub made: Option<String>,
    pub given_up: bool,
}

/// What is done in a lane.
#[derive(Debug)]
struct Work {
    lane: LaneId,
    order: Order,
    /// The tip of the branch, as the order's code had it.
    tip: String,
    /// Its agent, by its place among those of the night.
    agent: Option<usize>,
}

/// A worker.
#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "independent things that are true or not")]
pub(crate) struct Worker {
    pub name: WorkerName,
    /// How often it was started.
    pub started: u32,
    alive: bool,
    frozen_since: Option<u64>,
    pub cut: bool,
    pub fails_next: bool,
    is_drained: bool,
    slots: usize,
    free: usize,
    /// The lanes that it holds.
    pub lanes: BTreeMap<LaneId, Held>,
    /// What it has of the run; `None` where it works on none.
    room: Option<RunRoom>,
    works: BTreeMap<u64, Work>,
    deferred: Vec<Event>,
    next_poll: u64,
}

impl Worker {
    pub fn new(number: usize, slots: usize) -> Worker {
        Worker {
            name: worker_name(number),
            started: 0,
            alive: false,
            frozen_since: None,
            cut: false,
            fails_next: false,
            is_drained: false,
            slots,
            free: slots,
            lanes: BTreeMap::new(),
            room: None,
            works: BTreeMap::new(),
            deferred: Vec::new(),
            next_poll: 0,
        }
    }

    /// Does it listen, be it that it stands still?
    pub fn is_there(&self) -> bool {
        self.alive
    }
}

impl Night<'_> {
    fn soon(&mut self, worker: usize, after: u64, event: Event) {
        let target = Target::Worker(worker, self.workers[worker].started);
        self.agenda.add(self.now + after, target, event);
    }

    pub fn start_worker(&mut self, worker: usize) {
        let known = &mut self.workers[worker];
        if known.alive {
            return;
        }
        let (started, slots, cut) = (known.started + 1, known.slots, known.cut);
        *known = Worker { started, cut, alive: true, ..Worker::new(worker, slots) };
        let (poll, beat) = (self.between(1, 2_000), self.between(1, 3_000));
        self.soon(worker, poll, Event::Poll);
        self.soon(worker, beat, Event::Beat);
    }

    pub fn kill_worker(&mut self, worker: usize) {
        if !self.workers[worker].alive {
            return;
        }
        self.end_agents(worker, None);
        self.note(What::WorkerEnded { worker });
        let known = &mut self.workers[worker];
        known.alive = false;
        known.frozen_since = None;
        known.lanes.clear();
        known.works.clear();
        known.deferred.clear();
        known.room = None;
    }

    pub fn freeze_worker(&mut self, worker: usize, lasts: u64) {
        let known = &mut self.workers[worker];
        if known.alive && known.frozen_since.is_none() {
            known.frozen_since = Some(self.now);
            let started = known.started;
            self.agenda.add(self.now + lasts, Target::World, Event::WorkerThaws(worker, started));
        }
    }

    pub fn thaw_worker(&mut self, worker: usize, started: u32) {
        let known = &mut self.workers[worker];
        let Some(since) = known.frozen_since.take_if(|_| known.started == started) else { return };
        let deferred = std::mem::take(&mut known.deferred);
        // Its keeper has ended its agents by then.
        if self.now - since >= LEASE {
            self.end_agents(worker, None);
        }
        self.say(format!("worker w{worker} goes on"));
        let target = Target::Worker(worker, started);
        for event in deferred {
            self.agenda.add(self.now, target, event);
        }
    }

    pub fn drain_worker(&mut self, worker: usize) {
        self.workers[worker].is_drained = true;
        self.end_when_drained(worker);
    }

    fn end_when_drained(&mut self, worker: usize) {
        let known = &self.workers[worker];
        if known.alive && known.is_drained && known.lanes.is_empty() {
            self.kill_worker(worker);
            self.agenda.add(self.now + DRAINED_FOR, Target::World, Event::WorkerBack(worker));
        }
    }

    pub fn reach_worker(&mut self, worker: usize, started: u32, event: Event) {
        let known = &mut self.workers[worker];
        if !known.alive || known.started != started {
            return;
        }
        if known.frozen_since.is_some() {
            known.deferred.push(event);
            return;
        }
        let from_outside = matches!(
            &event,
            Event::Ordered(_)
                | Event::Cancelled(_)
                | Event::Sent { answer: Answer::Accepted | Answer::Refused, .. }
        );
        if from_outside && !self.reaches(Who::Worker(worker)) {
            return;
        }
        match event {
            Event::Poll => self.poll_queue(worker),
            Event::Took(queued) => self.took(worker, &queued),
            Event::Beat => self.beat(worker),
            Event::Ordered(letter) => self.ordered(worker, &letter),
            Event::WorkDone(work) => self.work_done(worker, work),
            Event::Spawned(agent) => self.spawned(worker, agent),
            Event::Sent { token, answer } => self.sent(worker, token, answer),
            Event::SendsAgain { token } => self.sends_again(worker, token),
            Event::Cancelled(runner) => self.cancelled(worker, runner),
            Event::RunClosed => self.run_closed(worker),
            _ => self.stuck("something happens to a worker that does not"),
        }
    }

    fn note_left(&mut self, worker: usize, lane: LaneId, held: &Held) {
        self.note(What::Left { worker, lane, lease: held.epoch });
    }
}
