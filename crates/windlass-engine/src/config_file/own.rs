//! A person's own configuration: in no tree of guests, and perhaps a link of theirs, which is followed.

use std::fs::{self, OpenOptions};
use std::io;
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::Path;

use super::{ConfigFileError, LONGEST, PRIVATE, Readers};
use windlass_host::file::{
    AtPath as _, FileError, Made, Replacement, create_new, read_beginning, sync_folder,
};

/// For whoever the user's mask lets.
const USUAL: u32 = 0o666;

/// So much of a file as says that it is too long; `None` where there is none.
pub(super) fn read(path: &Path) -> Result<Option<Vec<u8>>, ConfigFileError> {
    match fs::metadata(path) {
        Ok(metadata) if metadata.is_file() => Ok(read_beginning(path, LONGEST)?),
        Ok(_) => Err(ConfigFileError::NoFile(path.to_owned())),
        Err(error) if is_absence(&error) => match fs::read_link(path) {
            Ok(target) => Err(ConfigFileError::Dangling { path: path.to_owned(), target }),
            Err(_) => Ok(None),
        },
        Err(error) => Err(error).at("read", path).map_err(ConfigFileError::from),
    }
}

/// Replaces a file's text; permissions and owner stay.
pub(super) fn put(path: &Path, text: &str) -> Result<(), FileError> {
    let target = fs::canonicalize(path).at("find", path)?;
    let metadata = fs::metadata(&target).at("look at", &target)?;
    let replacement = Replacement::write(&target, text.as_bytes(), metadata.mode() & 0o7777)?;
    let file = replacement.file()?;
    // Root may change somebody else's file, which stays theirs; nobody else can, and need not.
    let _ = std::os::unix::fs::fchown(&file, Some(metadata.uid()), Some(metadata.gid()));
    file.sync_data().at("sync", &target)?;
    replacement.put_in_place()?;
    sync_folder(target.parent().unwrap_or(Path::new("/")))
}

/// Its permissions.
pub(super) fn mode(path: &Path) -> Result<u32, FileError> {
    Ok(fs::metadata(path).at("look at", path)?.mode())
}

/// Makes it, with the folders above it.
pub(super) fn make(path: &Path, text: &str, readers: Readers) -> Result<Made, FileError> {
    let folder = path.parent().unwrap_or(Path::new("/"));
    fs::create_dir_all(folder).at("create", folder)?;
    let permissions = match readers {
        Readers::Usual => USUAL & !mask(folder)?,
        Readers::Owner => PRIVATE,
    };
    let made = create_new(path, text.as_bytes(), permissions)?;
    sync_folder(folder)?;
    Ok(made)
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

/// Nothing is there, or something on the way is not a folder.
fn is_absence(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}
