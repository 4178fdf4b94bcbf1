//! `worktree list`, `worktree clean`, and runs in worktrees.

mod clean;
mod end;
mod list;

use std::process::ExitCode;

use crate::args::{WorktreeArgs, WorktreeVerb};
use crate::commands::app;
use windlass_app::AppError;
use windlass_app::here::Here;

pub use end::tell_end;

/// Does it.
pub fn run(args: &WorktreeArgs) -> Result<ExitCode, AppError> {
    let here = Here::find(&app()?)?;
    let repository = windlass_app::worktree::repository(&here)?;
    match &args.verb {
        WorktreeVerb::List { json } => list::run(&here, repository, super::Shape::of(*json)),
        WorktreeVerb::Clean { names, dry_run, .. } => {
            let deed = if *dry_run { clean::Deed::Say } else { clean::Deed::Remove };
            clean::run(&here, repository, names, deed)
        }
    }
}
