//! What was copied into a worktree, so that it is not taken for work: one record for each file.

use std::io::Write as _;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use super::bootstrap::CopiedFile;
use windlass_git::git::WORKTREE_COPIES;
use windlass_git::inventory::as_path;
use windlass_host::file::FileError;
use windlass_host::tree::at;

/// The longest of these files that is read: some hundred thousand paths.
const LONGEST: usize = 64 << 20;

/// Adds to what is recorded.
pub(super) fn add(git_dir: &Path, files: &[CopiedFile]) -> Result<(), FileError> {
    let path = at(&path(git_dir));
    let mut bytes = path.read(LONGEST)?.unwrap_or_default();
    bytes.extend(records(files));
    path.replace(&bytes, 0o644)
}

/// As they are written.
pub(crate) fn records(files: &[CopiedFile]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for file in files {
        // Writing to memory cannot fail.
        let _ = write!(bytes, "{} {} ", file.size, file.modified);
        bytes.extend_from_slice(file.path.as_os_str().as_bytes());
        bytes.push(0);
    }
    bytes
}

/// What is recorded; what cannot be understood is none.
pub(super) fn read(git_dir: &Path) -> Result<Vec<CopiedFile>, FileError> {
    Ok(parse(&at(&path(git_dir)).read(LONGEST)?.unwrap_or_default()))
}

pub(crate) fn parse(bytes: &[u8]) -> Vec<CopiedFile> {
    bytes.split(|byte| *byte == 0).filter_map(record).collect()
}

fn record(bytes: &[u8]) -> Option<CopiedFile> {
    let mut parts = bytes.splitn(3, |byte| *byte == b' ');
    let mut number = || std::str::from_utf8(parts.next()?).ok();
    let (size, modified) = (number()?.parse().ok()?, number()?.parse().ok()?);
    let path = as_path(parts.next()?);
    Some(CopiedFile { path: path.to_owned(), size, modified })
}

fn path(git_dir: &Path) -> PathBuf {
    git_dir.join(WORKTREE_COPIES)
}
