//! Worktrees: runs in them, what they left, listing and removing them.

mod clean;
mod enter;
mod left;
mod list;
mod ready;

use windlass_engine::worktree::Worktree;
use windlass_git::git::Repository;

use crate::error::AppError;
use crate::here::Here;

pub use clean::CleanedWorktree;
pub use left::WorktreeLeft;

pub(crate) use enter::{follow, rehearse, run_in};
pub(crate) use ready::{environment, holds_copies_alone, set_up};

/// Worktrees are git's.
fn repository(here: &Here) -> Result<&Repository, AppError> {
    here.repository.as_ref().ok_or_else(|| {
        let why = if here.git_missing { "git is not installed" } else { "this is not a git repository" };
        AppError::usage(format!("there are no worktrees here: {why}"))
            .hint("Worktrees are git's. Make a repository: git init, then commit")
    })
}

/// The worktree of ours that a directory lies in.
pub(crate) fn at(here: &Here) -> Option<Worktree> {
    here.repository.as_ref().and_then(Worktree::at)
}
