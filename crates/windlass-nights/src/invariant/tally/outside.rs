//! The way out, counted once more: what is under way, how it ended, and which time does not count.

use windlass_core::report::{DeliveryBasis, DeliveryMove, DeliveryOutcome, DeliveryStep};
use windlass_core::spec::{CommitPolicy, DeliverySpec, Readiness};
use windlass_core::values::{Evidence, Now, StopReason};

use super::Tally;

/// What goes on outside.
#[derive(Clone, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "independent things that are true or not")]
pub(super) struct Outside {
    under_way: bool,
    /// Something is waited for there.
    waits: bool,
    /// A usage limit is waited for.
    limited: bool,
    /// What goes out is shown to be done.
    shown: bool,
    ended: Option<DeliveryOutcome>,
    /// The newest work that could go out was judged with files that are in no commit.
    beside: bool,
}

impl Tally {
    pub(super) fn delivery(&mut self, now: Now, step: &DeliveryStep) {
        self.outside.waits = false;
        let spec = self.plan.as_ref().and_then(|plan| plan.delivery.clone());
        let merges = spec.as_ref().is_some_and(|spec| spec.merge.is_some());
        let is_ready = |spec: &DeliverySpec| spec.readiness == Readiness::Ready;
        match step {
            DeliveryStep::Begun { basis, .. } => {
                let shown = *basis == DeliveryBasis::Shown;
                self.outside = Outside { under_way: true, shown, ended: None, ..self.outside };
            }
            DeliveryStep::Viewed { next, .. } | DeliveryStep::Stalled { next, .. } => match next {
                DeliveryMove::Do(_) => {}
                DeliveryMove::Wait { .. } => self.outside.waits = true,
                DeliveryMove::End { outcome, .. } => self.ended_outside(*outcome),
            },
            DeliveryStep::Opened { found, .. } => {
                let marks = *found && spec.as_ref().is_some_and(is_ready);
                if !(self.outside.shown && (merges || marks)) {
                    self.ended_outside(DeliveryOutcome::Left);
                }
            }
            DeliveryStep::Ordered { .. } if !merges => self.ended_outside(DeliveryOutcome::Left),
            DeliveryStep::Merged { .. } => self.ended_outside(DeliveryOutcome::Merged),
            DeliveryStep::Returned { .. } => {
                self.outside.under_way = false;
                (self.complete, self.claims) = (false, 0);
                for at in self.elsewhere.values_mut().chain([&mut self.at]) {
                    at.idle = 0;
                }
            }
            // Here the run is one for all.
            DeliveryStep::PartBegun { .. }
            | DeliveryStep::Branched { .. }
            | DeliveryStep::PartSeen { .. }
            | DeliveryStep::Ordered { .. }
            | DeliveryStep::Pushed { .. }
            | DeliveryStep::Due => {}
        }
        self.count_waits(now);
    }

    fn ended_outside(&mut self, outcome: DeliveryOutcome) {
        (self.outside.under_way, self.outside.ended) = (false, Some(outcome));
    }

    /// A usage limit is waited for from now on, or no more.
    pub(super) fn limited(&mut self, now: Now, limited: bool) {
        self.outside.limited = limited;
        self.count_waits(now);
    }

    /// Time counts while nothing at all is waited for.
    fn count_waits(&mut self, now: Now) {
        if self.outside.waits || self.outside.limited {
            self.waits_since.get_or_insert(now.monotonic);
        } else if let Some(since) = self.waits_since.take() {
            self.waited += now.monotonic.saturating_sub(since);
        }
    }

    /// It is looked at once, whatever was waited for; what ended otherwise than in a merge is looked at anew.
    pub(super) fn resumed_outside(&mut self) {
        let outside = &mut self.outside;
        outside.waits = false;
        if !outside.limited {
            self.waits_since = None;
        }
        let merged = [DeliveryOutcome::Merged, DeliveryOutcome::MergedByPerson];
        if outside.ended.is_some_and(|ended| !merged.contains(&ended)) {
            (outside.ended, outside.under_way) = (None, outside.shown);
        }
    }

    /// Is the work on its way out?
    pub fn is_going_out(&self) -> bool {
        self.outside.under_way
    }

    /// How its way out ended.
    pub fn outcome_outside(&self) -> Option<DeliveryOutcome> {
        self.outside.ended
    }

    /// With what a run ends whose job is done.
    pub fn done_reason(&self) -> Option<StopReason> {
        let reason = match self.outside.ended {
            _ if self.outside.beside => StopReason::NeedsHuman,
            Some(DeliveryOutcome::ClosedByPerson) => StopReason::ClosedByPerson,
            Some(DeliveryOutcome::CiFailed) => StopReason::CiFailed,
            Some(DeliveryOutcome::NeedsHuman) => StopReason::NeedsHuman,
            _ => StopReason::Complete,
        };
        self.complete.then_some(reason)
    }

    /// The commit that the newest iteration left, where its gates, its reviewer and the guard let it go out: all that they
    /// judged is in it, or beside it.
    pub fn shows(&self) -> Option<String> {
        let held = self.unaccepted(&self.at.suspicions).next().is_some();
        let green = self.is_green(self.at.claimed || self.at.by_file) && !self.lacks_review();
        let of = |one: &Evidence| (one.head.clone(), one.tree.clone());
        let is_it = self.at.latest.as_ref().map(of) == self.at.committed.as_ref().map(of);
        self.at.latest.as_ref().and_then(|latest| latest.head.clone()).filter(|_| green && is_it && !held)
    }

    /// Is the job called done, and what was judged in no commit? What whoever verified it has written is not what was called
    /// done.
    pub fn is_done_uncommitted(&self) -> bool {
        let commits = self.plan.as_ref().is_some_and(|plan| plan.commit == CommitPolicy::Runner);
        let is_it = self.is_committed() || self.at.verifying && self.at.claim_committed;
        commits && self.complete && !self.mode().has_tasks() && !is_it
    }

    /// Is all that is there in a commit, or nothing that is to be in one?
    pub(super) fn is_committed(&self) -> bool {
        let of = |one: &Evidence| one.tree.clone();
        self.at.latest.as_ref().map(of) == self.at.committed.as_ref().map(of)
    }

    /// A claim is put before a fresh agent, as it is now.
    pub(super) fn verifies(&mut self) {
        self.at.verifying = true;
        self.at.claim_shown = self.shows().is_some();
        self.at.claim_committed = self.is_committed();
        self.at.claim = Some((self.at.latest.clone(), self.at.outcomes.clone()));
    }

    /// Is there something beside it?
    pub fn is_beside(&self) -> bool {
        self.at.beside
    }

    /// An iteration ends: what is beside its work keeps that here.
    pub(super) fn note_beside(&mut self) {
        let delivers = self.plan.as_ref().is_some_and(|plan| plan.delivery.is_some());
        if delivers && self.is_alone() && (self.shows().is_some() || self.at.claim_shown) {
            self.outside.beside = self.at.beside;
        }
    }
}
