//! What travels: an order with where its worker finds what it needs, and what came of it with where that is found.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use windlass_core::run::{Order, Reported};
use windlass_core::values::LaneId;

use super::Content;
use super::sealed::Sealed;
use crate::layout::Store;
use crate::leases::Payer;
use crate::names::{NameError, WorkerName, checked_commit, checked_run, checked_run_file};
use crate::store::ContentId;

/// So many files are named in one outcome.
pub const MOST_FILES: usize = 512;

/// So many are named in one order who are held back.
pub const MOST_HELD_BACK: usize = 256;

/// An order on its way to a worker.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Errand {
    /// What is to be done.
    pub order: Order,
    /// What is to be known of the run: a file of [`Store::Code`].
    pub run: ContentId,
    /// The commits that it may need.
    #[serde(flatten)]
    pub code: OfferedCode,
    /// Who is not to take it, since a usage limit holds them back.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub held_back: Vec<HeldBack>,
}

/// Commits of the branch, and how a worker gets them: by one way or the other. Neither where an order needs none.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OfferedCode {
    /// As packs, each built on those before it: the last one brings the tip of the branch.
    #[serde(default, rename = "code", skip_serializing_if = "Vec::is_empty")]
    pub packs: Vec<CodePart>,
    /// The tip of the branch, which the runner has pushed to the git remote that commits of this run travel through.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pushed: Option<String>,
}

impl OfferedCode {
    /// The tip of the branch; `None` where the order needs none.
    pub fn tip(&self) -> Option<&str> {
        self.pushed.as_deref().or_else(|| Some(&self.packs.last()?.commit))
    }
}

/// Somebody whom a usage limit holds back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HeldBack {
    /// Who.
    pub payer: Payer,
    /// Until when, by the runner's clock: by this the same limit is known again.
    pub until: Timestamp,
    /// How long that is from when this was sent, in milliseconds: no clocks are compared.
    pub left_ms: u64,
}

/// A commit of the branch, and the pack that brings it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CodePart {
    /// The commit, in hexadecimal digits.
    pub commit: String,
    /// What it needs beyond the parts before it: a file of [`Store::Code`].
    pub pack: ContentId,
}

/// What came of an order, on its way to the runner.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// Who carried it out.
    pub worker: WorkerName,
    /// In which lane.
    pub lane: LaneId,
    /// Which outcome of this holder of the lane it is, counted from 1: one that comes twice is known by it.
    pub number: u64,
    /// What is reported, in its order.
    pub reported: Vec<Reported>,
    /// Files of the run's folder that are new or have changed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<RunFile>,
    /// Commits of the lane that the runner needs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub made: Option<MadeCode>,
    /// The lane is given up here, and why, in a sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub given_up: Option<String>,
    /// The task whose unfinished work this is, where the worker has lost the lane meanwhile.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub late_work_on: Option<String>,
}

/// A file of the run's folder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunFile {
    /// Below the run's folder, with `/` between its parts.
    pub path: String,
    /// What it holds.
    pub content: ContentId,
}

/// Where the content of such a file is.
pub fn store_of(path: &str) -> Store {
    if path.split('/').any(|part| part == "gates") { Store::Logs } else { Store::Streams }
}

/// Commits that a lane has made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MadeCode {
    /// Where the lane stands: a commit that the runner has, or one of those that are brought.
    pub stands_at: String,
    /// The lane's work as one commit, where there is some.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub work: Option<String>,
    /// Its files in the middle of a merge, as a commit, where they are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub merging: Option<String>,
    /// What brings these commits: a file of [`Store::Results`]; `None` where the runner has them, or they were pushed to the git remote
    /// that commits of this run travel through.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pack: Option<ContentId>,
}

impl Sealed for Errand {}
impl Sealed for Outcome {}

impl Content for Errand {
    fn check(&self) -> Result<(), NameError> {
        checked_run(&self.order.run)?;
        if self.held_back.len() > MOST_HELD_BACK {
            return Err(NameError {
                what: "list of those who are held back",
                text: self.held_back.len().to_string(),
                rule: format!("it has {MOST_HELD_BACK} at most"),
            });
        }
        let packed = self.code.packs.iter().map(|part| &part.commit);
        packed.chain(&self.code.pushed).try_for_each(|commit| checked_commit(commit).map(|_| ()))
    }
}

impl Content for Outcome {
    fn check(&self) -> Result<(), NameError> {
        if self.files.len() > MOST_FILES {
            return Err(NameError {
                what: "list of files",
                text: self.files.len().to_string(),
                rule: format!("it has {MOST_FILES} at most"),
            });
        }
        self.files.iter().try_for_each(|file| checked_run_file(&file.path).map(|_| ()))?;
        let made = self.made.iter();
        let commits =
            made.flat_map(|made| [Some(&made.stands_at), made.work.as_ref(), made.merging.as_ref()]);
        commits.flatten().try_for_each(|commit| checked_commit(commit).map(|_| ()))
    }
}
