//! What an input means, as facts. Pure; changes nothing.

use crate::fact::Fact;
use crate::run::ending::Failure;
use crate::run::lane::LaneState;
use crate::run::{Backoff, Input, LEAST_RESERVATION, Phase, Run, Survey};
use crate::values::{Cost, Cut, HookName, LaneId, Now, StopSource};

impl Run {
    /// What the input means, as facts, which [`apply`](Run::apply) accepts in this order. An input that comes too late
    /// means nothing. After facts were applied, ask again with [`Input::Tick`] until nothing is due.
    pub fn decide(&self, now: Now, input: Input) -> Vec<Fact> {
        match input {
            Input::Start(spec) => one((self.phase == Phase::New).then_some(Fact::RunStarted { plan: spec })),
            Input::Resume(spec) if self.phase != Phase::New => {
                let waits = self.goes_on_waiting(&spec.limits, now);
                std::iter::once(Fact::RunResumed { plan: spec }).chain(waits).collect()
            }
            Input::ResumeNow(spec) if self.phase != Phase::New => vec![Fact::RunResumed { plan: spec }],
            Input::Resume(_) | Input::ResumeNow(_) => Vec::new(),
            _ if self.phase != Phase::Active => Vec::new(),
            Input::Report(report) => self.reported(now, *report),
            Input::Announced => one(self.finished(now)),
            // Its end is decided, and nothing that comes now can change it.
            _ if self.is_ending() => Vec::new(),
            Input::Tick => self.due(now),
            Input::TryNow => self.tried_now(),
            Input::Stop { by, least } => one(self.stop_requested(by, least)),
            Input::Park { by, task } => one(self.park_requested(by, task)),
            Input::RecordLost { detail } => one(self.fails(Failure::lost(detail))),
        }
    }

    /// The first thing that is due now.
    fn due(&self, now: Now) -> Vec<Fact> {
        for (id, lane) in &self.lanes {
            let facts = match &lane.state {
                LaneState::Judging(..) => self.judge(*id, now),
                state => one(self.cut_due(*id, state, now)),
            };
            if !facts.is_empty() {
                return facts;
            }
        }
        if let Some(Backoff { until, .. }) = self.backoff
            && until <= now.wall
        {
            return vec![Fact::BackoffEnded];
        }
        if let Some(back) = self.agent_back(now) {
            return vec![back];
        }
        if let Some(fails) = self.call_for_nobody(now) {
            return vec![fails];
        }
        if let Some(due) = self.delivery_due(now) {
            return vec![due];
        }
        if let Some(ready) = self.part_is_ready() {
            return vec![ready];
        }
        if let Some(end) = self.end(now) {
            return vec![end];
        }
        if let Some(due) = self.issue_due(now) {
            return vec![due];
        }
        one(self.iteration_due(now))
    }

    /// The fact that begins or hastens the end of a lane's agent.
    fn cut_due(&self, lane: LaneId, state: &LaneState, now: Now) -> Option<Fact> {
        let grace = self.spec.as_ref()?.clocks.grace;
        let third = self.stop.is_some_and(|stop| stop.stage >= 3);
        match state {
            LaneState::Calling(_, call) if self.ends_agents() => {
                Some(Fact::CallCut { lane, call: call.id, cut: Cut::Stop, now: third })
            }
            LaneState::Terminating(_, call, termination)
                if !termination.kill
                    && (third || now.monotonic.saturating_sub(termination.since) >= grace) =>
            {
                Some(Fact::CallCut { lane, call: call.id, cut: termination.cut, now: true })
            }
            _ => None,
        }
    }

    fn iteration_due(&self, now: Now) -> Option<Fact> {
        if let Some(part) = self.part_due().filter(|_| self.work_may_begin(now)) {
            return Some(part);
        }
        if !self.iterations_may_begin(now) {
            return None;
        }
        let iteration = self.counters.started + 1;
        let asks = self.hook(HookName::NextIteration).is_some();
        let asked = self.is_asking();
        self.lanes.iter().find_map(|(id, lane)| {
            if !self.may_take_up_work(*id, now) {
                return None;
            }
            let task = self.next_task(*id).cloned();
            match lane.state {
                LaneState::Cleared => Some(Fact::IterationStarted { lane: *id, iteration, task }),
                LaneState::Idle { not_before } if not_before <= now.monotonic && !asked => Some(if asks {
                    Fact::HookDue { lane: *id, iteration }
                } else {
                    Fact::IterationStarted { lane: *id, iteration, task }
                }),
                _ => None,
            }
        })
    }

