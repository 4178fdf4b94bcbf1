//! What goes on without a break in a lane: failures, iterations without progress, refused claims. A lane is at one task at
//! a time, and begins to count anew with the next one: what one task fails at is not held against another. Whether all of
//! them fail for one reason is seen by how many are parked before any is done.

use crate::run::Run;
use crate::values::{Class, CountedAnew, StopReason, Verdict};

/// A lane's rows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Rows {
    /// Failed iterations.
    pub failures: u32,
    /// Iterations without progress.
    pub idle: u32,
    /// Of these the last ones in which the agent claimed to be done, and nothing had changed.
    pub unsupported: u32,
    /// Claims that the same checks refused.
    pub refused: u32,
    /// Those checks.
    pub checks: Vec<u16>,
}

impl Rows {
    /// An iteration ended.
    pub fn count(&mut self, verdict: Verdict, class: Class, progress: bool) {
        self.failures = match verdict {
            // An outage has bounds of its own, and is waited for: it is not a failure, and heals none.
            Verdict::Failed if class == Class::Outage => self.failures,
            Verdict::Failed => self.failures + 1,
            _ => 0,
        };
        self.idle = match verdict {
            _ if progress => 0,
            // A failure is counted as a failure; a claim that stands lets the counter rest.
            Verdict::Failed | Verdict::ClaimAccepted => self.idle,
            _ => self.idle + 1,
        };
        let again = verdict == Verdict::ClaimUnsupported && !progress;
        self.unsupported = if again { self.unsupported + 1 } else { 0 };
    }

    /// A claim was refused, by these checks; `otherwise`: by none of them, which whoever did it counts.
    pub fn refuse(&mut self, checks: Vec<u16>, otherwise: bool) {
        self.refused = match self.refused {
            _ if otherwise => 0,
            before if self.checks == checks => before + 1,
            _ => 1,
        };
        self.checks = checks;
    }
}

impl Run {
    /// The longest rows of its lanes are the run's.
    pub(super) fn count_rows(&mut self) {
        let longest =
            |row: fn(&Rows) -> u32| self.lanes.values().map(|lane| row(&lane.rows)).max().unwrap_or(0);
        let (failures, idle) = (longest(|rows| rows.failures), longest(|rows| rows.idle));
        self.refused.in_a_row = longest(|rows| rows.refused);
        (self.counters.failures, self.counters.idle) = (failures, idle);
    }

    /// What comes now is about something else than what nothing came of.
    pub(super) fn forget_idle_rows(&mut self) {
        for rows in self.lanes.values_mut().map(|lane| &mut lane.rows) {
            (rows.idle, rows.unsupported) = (0, 0);
        }
        self.count_rows();
    }

    /// An ended run goes on: what it ended by begins anew.
    pub(super) fn begin_rows_anew(&mut self, ended_by: StopReason) {
        for rows in self.lanes.values_mut().map(|lane| &mut lane.rows) {
            match ended_by.counted_anew() {
                CountedAnew::None => {}
                CountedAnew::Failures => rows.failures = 0,
                CountedAnew::Idle => (rows.idle, rows.unsupported) = (0, 0),
                CountedAnew::Refusals => rows.refused = 0,
            }
        }
        if ended_by.counted_anew() == CountedAnew::Failures {
            self.counters.parked = 0;
        }
        self.count_rows();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_outage_neither_is_a_failure_nor_heals_one() {
        let mut rows = Rows::default();
        let table = [
            (Verdict::Failed, Class::TaskFailure, 1),
            (Verdict::Failed, Class::Outage, 1),
            (Verdict::Failed, Class::Unknown, 2),
            (Verdict::Worked, Class::Success, 0),
            (Verdict::Failed, Class::Outage, 0),
        ];
        for (verdict, class, failures) in table {
            rows.count(verdict, class, false);
            assert_eq!(rows.failures, failures, "{verdict:?} {class:?}");
        }
    }

    #[test]
    fn claims_without_a_change_are_counted_until_something_changes() {
        let mut rows = Rows::default();
        let table = [
            (Verdict::ClaimUnsupported, false, 1),
            (Verdict::ClaimUnsupported, false, 2),
            (Verdict::ClaimUnsupported, true, 0),
            (Verdict::ClaimUnsupported, false, 1),
            (Verdict::Idle, false, 0),
        ];
        for (verdict, progress, unsupported) in table {
            rows.count(verdict, Class::Success, progress);
            assert_eq!(rows.unsupported, unsupported, "{verdict:?} {progress}");
        }
    }

    #[test]
    fn refusals_by_the_same_checks_are_counted() {
        let mut rows = Rows::default();
        let table = [
            (vec![], false, 1),
            (vec![1], false, 1),
            (vec![1], false, 2),
            (vec![1], true, 0),
            (vec![1], false, 1),
            (vec![1, 2], false, 1),
        ];
        for (checks, otherwise, refused) in table {
            rows.refused = if checks.is_empty() { 0 } else { rows.refused };
            rows.refuse(checks.clone(), otherwise);
            assert_eq!(rows.refused, refused, "{checks:?} {otherwise}");
        }
    }
}
