//! The merge queue: lanes bring their work to the branch one after another.

use crate::run::lane::{Checking, LaneState};
use crate::run::{Effect, Lane, Run};
use crate::values::{CheckStage, LaneId, MergeOutcome};

impl Run {
    /// Has each lane a checkout of its own?
    pub(super) fn has_lanes(&self) -> bool {
        self.spec.as_ref().is_some_and(|spec| spec.lanes.is_some())
    }

    /// The lane whose work is being brought to the branch: the first that came. Where its agent is to put it together with what
    /// has landed and cannot be called now, the next one need not wait for that.
    fn at_the_branch(&self) -> Option<LaneId> {
        let state = |id: &LaneId| self.lanes.get(id).map(|lane| &lane.state);
        let waits =
            |id: &LaneId| matches!(state(id), Some(LaneState::Preparing(_))) && !self.call_may_begin_in(*id);
        let begun = self.queue.iter().find(|id| state(id).is_some_and(is_at_the_branch));
        begun.or_else(|| self.queue.iter().find(|id| !waits(id))).copied()
    }

    /// Lanes come to the queue when their work is committed, and leave it once it has landed or cannot. While an agent puts its work
    /// together with the branch nothing else lands: it would have to do so again.
    pub(super) fn settle_queue(&mut self) {
        let lanes = &self.lanes;
        self.queue.retain(|id| lanes.get(id).is_some_and(is_bringing));
        let come = lanes.iter().filter(|(_, lane)| is_bringing(lane)).map(|(id, _)| *id);
        let come: Vec<LaneId> = come.filter(|id| !self.queue.contains(id)).collect();
        self.queue.extend(come);
    }

    /// What brings a lane's work nearer to the branch, if it is its turn.
    pub(super) fn outstanding_merge(&self, id: LaneId, lane: &Lane) -> Option<Effect> {
        if self.at_the_branch() != Some(id) {
            return None;
        }
        match &lane.state {
            LaneState::Queued(turn, outcome, _) => {
                Some(Effect::Merge { lane: id, turn: turn.key(), commit: outcome.in_git.commit.clone() })
            }
            LaneState::Landing(turn, outcome, _) => Some(Effect::Land {
                lane: id,
                turn: turn.key(),
                commit: outcome.in_git.commit.clone(),
                tip: outcome.in_git.tip.clone().unwrap_or_default(),
                task: turn.task.clone()?,
            }),
            _ => None,
        }
    }

    /// A task that changed nothing lands with what the branch has got meanwhile, and nobody but the gates knows whether that
    /// is done.
    pub(super) fn with_the_tip_judged(&self, lane: LaneId, tip: &str, outcome: MergeOutcome) -> MergeOutcome {
        match outcome {
            MergeOutcome::Clean { commit: None, .. } => {
                let task = self.lanes.get(&lane).and_then(|lane| lane.task.as_ref());
                let judged = task.and_then(|at| at.base.as_deref());
                MergeOutcome::Clean { commit: None, retest: judged != Some(tip) }
            }
            other => other,
        }
    }
}

/// It waits for the branch, or is being brought there.
fn is_bringing(lane: &Lane) -> bool {
    matches!(lane.state, LaneState::Queued(..)) || is_at_the_branch(&lane.state) || is_put_together(lane)
}

/// It was merged with the branch.
fn is_at_the_branch(state: &LaneState) -> bool {
    matches!(
        state,
        LaneState::Landing(..) | LaneState::Gating(_, _, Checking { stage: CheckStage::Merged, .. })
    )
}

/// Its agent is at work on what conflicts.
fn is_put_together(lane: &Lane) -> bool {
    let is_over = matches!(
        lane.state,
        LaneState::Opening(_) | LaneState::Recording(..) | LaneState::Judging(..) | LaneState::Closing(..)
    );
    let asked = lane.task.as_ref().is_some_and(|at| at.merges > 0);
    asked && !is_over && lane.state.turn().is_some()
}
