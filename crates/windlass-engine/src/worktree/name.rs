//! What a worktree may be called: the name is a folder's and a branch's.

use std::fmt;

use windlass_core::workspace::WorkspaceName;

use super::WorktreeError;

/// A worktree's name: as a workspace's, 1 to 64 ASCII letters, digits, `_` and `-`, not beginning with `-`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct WorktreeName(WorkspaceName);

/// What the branches of worktrees begin with.
const BRANCHES: &str = "windlass/";

impl WorktreeName {
    /// Reads a name.
    pub fn parse(text: &str) -> Result<WorktreeName, WorktreeError> {
        let shown: String = text.chars().filter(|character| !character.is_control()).take(40).collect();
        WorkspaceName::parse(text).map(WorktreeName).map_err(|_| WorktreeError::Name { shown })
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }

    /// Its branch, as people write it: `windlass/api`.
    pub fn branch(&self) -> String {
        format!("{BRANCHES}{}", self.0)
    }

    /// Its branch's full name: `refs/heads/windlass/api`.
    pub fn full_branch(&self) -> String {
        format!("refs/heads/{BRANCHES}{}", self.0)
    }

    /// Would some file systems take them for the same name?
    pub fn collides_with(&self, other: &WorktreeName) -> bool {
        self.as_str().eq_ignore_ascii_case(other.as_str())
    }
}

impl fmt::Display for WorktreeName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
