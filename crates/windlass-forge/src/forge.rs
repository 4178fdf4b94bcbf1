//! The port: what is asked of a forge.

use std::fmt::Debug;

use jiff::Timestamp;
use windlass_core::forge::{MergeStrategy, PullRequest, RepositoryName};

use crate::{ForgeError, Issues};

/// A repository on a forge, asked as somebody who is logged in there. Each call ends within its deadline, whatever the
/// other side does, and can be made again.
pub trait Forge: Issues + Debug + Send + Sync {
    /// Which repository it is.
    fn name(&self) -> &RepositoryName;

    /// Who asks, and how often they still may.
    fn account(&self) -> Result<Account, ForgeError>;

    /// What the repository is and allows.
    fn repository(&self) -> Result<RepositoryFacts, ForgeError>;

    /// The pull requests of a branch of this repository, the newest first; at most 20.
    fn of_branch(&self, branch: &str) -> Result<Vec<PullRequest>, ForgeError>;

    /// Opens one.
    fn open(&self, new: &NewPullRequest) -> Result<PullRequest, ForgeError>;

    /// Writes the text of one anew, as it is given; at most 65,536 characters.
    fn describe(&self, number: u64, body: &str) -> Result<(), ForgeError>;

    /// A pull request as it is now, with its checks and unresolved conversations.
    fn view(&self, number: u64) -> Result<PullRequest, ForgeError>;

    /// The end of a job's log, as text without escapes and control characters.
    fn job_log(&self, job: u64) -> Result<JobLog, ForgeError>;

    /// Merges the base into the branch, if its tip is still `head`. The forge does it in its own time.
    fn update_branch(&self, number: u64, head: &str) -> Result<(), ForgeError>;

    /// Takes the draft's mark away.
    fn mark_ready(&self, pull_request: &PullRequest) -> Result<(), ForgeError>;

    /// Merges, if the tip is still the one that is named. Gives the commit that it is in the base.
    fn merge(&self, order: &MergeOrder) -> Result<String, ForgeError>;
}

/// Who is logged in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Account {
    /// Their name on the forge.
    pub login: String,
    /// How often they still may ask; `None` where the forge does not say.
    pub limit: Option<RateLimit>,
}

/// How often a forge answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RateLimit {
    /// Points that are left: a question of ours costs about one.
    pub remaining: u64,
    /// When they are given anew.
    pub reset: Timestamp,
}

/// What somebody may do in a repository.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Permission {
    /// Push branches and open pull requests.
    Write,
    /// Read it.
    Read,
    /// The forge did not say, or in words that this version does not know.
    #[default]
    Unknown,
}

/// What a repository is and allows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RepositoryFacts {
    /// The branch that pull requests are merged into unless said otherwise; `None` in an empty repository.
    pub default_branch: Option<String>,
    /// What the one who asks may do.
    pub permission: Permission,
    /// It takes no changes.
    pub archived: bool,
    /// How it lets pull requests be merged.
    pub strategies: Vec<MergeStrategy>,
}

/// A pull request to be opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewPullRequest {
    /// The branch, which is there already.
    pub branch: String,
    /// What it is to be merged into.
    pub base: String,
    /// One line.
    pub title: String,
    /// Markdown.
    pub body: String,
    /// Not meant to be merged yet.
    pub draft: bool,
}

/// A merge to be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MergeOrder {
    /// Which pull request.
    pub number: u64,
    /// The tip that was shown to be right: nothing else is merged.
    pub head: String,
    /// How.
    pub strategy: MergeStrategy,
}

/// The end of a job's log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobLog {
    /// At most 64 KiB.
    pub text: String,
    /// Something before it was left out.
    pub cut: bool,
}
