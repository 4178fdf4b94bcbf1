//! Checks that a forge runs on a commit.

use serde::{Deserialize, Serialize};

/// How a check of a forge stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CheckState {
    /// It waits or is being run.
    Pending,
    /// It succeeded.
    Passed,
    /// It was not run on purpose, or has no opinion.
    Skipped,
    /// It failed, ran out of time, or could not be started.
    Failed,
    /// Somebody cancelled it: it says nothing of the work, and did not pass.
    Cancelled,
    /// The forge said something that this version does not know.
    #[default]
    Unknown,
}

/// A check that a forge runs on a commit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ForgeCheck {
    /// Its name.
    pub name: String,
    /// How it stands.
    pub state: CheckState,
    /// The job whose log says why, where the forge keeps one.
    pub job: Option<u64>,
    /// What whoever runs it says of it in a line.
    pub description: String,
}

/// How many checks of a commit stand how.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckTally {
    /// Still to be waited for.
    #[serde(default)]
    pub pending: u32,
    /// Passed, or skipped on purpose.
    #[serde(default)]
    pub passed: u32,
    /// Did not pass: failed or cancelled.
    #[serde(default)]
    pub failed: u32,
    /// Nobody knows.
    #[serde(default)]
    pub unknown: u32,
}

/// What the checks of a commit come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CheckVerdict {
    /// There are none. Right after a push that says nothing.
    Absent,
    /// Some are not over.
    Pending,
    /// Each is over, and one at least did not pass.
    Red,
    /// Each is over, and passed or was skipped on purpose.
    Green,
    /// What some of them say is not known.
    Unknown,
}

impl CheckTally {
    /// Counts. Where the forge did not show all of them, one is unknown.
    pub fn of(checks: &[ForgeCheck], has_more: bool) -> CheckTally {
        let mut tally = CheckTally { unknown: u32::from(has_more), ..CheckTally::default() };
        for check in checks {
            let count = match check.state {
                CheckState::Pending => &mut tally.pending,
                CheckState::Passed | CheckState::Skipped => &mut tally.passed,
                CheckState::Failed | CheckState::Cancelled => &mut tally.failed,
                CheckState::Unknown => &mut tally.unknown,
            };
            *count += 1;
        }
        tally
    }

    /// How many there are.
    pub const fn total(self) -> u32 {
        self.pending + self.passed + self.failed + self.unknown
    }

    /// What they come to together.
    pub const fn verdict(self) -> CheckVerdict {
        if self.total() == 0 {
            CheckVerdict::Absent
        } else if self.pending > 0 {
            CheckVerdict::Pending
        } else if self.failed > 0 {
            CheckVerdict::Red
        } else if self.unknown > 0 {
            CheckVerdict::Unknown
        } else {
            CheckVerdict::Green
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(states: &[CheckState]) -> CheckVerdict {
        let check = |state: &CheckState| ForgeCheck { state: *state, ..ForgeCheck::default() };
        let checks: Vec<ForgeCheck> = states.iter().map(check).collect();
        CheckTally::of(&checks, false).verdict()
    }

    #[test]
    fn nothing_but_what_passed_is_green() {
        use CheckState::{Cancelled, Failed, Passed, Pending, Skipped, Unknown};
        assert_eq!(verdict(&[]), CheckVerdict::Absent);
        assert_eq!(verdict(&[Passed, Skipped]), CheckVerdict::Green);
        assert_eq!(verdict(&[Passed, Pending, Failed]), CheckVerdict::Pending);
        assert_eq!(verdict(&[Passed, Failed]), CheckVerdict::Red);
        // All of them cancelled is not all of them passed.
        assert_eq!(verdict(&[Cancelled, Cancelled]), CheckVerdict::Red);
        assert_eq!(verdict(&[Passed, Unknown]), CheckVerdict::Unknown);
        assert_eq!(CheckTally::of(&[], true).verdict(), CheckVerdict::Unknown);
    }
}