    /// A hook is asked about one iteration at a time: their numbers follow each other.
    pub(super) fn is_asking(&self) -> bool {
        let asking = |state: &LaneState| matches!(state, LaneState::Asking | LaneState::Cleared);
        self.lanes.values().any(|lane| asking(&lane.state))
    }

    /// Does nothing stand against a new iteration, wherever it is?
    pub(super) fn iterations_may_begin(&self, now: Now) -> bool {
        self.work_may_begin(now) && !self.awaits_part()
    }

    fn work_may_begin(&self, now: Now) -> bool {
        let most = self.spec.as_ref().and_then(|spec| spec.limits.iterations);
        let all_begun = most.is_some_and(|most| self.counters.started >= most);
        let free = self.may_begin() && self.backoff.is_none() && self.survey == Survey::Done;
        // What a limit left is seen out first, where somebody raised that limit meanwhile.
        let free = free && !self.is_delivering();
        free && !all_begun && self.can_pay() && !self.has_to_end(now)
    }

    /// Is there something that this lane could take up?
    pub(super) fn has_work_for(&self, lane: LaneId) -> bool {
        !self.is_of_tasks() || self.next_task(lane).is_some()
    }

    /// The same, and is it this run's to be done?
    pub(super) fn may_take_up_work(&self, lane: LaneId, now: Now) -> bool {
        self.has_work_for(lane) && self.next_task(lane).is_none_or(|task| self.is_leased(task, now))
    }

    /// Does nothing stand against a call? What is prepared waits until nothing does.
    pub(super) fn calls_may_begin(&self) -> bool {
        // A reason to end may pass: another lane has to be seen through first, and what that brings can outweigh it.
        let goes_on = self.last.is_none_or(|last| !self.has_to_end(last));
        let free = self.may_begin() && self.backoff.is_none() && self.survey == Survey::Done;
        free && goes_on && self.can_pay()
    }

    /// The same of a lane. In a wait, or while the runner was dead, its task's lease may have ended.
    pub(super) fn call_may_begin_in(&self, lane: LaneId) -> bool {
        let is_allowed = self.lane(lane).is_none_or(|state| !self.waits_beyond_limit(state));
        self.calls_may_begin() && is_allowed && self.last.is_none_or(|last| self.holds_task(lane, last))
    }

    /// Does it wait for a call in an iteration that the limit no longer allows? Whoever resumed the run has lowered that: what the
    /// iteration left is kept, and nobody is called in it until the limit is raised.
    pub(super) fn waits_beyond_limit(&self, state: &LaneState) -> bool {
        let most = self.spec.as_ref().and_then(|spec| spec.limits.iterations);
        let (LaneState::Opening(turn) | LaneState::Preparing(turn)) = state else { return false };
        most.is_some_and(|most| turn.iteration > most)
    }

    /// Several lanes share what is left: one that could do nothing with its share waits until another's call is over.
    fn can_pay(&self) -> bool {
        let Some(limit) = self.spec.as_ref().and_then(|spec| spec.limits.budget()) else { return true };
        self.granted() == Cost::ZERO || self.share_of(limit) >= LEAST_RESERVATION
    }

    /// What open calls may spend.
    fn granted(&self) -> Cost {
        self.lanes.values().filter_map(|lane| lane.state.call()?.1.budget).sum()
    }

    /// What a call that is made now may spend: what neither was spent nor is granted, shared with those that come next.
    pub(super) fn share_of(&self, limit: Cost) -> Cost {
        let left = limit.minus(self.ledger.spent()).minus(self.granted());
        let next = |state: &&LaneState| {
            matches!(state, LaneState::Opening(_) | LaneState::Preparing(_))
                && !self.waits_beyond_limit(state)
        };
        let sharers = self.lanes.values().map(|lane| &lane.state).filter(next).count().max(1);
        Cost::from_micros(left.micros() / sharers as u64)
    }

    /// Ctrl-C escalates from 1 to 3; `windlass stop` asks for the first stage however often it is said.
    fn stop_requested(&self, by: StopSource, least: u8) -> Option<Fact> {
        let pressed = self.stop.filter(|stop| !stop.by.is_request()).map_or(0, |stop| stop.stage);
        let stage = match by.is_request() {
            true if self.stop.is_some() => return None,
            true => 1,
            false => (pressed + 1).max(least).min(3),
        };
        (pressed < 3).then_some(Fact::StopRequested { by, stage })
    }
}

pub(super) fn one(fact: Option<Fact>) -> Vec<Fact> {
    fact.into_iter().collect()
}
