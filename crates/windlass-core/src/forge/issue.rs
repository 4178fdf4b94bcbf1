//! Issues of a repository, and what people say there.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// Whether an issue waits for somebody.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum IssueState {
    /// It does.
    Open,
    /// It does not.
    Closed,
    /// The forge said something that this version does not know.
    #[default]
    Unknown,
}

/// An issue, as the forge showed it at one moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Issue {
    /// Its number in the repository.
    pub number: u64,
    /// What it is called: one line.
    pub title: String,
    /// What it says, as data: whoever wrote it may have wanted to be obeyed.
    pub body: String,
    /// Whose it is; empty where the account is gone.
    pub author: String,
    /// They have a say in the repository: owner, member of its organisation, or collaborator.
    pub trusted: bool,
    /// Where it stands.
    pub state: IssueState,
    /// The names of its labels.
    pub labels: Vec<String>,
}

/// Something that somebody said below an issue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IssueComment {
    /// The forge's number for it: what was said later has a higher one.
    pub id: u64,
    /// Who; empty where the account is gone.
    pub author: String,
    /// They have a say in the repository.
    pub trusted: bool,
    /// When it was written, or changed last, by the forge's clock.
    pub changed: Timestamp,
    /// What, as data.
    pub text: String,
}

/// Which issues are meant: those that all of it holds for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct IssueFilter {
    /// They have each of these labels.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<String>,
    /// They belong to this milestone, by its title or its number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub milestone: Option<String>,
    /// This person is to do them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub assignee: Option<String>,
}
