//! Folders beyond the project that an agent may work in.

use std::path::{Path, PathBuf};

use windlass_core::config::{Resolved, keys};

use crate::error::{AppError, Kind};
use crate::here::{self, named_path};

/// The folders that were asked for: canonical, each once, none that the project holds already.
pub fn resolve(directory: &Path, resolved: &Resolved) -> Result<Vec<PathBuf>, AppError> {
    let said_by = resolved.origin(&keys::ADD_DIRS);
    let wrong = |text: &str, why: String| {
        let message = format!("`{text}` ({said_by}) cannot be added to what the agent may work in: {why}");
        AppError::new(Kind::Configuration, message)
    };
    let mut folders: Vec<PathBuf> = Vec::new();
    for text in &resolved.agent.add_dirs {
        let named = named_path(directory, text);
        // outside: a folder that a person named.
        let folder = named.canonicalize().map_err(|error| wrong(text, error.to_string()))?;
        // outside: the same.
        if !folder.is_dir() {
            return Err(wrong(text, "it is not a folder".to_owned()));
        }
        if let Some(why) = forbidden(&folder)? {
            return Err(wrong(text, why));
        }
        if !folder.starts_with(directory) && !folders.contains(&folder) {
            folders.push(folder);
        }
    }
    Ok(folders)
}

/// Why no agent gets this folder.
fn forbidden(folder: &Path) -> Result<Option<String>, AppError> {
    let state = here::state_root()?;
    // outside: the state folder.
    let state = state.canonicalize().unwrap_or(state);
    if folder.starts_with(&state) || state.starts_with(folder) {
        return Ok(Some(format!("the journals of all runs are kept in {}", state.display())));
    }
    if folder.parent().is_none() {
        return Ok(Some("that is the whole machine".to_owned()));
    }
    Ok(None)
}
