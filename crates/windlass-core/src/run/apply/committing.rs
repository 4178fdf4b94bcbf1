//! The facts of commits: what was made, and the tree as it is then.

use super::Applied;
use crate::fact::Fact;
use crate::report;
use crate::run::lane::{Checking, LaneState};
use crate::run::{CommitKind, Committed, Run};
use crate::values::{CheckStage, CommitNotes, Evidence, LaneId};

impl Run {
    pub(super) fn committed(
        &mut self,
        lane: LaneId,
        made: Option<&str>,
        evidence: &Evidence,
        altered: bool,
        refused: Option<&str>,
    ) -> Applied {
        let (turn, mut outcome, judged) = self.take_state(lane, "advancing", LaneState::try_as_advancing)?;
        let kind = self.commit_kind(lane, &outcome, &judged);
        outcome.in_git.attempted |= kind == CommitKind::Attempted && made.is_some();
        self.history.saw(evidence);
        self.remember(lane, evidence);
        outcome.in_git.commit = made.map(str::to_owned);
        outcome.in_git.refused = refused.map(str::to_owned);
        // What is held back until a person allows it is nothing that is tried again and again.
        if refused.is_none()
            && let Some(held) = self.lanes.get_mut(&lane)
        {
            let snapshot = outcome.kept.as_ref().and_then(|kept| kept.snapshot.clone());
            // Files changed, and nothing was to be committed: what is there is in no commit, and HEAD does not stand for it.
            let stays = |before: &Committed| {
                before.evidence.head == evidence.head && before.evidence.tree != evidence.tree
            };
            let is_elsewhere = made.is_none() && held.committed.as_ref().is_some_and(stays);
            let head = evidence.head.clone().filter(|_| !is_elsewhere);
            held.committed = Some(Committed { evidence: Evidence { head, ..evidence.clone() }, snapshot });
            held.task.iter_mut().for_each(|at| at.attempts.clear());
        }
        // What failed is not judged again, whatever hooks have made of it.
        let altered = altered && !outcome.in_git.attempted;
        let is_judged = !altered || judged.outcomes.is_empty();
        let state = if self.has_lanes() && refused.is_none() && is_judged {
            LaneState::Queued(turn, outcome, judged)
        } else if judged.outcomes.is_empty() {
            LaneState::Judging(turn, outcome, judged)
        } else if altered {
            let first_pass = judged.first_pass;
            LaneState::Gating(
                turn,
                outcome,
                Checking { stage: CheckStage::Committed, done: Vec::new(), first_pass },
            )
        } else {
            LaneState::Settling(turn, outcome, judged)
        };
        self.set_state(lane, state);
        Ok(())
    }

    pub(super) fn note_commit(&mut self, lane: LaneId, notes: &CommitNotes, is_made: bool) {
        let Some(held) = self.lanes.get_mut(&lane) else { return };
        held.hook_refusal.clone_from(&notes.hook_output);
        held.beside.clone_from(&notes.beside);
        held.has_conflict_marks = notes.has_conflict_marks;
        held.needs_person = notes.needs_person;
        // What the agent was not allowed to change is in the attempt's snapshot, and in no commit.
        if let (Some(committed), Some(snapshot), true) = (&mut held.committed, &notes.snapshot, is_made) {
            committed.snapshot = Some(snapshot.clone());
        }
    }

    /// Earlier releases did not commit what a failed call had left, even where that was the whole job: what they journalled
    /// next follows all the same.
    pub(super) fn pass_over_commit(&mut self, fact: &Fact) {
        let (lane, settles) = match fact {
            Fact::TreeRechecked(report::TreeRechecked { lane, .. }) => (*lane, true),
            Fact::FollowUpDue { lane, .. } | Fact::IterationFinished { lane, .. } => (*lane, false),
            _ => return,
        };
        let Some(LaneState::Advancing(turn, outcome, judged)) = self.lane(lane).cloned() else { return };
        if outcome.is_whole() || settles == judged.outcomes.is_empty() {
            return;
        }
        let passed_over = if settles { LaneState::Settling } else { LaneState::Judging };
        self.set_state(lane, passed_over(turn, outcome, judged));
    }

    pub(super) fn settled(&mut self, lane: LaneId, evidence: &Evidence) -> Applied {
        let (turn, outcome, judged) = self.take_state(lane, "settling", LaneState::try_as_settling)?;
        self.history.saw(evidence);
        self.disown(lane, evidence);
        self.remember(lane, evidence);
        let state = self.after_settling(lane, turn, outcome, judged);
        self.set_state(lane, state);
        Ok(())
    }
}
