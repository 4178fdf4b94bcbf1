//! What is there when a run begins, and what is committed.

use windlass_core::report;

use super::Tally;

impl Tally {
    pub(super) fn committed(&mut self, committed: &report::Committed) -> Result<(), String> {
        let report::Committed { commit, evidence, altered, refused, .. } = committed;
        if commit.is_some() && self.lacks_review() {
            return Err("what no reviewer let stand is committed".to_owned());
        }
        self.at.stuck = refused.is_some();
        self.at.attempted |=
            self.mode().has_tasks() && commit.is_some() && !self.is_green(self.at.claimed || self.at.by_file);
        self.seen.insert(evidence.clone());
        self.at.latest = Some(evidence.clone());
        if *altered {
            self.at.outcomes.clear();
        }
        Ok(())
    }

    pub(super) fn baseline(&mut self, baseline: &report::BaselineCaptured) {
        if let Some(standing) = &baseline.standing {
            self.read(standing);
        }
        self.at.latest = Some(baseline.evidence.clone());
        self.first.get_or_insert_with(|| baseline.evidence.clone());
        self.seen.insert(baseline.evidence.clone());
    }
}
