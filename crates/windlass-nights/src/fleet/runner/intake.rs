//! The intake: what came of orders. Files and commits are brought in first, each outcome by itself.

use windlass_core::fleet::leases::LeaseEpoch;
use windlass_core::fleet::placement::Hearing;
use windlass_core::report::{CallEnded, LateResult, Report};

use super::{Stage, Told};
use crate::fleet::agenda::{Answer, Event, Letter};
use crate::fleet::network::{Fate, Who};
use crate::fleet::night::Night;
use crate::fleet::plant::FleetPlant;
use crate::fleet::record::What;
use crate::fleet::servers::Place;

impl Night<'_> {
    pub(super) fn arrived(&mut self, runner: usize, letter: &Letter) {
        if !matches!(self.runners[runner].stage, Stage::Runs) {
            return;
        }
        // It is for whoever runs the run by now.
        if letter.runner > self.runners[runner].epoch() && !self.is(FleetPlant::AnsweredByTheOld) {
            return;
        }
        // Where that cannot be known now it is sent again.
        let Some(hearing) = self.hearing(runner, letter) else { return };
        match hearing {
            Hearing::Again => self.answer_outcome(runner, letter, Answer::Accepted),
            Hearing::Late => self.late(runner, letter),
            Hearing::New => {
                let takes = if letter.outcome.made.is_some() { self.way() * 20 } else { self.way() };
                self.later(runner, takes, Event::BroughtIn(letter.clone()));
            }
        }
    }

    /// It does not count. What calls have cost is charged.
    fn late(&mut self, runner: usize, letter: &Letter) {
        let ended = letter.outcome.reported.iter().filter_map(|reported| match &reported.report {
            Report::CallEnded(ended) => Some(ended.clone()),
            _ => None,
        });
        let bills: Vec<CallEnded> = ended.collect();
        let answer = if bills.is_empty() { Answer::Refused } else { Answer::Accepted };
        for CallEnded { lane, call, report } in bills {
            self.tell(runner, Told::Late(LateResult { lane, call, report }));
        }
        self.answer_outcome(runner, letter, answer);
    }

    /// Whoever has just taken a lane may be heard before the watch has seen that.
    fn hearing(&mut self, runner: usize, letter: &Letter) -> Option<Hearing> {
        let (lane, epoch, number) =
            (letter.outcome.lane, LeaseEpoch(letter.outcome.lease), letter.outcome.number);
        let known = self.runners[runner].placements.hearing(lane, epoch, number);
        if known == Hearing::Again && self.is(FleetPlant::UnnumberedOutcomes) {
            return Some(Hearing::New);
        }
        if known != Hearing::Late {
            return Some(known);
        }
        if self.is(FleetPlant::OldEpochsCount) {
            return Some(Hearing::New);
        }
        if self.asks(Who::Runner(runner)) == Fate::Answered {
            let lease = self.servers.look(Place::Lane(lane));
            self.see(runner, lane, lease.as_ref());
        } else if !self.is(FleetPlant::RefusedUnseen) {
            return None;
        }
        Some(self.runners[runner].placements.hearing(lane, epoch, number))
    }

    /// What belongs to an outcome is here.
    pub(super) fn brought_in(&mut self, runner: usize, letter: &Letter) {
        if !matches!(self.runners[runner].stage, Stage::Runs) {
            return;
        }
        let outcome = &letter.outcome;
        let lane = outcome.lane;
        if self.asks(Who::Runner(runner)) == Fate::Lost {
            // It is sent again.
            return;
        }
        let machine = self.runners[runner].machine;
        self.machines[machine].commits.extend(outcome.made.iter().cloned());
        if outcome.given_up {
            self.given_up(runner, lane, outcome.lease);
            return self.answer_outcome(runner, letter, Answer::Accepted);
        }
        let lease = LeaseEpoch(outcome.lease);
        let hearing = self.runners[runner].placements.heard(lane, lease, outcome.number, &outcome.reported);
        let counts = match hearing {
            Hearing::New => true,
            Hearing::Again => self.is(FleetPlant::UnnumberedOutcomes),
            Hearing::Late => self.is(FleetPlant::OldEpochsCount),
        };
        if !counts {
            // What is late is sent again, and comes late.
            if hearing == Hearing::Again {
                self.answer_outcome(runner, letter, Answer::Accepted);
            }
            return;
        }
        let is_leftover = outcome.made.is_some() && outcome.reported.is_empty();
        let waiting = if is_leftover { self.runners[runner].placements.left_behind(lane) } else { None };
        let (lease, number, worker) = (outcome.lease, outcome.number, letter.worker);
        self.note(What::Counted { runner, lane, lease, number, worker });
        if !outcome.reported.is_empty() {
            self.tell(runner, Told::Reported(outcome.reported.clone()));
        }
        if let Some(order) = waiting {
            self.tell(runner, Told::Here(Box::new(order)));
        }
        self.answer_outcome(runner, letter, Answer::Accepted);
    }
}
