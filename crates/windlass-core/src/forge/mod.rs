//! What a forge says of a repository, its pull requests and its issues, in no forge's words.
//!
//! What is not understood is `Unknown`, and never taken for a yes: a check whose conclusion nobody knows has not passed.

mod check;
pub mod evidence_section;
mod issue;
pub mod labels;
pub mod lease;
#[cfg(test)]
mod lease_tests;
mod merge;
mod review;

use serde::{Deserialize, Serialize};
use strum::VariantNames;

pub use check::{CheckState, CheckTally, CheckVerdict, ForgeCheck};
pub use issue::{Issue, IssueComment, IssueFilter, IssueState};
pub use merge::{MergeBlock, MergeStrategy, Mergeability};
pub use review::{Review, ReviewComment, ReviewThread};

/// A repository on a forge, by its names.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct RepositoryName {
    /// The forge's host: `github.com`.
    pub host: String,
    /// Whose it is.
    pub owner: String,
    /// Its name.
    pub name: String,
}

impl std::fmt::Display for RepositoryName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}/{}", self.host, self.owner, self.name)
    }
}

/// Where a pull request stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, VariantNames)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum PullRequestState {
    /// It waits to be merged.
    Open,
    /// It was closed without being merged.
    Closed,
    /// It was merged.
    Merged,
    /// The forge said something that this version does not know.
    #[default]
    Unknown,
}

/// A pull request, as the forge showed it at one moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PullRequest {
    /// Its number in the repository.
    pub number: u64,
    /// The forge's own name for it, where orders need that.
    pub id: String,
    /// Its page.
    pub url: String,
    /// What it says, byte for byte as the forge has it: whoever shows it to anybody cleans it first.
    pub body: String,
    /// Where it stands.
    pub state: PullRequestState,
    /// It is not meant to be merged yet.
    pub draft: bool,
    /// The branch that it is about.
    pub branch: String,
    /// The commit at the tip of that branch.
    pub head: String,
    /// The parents of that commit, the first one first.
    pub head_parents: Vec<String>,
    /// The branch that it is to be merged into.
    pub base: String,
    /// Do both go together?
    pub mergeability: Mergeability,
    /// What else stands against a merge.
    pub block: MergeBlock,
    /// What reviewers decided.
    pub review: Review,
    /// How many were asked for a review and have not given one.
    pub requested_reviewers: u32,
    /// The checks of its head.
    pub checks: Vec<ForgeCheck>,
    /// The forge showed fewer checks than there are.
    pub has_more_checks: bool,
    /// Conversations about its changes that are not resolved.
    pub threads: Vec<ReviewThread>,
    /// The commit that it was merged as.
    pub merge_commit: Option<String>,
}

impl PullRequest {
    /// How many of its checks stand how.
    pub fn tally(&self) -> CheckTally {
        CheckTally::of(&self.checks, self.has_more_checks)
    }

    /// The unresolved conversations that somebody with a say in the repository is part of.
    pub fn trusted_threads(&self) -> impl Iterator<Item = &ReviewThread> {
        self.threads.iter().filter(|thread| thread.is_trusted())
    }
}
