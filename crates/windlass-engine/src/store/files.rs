//! Folders and files that only their owner can read, written so that a crash leaves the old or the new.

use std::fs::{self, DirBuilder, DirEntry, File, OpenOptions, Permissions};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::Path;

use super::StoreError;
use super::error::Attempted as _;

/// Folders: their owner only.
const FOLDER_MODE: u32 = 0o700;
/// Files: their owner only.
const FILE_MODE: u32 = 0o600;

/// Creates a folder, and those above it that are missing, for their owner only, whatever the umask. A folder that is
/// there already stays as it is.
pub fn create_folder(path: &Path) -> Result<(), StoreError> {
    if path.is_dir() {
        return Ok(());
    }
    if let Some(parent) = path.parent() {
        create_folder(parent)?;
    }
    match create_new_folder(path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists && path.is_dir() => Ok(()),
        result => result.attempted("create", path),
    }
}

/// Creates one folder that must not exist.
pub(super) fn create_new_folder(path: &Path) -> io::Result<()> {
    DirBuilder::new().mode(FOLDER_MODE).create(path)?;
    fs::set_permissions(path, Permissions::from_mode(FOLDER_MODE))
}

/// Opens a file with these options; where it is created, for its owner only, whatever the umask.
pub(super) fn open_private(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    let file = options.mode(FILE_MODE).open(path)?;
    make_private(&file)?;
    Ok(file)
}

/// Withdraws a file from everybody but its owner, if need be.
fn make_private(file: &File) -> io::Result<()> {
    if file.metadata()?.permissions().mode() & 0o7777 == FILE_MODE {
        return Ok(());
    }
    file.set_permissions(Permissions::from_mode(FILE_MODE))
}

/// Writes a file of the run's folder that can be written again after a crash: for its owner only, not synced.
pub(crate) fn write_private(path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
    open_private(OpenOptions::new().create(true).write(true).truncate(true), path)
        .and_then(|mut file| file.write_all(bytes))
        .attempted("write", path)
}

/// Puts `bytes` at `path` so that a crash, at whatever moment, leaves the old file or the new one: a temporary file in
/// the same folder is written, synced and renamed, and the folder is synced.
pub fn write_atomically(path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let mut temporary = tempfile::Builder::new()
        .prefix(".windlass-")
        .tempfile_in(folder)
        .attempted("create a file in", folder)?;
    make_private(temporary.as_file()).attempted("write", path)?;
    temporary.write_all(bytes).attempted("write", path)?;
    temporary.as_file().sync_data().attempted("write", path)?;
    temporary.persist(path).map_err(|error| error.error).attempted("replace", path)?;
    sync_folder(folder)
}

/// Makes the names in a folder survive a power failure.
pub(super) fn sync_folder(folder: &Path) -> Result<(), StoreError> {
    File::open(folder).and_then(|folder| folder.sync_all()).attempted("sync", folder)
}

/// What is in a folder, in no order; nothing where there is none.
pub(super) fn entries(folder: &Path) -> Result<Vec<DirEntry>, StoreError> {
    entries_as(folder, Some)
}

/// The same as something smaller, without those that are nothing of the kind: there may be ten thousand.
pub(super) fn entries_as<T>(
    folder: &Path,
    kind: impl Fn(DirEntry) -> Option<T>,
) -> Result<Vec<T>, StoreError> {
    let kinds = |found: fs::ReadDir| found.filter_map(|entry| entry.map(&kind).transpose()).collect();
    match fs::read_dir(folder).and_then(kinds) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        entries => entries.attempted("read", folder),
    }
}

/// A file's bytes; `None` when there is no such file.
pub(super) fn read_if_present(path: &Path) -> Result<Option<Vec<u8>>, StoreError> {
    match read_file(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(StoreError::io("read", path, error)),
    }
}

/// Reads a file, and waits for no pipe that lies in its place.
pub(super) fn read_file(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open_file(path)?.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Opens a file for reading; anything else is an error.
pub(super) fn open_file(path: &Path) -> io::Result<File> {
    if path.metadata()?.is_file() { File::open(path) } else { Err(io::Error::other("it is no file")) }
}

/// Bytes in the files of a folder; `None` where there is no such folder. What a link leads to is not in it.
pub(super) fn size(folder: &Path) -> Result<Option<u64>, StoreError> {
    let mut bytes = 0_u64;
    let mut waiting = vec![folder.to_owned()];
    while let Some(path) = waiting.pop() {
        let entries = match fs::read_dir(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound && path == folder => return Ok(None),
            // Somebody else removes it as well.
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            entries => entries.attempted("read", &path)?,
        };
        for entry in entries {
            let entry = entry.attempted("read", &path)?;
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => waiting.push(entry.path()),
                _ => bytes = bytes.saturating_add(entry.metadata().map_or(0, |file| file.len())),
            }
        }
    }
    Ok(Some(bytes))
}
