//! Reviews, counted once more.

use windlass_core::values::{
    CallSummary, CheckKind, CheckStage, Class, Cut, Evidence, LaneId, Purpose, ReviewVerdict, Severity,
    StopReason,
};

use super::Tally;
use crate::invariant::at::{ReviewAnswer, Reviews};

/// So often the same, or nothing, before a run ends.
const STALEMATE: u32 = 3;

impl Tally {
    pub(super) fn has_reviewer(&self) -> bool {
        self.plan.as_ref().is_some_and(|plan| plan.review.is_some())
    }

    /// Work that no reviewer has let stand.
    pub(super) fn lacks_review(&self) -> bool {
        let Reviews { lacking, lets_stand, .. } = self.at.reviews;
        self.has_reviewer() && lacking && !lets_stand
    }

    pub(super) fn reserved_for(&mut self, purpose: Purpose) {
        // What is put together is looked over for itself, with what one that was cut short had begun of it.
        if purpose.keeps_claim() && !std::mem::replace(&mut self.at.merge_begun, true) {
            self.at.forget_reviews();
            self.at.reviews.lets_stand = false;
        }
        let reviews = &mut self.at.reviews;
        reviews.under_way = purpose == Purpose::Review;
        if reviews.under_way {
            reviews.began = reviews.began.take().or_else(|| self.at.latest.clone());
            if reviews.judged.is_none() && !self.at.outcomes.is_empty() {
                reviews.judged = self.at.latest.clone().zip(Some(self.at.outcomes.clone()));
            }
            (reviews.unusable, reviews.ended) = (false, false);
            self.at.before_review = Some(Box::new(reviews.clone()));
            reviews.asked = true;
        } else {
            (reviews.began, reviews.judged) = (None, None);
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
        self.at.reviews.ended =
            summary.class != Class::Interrupted && !summary.cut.is_some_and(Cut::is_of_run);
        self.at.reviews.answer = Some(answer.map_or(ReviewAnswer::Unusable, ReviewAnswer::Mend));
    }

    /// What a reviewer left is kept: does what the checks said still hold?
    pub(super) fn review_left(&mut self, evidence: &Evidence) {
        let is_heard = self.at.reviews.answer.is_some();
        if !is_heard {
            self.at.outcomes.clear();
        } else if !self.review_kept(evidence) || self.at.outcomes.is_empty() {
            let judged = self.at.reviews.judged.as_ref().filter(|(judged, _)| judged == evidence);
            self.at.outcomes = judged.map(|(_, outcomes)| outcomes.clone()).unwrap_or_default();
        }
    }

    /// What the reviewer left is kept: `false` where the checks have to judge again.
    fn review_kept(&mut self, evidence: &Evidence) -> bool {
        let reviews = &mut self.at.reviews;
        // Whoever lets stand what it has done away with has judged nothing.
        let is_before = |files: &Evidence| reviews.before.as_ref() == Some(&files.tree);
        let undone = is_before(evidence) && !reviews.began.as_ref().is_some_and(is_before);
        let answer = match reviews.answer.take() {
            Some(ReviewAnswer::Mend(found)) if found.is_empty() && undone => Some(ReviewAnswer::Unusable),
            answer => answer,
        };
        match answer {
            None => {}
            Some(ReviewAnswer::Unusable) => {
                reviews.unusable = true;
                self.unusable_reviews += 1;
            }
            Some(ReviewAnswer::Mend(found)) if found.is_empty() => {
                self.unusable_reviews = 0;
                reviews.lets_stand = true;
                self.at.forget_reviews();
            }
            Some(ReviewAnswer::Mend(found)) => {
                self.unusable_reviews = 0;
                reviews.in_a_row = if reviews.found == found { reviews.in_a_row + 1 } else { 1 };
                (reviews.rejected, reviews.found) = (Some(evidence.clone()), found);
            }
        }
        self.at.reviews.began.take().as_ref() == Some(evidence)
    }

    /// The reviewer's call is made again: nothing came of it. A checkout that was lost after its answer leaves that answer
    /// what it was.
    pub(super) fn review_repeats(&mut self, class: Class) {
        let lost = class == Class::Interrupted && self.at.reviews.ended;
        if lost {
            self.at.before_review = None;
        }
        if let (true, Some(before)) = (self.at.reviews.under_way, self.at.before_review.take()) {
            // Whoever was cut short has had no say.
            let counted = u32::from(self.at.reviews.unusable);
            self.unusable_reviews = self.unusable_reviews.saturating_sub(counted);
            self.at.reviews = *before;
        }
    }

    /// An agent that works left this.
    pub(super) fn note_change(&mut self, evidence: &Evidence) {
        let same = |before: &Evidence| (&before.tree, &before.work) == (&evidence.tree, &evidence.work);
        if self.has_reviewer() && !self.at.latest.as_ref().is_some_and(same) {
            if !self.at.reviews.lacking {
                self.at.reviews.before = self.at.latest.as_ref().map(|before| before.tree.clone());
            }
            self.at.reviews.lacking = true;
        }
    }

    pub(super) fn review_skipped(&mut self, lines: u32) {
        let reviews = &mut self.at.reviews;
        (reviews.lets_stand, reviews.rejected, reviews.in_a_row) = (true, None, 0);
        reviews.found.clear();
        if lines == 0 {
            (reviews.lacking, reviews.before) = (false, None);
        }
    }

    /// All checks of a candidate have judged.
    pub(super) fn count_standing_at(&mut self, stage: CheckStage) {
        let is_known = |check| self.at.outcomes.iter().any(|one| one.check == check);
        if stage == CheckStage::Candidate && self.checks(CheckKind::Until).all(is_known) {
            self.count_standing();
        }
    }

    /// The checks have judged, or the iteration ends: was what is there rejected before, and nobody was asked again? That
    /// counts once, also where a crash comes after it.
    pub(super) fn count_standing(&mut self) {
        if self.at.reviews.stood {
            return;
        }
        let green = self.is_green(self.at.claimed || self.at.by_file);
        let ended = matches!(self.at.class, Some(Class::Success | Class::MaxTurns | Class::BudgetExhausted));
        let of = |one: &Evidence| (one.tree.clone(), one.work.clone());
        let reviews = &self.at.reviews;
        let stands = reviews.rejected.as_ref().map(of) == self.at.newest.as_ref().map(of);
        if stands && reviews.rejected.is_some() && !reviews.asked && self.lacks_review() && green && ended {
            self.at.reviews.in_a_row += 1;
            self.at.reviews.stood = true;
        }
    }

    pub(super) fn stalemate(&self) -> Option<StopReason> {
        // A task is put aside for its own rejections, and the rest goes on.
        let rejected = if self.mode().has_tasks() { 0 } else { self.most(|at| at.reviews.in_a_row) };
        (rejected.max(self.unusable_reviews) >= STALEMATE).then_some(StopReason::ReviewStalemate)
    }

    /// What the task of a lane was rejected for often enough to be put aside.
    pub fn is_rejected_for_good(&self, lane: LaneId) -> bool {
        let at = if lane == self.here { Some(&self.at) } else { self.elsewhere.get(&lane) };
        at.is_some_and(|at| at.reviews.in_a_row >= STALEMATE)
    }

    pub(super) fn review_anew(&mut self) {
        self.unusable_reviews = 0;
        for at in self.elsewhere.values_mut().chain([&mut self.at]) {
            (at.reviews.in_a_row, at.reviews.rejected) = (0, None);
        }
    }
}
