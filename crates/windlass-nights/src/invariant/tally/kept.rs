//! What is there when a run begins, and what is committed.

use windlass_core::report;
use windlass_core::values::{Evidence, HookDecision, HookName};

use super::Tally;

impl Tally {
    pub(super) fn committed(&mut self, committed: &report::Committed) -> Result<(), String> {
        let report::Committed { commit, evidence, altered, refused, notes, .. } = committed;
        let holds = self.is_green(self.at.claimed || self.at.by_file) && !self.lacks_review();
        if commit.is_some() && self.lacks_review() && !self.keeps_attempts() {
            return Err("what no reviewer let stand is committed".to_owned());
        }
        self.at.stuck = refused.is_some();
        self.at.attempted |= self.mode().has_tasks() && commit.is_some() && !holds;
        self.seen.insert(evidence.clone());
        self.at.latest = Some(evidence.clone());
        self.at.beside = !notes.beside.is_empty();
        // Files changed, and nothing was to be committed: what is there is in no commit.
        let stays = |before: &Evidence| before.head == evidence.head && before.tree != evidence.tree;
        let is_elsewhere = commit.is_none() && self.at.committed.as_ref().is_some_and(stays);
        if refused.is_none() {
            let head = evidence.head.clone().filter(|_| !is_elsewhere);
            self.at.committed = Some(Evidence { head, ..evidence.clone() });
        }
        if *altered {
            self.at.outcomes.clear();
        }
        Ok(())
    }

    /// Somebody has looked at what the checks wrote.
    pub(super) fn rechecked(&mut self, evidence: &Evidence) {
        self.at.disown(evidence);
        self.at.latest = Some(evidence.clone());
        self.seen.insert(evidence.clone());
    }

    pub(super) fn hooked(&mut self, finished: &report::HookFinished) {
        self.at.hooked = true;
        if finished.hook == HookName::NextIteration {
            let skips = finished.outcome.decision == HookDecision::Skip;
            self.skips = if skips { self.skips + 1 } else { 0 };
        }
    }

    /// Is what does not hold committed as an attempt?
    pub(super) fn keeps_attempts(&self) -> bool {
        let plan = self.plan.as_ref().filter(|plan| plan.lanes.is_none());
        plan.and_then(|plan| plan.job.tasks.as_ref()).is_some_and(|tasks| tasks.commits_attempts)
    }

    pub(super) fn baseline(&mut self, baseline: &report::BaselineCaptured) {
        if let Some(standing) = &baseline.standing {
            self.read(standing);
        }
        // A lane with a checkout of its own is looked at when that is opened.
        if self.is_alone() {
            // What a person writes before a review that is due is for the checks to judge.
            if self.at.open && self.has_reviewer() {
                let before = self.at.latest.clone();
                self.at.reviews.began = self.at.reviews.began.take().or(before);
            }
            let by_hook = std::mem::take(&mut self.at.hooked);
            if by_hook {
                self.at.disown(&baseline.evidence);
            }
            self.at.latest = Some(baseline.evidence.clone());
            // The first look is the run's own, whatever a hook has done before it.
            if self.started == 0 && (!by_hook || self.at.committed.is_none()) {
                self.at.committed = Some(baseline.evidence.clone());
            }
        }
        self.first.get_or_insert_with(|| baseline.evidence.clone());
        self.seen.insert(baseline.evidence.clone());
    }
}
