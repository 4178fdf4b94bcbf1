//! What has been decided but not yet seen done.

use crate::run::lane::{AttemptOutcome, Call, Checking, LaneState, Turn};
use crate::run::{Effect, EndCall, Lane, Occasion, Phase, Run, Survey};
use crate::values::{CheckKind, CheckStage, HookName, LaneId};

impl Run {
    /// What the shell has to carry out, after the facts that intend it are in the journal. The same state gives the
    /// same effects; the shell begins each once and begins it again only after a restart.
    pub fn outstanding(&self) -> Vec<Effect> {
        if self.phase != Phase::Active {
            return Vec::new();
        }
        if self.is_ending() {
            let hook = self.is_dismissing();
            return vec![if hook { self.run_hook(HookName::Finished) } else { Effect::Announce }];
        }
        if self.is_greeting() {
            return vec![self.run_hook(HookName::Started)];
        }
        // What is left of a killed session is found by the run's name: until it is ended, nothing new may carry that.
        let recovering = self.lanes.values().any(|lane| matches!(lane.state, LaneState::Recovering(..)));
        let due = |lane: &Lane| !recovering || matches!(lane.state, LaneState::Recovering(..));
        let lanes = self.lanes.iter().filter(|(_, lane)| due(lane));
        let mut effects: Vec<Effect> = lanes.flat_map(|(id, lane)| self.outstanding_in(*id, lane)).collect();
        if self.may_begin() {
            effects.extend(self.outstanding_survey());
        }
        effects.extend(self.outstanding_delivery());
        effects.extend(self.outstanding_issue());
        effects
    }

    /// Nothing stands against starting something new.
    pub(super) fn may_begin(&self) -> bool {
        self.stop.is_none() && self.failing.is_none()
    }

    fn outstanding_survey(&self) -> Option<Effect> {
        let resting = self.lanes.values().all(|lane| lane.state.is_resting());
        match self.survey {
            // Until the first iteration, the newest look is what the run begins with.
            Survey::First | Survey::Again if resting && self.counters.started == 0 => {
                Some(Effect::Survey(Occasion::Start))
            }
            Survey::First | Survey::Again if resting => Some(Effect::Survey(Occasion::Resume)),
            Survey::Hook if resting => Some(Effect::Survey(Occasion::Hook)),
            Survey::Baseline => self.next_baseline_check().map(|check| Effect::RunCheck {
                lane: LaneId::default(),
                stage: CheckStage::Baseline,
                check,
                turn: None,
            }),
            _ => None,
        }
    }

    /// The baseline runs every check: those that fail before the first iteration are named as such later.
    pub(super) fn next_baseline_check(&self) -> Option<u16> {
        let done = |check: &u16| self.baseline.iter().any(|outcome| outcome.check == *check);
        self.checks(CheckKind::Until).chain(self.checks(CheckKind::Gate)).find(|check| !done(check))
    }

    fn outstanding_in(&self, id: LaneId, lane: &Lane) -> Vec<Effect> {
        match &lane.state {
            LaneState::Opening(turn) => {
                // What was in the way of its files may not have passed yet.
                let waits = self.backoff.is_some() && lane.task.as_ref().is_some_and(|at| at.unfilled > 0);
                let held = waits || self.survey != Survey::Done || !self.may_begin();
                let open = Effect::Open { lane: id, turn: turn.key() };
                if held { Vec::new() } else { vec![open] }
            }
            LaneState::Idle { .. } | LaneState::Cleared | LaneState::Judging(..) => Vec::new(),
            LaneState::Asking => {
                let iteration = self.counters.started + 1;
                let skips = self.hooks.skips;
                vec![Effect::RunHook { lane: id, hook: HookName::NextIteration, iteration, skips }]
            }
            LaneState::Preparing(turn) => {
                let prepare = Effect::Prepare {
                    lane: id,
                    turn: turn.key(),
                    purpose: turn.purpose,
                    notes: turn.notes,
                    agent: self.agent_for(id, turn.purpose),
                };
                if self.call_may_begin_in(id) { vec![prepare] } else { Vec::new() }
            }
            LaneState::Calling(turn, call) => vec![call_of(id, turn, *call)],
            LaneState::Terminating(turn, call, termination) => {
                let how = if termination.kill { EndCall::Kill } else { EndCall::Ask };
                vec![
                    call_of(id, turn, *call),
                    Effect::EndCall { lane: id, call: call.id, how, cut: termination.cut },
                ]
            }
            LaneState::Recovering(turn, call) => {
                let (turn, purpose) = (turn.key(), turn.purpose);
                vec![Effect::Recover { lane: id, call: call.id, turn, purpose, agent: call.agent }]
            }
            LaneState::Keeping(turn, _) => vec![Effect::Keep { lane: id, turn: turn.key() }],
            LaneState::Refusing(turn, _) => vec![Effect::Refuse { lane: id, turn: turn.key() }],
            LaneState::Undoing(turn, _) => vec![Effect::Undo { lane: id, turn: turn.key() }],
            LaneState::Gating(turn, outcome, checking) => self
                .next_check(id, outcome, checking)
                .map(|check| Effect::RunCheck {
                    lane: id,
                    stage: checking.stage,
                    check,
                    turn: Some(turn.key()),
                })
                .into_iter()
                .collect(),
            LaneState::Advancing(turn, outcome, judged) => vec![Effect::Commit {
                lane: id,
                turn: turn.key(),
                since: lane.committed.as_ref().and_then(|committed| committed.snapshot.clone()),
                what: self.commit_kind(id, outcome, judged),
            }],
            LaneState::Queued(..) | LaneState::Landing(..) => {
                self.outstanding_merge(id, lane).into_iter().collect()
            }
            LaneState::Recording(turn, _, _) => vec![Effect::LogDecision { lane: id, turn: turn.key() }],
            LaneState::Closing(turn, end) => self.close_task(id, turn, end).into_iter().collect(),
            LaneState::Settling(turn, _, _) => vec![Effect::Settle { lane: id, turn: turn.key() }],
        }
    }

    /// Which check to run next on a candidate tree, given those that were. `--until` comes first and stops at the
    /// first failure; gates are run when there is a claim to refuse or something to commit, and then all of them, so
    /// that the next prompt can name every failure.
    pub(super) fn next_check(
        &self,
        lane: LaneId,
        outcome: &AttemptOutcome,
        checking: &Checking,
    ) -> Option<u16> {
        let outcome_of = |check: u16| checking.done.iter().find(|outcome| outcome.check == check);
        let until: Vec<u16> = self.checks(CheckKind::Until).collect();
        let failed = until.iter().any(|check| outcome_of(*check).is_some_and(|outcome| !outcome.passed()));
        if let (false, Some(next)) = (failed, until.iter().find(|check| outcome_of(**check).is_none())) {
            return Some(*next);
        }
        let claimed = if until.is_empty() { outcome.claimed } else { !failed };
        let made = matches!(checking.stage, CheckStage::Committed | CheckStage::Merged);
        let wanted = claimed || made || self.would_commit(lane, outcome) || self.wants_review(lane, outcome);
        if !wanted {
            return None;
        }
        // Of work that is not claimed a task's criteria say nothing yet.
        let criteria = if outcome.claimed { self.criteria_to_hold(lane) } else { Vec::new() };
        self.checks(CheckKind::Gate).chain(criteria).find(|check| outcome_of(*check).is_none())
    }
}

fn call_of(lane: LaneId, turn: &Turn, call: Call) -> Effect {
    let (turn, purpose) = (turn.key(), turn.purpose);
    Effect::Call { lane, call: call.id, turn, purpose, agent: call.agent, budget: call.budget }
}
