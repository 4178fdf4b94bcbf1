//! Files of configuration, which people write: read with care, and replaced in one step when one value of theirs changes.

mod own;

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use windlass_host::file::{FileError, Made, lock_within};
use windlass_host::tree;
use windlass_host::tree::{TreePath, at};

use crate::store::create_folder;

/// The longest file, in bytes: a mebibyte. What is longer was not written by hand.
pub const LONGEST: usize = 1 << 20;

/// How long another windlass may take to change one.
const PATIENCE: Duration = Duration::from_secs(5);
/// How long to wait between two tries.
const POLL: Duration = Duration::from_millis(10);

/// For files that hold a secret.
const PRIVATE: u32 = 0o600;

/// Why a file of configuration cannot be read or changed.
#[derive(Debug, thiserror::Error)]
pub enum ConfigFileError {
    /// The file system refused.
    #[error(transparent)]
    File(#[from] FileError),
    /// It is a folder, a pipe, a device.
    #[error("{} is not a file", .0.display())]
    NoFile(PathBuf),
    /// It is longer than [`LONGEST`].
    #[error("{} is longer than 1 MiB: that is not a configuration", .0.display())]
    TooLong(PathBuf),
    /// It is not text.
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
    /// Another windlass changes one, and does not come to its end.
    #[error("another windlass is changing a configuration; nothing was done")]
    Busy,
}

/// Held from reading a file to having written it: what two change at once, one would lose.
#[derive(Debug)]
pub struct Changing {
    _lock: Option<File>,
}

impl Changing {
    /// Waits for whoever is changing a file of configuration. Where no lock can be made, there is none, and [`write`] says so of most
    /// of what is lost.
    ///
    /// # Errors
    /// It takes too long.
    pub fn begin(state_root: &Path) -> Result<Changing, ConfigFileError> {
        let open = || {
            create_folder(state_root).ok()?;
            // outside: the state folder.
            OpenOptions::new()
                .create(true)
                .append(true)
                .mode(PRIVATE)
                .open(state_root.join("config.lock"))
                .ok()
        };
        let Some(file) = open() else { return Ok(Changing { _lock: None }) };
        match lock_within(&file, PATIENCE, POLL) {
            Ok(false) => Err(ConfigFileError::Busy),
            Ok(true) => Ok(Changing { _lock: Some(file) }),
            // A file system that locks nothing.
            Err(_) => Ok(Changing { _lock: None }),
        }
    }
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
    own::read(path)?.map(|bytes| text_of(path, bytes)).transpose()
}

/// The same in a project, where a guest may have left what it likes.
fn read_in_tree(path: &TreePath) -> Result<Option<String>, ConfigFileError> {
    match path.look_through() {
        Ok(Some(found)) if !found.is_regular() => return Err(ConfigFileError::NoFile(path.shown())),
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
    Ok(own::put(path, after)?)
}

/// May others than its owner read it?
pub fn is_readable_by_others(path: &Path) -> Result<bool, ConfigFileError> {
    if !tree::is_known(path) {
        return Ok(own::mode(path)? & 0o077 != 0);
    }
    let place = at(path);
    let found = place.look_through().map_err(|error| place.failed("look at", error))?;
    let found = found.ok_or_else(|| place.failed("look at", io::ErrorKind::NotFound.into()))?;
    Ok(found.mode & 0o077 != 0)
}

fn make(path: &Path, text: &str, readers: Readers) -> Result<(), ConfigFileError> {
    let made = if tree::is_known(path) {
        make_in_tree(&at(path), text, readers)
    } else {
        own::make(path, text, readers)
    };
    match made? {
        Made::Anew => Ok(()),
        Made::WasThere => Err(ConfigFileError::Changed(path.to_owned())),
    }
}

fn make_in_tree(path: &TreePath, text: &str, readers: Readers) -> Result<Made, FileError> {
    let folder = path.parent().unwrap_or_else(|| path.clone());
    folder.make_folders()?;
    let permissions = match readers {
        Readers::Usual => folder.permissions_of_new_files()?,
        Readers::Owner => PRIVATE,
    };
    let made = path.create_new(text.as_bytes(), permissions)?;
    folder.sync_folder()?;
    Ok(made)
}

#[cfg(test)]
mod tests;
