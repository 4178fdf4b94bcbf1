//! What an input means, as facts. Pure; changes nothing.

use crate::fact::Fact;
use crate::mode;
use crate::run::ending::Failure;
use crate::run::lane::{LaneState, Turn};
use crate::run::{Hold, Input, LEAST_RESERVATION, Phase, Run, Stop, Survey};
use crate::values::{
    Assessment, CallReport, CallSummary, Class, Cost, Cut, HookName, LaneId, Now, Standing, StopSource,
};

impl Run {
    /// What the input means, as facts, which [`apply`](Run::apply) accepts in this order. An input that comes too late
    /// means nothing. After facts were applied, ask again with [`Input::Tick`] until nothing is due.
    pub fn decide(&self, now: Now, input: Input) -> Vec<Fact> {
        match input {
            Input::Start(plan) => one((self.phase == Phase::New).then_some(Fact::RunStarted { plan })),
            Input::Resume(plan) => one((self.phase != Phase::New).then_some(Fact::RunResumed { plan })),
            _ if self.phase != Phase::Active => Vec::new(),
            Input::Notice(text) => vec![Fact::Noticed { text }],
            Input::NotificationSettled { key, sink, delivery, status, detail, attempts } => {
                vec![Fact::NotificationSettled { key, sink, delivery, status, detail, attempts }]
            }
            Input::Announced => one(self.finished(now)),
            Input::HookEnded { lane, hook, outcome } => self.hook_ended(lane, hook, outcome),
            // Its end is decided, and nothing that comes now can change it.
            _ if self.is_ending() => Vec::new(),
            Input::Tick => self.due(now),
            Input::Stop { by, least } => one(self.stop_requested(by, least)),
            Input::Failed { .. } | Input::Broken { .. } | Input::RecordLost { .. } => {
                one(Failure::of(input).and_then(|failure| self.fails(failure)))
            }
            Input::BaselineCaptured { evidence, snapshot, left_out, standing, tasks } => {
                if !matches!(self.survey, Survey::First | Survey::Again | Survey::Hook) {
                    return Vec::new();
                }
                let tasks = tasks.map(|tasks| self.as_first_protected(tasks));
                let news =
                    tasks.filter(|tasks| self.is_of_tasks() && tasks.as_slice() != self.tasks().rows());
                let read = news.map(|tasks| Fact::TasksRead { tasks });
                read.into_iter()
                    .chain([Fact::BaselineCaptured { evidence, snapshot, left_out, standing }])
                    .collect()
            }
            Input::Opened { .. } | Input::Merged { .. } | Input::Landed { .. } | Input::TaskClosed { .. } => {
                one(self.of_a_task(input))
            }
            Input::LaneLost { lane } => self.lane_lost(lane),
            Input::Prepared { lane } => self.prepared(lane, now),
            Input::Spawned { lane, call, pid } => {
                one(self.is_calling(lane, call).then_some(Fact::CallSpawned { lane, call, pid }))
            }
            Input::CallDue { lane, call, cut } => match self.lane(lane) {
                Some(LaneState::Calling(_, running)) if running.id == call => {
                    vec![Fact::CallCut { lane, call, cut, now: false }]
                }
                _ => Vec::new(),
            },
            Input::CallEnded { lane, call, report } => {
                if self.is_calling(lane, call) {
                    vec![self.finish_call(lane, call, *report)]
                } else {
                    Vec::new()
                }
            }
            Input::StatusSeen { lane, standing } => {
                let working = self.lane(lane).and_then(LaneState::call).is_some();
                one((working && self.is_news(&standing)).then_some(Fact::StatusChanged { lane, standing }))
            }
            Input::Examined { lane, suspicions } => {
                let expected = matches!(self.lane(lane), Some(LaneState::Keeping(..)));
                let news = expected && self.is_suspicion_news(lane, &suspicions);
                one(news.then_some(Fact::Suspected { lane, suspicions }))
            }
            Input::SnapshotTaken { lane, evidence, snapshot, changed, strayed, standing } => {
                if !matches!(self.lane(lane), Some(LaneState::Keeping(..))) {
                    return Vec::new();
                }
                // Whoever watches the file is told of its last words, too.
                let news = standing.clone().filter(|standing| self.is_news(standing));
                let told = news.map(|standing| Fact::StatusChanged { lane, standing });
                let kept = Fact::SnapshotTaken { lane, evidence, snapshot, changed, strayed, standing };
                told.into_iter().chain([kept]).collect()
            }
            Input::Damaged { lane, found, course } => match self.lane(lane) {
                Some(LaneState::Keeping(turn, _)) => {
                    let (iteration, attempt) = (turn.iteration, turn.attempt);
                    vec![Fact::Damaged { lane, iteration, attempt, found, course }]
                }
                _ => Vec::new(),
            },
            Input::Undone { lane, evidence, standing } => {
                let expected = matches!(self.lane(lane), Some(LaneState::Undoing(..)));
                one(expected.then_some(Fact::Undone { lane, evidence, standing }))
            }
            Input::ForbiddenChangesReverted { lane, count, files, undone, evidence } => {
                let expected = matches!(self.lane(lane), Some(LaneState::Refusing(..)));
                one(expected.then_some(Fact::ForbiddenChangesReverted {
                    lane,
                    count,
                    files,
                    undone,
                    evidence,
                }))
            }
            Input::CheckEnded { lane, stage, outcome } => {
                let expected = self.expects_check(lane, stage, outcome.check);
                one(expected.then_some(Fact::CheckFinished { lane, stage, outcome }))
            }
            Input::CommitEnded { lane, commit, evidence, altered, refused, notes } => {
                let expected = matches!(self.lane(lane), Some(LaneState::Advancing(..)));
                one(expected.then_some(Fact::Committed { lane, commit, evidence, altered, refused, notes }))
            }
            Input::TreeRechecked { lane, evidence } => {
                let expected = matches!(self.lane(lane), Some(LaneState::Settling(..)));
                one(expected.then_some(Fact::TreeRechecked { lane, evidence }))
            }
        }
    }

