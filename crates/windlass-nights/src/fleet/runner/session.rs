//! The loop of a runner: what is reported becomes facts, and what these intend is carried out.

use std::sync::Arc;

use windlass_core::fact::{Entry, Fact};
use windlass_core::fleet::placement::{Loss, gives_back};
use windlass_core::report::{LaneLost, Report};
use windlass_core::run::{Due, Effect, EndCall, Input, Order, Phase, Reported, Run, Side};
use windlass_core::values::{LaneId, StopSource};

use super::{Stage, Told};
use crate::fleet::agenda::Event;
use crate::fleet::network::{Fate, Who};
use crate::fleet::night::Night;
use crate::fleet::plant::FleetPlant;
use crate::fleet::record::{Began, RunnerEnd, What};
use crate::fleet::servers::Place;

/// So long a runner tries to give its lease back.
const LEAVES_WITHIN: u64 = 10_000;

impl Night<'_> {
    /// One turn of the loop.
    pub(super) fn turn(&mut self, runner: usize) {
        self.runners[runner].loop_is_due = false;
        if !matches!(self.runners[runner].stage, Stage::Runs) {
            return;
        }
        if !self.poll(runner) {
            return;
        }
        if let Some(least) = self.runners[runner].stop.take() {
            self.take(runner, Input::Stop { by: StopSource::Interrupt, least });
        }
        if let Some(reported) = self.runners[runner].reports.pop_front() {
            self.hear(runner, reported);
        }
        self.take(runner, Input::Tick);
        self.order_what_is_due(runner);
        if !matches!(self.runners[runner].stage, Stage::Runs) {
            return;
        }
        if let Phase::Ended(_) = self.runners[runner].run.phase() {
            return self.finish(runner);
        }
        let known = &self.runners[runner];
        if !known.reports.is_empty() || !known.told.is_empty() {
            return self.wake(runner);
        }
        self.look_again_when_due(runner);
    }

    fn look_again_when_due(&mut self, runner: usize) {
        let now = self.clock(self.runners[runner].began);
        let Some(due) = self.runners[runner].run.next_due(now) else { return };
        let at = self.now + u64::try_from(due.as_millis()).unwrap_or(u64::MAX).min(3_600_000) + 1;
        let known = &mut self.runners[runner];
        if known.next_tick <= self.now || at < known.next_tick {
            known.next_tick = at;
            self.agenda.add(at, crate::fleet::agenda::Target::Runner(runner), Event::Loop);
        }
    }

    /// What the threads have; `false` where the run is left.
    fn poll(&mut self, runner: usize) -> bool {
        while let Some(told) = self.runners[runner].told.pop_front() {
            match told {
                Told::Reported(reported) => {
                    for one in &reported {
                        if let Report::CallEnded(ended) = &one.report {
                            self.runners[runner].killed.remove(&ended.call);
                        }
                    }
                    self.runners[runner].reports.extend(reported);
                }
                Told::Late(late) => {
                    let known = &mut self.runners[runner];
                    known.reports.push_back(Reported::unasked(late.clone()));
                    known.late.insert(late.call, late);
                }
                Told::Here(order) => self.locally(runner, *order),
                Told::Lost(loss) => self.lane_lost(runner, *loss),
                Told::Unplaced(lane, order) => {
                    let worker = self.runners[runner].placements.lost_by(lane);
                    let worker = worker.map_or_else(|| "unknown".to_owned(), |worker| worker.to_string());
                    self.answer_lost(runner, lane, &worker, *order);
                }
                Told::Left => {
                    self.leave(runner);
                    return false;
                }
            }
        }
        if !self.runners[runner].killed.is_empty() && self.runners[runner].is_cut_off {
            self.leave(runner);
            return false;
        }
        loop {
            let progress = self.progress(runner);
            let Some(order) = self.runners[runner].withheld.next(progress) else { return true };
            self.begin_order(runner, order);
        }
    }

    fn hear(&mut self, runner: usize, reported: Reported) {
        let known = &mut self.runners[runner];
        if known.orders.is_late(&reported) {
            return;
        }
        known.orders.answered(&reported.report);
        match reported.report {
            Report::LanesClosed(_) => self.take(runner, Input::Announced),
            report => self.take(runner, Input::Report(Box::new(report))),
        }
    }

    /// Asks the core what an input means, and writes that down, until nothing more follows.
    pub(super) fn take(&mut self, runner: usize, input: Input) {
        let now = self.clock(self.runners[runner].began);
        let mut facts = self.runners[runner].run.decide(now, input);
        let mut batches = 0;
        while !facts.is_empty() {
            batches += 1;
            if batches > 1_000 {
                return self.stuck("facts follow from facts without end");
            }
            let numbered = (self.runners[runner].run.next_seq()..).zip(facts);
            let entries: Vec<Arc<Entry>> =
                numbered.map(|(seq, fact)| Arc::new(Entry { seq, at: now, fact })).collect();
            self.machine_journal(runner).extend(entries.iter().cloned());
            self.publish(runner, &entries);
            self.hear_again_what_came_before(runner, &entries);
            for entry in entries {
                if let Err(illegal) = self.runners[runner].run.apply(&entry) {
                    return self.note(What::Illegal(illegal.to_string()));
                }
                self.note(What::Wrote { runner, entry });
            }
            facts = self.runners[runner].run.decide(now, Input::Tick);
        }
    }

    /// How a call of a lost lane has ended may be known before it is charged as lost.
    fn hear_again_what_came_before(&mut self, runner: usize, entries: &[Arc<Entry>]) {
        let known = &mut self.runners[runner];
        for entry in entries {
            if let Fact::CallFinished { call, .. } = &entry.fact {
                known.reports.extend(known.late.remove(call).map(Reported::unasked));
            }
        }
    }

    fn order_what_is_due(&mut self, runner: usize) {
        let now = self.clock(self.runners[runner].began);
        let known = &mut self.runners[runner];
        let Due { withdrawn, orders } = known.orders.due(&known.run, now);
        for effect in &withdrawn {
            self.runners[runner].withheld.withdraw(effect);
        }
        for order in orders {
            let progress = if self.is(FleetPlant::AheadOfTheJournal) {
                let recorded = self.runners[runner].progress.recorded;
                windlass_core::fleet::withheld::Progress { recorded, published: recorded }
            } else {
                self.progress(runner)
            };
            if let Some(order) = self.runners[runner].withheld.take(order, progress) {
                self.begin_order(runner, order);
            }
        }
    }

    /// An order's facts are where they have to be.
    fn begin_order(&mut self, runner: usize, order: Order) {
        self.note_beginning(runner, &order);
        let lane = order.effect.lane().unwrap_or_default();
        if order.effect.side() == Side::Worker {
            if let Effect::EndCall { how: EndCall::Kill, call, .. } = order.effect {
                self.runners[runner].killed.insert(call);
            }
            return self.send(runner, lane, order);
        }
        if gives_back(&order.effect) && lane != LaneId::default() {
            let asks_first = order.effect.parks();
            self.send(runner, lane, order.clone());
            if asks_first {
                return;
            }
        }
        if order.effect == Effect::Announce {
            self.cancel(runner);
        }
        self.locally(runner, order);
    }

    fn note_beginning(&mut self, runner: usize, order: &Order) {
        let known = &self.runners[runner];
        let began = Began {
            runner,
            effect: name(&order.effect),
            traces: order.effect.needs_journal() && order.effect != Effect::Announce,
            order: order.epoch.0,
            published: self.servers.published,
            epoch: known.epoch(),
            run_epoch: self.servers.epoch(Place::Run),
        };
        self.note(What::Began(began));
    }

    fn lane_lost(&mut self, runner: usize, loss: Loss) {
        let Loss { lane, worker, outstanding, .. } = loss;
        if let Some(order) = outstanding {
            self.answer_lost(runner, lane, worker.as_str(), order);
        }
    }

    /// What comes of an order whose lane is gone.
    fn answer_lost(&mut self, runner: usize, lane: LaneId, worker: &str, mut order: Order) {
        if let Some(recovery) = order.effect.recovery() {
            order.effect = recovery;
            return self.locally(runner, order);
        }
        match order.effect {
            Effect::CloseTask { .. } if order.effect.parks() => self.locally(runner, order),
            Effect::CloseTask { .. } => {}
            _ => {
                let lost = LaneLost::with_worker(lane, worker.to_owned());
                self.runners[runner].reports.push_back(Reported::of(order.epoch, lost));
            }
        }
    }

    /// The run has ended: its last facts are brought for a while, and everybody is told.
    pub(super) fn finish(&mut self, runner: usize) {
        let journal = self.machine_journal(runner).clone();
        let mut folded = Run::new();
        let folds = journal.iter().all(|entry| folded.apply(entry).is_ok());
        if !folds || folded != self.runners[runner].run {
            self.note(What::Differs);
        }
        self.runners[runner].stage = Stage::Closing;
        self.later(runner, 5_000, Event::Closed);
        if self.runners[runner].waiting.is_empty() {
            self.closed(runner);
        }
    }

    /// Nothing more is brought.
    pub(super) fn closed(&mut self, runner: usize) {
        if !matches!(self.runners[runner].stage, Stage::Closing) {
            return;
        }
        self.cancel(runner);
        self.runners[runner].stage = Stage::Leaving { until: self.now + LEAVES_WITHIN };
        self.give_run_back(runner);
    }

    /// Gives the run's lease back, so that workers know of the end whom nobody told: again and again for a while.
    pub(super) fn give_run_back(&mut self, runner: usize) {
        let Stage::Leaving { until } = self.runners[runner].stage else { return };
        if self.runners[runner].held.is_some() && self.asks(Who::Runner(runner)) == Fate::Lost {
            if self.now < until {
                return self.later(runner, 500, Event::Leaves);
            }
            self.note(What::NotGivenBack);
        } else if let Some(held) = self.runners[runner].held.take() {
            self.servers.release(self.now, Place::Run, &held);
        }
        let is_known = self.runners[runner].waiting.is_empty();
        self.end_runner(runner, RunnerEnd::Finished);
        if let (true, Phase::Ended(reason)) = (is_known, self.runners[runner].run.phase()) {
            self.run_ended(runner, reason);
        }
    }
}

/// What an effect is called.
pub(super) fn name(effect: &Effect) -> &'static str {
    match effect {
        Effect::Survey(_) => "survey",
        Effect::RunCheck { .. } => "check",
        Effect::Prepare { .. } => "prepare",
        Effect::Call { .. } => "call",
        Effect::Recover { .. } => "recover",
        Effect::EndCall { .. } => "end of a call",
        Effect::Keep { .. } => "keep",
        Effect::Commit { .. } => "commit",
        Effect::Open { .. } => "open",
        Effect::Merge { .. } => "merge",
        Effect::Land { .. } => "land",
        Effect::CloseTask { .. } => "close",
        Effect::Settle { .. } => "settle",
        Effect::Announce => "announce",
        _ => "something else",
    }
}
