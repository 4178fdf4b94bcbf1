//! Files: errors that name their path, and writing that never leaves half a file behind.

use std::fs::{self, File, TryLockError};
use std::io::{self, Read as _, Write};
use std::os::fd::OwnedFd;
use std::os::unix::fs::{FileTypeExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use sha2::{Digest as _, Sha256};
use tempfile::NamedTempFile;
use windlass_core::hexadecimal;

/// An error of the file system, and where it happened.
#[derive(Debug, thiserror::Error)]
#[error("cannot {action} {}: {source}", .path.display())]
pub struct FileError {
    /// What was to be done: `read`, `write`, …
    pub action: &'static str,
    /// To what.
    pub path: PathBuf,
    /// What the system said.
    pub source: io::Error,
}

/// So little room is none: nothing that an agent writes fits.
const NO_ROOM: u64 = 64 * 1024;

/// Is there no room left where this is? What cannot be asked is taken to have room.
pub fn is_without_room(path: &Path) -> bool {
    rustix::fs::statvfs(path).is_ok_and(|room| {
        // Some file systems count nothing.
        room.f_blocks > 0 && room.f_bavail.saturating_mul(room.f_frsize) < NO_ROOM
    })
}

/// Does the system say that the disk, or the user's share of it, is full, or that a file may not become larger?
pub fn is_disk_full(error: &io::Error) -> bool {
    use io::ErrorKind::{FileTooLarge, QuotaExceeded, StorageFull};
    matches!(error.kind(), StorageFull | QuotaExceeded | FileTooLarge)
}

/// What keeps more from being written, and what to do about it.
pub fn want_of_room(error: &io::Error) -> (&'static str, &'static str) {
    match error.kind() {
        io::ErrorKind::FileTooLarge => ("a limit on the size of files (ulimit -f) is reached", "raise it"),
        _ => ("the disk is full", "free some space"),
    }
}

impl FileError {
    /// Nothing is there?
    pub fn is_not_found(&self) -> bool {
        self.source.kind() == io::ErrorKind::NotFound
    }

    /// Does the file system not know this way of renaming?
    pub fn is_unknown_way(&self) -> bool {
        let unknown = [rustix::io::Errno::INVAL.raw_os_error(), rustix::io::Errno::NOSYS.raw_os_error()];
        self.source.raw_os_error().is_some_and(|raw| unknown.contains(&raw))
    }

    /// The disk, or the user's share of it, is full?
    pub fn is_disk_full(&self) -> bool {
        is_disk_full(&self.source)
    }
}

/// Names the path that an error belongs to.
pub trait AtPath<T> {
    /// The same result, whose error says what was to be done and to what.
    fn at(self, action: &'static str, path: &Path) -> Result<T, FileError>;
}

impl<T, E: Into<io::Error>> AtPath<T> for Result<T, E> {
    fn at(self, action: &'static str, path: &Path) -> Result<T, FileError> {
        self.map_err(|source| FileError { action, path: path.to_path_buf(), source: source.into() })
    }
}

/// Is this a file that may be executed, or a link to one?
pub fn is_program(path: &Path) -> bool {
    path.metadata().is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

/// What gives nothing to read, and loses what is written to it.
pub fn null_device() -> io::Result<OwnedFd> {
    File::options().read(true).write(true).open("/dev/null").map(OwnedFd::from)
}

/// Reads a file; `None` when there is none (or when a folder on the way to it is missing). A pipe in its place is an
/// error: nobody may ever write into it.
pub fn read_if_there(path: &Path) -> Result<Option<Vec<u8>>, FileError> {
    if fs::metadata(path).is_ok_and(|metadata| metadata.file_type().is_fifo()) {
        return Err(io::Error::other("it is not a file")).at("read", path);
    }
    match fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            Ok(None)
        }
        Err(error) => Err(error).at("read", path),
    }
}

/// Reads so much of a file: a byte more than `longest` says that it is too long. `None` when there is none.
///
/// # Errors
/// It cannot be read, or it is something else than a file: a folder, a pipe.
pub fn read_beginning(path: &Path, longest: usize) -> Result<Option<Vec<u8>>, FileError> {
    match fs::metadata(path) {
        Ok(metadata) if metadata.is_file() => {}
        Ok(_) => return Err(io::Error::other("it is not a file")).at("read", path),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error).at("read", path),
    }
    let mut bytes = Vec::new();
    let longest = u64::try_from(longest).unwrap_or(u64::MAX).saturating_add(1);
    File::open(path).and_then(|file| file.take(longest).read_to_end(&mut bytes)).at("read", path)?;
    Ok(Some(bytes))
}

