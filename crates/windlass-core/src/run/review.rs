//! Reviews: whose work has to be looked over, what a review came to, and when reviewer and agent will never agree.

use std::collections::BTreeSet;

use crate::run::lane::{AttemptOutcome, Candidate, Judged, LaneState, Turn};
use crate::run::{Run, TurnKey};
use crate::spec::{Due, ReviewScope, RunSpec};
use crate::values::{CriterionJudged, Evidence, LaneId, Review, ReviewFinding, Reviewed, StopReason};
use crate::words::some_clauses_of;

/// Rejections for the same findings, or reviews without a verdict, in a row after which a run ends.
pub const REVIEW_STALEMATE: u32 = 3;

/// So many findings are named in a sentence.
const NAMED: usize = 3;

/// What a lane knows of the reviews of its work.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Reviews {
    /// The first attempt that changed files since a reviewer last let the work stand.
    pub since: Option<TurnKey>,
    /// What was there before that attempt.
    pub before: Option<Evidence>,
    /// What stands against the work.
    pub rejection: Option<Rejection>,
}

/// A rejection that no later review has lifted.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Rejection {
    /// What the reviewer said.
    pub review: Review,
    /// What it was said of; `None` where it has to be asked about anew.
    pub of: Option<Evidence>,
    /// How often in a row the same was found.
    pub in_a_row: u32,
}

impl Rejection {
    fn findings(&self) -> BTreeSet<(&str, &str)> {
        identities(&self.review)
    }
}

impl Reviews {
    /// A fresh task, or work that may stand: whatever was said before is over.
    pub fn forget(&mut self) {
        *self = Reviews::default();
    }

    fn reject(&mut self, review: Review, of: Option<Evidence>) {
        let before = self.rejection.take().filter(|before| before.findings() == identities(&review));
        let in_a_row = before.map_or(1, |before| before.in_a_row.saturating_add(1));
        self.rejection = Some(Rejection { review, of, in_a_row });
    }
}

impl Run {
    /// What a reviewer has against the work of a lane, as it was last said.
    pub fn rejection(&self, lane: LaneId) -> Option<&Review> {
        Some(&self.lanes.get(&lane)?.reviews.rejection.as_ref()?.review)
    }

    /// The first attempt of a lane whose changes no reviewer has let stand.
    pub fn unreviewed_since(&self, lane: LaneId) -> Option<TurnKey> {
        self.lanes.get(&lane)?.reviews.since
    }

    pub(super) fn has_reviewer(&self) -> bool {
        self.follow_up(Due::WorkStands).is_some()
    }

    /// The success criteria that only a judgement shows to hold, of the task that a lane is at.
    fn judged_criteria(&self, lane: LaneId) -> impl Iterator<Item = &str> {
        let task = self.lanes.get(&lane).and_then(|held| held.task.as_ref()).map(|at| &at.id);
        let review = self.spec.as_ref().and_then(|spec| spec.review.as_ref()).filter(|_| self.has_reviewer());
        let all = review.map(|review| review.criteria.as_slice()).unwrap_or_default();
        all.iter().filter(move |of| task == Some(&of.task)).map(|of| of.text.as_str())
    }

    /// Those that the reviewer who is called in a lane has to judge: of a task that is not called done they say nothing yet.
    pub(super) fn criteria_in_review(&self, lane: LaneId) -> Vec<&str> {
        let candidate = self.lane(lane).and_then(LaneState::turn).and_then(|turn| turn.review.as_ref());
        let claimed = candidate.is_some_and(|candidate| candidate.outcome.claimed);
        self.judged_criteria(lane).filter(|_| claimed).collect()
    }

    /// Does a fresh agent judge whether the task of a lane is done?
    pub(super) fn is_judged(&self, lane: LaneId) -> bool {
        self.judged_criteria(lane).next().is_some()
    }

    /// Is the task called done, and has somebody to judge that?
    fn has_to_be_judged(&self, lane: LaneId, outcome: &AttemptOutcome) -> bool {
        outcome.claimed && self.is_judged(lane)
    }

    /// Is there work of agents that no reviewer has let stand, and of which each bit is looked over?
    fn has_unreviewed_work(&self, lane: LaneId) -> bool {
        let review = self.spec.as_ref().and_then(|spec| spec.review.as_ref());
        let each = review.is_some_and(|review| review.scope == ReviewScope::EachIteration);
        each && self.unreviewed_since(lane).is_some()
    }

    /// Is there something that a reviewer has to let stand, without any of the marks of a review?
    pub(super) fn lacks_review(&self, lane: LaneId, outcome: &AttemptOutcome) -> bool {
        let unseen = self.has_unreviewed_work(lane) && !outcome.reviewed.is_some_and(Reviewed::holds);
        // Whoever was not asked has judged nothing.
        unseen || self.has_to_be_judged(lane, outcome) && outcome.reviewed != Some(Reviewed::Passed)
    }

    /// Should a reviewer be asked, if nothing else stands against the work? Who was cut off has not finished it.
    pub(super) fn wants_review(&self, lane: LaneId, outcome: &AttemptOutcome) -> bool {
        let due = self.has_unreviewed_work(lane) || self.has_to_be_judged(lane, outcome);
        outcome.is_whole() && outcome.reviewed.is_none() && due
    }

    /// Should a reviewer be asked now: the gates are known, and nothing else stands against the work?
    pub(super) fn is_review_due(
        &self,
        lane: LaneId,
        turn: &Turn,
        outcome: &AttemptOutcome,
        judged: &Judged,
    ) -> bool {
        turn.claim.is_none()
            && self.wants_review(lane, outcome)
            && self.is_green(lane, outcome, &judged.outcomes)
    }

