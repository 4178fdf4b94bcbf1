//! Follow-up calls: is one due, and what does its answer mean?

use crate::claim;
use crate::fact::Fact;
use crate::run::Run;
use crate::run::lane::{AttemptOutcome, Judged, Turn};
use crate::spec::{Due, FollowUp};
use crate::values::{Assessment, CheckKind, LaneId, Verdict};

impl Run {
    /// The follow-up call that has to be made before an iteration ends with this verdict.
    pub(super) fn follow_up_before(&self, lane: LaneId, turn: &Turn, verdict: Verdict) -> Option<Fact> {
        let follow_up = self.follow_up(Due::ClaimCompletes)?;
        let completes = verdict == Verdict::ClaimAccepted && turn.claim.is_none() && self.would_complete();
        completes.then_some(Fact::FollowUpDue {
            lane,
            iteration: turn.iteration,
            attempt: turn.attempt,
            purpose: follow_up.purpose,
        })
    }

    /// The follow-up call for work that does not go together with the branch; `None` where its agent was asked often enough. What
    /// fails its checks once it was put together was put together wrongly; what conflicts again, others have overtaken.
    pub(super) fn follow_up_on_merge(
        &self,
        lane: LaneId,
        turn: &Turn,
        conflicts: &[String],
    ) -> Option<FollowUp> {
        let task = self.lanes.get(&lane).and_then(|lane| lane.task.as_ref());
        let lanes = self.spec.as_ref().and_then(|spec| spec.lanes.as_ref());
        let most = lanes.filter(|_| !conflicts.is_empty()).map_or(1, |lanes| lanes.merges.max(1));
        let asked = task.is_some_and(|at| at.merges >= most);
        self.follow_up(Due::MergeFails).filter(|_| turn.task.is_some() && !asked)
    }

    pub(super) fn follow_up(&self, due: Due) -> Option<FollowUp> {
        self.spec.as_ref()?.follow_ups().find(|follow_up| follow_up.due == due)
    }

    /// Would one more accepted claim complete the job?
    pub(super) fn would_complete(&self) -> bool {
        let by_check = self.checks(CheckKind::Until).next().is_some();
        let needed = self.spec.as_ref().map_or(1, |spec| claim::claims_needed(&spec.job));
        by_check || self.counters.claims + 1 >= needed
    }

    /// The verdict on a claim that a fresh agent was asked about. Without a judgement nothing is shown.
    pub(super) fn answered(&self, lane: LaneId, outcome: &AttemptOutcome, judged: &Judged) -> Verdict {
        let passes = outcome.summary.assessment.as_ref().is_some_and(Assessment::passes);
        let until = self.all_passed(CheckKind::Until, &judged.outcomes);
        // What stands in a file can be taken back while the agent looks.
        let stands = self.file_claims().unwrap_or(true) && !self.has_lost_its_plan();
        let shown = until && self.is_green(lane, outcome, &judged.outcomes) && self.held(lane).is_empty();
        let committed = outcome.in_git.refused.is_none();
        if passes && stands && shown && committed { Verdict::ClaimAccepted } else { Verdict::ClaimRefused }
    }
}
