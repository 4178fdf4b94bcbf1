//! Reviews, counted once more.

use windlass_core::values::{
    CallSummary, CheckKind, Class, Evidence, Purpose, ReviewVerdict, Severity, StopReason,
};

use super::Tally;
use crate::invariant::at::{ReviewAnswer, Reviews};

/// So often the same, or nothing, before a run ends.
const STALEMATE: u32 = 3;

impl Tally {
    fn has_reviewer(&self) -> bool {
        self.plan.as_ref().is_some_and(|plan| plan.review.is_some())
    }

    /// Work that no reviewer has let stand.
    pub(super) fn lacks_review(&self) -> bool {
        let Reviews { lacking, lets_stand, .. } = self.at.reviews;
        self.has_reviewer() && lacking && !lets_stand
    }

    pub(super) fn reserved_for(&mut self, purpose: Purpose) {
        let reviews = &mut self.at.reviews;
        reviews.under_way = purpose == Purpose::Review;
        if reviews.under_way {
            reviews.began.clone_from(&self.at.latest);
            self.before_review = Some(Box::new(reviews.clone()));
            reviews.asked = true;
        }
    }

    pub(super) fn review_finished(&mut self, summary: &CallSummary) {
        let review = summary.review.as_ref().filter(|_| summary.class == Class::Success);
        let answer = review.and_then(|review| {
            let blocking = review.findings.iter().filter(|found| found.severity == Severity::Blocking);
            let blocking: Vec<String> = blocking.map(|found| found.text.clone()).collect();
            let rejects = review.verdict == ReviewVerdict::Reject;
            // None of these nights has advice.
            (rejects != blocking.is_empty()).then_some(blocking)
        });
        self.at.reviews.answer = Some(answer.map_or(ReviewAnswer::Unusable, ReviewAnswer::Mend));
    }

    /// What the reviewer left is kept: `false` where the checks have to judge again.
    pub(super) fn review_kept(&mut self, evidence: &Evidence) -> bool {
        let reviews = &mut self.at.reviews;
        match reviews.answer.take() {
            None => {}
            Some(ReviewAnswer::Unusable) => reviews.unusable += 1,
            Some(ReviewAnswer::Mend(found)) if found.is_empty() => {
                (reviews.lacking, reviews.lets_stand, reviews.unusable) = (false, true, 0);
                (reviews.rejected, reviews.in_a_row) = (None, 0);
                reviews.found.clear();
            }
            Some(ReviewAnswer::Mend(found)) => {
                reviews.in_a_row = if reviews.found == found { reviews.in_a_row + 1 } else { 1 };
                (reviews.rejected, reviews.found, reviews.unusable) = (Some(evidence.clone()), found, 0);
            }
        }
        reviews.began.take().as_ref() == Some(evidence)
    }

    /// The reviewer's call is made again: nothing came of it.
    pub(super) fn review_repeats(&mut self) {
        if let (true, Some(before)) = (self.at.reviews.under_way, self.before_review.take()) {
            self.at.reviews = *before;
        }
    }

    /// An agent that works left this.
    pub(super) fn note_change(&mut self, evidence: &Evidence) {
        let same = |before: &Evidence| (&before.tree, &before.work) == (&evidence.tree, &evidence.work);
        if self.has_reviewer() && !self.at.latest.as_ref().is_some_and(same) {
            self.at.reviews.lacking = true;
        }
    }

    pub(super) fn review_skipped(&mut self, lines: u32) {
        let reviews = &mut self.at.reviews;
        (reviews.lets_stand, reviews.rejected, reviews.in_a_row) = (true, None, 0);
        reviews.found.clear();
        if lines == 0 {
            reviews.lacking = false;
        }
    }

    /// An iteration ended: was what is there rejected before, and nobody was asked again?
    pub(super) fn count_standing(&mut self) {
        let green = self.all_pass(CheckKind::Gate, &self.at.outcomes);
        let ended = matches!(self.at.class, Some(Class::Success | Class::MaxTurns | Class::BudgetExhausted));
        let of = |one: &Evidence| (one.tree.clone(), one.work.clone());
        let reviews = &self.at.reviews;
        let stands = reviews.rejected.as_ref().map(of) == self.at.newest.as_ref().map(of);
        if stands && reviews.rejected.is_some() && !reviews.asked && self.lacks_review() && green && ended {
            self.at.reviews.in_a_row += 1;
        }
    }

    pub(super) fn stalemate(&self) -> Option<StopReason> {
        let most = self.most(|at| at.reviews.in_a_row.max(at.reviews.unusable));
        (most >= STALEMATE).then_some(StopReason::ReviewStalemate)
    }

    pub(super) fn review_anew(&mut self) {
        let reviews = &mut self.at.reviews;
        (reviews.unusable, reviews.in_a_row, reviews.rejected) = (0, 0, None);
    }
}