    /// Was the work as it is now rejected already? Asking again would cost the same and say the same.
    pub(super) fn is_rejected_already(&self, lane: LaneId, outcome: &AttemptOutcome) -> bool {
        let rejection = self.lanes.get(&lane).and_then(|lane| lane.reviews.rejection.as_ref());
        let of = rejection.and_then(|rejection| rejection.of.as_ref());
        let kept = outcome.kept.as_ref().map(|kept| &kept.evidence);
        // Who commits what was rejected has changed nothing about it.
        of.zip(kept).is_some_and(|(of, kept)| (&of.tree, &of.work) == (&kept.tree, &kept.work))
    }

    /// An agent that works has changed files.
    pub(super) fn note_unreviewed(&mut self, lane: LaneId, turn: &Turn) {
        if !self.has_reviewer() {
            return;
        }
        if let Some(held) = self.lanes.get_mut(&lane)
            && held.reviews.since.is_none()
        {
            held.reviews.since = Some(turn.key());
            held.reviews.before.clone_from(&held.latest);
        }
    }

    /// Has the reviewer who was called about this work left nothing of it? Whatever it says then is about files that are not there.
    pub(super) fn is_undone(&self, lane: LaneId, work: &Candidate, now: Option<&Evidence>) -> bool {
        fn files(evidence: &Evidence) -> &str {
            &evidence.tree
        }
        let before = self.lanes.get(&lane).and_then(|held| held.reviews.before.as_ref()).map(files);
        let judged =
            work.evidence.as_ref().or(work.outcome.kept.as_ref().map(|kept| &kept.evidence)).map(files);
        before.is_some() && now.map(files) == before && judged != before
    }

    /// Counts what a review came to; `of` is what was looked at, as it is now.
    pub(super) fn note_review(
        &mut self,
        lane: LaneId,
        reviewed: Reviewed,
        review: Option<&Review>,
        of: Option<&Evidence>,
    ) {
        let unusable = &mut self.counters.unusable_reviews;
        *unusable = match reviewed {
            Reviewed::Unusable => unusable.saturating_add(1),
            Reviewed::Skipped => *unusable,
            Reviewed::Passed | Reviewed::Rejected => 0,
        };
        let Some(held) = self.lanes.get_mut(&lane) else { return };
        match (reviewed, review) {
            (Reviewed::Passed, _) => held.reviews.forget(),
            (Reviewed::Rejected, Some(review)) => held.reviews.reject(review.clone(), of.cloned()),
            (Reviewed::Skipped, _) => held.reviews.rejection = None,
            (Reviewed::Rejected | Reviewed::Unusable, _) => {}
        }
    }

    /// The agent left the tree as it was rejected: that is the same once more.
    pub(super) fn note_rejected_again(&mut self, lane: LaneId) {
        let reviews = self.lanes.get_mut(&lane).map(|held| &mut held.reviews);
        if let Some(rejection) = reviews.and_then(|reviews| reviews.rejection.as_mut()) {
            rejection.in_a_row = rejection.in_a_row.saturating_add(1);
        }
    }

    /// An ended run goes on: the reviewer is asked anew, also about what it has seen.
    pub(super) fn review_anew(&mut self) {
        self.counters.unusable_reviews = 0;
        for rejection in self.lanes.values_mut().filter_map(|lane| lane.reviews.rejection.as_mut()) {
            rejection.in_a_row = 0;
            rejection.of = None;
        }
    }

    /// Nothing new comes of asking. A task is parked for its own rejections, and the rest goes on.
    pub(super) fn review_stalemate(&self, spec: &RunSpec) -> Option<(StopReason, String)> {
        let anew = format!("`windlass resume {}` asks anew", spec.run);
        let unusable = self.counters.unusable_reviews;
        if unusable >= REVIEW_STALEMATE {
            let detail = format!("{unusable} reviews in a row gave no verdict that can be used; {anew}");
            return Some((StopReason::ReviewStalemate, detail));
        }
        if self.is_of_tasks() {
            return None;
        }
        let times = REVIEW_STALEMATE;
        let said = self.lanes.keys().find_map(|lane| self.rejected_in_a_row(*lane))?;
        Some((
            StopReason::ReviewStalemate,
            format!("a reviewer rejected the work {times} times in a row for the same: {said}; {anew}"),
        ))
    }

    /// What a lane's work was rejected for too often in a row.
    pub(super) fn rejected_in_a_row(&self, lane: LaneId) -> Option<String> {
        let rejection = self.lanes.get(&lane)?.reviews.rejection.as_ref()?;
        (rejection.in_a_row >= REVIEW_STALEMATE).then(|| found(&rejection.review))
    }

    /// What a reviewer has against the work of a lane, in few words.
    pub(super) fn rejected_for(&self, lane: LaneId) -> Option<String> {
        self.rejection(lane).map(found)
    }
}

fn identities(review: &Review) -> BTreeSet<(&str, &str)> {
    let unmet = review.unmet().map(|judged| ("", judged.criterion.as_str()));
    review.blocking().map(ReviewFinding::identity).chain(unmet).collect()
}

/// The first findings, with how many more there are.
fn found(review: &Review) -> String {
    let clause = |finding: &ReviewFinding| match finding.file.as_str() {
        "" => finding.text.clone(),
        file => format!("{file}: {}", finding.text),
    };
    let unmet = |judged: &CriterionJudged| format!("not met: {}", judged.criterion);
    let all: Vec<String> = review.unmet().map(unmet).chain(review.blocking().map(clause)).collect();
    some_clauses_of(all.iter(), NAMED)
}