    /// What came of a lane's way to the branch, or of a task.
    fn of_a_task(&self, input: Input) -> Option<Fact> {
        match input {
            Input::Opened { lane, base, evidence, snapshot } => {
                let expected = matches!(self.lane(lane), Some(LaneState::Opening(_)));
                expected.then_some(Fact::LaneOpened { lane, base, evidence, snapshot })
            }
            Input::Merged { lane, tip, outcome, evidence } => {
                let expected = matches!(self.lane(lane), Some(LaneState::Queued(..)));
                let outcome = self.with_the_tip_judged(lane, &tip, outcome);
                expected.then_some(Fact::Merged { lane, tip, outcome, evidence })
            }
            Input::Landed { lane, outcome } => {
                let expected = matches!(self.lane(lane), Some(LaneState::Landing(..)));
                expected.then_some(Fact::Landed { lane, outcome })
            }
            Input::TaskClosed { lane, branch, evidence, snapshot } => match self.lane(lane) {
                Some(LaneState::Closing(turn, end)) => turn.task.clone().map(|task| Fact::TaskClosed {
                    lane,
                    iteration: turn.iteration,
                    task,
                    end: end.clone(),
                    branch,
                    evidence,
                    snapshot,
                }),
                _ => None,
            },
            _ => None,
        }
    }

    fn is_news(&self, standing: &Standing) -> bool {
        if self.is_of_tasks() {
            // What is done there, its own facts say.
            return false;
        }
        let workspace = self.plan.as_ref().and_then(|plan| plan.job.workspace.as_ref());
        let watch = workspace.and_then(|workspace| workspace.watch);
        self.standings.is_news(standing, watch.map(|watch| watch.news).unwrap_or_default())
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
        if let Some(Hold { until, .. }) = self.hold
            && until <= now.wall
        {
            return vec![Fact::BackoffEnded];
        }
        if let Some(end) = self.end(now) {
            return vec![end];
        }
        one(self.iteration_due(now))
    }