/// Was something made, or was it there?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Made {
    /// It was made.
    Anew,
    /// It was there, and stays as it is.
    WasThere,
}

/// Writes a file that must not replace another one: all of it or nothing, on the disk before it has its name.
pub fn create_new(path: &Path, bytes: &[u8], permissions: u32) -> Result<Made, FileError> {
    // Looked at first, so that a folder that cannot be written is not trouble where nothing has to be written.
    if path.symlink_metadata().is_ok() {
        return Ok(Made::WasThere);
    }
    let replacement = Replacement::write(path, bytes, permissions)?;
    replacement.temporary.as_file().sync_data().at("sync", path)?;
    match replacement.temporary.persist_noclobber(path) {
        Ok(_) => Ok(Made::Anew),
        Err(failed) if failed.error.kind() == io::ErrorKind::AlreadyExists => Ok(Made::WasThere),
        Err(failed) => Err(failed.error).at("write", path),
    }
}

/// Makes a folder of the user's that may be there; those above it must exist.
///
/// # Errors
/// It cannot be made, or something else is in its place.
pub fn make_folder(path: &Path) -> Result<Made, FileError> {
    match fs::create_dir(path) {
        Ok(()) => Ok(Made::Anew),
        Err(_) if path.is_dir() => Ok(Made::WasThere),
        Err(error) => Err(error).at("create", path),
    }
}

/// Makes the names in a folder survive a power failure.
pub fn sync_folder(folder: &Path) -> Result<(), FileError> {
    File::open(folder).and_then(|folder| folder.sync_all()).at("sync", folder)
}

/// Creates a folder of ours with its parents; only its owner may enter.
pub fn create_private_folder(path: &Path) -> Result<(), FileError> {
    use std::os::unix::fs::DirBuilderExt;
    fs::DirBuilder::new().recursive(true).mode(0o700).create(path).at("create", path)
}

/// Replaces a file's content in one step: readers see the old bytes or the new ones. The new bytes are on disk before
/// they get their name.
pub fn replace(path: &Path, bytes: &[u8], permissions: u32) -> Result<(), FileError> {
    let replacement = Replacement::write(path, bytes, permissions)?;
    replacement.temporary.as_file().sync_data().at("sync", path)?;
    replacement.put_in_place()
}

/// A file's new content, written beside it.
#[derive(Debug)]
pub struct Replacement {
    path: PathBuf,
    temporary: NamedTempFile,
}

impl Replacement {
    /// Writes it; it is not known to be on the disk.
    pub fn write(path: &Path, bytes: &[u8], permissions: u32) -> Result<Self, FileError> {
        let folder = path.parent().unwrap_or(Path::new("."));
        let mut temporary = tempfile::Builder::new()
            .prefix(".windlass-")
            .suffix(".tmp")
            .tempfile_in(folder)
            .at("write in", folder)?;
        temporary.write_all(bytes).at("write", path)?;
        set_permissions(temporary.as_file(), permissions).at("write", path)?;
        Ok(Self { path: path.to_path_buf(), temporary })
    }

    /// The file, for whoever syncs it.
    pub fn file(&self) -> Result<File, FileError> {
        self.temporary.as_file().try_clone().at("sync", &self.path)
    }

    /// Gives it its name.
    pub fn put_in_place(self) -> Result<(), FileError> {
        let Self { path, temporary } = self;
        temporary.persist(&path).map_err(|failed| failed.error).at("write", &path)?;
        Ok(())
    }
}

