//! The names of a run's commits on a git remote.

use windlass_core::values::{LaneId, RunId};

use crate::git::ObjectId;

/// What all of them begin with: no branch and no tag does.
const NAMESPACE: &str = "refs/windlass/";

/// The longest name of a run that becomes a part of one.
const LONGEST_RUN: usize = 64;

/// Whose commits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Of the branch.
    Base,
    /// What a lane has made.
    Lane(LaneId),
}

/// The names of one run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RunRefs {
    /// With a slash at its end.
    prefix: String,
}

impl RunRefs {
    /// `None` where the run's name cannot be a part of one.
    pub fn of(run: &RunId) -> Option<RunRefs> {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
        let is_part = (1..=LONGEST_RUN).contains(&run.0.len())
            && run.0.bytes().all(plain)
            && run.0.bytes().next().is_some_and(|first| first.is_ascii_alphanumeric());
        is_part.then(|| RunRefs { prefix: format!("{NAMESPACE}{}/", run.0) })
    }

    /// A commit's. It is named after what it names: so what is there under this name is the same, or somebody else's.
    pub fn name(&self, part: Part, commit: ObjectId) -> String {
        format!("{}{}", self.prefix, below(part, commit))
    }

    /// Is it one that [`name`](RunRefs::name) gives?
    pub fn is_own(&self, name: &str) -> bool {
        let Some((part, commit)) = name.strip_prefix(&self.prefix).and_then(|rest| rest.split_once('/'))
        else {
            return false;
        };
        let Some(commit) = ObjectId::from_hex(commit.as_bytes()) else { return false };
        let part = match part.strip_prefix("lane-").map(str::parse) {
            Some(Ok(lane)) => Part::Lane(LaneId(lane)),
            Some(Err(_)) => return false,
            None => Part::Base,
        };
        self.name(part, commit) == name
    }

    /// What all of them match.
    pub fn pattern(&self) -> String {
        format!("{}*", self.prefix)
    }
}

/// A commit's name below that of its run.
pub(super) fn below(part: Part, commit: ObjectId) -> String {
    match part {
        Part::Base => format!("base/{commit}"),
        Part::Lane(lane) => format!("lane-{lane}/{commit}"),
    }
}

/// One that is never written: whether it might be is asked before there is a run.
pub(super) fn trial(commit: ObjectId) -> String {
    format!("{NAMESPACE}trial/{commit}")
}

#[cfg(test)]
mod tests {
    use super::*;

    const COMMIT: &str = "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391";

    fn refs() -> RunRefs {
        RunRefs::of(&RunId("r-1".to_owned())).unwrap()
    }

    #[test]
    fn a_commit_of_a_run_has_one_name() {
        let commit = ObjectId::from_hex(COMMIT.as_bytes()).unwrap();
        let base = refs().name(Part::Base, commit);
        assert_eq!(base, format!("refs/windlass/r-1/base/{COMMIT}"));
        let lane = refs().name(Part::Lane(LaneId(7)), commit);
        assert_eq!(lane, format!("refs/windlass/r-1/lane-7/{COMMIT}"));
        assert!(refs().is_own(&base) && refs().is_own(&lane));
    }

    #[test]
    fn what_is_not_the_runs_own_is_not_taken_for_it() {
        for name in [
            "refs/heads/main".to_owned(),
            format!("refs/heads/refs/windlass/r-1/base/{COMMIT}"),
            format!("refs/windlass/r-10/base/{COMMIT}"),
            format!("refs/windlass/r-2/lane-1/{COMMIT}"),
            format!("refs/windlass/r-1/lane-01/{COMMIT}"),
            format!("refs/windlass/r-1/lane-x/{COMMIT}"),
            format!("refs/windlass/r-1/other/{COMMIT}"),
            format!("refs/windlass/r-1/base/../{COMMIT}"),
            format!("refs/windlass/r-1/base/{COMMIT}/x"),
            "refs/windlass/r-1/base/main".to_owned(),
            "refs/windlass/r-1/base/E69DE29BB2D1D6434B8B29AE775AD8C2E48C5391".to_owned(),
            "refs/windlass/r-1/".to_owned(),
            String::new(),
        ] {
            assert!(!refs().is_own(&name), "{name}");
        }
    }

    #[test]
    fn a_run_whose_name_leads_elsewhere_has_none() {
        for run in ["", "..", "a/b", "-x", "r 1", "r-1\n", "r:1", "r*", "r.lock", &"r".repeat(65)] {
            assert_eq!(RunRefs::of(&RunId(run.to_owned())), None, "{run:?}");
        }
    }
}
