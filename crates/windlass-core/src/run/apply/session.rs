//! The facts of a session: start, resume, the look at the world before anything is done.

use std::sync::Arc;

use super::Applied;
use crate::run::lane::{AttemptOutcome, Checking, Judged, LaneState, Turn};
use crate::run::{Committed, Lane, Phase, Run, Survey};
use crate::spec::RunSpec;
use crate::values::{CheckStage, Evidence, JobStatus, LaneId, SnapshotId, StopReason};

impl Run {
    pub(super) fn run_started(&mut self, spec: &RunSpec) -> Applied {
        if self.phase != Phase::New {
            return Err("the run has started already".to_owned());
        }
        self.phase = Phase::Active;
        self.spec = Some(Arc::new(spec.clone()));
        self.lanes = spec.lane_ids().into_iter().map(|id| (id, Lane::default())).collect();
        Ok(())
    }

    /// What was running is lost: calls are recovered, and what a person may have changed meanwhile is looked at
    /// before anything is judged again. The counter that ended the run begins anew; all others stand.
    pub(super) fn run_resumed(&mut self, spec: &RunSpec) -> Applied {
        let Some(last) = self.last else { return Err("the run has not started".to_owned()) };
        if let Phase::Ended(reason) = self.phase {
            self.begin_rows_anew(reason);
            self.chain.begin_anew(reason);
        }
        match self.phase {
            Phase::Ended(StopReason::NeedsHuman) => {
                self.counters.unverified = 0;
                self.guard.begin_anew();
                self.try_to_commit_anew();
            }
            Phase::Ended(StopReason::HookSkips) => self.hooks.skips = 0,
            Phase::Ended(StopReason::ReviewStalemate) => self.review_anew(),
            _ => {}
        }
        if self.backoff.is_none() {
            self.chain.begin_session(spec);
        }
        self.counters.budget_exhausted = false;
        self.phase = Phase::Active;
        self.spec = Some(Arc::new(spec.clone()));
        self.clock.new_session(last, spec.limits.worked_unseen);
        self.stop = None;
        self.failing = None;
        self.ending = None;
        self.delivery_resumed(last);
        self.issues_resumed();
        self.hooks.greeted = false;
        self.hooks.dismissed = false;
        // The rest of the baseline's checks may change files as well: what is there now is looked at, and kept, first.
        if matches!(self.survey, Survey::Hook | Survey::Baseline | Survey::Done) {
            self.survey = Survey::Again;
        }
        for lane in self.lanes.values_mut() {
            lane.state = after_restart(&lane.state);
            if let Some(at) = &mut lane.task {
                (at.lost, at.unfilled) = (0, 0);
            }
        }
        Ok(())
    }

    pub(super) fn surveyed(
        &mut self,
        evidence: &Evidence,
        snapshot: Option<&SnapshotId>,
        standing: Option<&JobStatus>,
    ) -> Applied {
        if matches!(self.survey, Survey::Baseline | Survey::Done) {
            return Err("the world was looked at already".to_owned());
        }
        // Whatever is there before the first iteration is not work of this run.
        let first = self.counters.started == 0;
        let by_hook = self.survey == Survey::Hook;
        let has_lanes = self.has_lanes();
        self.history.saw(evidence);
        if let Some(standing) = standing {
            if first {
                self.standings.found(standing);
            } else {
                self.standings.read(standing);
            }
            self.note_hidden_work(standing);
        }
        // A lane with a checkout of its own is looked at when that is opened.
        for lane in self.lanes.values_mut().filter(|_| !has_lanes) {
            if by_hook {
                // What a hook wrote is nothing to commit.
                lane.disown(evidence);
            }
            lane.latest = Some(evidence.clone());
            // A hook's look is not kept: what is committed is counted from the one before it.
            if first && !by_hook {
                lane.committed = Some(Committed { evidence: evidence.clone(), snapshot: snapshot.cloned() });
            }
            let committed = lane.committed.as_mut().filter(|_| !first && !by_hook);
            let is_moved =
                |then: &Committed| then.evidence.head.is_some() && then.evidence.head != evidence.head;
            if let Some(committed) = committed.filter(|then| is_moved(then)) {
                // Somebody has moved the branch between two sessions: it may lack what the run had committed.
                committed.evidence.tree.clear();
            }
        }
        self.survey = if self.next_baseline_check().is_some() { Survey::Baseline } else { Survey::Done };
        Ok(())
    }