/// Is this the name of a file that was on its way into its place?
pub(crate) fn is_half_written(name: &str) -> bool {
    let random = name.strip_prefix(".windlass-").and_then(|rest| rest.strip_suffix(".tmp"));
    random.is_some_and(|random| random.len() == 6 && random.bytes().all(|byte| byte.is_ascii_alphanumeric()))
}

/// Removes what was on its way into a file of this folder when its writer was killed: ours by its name, and nobody's work.
/// What cannot be removed stays.
pub fn clear_half_written(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let is_file = entry.file_type().is_ok_and(|kind| kind.is_file());
        if is_file && entry.file_name().to_str().is_some_and(is_half_written) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Removes a folder with all that is in it, folders that may not be written to included. What links lead to stays; a folder
/// that is gone already is not trouble.
pub fn remove_folder(folder: &Path) -> Result<(), FileError> {
    match fs::remove_dir_all(folder) {
        Ok(()) => return Ok(()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => make_writable(folder)?,
        Err(error) => return Err(error).at("delete", folder),
    }
    fs::remove_dir_all(folder).at("delete", folder)
}

fn make_writable(folder: &Path) -> Result<(), FileError> {
    let mut waiting = vec![folder.to_owned()];
    while let Some(folder) = waiting.pop() {
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o700)).at("delete", &folder)?;
        for entry in fs::read_dir(&folder).at("delete", &folder)? {
            let entry = entry.at("delete", &folder)?;
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                waiting.push(entry.path());
            }
        }
    }
    Ok(())
}

fn set_permissions(file: &File, permissions: u32) -> io::Result<()> {
    file.set_permissions(fs::Permissions::from_mode(permissions))
}

/// Locks a file, as long as it is open; waits so long for another process that has it, and looks again after each pause.
/// Is it locked?
pub fn lock_within(file: &File, patience: Duration, pause: Duration) -> io::Result<bool> {
    let began = Instant::now();
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(true),
            Err(TryLockError::WouldBlock) if began.elapsed() < patience => std::thread::sleep(pause),
            Err(TryLockError::WouldBlock) => return Ok(false),
            Err(TryLockError::Error(error)) => return Err(error),
        }
    }
}

/// Has anybody locked the file with this name? It is locked for a moment, shared, so that others who ask so find the same. One that
/// cannot be opened nobody has.
pub fn is_locked(path: &Path) -> bool {
    File::open(path).is_ok_and(|file| matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)))
}

/// How many bytes there are to be read, and their SHA-256.
pub fn size_and_digest(mut from: impl io::Read) -> io::Result<(u64, [u8; 32])> {
    let (mut digest, mut chunk, mut size) = (Sha256::new(), vec![0; 64 * 1024], 0);
    loop {
        match from.read(&mut chunk) {
            Ok(0) => return Ok((size, digest.finalize().into())),
            Ok(count) => {
                digest.update(chunk.get(..count).unwrap_or_default());
                size += count as u64;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

/// The SHA-256 of some bytes, in hexadecimal: what a plan remembers of the files it was made from.
pub fn digest(bytes: &[u8]) -> String {
    hexadecimal::digits(&Sha256::digest(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_ours_by_its_name_is_half_written() {
        let folder = tempfile::tempdir().unwrap();
        let keep = [
            ".windlass-abc.tmp",
            ".windlass-abcdef.toml",
            ".windlass-abcde!.tmp",
            "windlass-abcdef.tmp",
            ".windlass-restore-abcdef.tmp",
            "tasks.md",
        ];
        for name in keep.iter().chain(&[".windlass-aB3dEf.tmp"]) {
            fs::write(folder.path().join(name), "x").unwrap();
        }
        fs::create_dir(folder.path().join(".windlass-folder.tmp")).unwrap();
        std::os::unix::fs::symlink("tasks.md", folder.path().join(".windlass-linked.tmp")).unwrap();
        clear_half_written(folder.path());
        clear_half_written(&folder.path().join("not there"));
        let mut left: Vec<_> = fs::read_dir(folder.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        left.sort_unstable();
        let mut wanted = [&keep[..], &[".windlass-folder.tmp", ".windlass-linked.tmp"]].concat();
        wanted.sort_unstable();
        assert_eq!(left, wanted);
    }
}
