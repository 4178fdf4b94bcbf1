//! Progress: has this run seen this state of the world before?

use std::collections::BTreeSet;

use crate::fact::{CheckOutcome, Evidence};

/// Every state that a run has seen, and every check that has passed in it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct History {
    seen: BTreeSet<Evidence>,
    passed: BTreeSet<u16>,
    baseline: Option<Evidence>,
    changed: bool,
}

impl History {
    /// Is this a state that the run has not seen? A→B→A is none.
    #[must_use]
    pub fn is_new(&self, evidence: &Evidence) -> bool {
        !self.seen.contains(evidence)
    }

    /// Did a check pass that never passed before in this run?
    #[must_use]
    pub fn is_first_pass(&self, outcomes: &[CheckOutcome]) -> bool {
        outcomes.iter().any(|outcome| outcome.passed() && !self.passed.contains(&outcome.check))
    }

    /// Has an iteration of this run changed anything that is still changed?
    #[must_use]
    pub fn has_changed(&self, now: &Evidence) -> bool {
        self.changed && self.baseline.as_ref() != Some(now)
    }

    /// A state that no iteration made: before the first one, after a resume, what a check or a commit left.
    pub(crate) fn saw(&mut self, evidence: &Evidence) {
        self.baseline.get_or_insert_with(|| evidence.clone());
        self.seen.insert(evidence.clone());
    }

    /// A state that an iteration left.
    pub(crate) fn reached(&mut self, evidence: &Evidence) {
        self.changed |= self.seen.insert(evidence.clone());
    }

    pub(crate) fn checked(&mut self, outcome: &CheckOutcome) {
        if outcome.passed() {
            self.passed.insert(outcome.check);
        }
    }
}
