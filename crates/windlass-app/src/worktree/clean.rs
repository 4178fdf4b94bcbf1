//! Removing worktrees that are done with.

use windlass_core::values::Extent;
use windlass_engine::worktree::{Removal, Removed, Worktree};

use super::repository;
use crate::app::App;
use crate::error::AppError;
use crate::here::Here;
use crate::text::quoted;

/// What became of a worktree, or would.
#[derive(Clone, Debug)]
pub enum CleanedWorktree {
    /// It goes.
    Removed {
        /// Its name.
        name: String,
        /// Its branch, where that goes as well.
        branch: Option<String>,
    },
    /// It stays.
    Stays {
        /// Its name.
        name: String,
        /// Why: a clause.
        why: String,
        /// What to do about it.
        remedy: String,
    },
}

impl App {
    /// Removes worktrees in which nothing would be lost; each is told when it is done.
    ///
    /// # Errors
    /// One that is named is not there, and then none is touched; or git fails.
    pub fn clean_worktrees(
        &self,
        names: &[String],
        extent: Extent,
        mut tell: impl FnMut(CleanedWorktree) -> Result<(), AppError>,
    ) -> Result<(), AppError> {
        let here = Here::find(self)?;
        let repository = repository(&here)?;
        let mut worktrees = Vec::new();
        for name in names {
            let worktree = Worktree::find(repository, name)?;
            if !worktrees.contains(&worktree) {
                worktrees.push(worktree);
            }
        }
        if names.is_empty() {
            worktrees = Worktree::all(repository)?;
        }
        for worktree in &worktrees {
            let removal = Removal { worktree, repository, project: &here.project, from: &here.directory };
            let outcome = match extent {
                Extent::Look => removal.refusal()?.map_or_else(|| Ok(Removed { branch: true }), Err),
                Extent::Act => removal.carry_out()?,
            };
            let name = worktree.name.to_string();
            tell(match outcome {
                Ok(Removed { branch }) => {
                    CleanedWorktree::Removed { name, branch: branch.then(|| worktree.name.branch()) }
                }
                Err(refusal) => {
                    let remedy = refusal.remedy(&quoted(worktree.tree.path.as_os_str()));
                    CleanedWorktree::Stays { name, why: refusal.to_string(), remedy }
                }
            })?;
        }
        Ok(())
    }
}