    /// The fact that begins or hastens the end of a lane's agent.
    fn cut_due(&self, lane: LaneId, state: &LaneState, now: Now) -> Option<Fact> {
        let grace = self.plan.as_ref()?.clocks.grace;
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
        if !self.iterations_may_begin(now) {
            return None;
        }
        let iteration = self.counters.started + 1;
        let asks = self.hook(HookName::NextIteration).is_some();
        let asked = self.is_asking();
        self.lanes.iter().find_map(|(id, lane)| {
            if !self.has_work_for(*id) {
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
        let most = self.plan.as_ref().and_then(|plan| plan.limits.iterations);
        let all_begun = most.is_some_and(|most| self.counters.started >= most);
        let free = self.may_begin() && self.hold.is_none() && self.survey == Survey::Done;
        free && !all_begun && self.can_pay() && !self.has_to_end(now)
    }

    /// Is there something that this lane could take up?
    pub(super) fn has_work_for(&self, lane: LaneId) -> bool {
        !self.is_of_tasks() || self.next_task(lane).is_some()
    }

    /// Does nothing stand against a call? What is prepared waits until nothing does.
    pub(super) fn calls_may_begin(&self) -> bool {
        // A reason to end may pass: another lane has to be seen through first, and what that brings can outweigh it.
        let goes_on = self.last.is_none_or(|last| !self.has_to_end(last));
        let free = self.may_begin() && self.hold.is_none() && self.survey == Survey::Done;
        free && goes_on && self.can_pay()
    }

    /// Several lanes share what is left: one that could do nothing with its share waits until another's call is over.
    fn can_pay(&self) -> bool {
        let Some(limit) = self.plan.as_ref().and_then(|plan| plan.limits.budget()) else {
            return true;
        };
        self.granted() == Cost::ZERO || self.share_of(limit) >= LEAST_RESERVATION
    }

    /// What open calls may spend.
    fn granted(&self) -> Cost {
        self.lanes.values().filter_map(|lane| lane.state.call()?.1.budget).sum()
    }

    /// What a call that is made now may spend: what neither was spent nor is granted, shared with those that come next.
    fn share_of(&self, limit: Cost) -> Cost {
        let left = limit.minus(self.ledger.spent()).minus(self.granted());
        let next = |state: &&LaneState| matches!(state, LaneState::Opening(_) | LaneState::Preparing(_));
        let sharers = self.lanes.values().map(|lane| &lane.state).filter(next).count().max(1);
        Cost::from_micros(left.micros() / sharers as u64)
    }

    /// Ctrl-C escalates from 1 to 3; `windlass stop` asks for the first stage however often it is said.
    fn stop_requested(&self, by: StopSource, least: u8) -> Option<Fact> {
        let pressed = self.stop.filter(|stop| stop.by != StopSource::Command).map_or(0, |stop| stop.stage);
        let stage = match by {
            StopSource::Command if self.stop.is_some() => return None,
            StopSource::Command => 1,
            StopSource::Interrupt | StopSource::Terminate => (pressed + 1).max(least).min(3),
        };
        (pressed < 3).then_some(Fact::StopRequested { by, stage })
    }

    fn prepared(&self, lane: LaneId, now: Now) -> Vec<Fact> {
        let (Some(LaneState::Preparing(turn)), Some(plan)) = (self.lane(lane), &self.plan) else {
            return Vec::new();
        };
        if !self.calls_may_begin() || self.has_to_end(now) {
            return Vec::new();
        }
        let Turn { iteration, attempt, purpose, .. } = *turn;
        let budget = plan.limits.budget().map(|limit| self.share_of(limit));
        let reserved = self.ledger.reservation();
        vec![Fact::CallReserved {
            lane,
            call: self.ledger.next_call(),
            iteration,
            attempt,
            purpose,
            reserved,
            budget,
        }]
    }

    fn is_calling(&self, lane: LaneId, call: crate::values::CallId) -> bool {
        self.lane(lane).and_then(LaneState::call).is_some_and(|(_, running)| running.id == call)
    }

    /// A yes of a call that went on working and failed is not its last word.
    fn finish_call(&self, lane: LaneId, call: crate::values::CallId, mut report: CallReport) -> Fact {
        let stands = |said: &Assessment| report.class == Class::Success || !said.passes();
        report.assessment = report.assessment.filter(stands);
        let claimed = self.plan.as_ref().is_some_and(|plan| mode::claims(&plan.job, &report));
        let charge = self.ledger.charge_for(call, &report);
        let empty = report.results.iter().all(|text| text.trim().is_empty());
        let summary = CallSummary {
            class: report.class,
            detail: report.detail,
            ended: report.ended,
            cut: report.cut,
            cost: charge.cost,
            estimated: charge.estimated,
            listed: charge.listed,
            tokens: report.tokens,
            tool_uses: report.tool_uses,
            empty,
            denials: report.denials,
            limit: report.limit,
            overage: report.overage,
            garbage_lines: report.garbage_lines,
            duration: report.duration,
            assessment: report.assessment,
        };
        Fact::CallFinished { lane, call, claimed, summary }
    }
}

fn one(fact: Option<Fact>) -> Vec<Fact> {
    fact.into_iter().collect()
}

impl Stop {
    /// The next stage, once somebody presses Ctrl-C again.
    pub fn next_stage(self) -> Option<u8> {
        (self.stage < 3).then_some(self.stage + 1)
    }
}
