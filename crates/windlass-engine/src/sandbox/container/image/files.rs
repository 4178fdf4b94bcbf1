//! Writing the Dockerfile and the editor's file into a project.

use std::fs;
use std::path::{Path, PathBuf};

use crate::file::{AtPath, FileError, create_new, read_if_there, replace};

/// What became of a file that was to be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Written {
    /// It was not there.
    Anew,
    /// It has this content already.
    Same,
    /// It has another content, which somebody may have written by hand: it stays as it is.
    Kept,
    /// It had another content, which is kept in this file.
    Replaced(PathBuf),
}

/// What is done with a file that has another content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overwrite {
    /// It stays.
    Never,
    /// It is copied first.
    WithBackup,
}

/// Writes a file of the project, with the folders above it.
///
/// # Errors
/// The disk; nothing is lost.
pub fn write(path: &Path, bytes: &[u8], overwrite: Overwrite) -> Result<Written, FileError> {
    match read_if_there(path)? {
        Some(there) if there == bytes => return Ok(Written::Same),
        Some(_) if overwrite == Overwrite::Never => return Ok(Written::Kept),
        Some(there) => {
            let backup = free_name(path);
            create_new(&backup, &there, 0o644)?;
            replace(path, bytes, 0o644)?;
            return Ok(Written::Replaced(backup));
        }
        None => {}
    }
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).at("create", folder)?;
    }
    match create_new(path, bytes, 0o644)? {
        crate::file::Made::Anew => Ok(Written::Anew),
        // Somebody was quicker, or a link leads nowhere: neither is ours.
        crate::file::Made::WasThere => Ok(Written::Kept),
    }
}

/// `Dockerfile.before`, `Dockerfile.before-2`, …: the first that nothing has.
fn free_name(path: &Path) -> PathBuf {
    let named = |number: u32| {
        let mut name = path.as_os_str().to_owned();
        name.push(".before");
        if number > 1 {
            name.push(format!("-{number}"));
        }
        PathBuf::from(name)
    };
    (1..=u32::MAX).map(named).find(|name| name.symlink_metadata().is_err()).unwrap_or_else(|| named(1))
}
