//! Runs that could come to nothing, seen before anything is asked or paid for.

use rustix::fs::Access;
use windlass_core::config::Resolved;
use windlass_git::git::Repository;
use windlass_ui::one_line;

use super::prepared::Prepared;
use super::{gates, state_inside, tasks};
use crate::error::{AppError, Kind};
use crate::fleet;
use crate::here::Here;

/// What can be seen to be impossible without asking anybody anything: a rehearsal says so as well.
///
/// # Errors
/// Nothing can be written here, or what is configured does not go together.
pub fn refuse_impossible(here: &Here, request: &Prepared) -> Result<(), AppError> {
    let resolved = &request.configuration.resolved;
    refuse_read_only(here, resolved)?;
    state_inside::refuse(here)?;
    refuse_unusable_repository(here)?;
    request.assignment.refuse_signal(resolved)?;
    tasks::refuse_impossible_lanes(here, request)?;
    fleet::refuse_without_lanes(resolved, request.fleet)
}

/// The same of checks, which the repository may have named: asked for once that is trusted, or nothing is about to be started.
///
/// # Errors
/// One of them can never pass.
pub fn refuse_hopeless(here: &Here, request: &Prepared) -> Result<(), AppError> {
    if request.gate_later || !request.assignment.mode.is_checked() {
        return Ok(());
    }
    let resolved = &request.configuration.resolved;
    gates::refuse_hopeless(&here.directory, &resolved.checks, &resolved.sandbox.kind)
}

/// What keeps git from being run would be taken for damage once an agent was paid.
fn refuse_unusable_repository(here: &Here) -> Result<(), AppError> {
    match here.repository.as_ref().and_then(Repository::in_the_way_of_git) {
        None => Ok(()),
        Some(why) => Err(AppError::usage(format!("git cannot be used here: {}", one_line(&why)))),
    }
}

/// Where nothing can be written an agent could change nothing, and would be paid for finding that out. Somebody who names
/// further directories may want it to work there.
fn refuse_read_only(here: &Here, resolved: &Resolved) -> Result<(), AppError> {
    // outside: where a person is.
    let written = rustix::fs::access(&here.directory, Access::WRITE_OK | Access::EXEC_OK);
    match written {
        Err(error) if resolved.agent.add_dirs.is_empty() => {
            let shown = one_line(&here.directory.display().to_string());
            Err(AppError::new(Kind::Configuration, format!("{shown} cannot be written: {error}"))
                .hint("An agent could change nothing here. Make it writable, or work in a copy.")
                .hint("To work in another folder as well: windlass run --add-dir DIR"))
        }
        _ => Ok(()),
    }
}
