//! What is there when a run begins, and what is committed.

use windlass_core::report;

use super::Tally;

impl Tally {
    pub(super) fn committed(&mut self, committed: &report::Committed) -> Result<(), String> {
        let report::Committed { commit, evidence, altered, refused, .. } = committed;
        let holds = self.is_green(self.at.claimed || self.at.by_file) && !self.lacks_review();
        if commit.is_some() && self.lacks_review() && !self.keeps_attempts() {
            return Err("what no reviewer let stand is committed".to_owned());
        }
        self.at.stuck = refused.is_some();
        self.at.attempted |= self.mode().has_tasks() && commit.is_some() && !holds;
        self.seen.insert(evidence.clone());
        self.at.latest = Some(evidence.clone());
        if *altered {
            self.at.outcomes.clear();
        }
        Ok(())
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
            self.at.latest = Some(baseline.evidence.clone());
        }
        self.first.get_or_insert_with(|| baseline.evidence.clone());
        self.seen.insert(baseline.evidence.clone());
    }
}
