//! The facts of reviews: the work is put before a fresh agent, and what it said is taken in.

use super::Applied;
use crate::run::Run;
use crate::run::lane::{AttemptOutcome, Candidate, Checking, Judged, KeptTree, LaneState, Turn};
use crate::run::verdict::Course;
use crate::spec::Due;
use crate::values::{CallSummary, CheckStage, Class, LaneId, Reviewed};

impl Run {
    /// Where the checks let the work stand: what a reviewer has to say about it comes first. `None` where nobody is asked,
    /// or the same was rejected before.
    pub(super) fn before_review(
        &mut self,
        lane: LaneId,
        turn: &Turn,
        outcome: &mut AttemptOutcome,
        judged: &Judged,
    ) -> Option<LaneState> {
        if !self.is_review_due(lane, turn, outcome, judged) {
            return None;
        }
        if self.is_rejected_already(lane, outcome) {
            outcome.reviewed = Some(Reviewed::Rejected);
            self.note_rejected_again(lane);
            return None;
        }
        // What the checks wrote is none of what the reviewer writes.
        Some(if judged.outcomes.is_empty() {
            self.asked_to_review(lane, turn, outcome.clone(), judged.clone())
        } else {
            LaneState::Settling(turn.clone(), outcome.clone(), judged.clone())
        })
    }

    /// What the checks wrote was looked at: on to the reviewer, or to the verdict.
    pub(super) fn after_settling(
        &self,
        lane: LaneId,
        turn: Turn,
        outcome: AttemptOutcome,
        judged: Judged,
    ) -> LaneState {
        if self.is_review_due(lane, &turn, &outcome, &judged) {
            return self.asked_to_review(lane, &turn, outcome, judged);
        }
        LaneState::Judging(turn, outcome, judged)
    }

    fn asked_to_review(
        &self,
        lane: LaneId,
        turn: &Turn,
        outcome: AttemptOutcome,
        judged: Judged,
    ) -> LaneState {
        let evidence = self.latest_evidence(lane).cloned();
        match self.follow_up(Due::WorkStands) {
            Some(due) => {
                let candidate = Candidate { purpose: turn.purpose, outcome, judged, evidence };
                LaneState::Preparing(turn.follow_up_before(candidate, due.purpose))
            }
            None => LaneState::Judging(turn.clone(), outcome, judged),
        }
    }

    /// The reviewer's call is over, and what it left is kept.
    pub(super) fn after_review(&mut self, lane: LaneId, mut turn: Turn, answer: AttemptOutcome) -> LaneState {
        let Some(candidate) = turn.review.take() else {
            return LaneState::Judging(turn, answer, Judged::default());
        };
        if let Course::Repeat(_) = self.course(&turn, &answer) {
            turn.review = Some(candidate);
            return LaneState::Judging(turn, answer, Judged::default());
        }
        let seen = answer.kept.as_ref().map(|kept| &kept.evidence);
        let reviewed = match Reviewed::of(&answer.summary) {
            Reviewed::Passed if self.is_undone(lane, &candidate, seen) => Reviewed::Unusable,
            said => said,
        };
        self.note_review(lane, reviewed, answer.summary.review.as_ref(), seen);
        let moved = candidate.evidence.as_ref() != seen;
        let Candidate { outcome, judged, .. } = *candidate;
        let outcome = self.with_answer(outcome, answer, reviewed);
        self.after_answer(lane, turn, outcome, judged, moved)
    }

    /// Too little had changed: nobody was asked.
    pub(super) fn review_skipped(&mut self, lane: LaneId, lines: u32) -> Applied {
        let (mut turn, candidate) = self.take_state(lane, "preparing a review", |state| {
            let turn = state.try_as_preparing()?;
            let candidate = turn.review.clone()?;
            Some((turn, candidate))
        })?;
        let Candidate { purpose, mut outcome, judged, evidence } = *candidate;
        // It has become no attempt of its own.
        turn = Turn { attempt: turn.attempt.saturating_sub(1), purpose, review: None, ..turn };
        outcome.reviewed = Some(Reviewed::Skipped);
        self.note_review(lane, Reviewed::Skipped, None, None);
        if lines == 0
            && let Some(held) = self.lanes.get_mut(&lane)
        {
            // Whatever was changed was taken back.
            held.reviews.forget();
        }
        // What a person wrote while no runner lived is not what the gates judged: it is kept, and they judge again.
        let state = if evidence.as_ref() == self.latest_evidence(lane) {
            self.after_candidate(lane, turn, outcome, judged)
        } else {
            LaneState::Keeping(turn, AttemptOutcome { kept: None, ..outcome })
        };
        self.set_state(lane, state);
        Ok(())
    }

    /// What the reviewer has changed is a new candidate, which the gates judge again.
    fn after_answer(
        &mut self,
        lane: LaneId,
        turn: Turn,
        outcome: AttemptOutcome,
        judged: Judged,
        moved: bool,
    ) -> LaneState {
        if !moved {
            return self.after_candidate(lane, turn, outcome, judged);
        }
        let first_pass = judged.first_pass;
        let checking = Checking { stage: CheckStage::Candidate, done: Vec::new(), first_pass };
        self.next_after_checks(lane, turn, outcome, checking)
    }

    /// A claim in a file can be taken back while the reviewer looks. Of a task, the runner itself has done so.
    pub(in crate::run) fn claim_stands(&self) -> bool {
        self.is_of_tasks() || self.file_claims().unwrap_or(true)
    }

    /// The work as the reviewer left it. Its call is not the work's: how that went still decides.
    fn with_answer(
        &self,
        work: AttemptOutcome,
        answer: AttemptOutcome,
        reviewed: Reviewed,
    ) -> AttemptOutcome {
        let spent = answer.summary.class == Class::BudgetExhausted;
        let class = if spent { Class::BudgetExhausted } else { work.summary.class };
        let overage = work.summary.overage || answer.summary.overage;
        // What the work was like stays its own: whether it was new, and whether it changed anything.
        let kept = work.kept.zip(answer.kept).map(|(of_work, now)| KeptTree {
            evidence: now.evidence,
            snapshot: now.snapshot,
            ..of_work
        });
        AttemptOutcome {
            agent: work.agent,
            summary: CallSummary { class, overage, ..work.summary },
            claimed: work.claimed && self.claim_stands(),
            no_work: work.no_work,
            kept,
            reviewed: Some(reviewed),
            in_git: work.in_git,
        }
    }
}
