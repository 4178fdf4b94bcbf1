//! `worktree list`, `worktree clean`, and runs in worktrees.

mod clean;
mod enter;
mod list;
mod ready;

use std::process::ExitCode;

use windlass_engine::git::Repository;
use windlass_engine::worktree::WorktreeError;

use super::here::Here;
use crate::args::{WorktreeArgs, WorktreeVerb};
use crate::error::{CliError, DISK_FULL, Kind};

pub use enter::{follow, run_in, tell_end};
pub use ready::{environment, holds_copies_alone, set_up};

/// Does it.
pub fn run(args: &WorktreeArgs) -> Result<ExitCode, CliError> {
    let here = Here::find()?;
    let repository = repository(&here)?;
    match &args.verb {
        WorktreeVerb::List { json } => list::run(&here, repository, super::Shape::of(*json)),
        WorktreeVerb::Clean { names, dry_run, .. } => {
            let deed = if *dry_run { clean::Deed::Say } else { clean::Deed::Remove };
            clean::run(&here, repository, names, deed)
        }
    }
}

/// Worktrees are git's.
fn repository(here: &Here) -> Result<&Repository, CliError> {
    here.repository.as_ref().ok_or_else(|| {
        let why = if here.git_missing { "git is not installed" } else { "this is no git repository" };
        CliError::usage(format!("there are no worktrees here: {why}"))
            .hint("Worktrees are git's. Make a repository: git init, then commit")
    })
}

impl From<WorktreeError> for CliError {
    fn from(error: WorktreeError) -> CliError {
        let kind = match error {
            _ if error.is_disk_full() => DISK_FULL,
            WorktreeError::Git(_)
            | WorktreeError::File(_)
            | WorktreeError::Store(_)
            | WorktreeError::Bootstrap(_)
            | WorktreeError::NoBase { .. }
            | WorktreeError::Checkout { .. } => Kind::System,
            _ => Kind::Usage,
        };
        let hints = error.hints();
        hints.into_iter().fold(CliError::new(kind, error.to_string()), CliError::hint)
    }
}
