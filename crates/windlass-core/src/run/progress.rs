//! Progress: has this run seen this state of the world before?

use std::collections::BTreeSet;

use crate::values::{CheckOutcome, Evidence};

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
    pub fn is_new(&self, evidence: &Evidence) -> bool {
        !self.seen.contains(evidence)
    }

    /// The first state that was seen; `None` before any was.
    pub fn first(&self) -> Option<&Evidence> {
        self.baseline.as_ref()
    }

    /// Did a check pass that never passed before in this run?
    pub fn is_first_pass(&self, outcomes: &[CheckOutcome]) -> bool {
        outcomes.iter().any(|outcome| outcome.passed() && !self.passed.contains(&outcome.check))
    }

    /// Has an iteration of this run changed anything that is still changed?
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

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::values::CheckResult;

    fn tree(name: &str) -> Evidence {
        Evidence { head: None, tree: name.to_owned(), work: None }
    }

    fn outcome(check: u16, result: CheckResult) -> CheckOutcome {
        CheckOutcome {
            check,
            result,
            duration: Duration::ZERO,
            log: String::new(),
            last_line: String::new(),
            telling_line: String::new(),
        }
    }

    #[test]
    fn a_state_is_new_once_and_a_change_that_was_undone_is_none() {
        let mut history = History::default();
        history.saw(&tree("start"));
        assert!(!history.is_new(&tree("start")) && history.is_new(&tree("one")));
        assert!(!history.has_changed(&tree("one")), "nobody reached it");
        history.saw(&tree("a check wrote this"));
        assert!(!history.has_changed(&tree("a check wrote this")));
        history.reached(&tree("start"));
        assert!(!history.has_changed(&tree("one")), "that was there before");
        history.reached(&tree("one"));
        assert!(!history.is_new(&tree("one")) && history.has_changed(&tree("one")));
        assert!(!history.has_changed(&tree("start")), "it was undone");
        history.reached(&tree("one"));
        assert!(history.has_changed(&tree("one")), "and it stays changed");
    }

    #[test]
    fn a_check_passes_for_the_first_time_once() {
        let mut history = History::default();
        let (red, green) = (outcome(1, CheckResult::Failed(1)), outcome(1, CheckResult::Passed));
        assert!(!history.is_first_pass(&[]));
        history.checked(&red);
        assert!(!history.is_first_pass(std::slice::from_ref(&red)));
        assert!(history.is_first_pass(&[red.clone(), green.clone()]));
        history.checked(&green);
        assert!(!history.is_first_pass(std::slice::from_ref(&green)));
        assert!(history.is_first_pass(&[green, outcome(2, CheckResult::Passed)]));
    }
}
