//! Names of snapshots.

use std::fmt;
use std::str::FromStr;

use windlass_core::values::RunId;

/// Which snapshot of which run.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SnapshotName {
    /// The run.
    pub run: RunId,
    /// When in that run.
    pub moment: Moment,
}

impl SnapshotName {
    /// The command that brings back all of what it holds, the repository included.
    pub fn whole_restore(&self) -> String {
        format!("windlass restore {} {} --repository", self.run, self.moment)
    }
}

/// When a snapshot was taken. Shown, and read, as `3-1-before`, `3-1-after` (iteration, attempt), `start-1` or
/// `before-restore-1`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Moment {
    /// Around an iteration.
    Iteration {
        /// Its number, from 1.
        iteration: u32,
        /// Which attempt, from 1.
        attempt: u32,
        /// At its beginning or its end.
        side: Side,
    },
    /// Before a restore replaced files.
    BeforeRestore {
        /// Which restore of that run, from 1.
        number: u32,
    },
    /// When a session began, of the directory that it works for: checks, or agents that leave their lanes, may destroy that.
    SessionStart {
        /// Which session, from 1.
        number: u32,
    },
}

/// Which end of an iteration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Side {
    /// As it found the files.
    Before,
    /// As it left them.
    After,
}

impl fmt::Display for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Moment::Iteration { iteration, attempt, side: Side::Before } => {
                write!(f, "{iteration}-{attempt}-before")
            }
            Moment::Iteration { iteration, attempt, side: Side::After } => {
                write!(f, "{iteration}-{attempt}-after")
            }
            Moment::BeforeRestore { number } => write!(f, "before-restore-{number}"),
            Moment::SessionStart { number } => write!(f, "start-{number}"),
        }
    }
}

/// This is not a name of a snapshot.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("“{0}” names no snapshot; names look like 3-1-before, 3-1-after, start-1 or before-restore-1")]
pub struct NotAMoment(String);

impl FromStr for Moment {
    type Err = NotAMoment;

    fn from_str(text: &str) -> Result<Self, NotAMoment> {
        parse(text).ok_or_else(|| NotAMoment(text.to_owned()))
    }
}

fn parse(text: &str) -> Option<Moment> {
    if let Some(number) = text.strip_prefix("before-restore-") {
        return Some(Moment::BeforeRestore { number: number.parse().ok()? });
    }
    if let Some(number) = text.strip_prefix("start-") {
        return Some(Moment::SessionStart { number: number.parse().ok()? });
    }
    let mut parts = text.splitn(3, '-');
    let (iteration, attempt) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
    let side = match parts.next()? {
        "before" => Side::Before,
        "after" => Side::After,
        _ => return None,
    };
    Some(Moment::Iteration { iteration, attempt, side })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_read_back() {
        for text in ["3-1-before", "12-2-after", "before-restore-7", "start-2"] {
            assert_eq!(text.parse::<Moment>().unwrap().to_string(), text);
        }
        for wrong in [
            "",
            "3",
            "3-1",
            "3-1-later",
            "a-1-after",
            "before-restore-",
            "before-restore-x",
            "start-",
            "start-x",
            "-1-1-after",
        ] {
            assert!(wrong.parse::<Moment>().is_err(), "{wrong}");
        }
    }
}
