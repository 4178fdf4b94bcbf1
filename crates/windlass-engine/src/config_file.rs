//! Files of configuration, which people write: read with care, and replaced in one step when one value of theirs changes.

use std::fs::{self, OpenOptions};
use std::io;
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use crate::file::{AtPath as _, FileError, Made, Replacement, create_new, read_beginning, sync_folder};
use crate::tree::{self, TreePath, at};

/// The longest file, in bytes: a mebibyte. What is longer was not written by hand.
pub const LONGEST: usize = 1 << 20;

/// For files that hold a secret.
const PRIVATE: u32 = 0o600;
/// For others, as far as the user's mask lets them.
const USUAL: u32 = 0o666;

/// Why a file of configuration cannot be read or changed.
#[derive(Debug, thiserror::Error)]
pub enum ConfigFileError {
    /// The file system refused.
    #[error(transparent)]
    File(#[from] FileError),
    /// It is a folder, a pipe, a device.
    #[error("{} is no file", .0.display())]
    NoFile(PathBuf),
    /// It is longer than [`LONGEST`].
    #[error("{} is longer than 1 MiB: that is no configuration", .0.display())]
    TooLong(PathBuf),
    /// It is no text.
    #[error("{}:{line}: the file is not UTF-8 text", path.display())]
    NoText {
        /// The file.
        path: PathBuf,
        /// The first line that is none, from 1.
        line: usize,
    },
    /// It is a link to nothing.
    #[error("{} is a link to {}, which is not there", path.display(), target.display())]
    Dangling {
        /// The link.
        path: PathBuf,
        /// What it names.
        target: PathBuf,
    },
    /// Somebody else changed it meanwhile.
    #[error("{} was changed by somebody else just now; nothing was done", .0.display())]
    Changed(PathBuf),
}

/// Who may read a file that is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Readers {
    /// Whoever the user's mask lets.
    Usual,
    /// Its owner only.
    Owner,
}

/// The text of a file; `None` where there is none.
///
/// # Errors
/// It cannot be read, is too long, or no UTF-8 text.
pub fn read(path: &Path) -> Result<Option<String>, ConfigFileError> {
    if tree::is_known(path) {
        return read_in_tree(&at(path));
    }
    match fs::metadata(path) {
        Ok(metadata) if metadata.is_file() => {}
        Ok(_) => return Err(ConfigFileError::NoFile(path.to_owned())),
        Err(error) if is_absence(&error) => {
            return match fs::read_link(path) {
                Ok(target) => Err(ConfigFileError::Dangling { path: path.to_owned(), target }),
                Err(_) => Ok(None),
            };
        }
        Err(error) => return Err(error).at("read", path).map_err(ConfigFileError::from),
    }
    let Some(bytes) = read_beginning(path, LONGEST)? else { return Ok(None) };
    text_of(path, bytes).map(Some)
}

/// The same in a project, where a guest may have left what it likes.
fn read_in_tree(path: &TreePath) -> Result<Option<String>, ConfigFileError> {
    match path.look_through() {
        Ok(Some(found)) if !found.is_file() => return Err(ConfigFileError::NoFile(path.shown())),
        Ok(Some(_)) => {}
        Ok(None) => {
            return match path.link_target() {
                Ok(target) => Err(ConfigFileError::Dangling { path: path.shown(), target }),
                Err(_) => Ok(None),
            };
        }
        Err(error) => return Err(path.failed("read", error).into()),
    }
    path.read_beginning(LONGEST)?.map(|bytes| text_of(&path.shown(), bytes)).transpose()
}

fn text_of(path: &Path, bytes: Vec<u8>) -> Result<String, ConfigFileError> {
    if bytes.len() > LONGEST {
        return Err(ConfigFileError::TooLong(path.to_owned()));
    }
    String::from_utf8(bytes).map_err(|error| {
        let valid = error.as_bytes().get(..error.utf8_error().valid_up_to()).unwrap_or_default();
        let line = valid.split(|byte| *byte == b'\n').count();
        ConfigFileError::NoText { path: path.to_owned(), line }
    })
}

/// Replaces the text of a file in one step; a link is followed, permissions and owner stay. `before` is what was read of
/// it. Where there was none, it is made, with the folders above it.
///
/// # Errors
/// It cannot be written, or is no longer what was read. Then the old file is there, whole.
pub fn write(
    path: &Path,
    before: Option<&str>,
    after: &str,
    readers: Readers,
) -> Result<(), ConfigFileError> {
    if read(path)?.as_deref() != before {
        return Err(ConfigFileError::Changed(path.to_owned()));
    }
    if before.is_none() {
        return make(path, after, readers);
    }
    if tree::is_known(path) {
        let path = at(path);
        let target = path.resolved().map_err(|error| path.failed("find", error))?;
        target.prepare_like(after.as_bytes())?.put_in_place()?;
        return Ok(target.parent().map_or(Ok(()), |folder| folder.sync_folder())?);
    }
    let target = fs::canonicalize(path).at("find", path)?;
    let metadata = fs::metadata(&target).at("look at", &target)?;
    let replacement = Replacement::write(&target, after.as_bytes(), metadata.mode() & 0o7777)?;
    let file = replacement.file()?;
    // Root may change somebody else's file, which stays theirs; nobody else can, and need not.
    let _ = std::os::unix::fs::fchown(&file, Some(metadata.uid()), Some(metadata.gid()));
    file.sync_data().at("sync", &target)?;
    replacement.put_in_place()?;
    sync_folder(target.parent().unwrap_or(Path::new("/")))?;
    Ok(())
}

/// May others than its owner read it?
///
/// # Errors
/// It cannot be looked at.
pub fn is_readable_by_others(path: &Path) -> Result<bool, ConfigFileError> {
    Ok(fs::metadata(path).at("look at", path)?.mode() & 0o077 != 0)
}

fn make(path: &Path, text: &str, readers: Readers) -> Result<(), ConfigFileError> {
    let folder = path.parent().unwrap_or(Path::new("/"));
    if tree::is_known(path) {
        let path = at(path);
        let folder = path.parent().unwrap_or_else(|| path.clone());
        folder.make_folders()?;
        let mode = match readers {
            Readers::Usual => folder.permissions_of_new_files()?,
            Readers::Owner => PRIVATE,
        };
        return match path.create_new(text.as_bytes(), mode)? {
            Made::Anew => Ok(folder.sync_folder()?),
            Made::WasThere => Err(ConfigFileError::Changed(path.shown())),
        };
    }
    fs::create_dir_all(folder).at("create", folder)?;
    let mode = match readers {
        Readers::Usual => USUAL & !mask(folder)?,
        Readers::Owner => PRIVATE,
    };
    match create_new(path, text.as_bytes(), mode)? {
        Made::Anew => Ok(sync_folder(folder)?),
        Made::WasThere => Err(ConfigFileError::Changed(path.to_owned())),
    }
}

/// The user's mask, found as a program without `unsafe` can: by what a new file is allowed.
fn mask(folder: &Path) -> Result<u32, FileError> {
    let probe = tempfile::Builder::new()
        .prefix(".windlass-")
        .make_in(folder, |path| OpenOptions::new().write(true).create_new(true).mode(USUAL).open(path))
        .at("write in", folder)?;
    let allowed = probe.as_file().metadata().at("look at", probe.path())?.mode();
    Ok(USUAL & !allowed)
}

/// Nothing is there, or something on the way is no folder.
fn is_absence(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

#[cfg(test)]
mod tests;
