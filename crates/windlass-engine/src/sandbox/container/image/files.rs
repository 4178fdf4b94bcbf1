//! Writing the Dockerfile and the editor's file into a project.

use std::path::{Path, PathBuf};

use windlass_host::file::FileError;
use windlass_host::tree::at;

/// The longest file that is compared, in bytes.
const LONGEST: usize = 16 << 20;

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
pub fn write(path: &Path, bytes: &[u8], overwrite: Overwrite) -> Result<Written, FileError> {
    let place = at(path);
    match place.read(LONGEST)? {
        Some(there) if there == bytes => return Ok(Written::Same),
        Some(_) if overwrite == Overwrite::Never => return Ok(Written::Kept),
        Some(there) => {
            let backup = free_name(path);
            at(&backup).create_new(&there, 0o644)?;
            place.replace(bytes, 0o644)?;
            return Ok(Written::Replaced(backup));
        }
        None => {}
    }
    if let Some(folder) = place.parent() {
        folder.make_folders()?;
    }
    match place.create_new(bytes, 0o644)? {
        windlass_host::file::Made::Anew => Ok(Written::Anew),
        // Somebody was quicker, or a link leads nowhere: neither is ours.
        windlass_host::file::Made::WasThere => Ok(Written::Kept),
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
    (1..=u32::MAX).map(named).find(|name| !at(name).is_taken()).unwrap_or_else(|| named(1))
}
