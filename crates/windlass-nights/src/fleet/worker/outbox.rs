//! A worker's outbox: what came of orders, one after another, each sent until the runner has it or the lane is somebody else's.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use windlass_core::report::Report;
use windlass_core::run::Reported;
use windlass_core::values::LaneId;

use super::Outcome;
use crate::fleet::agenda::{Answer, Event, Letter};
use crate::fleet::night::Night;
use crate::fleet::plant::FleetPlant;
use crate::fleet::runner::Stage;

/// Between two tries.
const PAUSE: u64 = 500;

/// Something to be sent.
#[derive(Debug)]
pub(super) struct Parcel {
    pub lane: LaneId,
    pub lease: u64,
    pub reported: Vec<Reported>,
    pub made: Option<String>,
    /// The lane is given back with it.
    pub leaves: bool,
    pub given_up: bool,
}

#[derive(Debug, Default)]
pub(super) struct Outbox {
    pub queue: VecDeque<Parcel>,
    /// What is on its way, and what its answer is known by.
    sending: Option<Sending>,
    numbers: BTreeMap<(LaneId, u64), u64>,
}

#[derive(Debug)]
struct Sending {
    outcome: Arc<Outcome>,
    leaves: bool,
    token: u64,
}

impl Outbox {
    /// What a lane has made does not count any more. How its calls have ended is still said.
    pub fn forget(&mut self, lane: LaneId) {
        let is_bill = |parcel: &Parcel| {
            parcel.reported.iter().any(|reported| matches!(reported.report, Report::CallEnded(_)))
        };
        self.queue.retain(|parcel| parcel.lane != lane || is_bill(parcel));
    }
}

impl Night<'_> {
    pub(super) fn send_next(&mut self, worker: usize) {
        let Some(room) = &mut self.workers[worker].room else { return };
        if room.outbox.sending.is_some() {
            return;
        }
        let Some(Parcel { lane, lease, reported, made, leaves, given_up }) = room.outbox.queue.pop_front()
        else {
            return;
        };
        let number = room.outbox.numbers.entry((lane, lease)).or_default();
        *number += 1;
        let outcome = Arc::new(Outcome { lane, lease, number: *number, reported, made, given_up });
        room.outbox.sending = Some(Sending { outcome, leaves, token: 0 });
        self.try_to_send(worker);
    }

    fn try_to_send(&mut self, worker: usize) {
        let token = self.number();
        let started = self.workers[worker].started;
        let Some(room) = &mut self.workers[worker].room else { return };
        let runner = room.runner;
        let Some(sending) = &mut room.outbox.sending else { return };
        sending.token = token;
        let letter = Letter { worker, started, token, runner, outcome: Arc::clone(&sending.outcome) };
        let is_heard = self.runners.iter().any(|runner| matches!(runner.stage, Stage::Runs));
        if is_heard {
            self.send_outcome(&letter);
        } else {
            // Nobody listens.
            self.soon(worker, PAUSE, Event::SendsAgain { token });
        }
    }

    pub(super) fn sent(&mut self, worker: usize, token: u64, answer: Answer) {
        let Some(room) = &mut self.workers[worker].room else { return };
        let Some(sending) = room.outbox.sending.take_if(|sending| sending.token == token) else { return };
        if answer == Answer::None && self.plant != Some(FleetPlant::SentOnce) {
            room.outbox.sending = Some(sending);
            return self.soon(worker, PAUSE, Event::SendsAgain { token });
        }
        if sending.leaves {
            self.give_back(worker, sending.outcome.lane);
        }
        self.send_next(worker);
    }

    pub(super) fn sends_again(&mut self, worker: usize, token: u64) {
        let Some(room) = &self.workers[worker].room else { return };
        if room.outbox.sending.as_ref().is_some_and(|sending| sending.token == token) {
            self.try_to_send(worker);
        }
    }
}
