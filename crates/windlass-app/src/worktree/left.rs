//! What a run left in its worktree.

use std::path::PathBuf;

use windlass_engine::store::{RunFolder, journal};
use windlass_ui::Board;

use super::at;
use crate::app::App;
use crate::error::{AppError, Kind};
use crate::run::RunEnd;

/// What is in the worktree of a run that ended.
#[derive(Clone, Debug)]
pub struct WorktreeLeft {
    /// The worktree's name.
    pub name: String,
    /// Its branch.
    pub branch: String,
    /// Where it is.
    pub path: PathBuf,
    /// The branch that it came from, where there is one.
    pub base: Option<String>,
    /// Commits that it has and the base has not.
    pub ahead: u64,
    /// Files in it that are in no commit.
    pub uncommitted: usize,
    /// Its pull request, or the last one of several, is merged: there is nothing to merge by hand.
    pub is_merged: bool,
    /// Requests are about a directory in it.
    pub is_here: bool,
}

impl App {
    /// What a run left in its worktree; `None` where it ran in none.
    ///
    /// # Errors
    /// git cannot look at it.
    pub fn worktree_left(&self, end: &RunEnd) -> Result<Option<WorktreeLeft>, AppError> {
        let Some(worktree) = at(&end.there) else { return Ok(None) };
        let look = || {
            let standing = worktree.standing(&worktree.repository()?)?;
            let mut board = Board::default();
            let entries = journal::read(&RunFolder::of(&end.there.project, &end.run).journal())?;
            for entry in &entries {
                board.fact(entry);
            }
            Ok(WorktreeLeft {
                name: worktree.name.to_string(),
                branch: worktree.name.branch(),
                path: worktree.tree.path.clone(),
                base: standing.base,
                ahead: standing.ahead,
                uncommitted: worktree.work()?.uncommitted.len(),
                is_merged: board.pull_request_is_merged(),
                is_here: worktree.holds(self.directory()),
            })
        };
        look().map(Some).map_err(|error: AppError| {
            let what = format!("what is in the worktree {} cannot be known", worktree.name);
            AppError::new(Kind::System, format!("{what}: {}", error.message)).because(error)
        })
    }
}
