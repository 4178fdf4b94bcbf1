//! The hook of git that keeps workspaces out of commits.

use windlass_engine::workspace::guard;
pub use windlass_engine::workspace::guard::Guard;
use windlass_git::git::Repository;

use super::Project;
use crate::app::App;
use crate::error::AppError;
use crate::here::Here;

impl App {
    /// Takes the guard away.
    ///
    /// # Errors
    /// There is no repository, or the hook that is there is another one.
    pub fn remove_guard(&self) -> Result<Guard, AppError> {
        Ok(guard::remove(repository(&Project::find(self)?.here)?)?)
    }
}

/// Guards a repository.
///
/// # Errors
/// There is none, or another hook is there.
pub(crate) fn install(here: &Here) -> Result<Guard, AppError> {
    Ok(guard::install(repository(here)?)?)
}

fn repository(here: &Here) -> Result<&Repository, AppError> {
    here.repository.as_ref().ok_or_else(|| {
        AppError::usage(format!(
            "{} is in no git repository, so there is no commit to guard",
            here.directory.display()
        ))
    })
}
