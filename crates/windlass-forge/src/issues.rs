//! The port's side of issues.

use std::fmt::Debug;

use jiff::Timestamp;
use windlass_core::forge::{Issue, IssueComment, IssueFilter};

use crate::ForgeError;

/// So many issues are listed at most.
pub const MOST_ISSUES: usize = 500;

/// So many comments of an issue are read at most.
pub const MOST_COMMENTS: usize = 1_000;

/// The issues of a repository. Each call ends within its deadline, and can be made again.
pub trait Issues: Debug + Send + Sync {
    /// The open ones, the oldest first; pull requests are none. At most [`MOST_ISSUES`].
    fn open_issues(&self, filter: &IssueFilter) -> Result<IssueList, ForgeError>;

    /// One of them, as it is now.
    fn issue(&self, number: u64) -> Result<Issue, ForgeError>;

    /// What was said there, the first word first; `since` leaves out what was not changed after that. At most
    /// [`MOST_COMMENTS`].
    fn comments(&self, number: u64, since: Option<Timestamp>) -> Result<CommentList, ForgeError>;

    /// Says something. Gives the comment's number.
    fn add_comment(&self, number: u64, body: &str) -> Result<u64, ForgeError>;

    /// Says something else where a comment of one's own is.
    fn edit_comment(&self, comment: u64, body: &str) -> Result<(), ForgeError>;

    /// Adds a label, if the issue does not have it; it is made where the repository has none of that name.
    fn add_label(&self, number: u64, label: &str) -> Result<(), ForgeError>;

    /// Takes a label away, if the issue has it.
    fn remove_label(&self, number: u64, label: &str) -> Result<(), ForgeError>;

    /// Closes an issue as done.
    fn close_issue(&self, number: u64) -> Result<(), ForgeError>;
}

/// Issues that were asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IssueList {
    /// The oldest first.
    pub issues: Vec<Issue>,
    /// There are more.
    pub cut: bool,
}

/// What was said below an issue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommentList {
    /// The first word first.
    pub comments: Vec<IssueComment>,
    /// There are more.
    pub cut: bool,
    /// What the forge's clock showed when the first of them were asked for.
    pub asked: Timestamp,
}