    /// The baseline is over once every check has been run. What they wrote is looked at, so that it is taken neither
    /// for progress nor for work of the first iteration.
    pub(super) fn leave_baseline(&mut self) {
        if self.survey == Survey::Baseline && self.next_baseline_check().is_none() {
            self.survey = Survey::Again;
            let baseline = self.baseline.clone();
            self.tell_until(&baseline);
        }
    }

    pub(in crate::run) fn expects_check(&self, lane: LaneId, stage: CheckStage, check: u16) -> bool {
        if stage == CheckStage::Baseline {
            return self.survey == Survey::Baseline && self.next_baseline_check() == Some(check);
        }
        match self.lane(lane) {
            Some(LaneState::Gating(_, outcome, checking)) => {
                checking.stage == stage && self.next_check(lane, outcome, checking) == Some(check)
            }
            _ => false,
        }
    }
}

/// A lane's state after the runner that held it is gone: its clocks are void, a call is to be recovered, and what was
/// to be judged is kept and judged anew, since the tree may have changed meanwhile.
fn after_restart(state: &LaneState) -> LaneState {
    match state {
        LaneState::Idle { .. } | LaneState::Asking | LaneState::Cleared => LaneState::default(),
        LaneState::Calling(turn, call) | LaneState::Terminating(turn, call, _) => {
            LaneState::Recovering(turn.clone(), *call)
        }
        // Nothing was claimed and nothing checked: what the attempt left is known.
        LaneState::Judging(turn, outcome, judged)
            if turn.claim.is_none() && !outcome.claimed && judged.outcomes.is_empty() =>
        {
            state.clone()
        }
        // Whatever a person wrote meanwhile must be kept before anything is undone or checked, and is not the agent's.
        LaneState::Refusing(turn, outcome) | LaneState::Undoing(turn, outcome) => {
            LaneState::Keeping(turn.clone(), AttemptOutcome { kept: None, ..outcome.clone() })
        }
        // What has reached the branch is there, whatever became of the lane.
        LaneState::Judging(_, outcome, _) if outcome.in_git.landed => state.clone(),
        LaneState::Gating(turn, outcome, Checking { stage: CheckStage::Merged, first_pass, .. }) => {
            let judged = Judged { outcomes: Vec::new(), first_pass: *first_pass };
            LaneState::Queued(turn.clone(), outcome.clone(), judged)
        }
        LaneState::Gating(turn, outcome, Checking { first_pass, .. })
        | LaneState::Advancing(turn, outcome, Judged { first_pass, .. })
        | LaneState::Settling(turn, outcome, Judged { first_pass, .. })
        | LaneState::Judging(turn, outcome, Judged { first_pass, .. }) => {
            // A check that passed for the first time will not do so again: that was progress.
            let turn = Turn { progress: turn.progress || *first_pass, ..turn.clone() };
            LaneState::Keeping(turn, AttemptOutcome { kept: None, ..outcome.clone() })
        }
        // It is tried at least once more, whatever there is to end for.
        LaneState::Queued(turn, outcome, judged) => {
            let mut outcome = outcome.clone();
            outcome.in_git.held = false;
            LaneState::Queued(turn.clone(), outcome, judged.clone())
        }
        LaneState::Preparing(_)
        | LaneState::Opening(_)
        | LaneState::Recovering(..)
        | LaneState::Keeping(..)
        | LaneState::Landing(..)
        | LaneState::Recording(..)
        | LaneState::Closing(..) => state.clone(),
    }
}
