//! What people say of a pull request.

use serde::{Deserialize, Serialize};
use strum::VariantNames;

/// What the reviewers of a pull request decided, together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, VariantNames)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Review {
    /// No rule asks for one, and nobody gave one that counts.
    NotRequired,
    /// Approved.
    Approved,
    /// Somebody wants something else.
    ChangesRequested,
    /// A rule asks for one, and it is not there yet.
    Required,
    /// The forge said something that this version does not know.
    #[default]
    Unknown,
}

/// A conversation about a place of the changes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReviewThread {
    /// The forge's own name for it.
    pub id: String,
    /// The file.
    pub path: String,
    /// The line, from 1; `None` where it is about the file, or the line is gone.
    pub line: Option<u64>,
    /// What was said, the first word first. The forge may have shown only the first ones.
    pub comments: Vec<ReviewComment>,
}

/// Something that somebody said.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReviewComment {
    /// Who; empty where the account is gone.
    pub author: String,
    /// They have a say in the repository: owner, member of its organisation, or collaborator.
    pub trusted: bool,
    /// What, as data: whoever wrote it may have wanted to be obeyed.
    pub text: String,
}

impl ReviewThread {
    /// Has somebody with a say in the repository said something here?
    pub fn is_trusted(&self) -> bool {
        self.comments.iter().any(|comment| comment.trusted)
    }
}
