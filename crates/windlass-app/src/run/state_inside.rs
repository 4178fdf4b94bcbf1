//! A state folder inside the repository that is worked on: what an agent does to the files there it does to journals and
//! snapshots as well, and nothing would bring them back.

use std::env;
use std::path::{Path, PathBuf};

use crate::error::AppError;
use crate::here::{self, Here};

/// A person has put it there.
///
/// # Errors
/// So it is.
pub fn refuse(here: &Here) -> Result<(), AppError> {
    let named = env::var_os("WINDLASS_STATE_DIR").is_some_and(|value| !value.is_empty());
    match inside(here)?.filter(|_| named) {
        None => Ok(()),
        Some(state) => Err(AppError::usage(format!(
            "WINDLASS_STATE_DIR={} lies in the files that are worked on: `git clean -fdx` would take all snapshots",
            state.display()
        ))
        .hint("Name a folder beside them: WINDLASS_STATE_DIR=/somewhere/else")),
    }
}

/// It lies there by itself, since the repository is that of the whole home.
pub fn notice(here: &Here) -> Option<String> {
    let state = inside(here).ok()??;
    Some(format!(
        "journals and snapshots are kept in {}, which lies in the files that are worked on: an agent's `git clean -fdx` takes \
         them as well. Keep them elsewhere: WINDLASS_STATE_DIR=/somewhere/else",
        state.display()
    ))
}

fn inside(here: &Here) -> Result<Option<PathBuf>, AppError> {
    let top = here.repository.as_ref().map_or(here.directory.as_path(), |repository| &repository.top);
    let state = here::state_root()?;
    Ok(lies_in(&state, top).then_some(state))
}

fn lies_in(state: &Path, top: &Path) -> bool {
    // outside: only where it leads is asked.
    state.starts_with(top) || state.canonicalize().is_ok_and(|state| state.starts_with(top))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_that_a_link_leads_to_lies_inside_too() {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path().canonicalize().unwrap().join("project");
        std::fs::create_dir_all(top.join("state")).unwrap();
        std::os::unix::fs::symlink(top.join("state"), folder.path().join("link")).unwrap();
        assert!(lies_in(&top.join("not/yet"), &top));
        assert!(lies_in(&folder.path().join("link"), &top));
        assert!(!lies_in(&folder.path().join("project-state"), &top));
    }
}
