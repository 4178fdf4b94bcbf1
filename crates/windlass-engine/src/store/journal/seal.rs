//! Parts of a journal that do not count are put aside, and never thrown away.

use std::fs::{File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use super::super::StoreError;
use super::super::error::Attempted as _;
use super::super::files::open_private;

/// Moves the tail of a journal to `journal.torn-<n>` beside it and says where; does nothing when there is none.
pub(super) fn seal(
    journal: &File,
    path: &Path,
    whole: u64,
    tail: &[u8],
) -> Result<Option<PathBuf>, StoreError> {
    if tail.is_empty() {
        return Ok(None);
    }
    // Only when the copy is safe may the original go.
    let torn = put_aside(path, "torn", tail)?;
    journal.set_len(whole).attempted("shorten", path)?;
    Ok(Some(torn))
}

/// Writes bytes of a journal to `journal.<why>-<n>` beside it, and says where.
pub(super) fn put_aside(path: &Path, why: &str, bytes: &[u8]) -> Result<PathBuf, StoreError> {
    let (aside, mut file) = create_aside(path, why)?;
    file.write_all(bytes).and_then(|()| file.sync_data()).attempted("write", &aside)?;
    Ok(aside)
}

fn create_aside(path: &Path, why: &str) -> Result<(PathBuf, File), StoreError> {
    let mut number = 1_u32;
    loop {
        let aside = path.with_file_name(format!("journal.{why}-{number}"));
        match open_private(OpenOptions::new().create_new(true).write(true), &aside) {
            Ok(file) => return Ok((aside, file)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => number = number.saturating_add(1),
            Err(error) => return Err(StoreError::io("create", &aside, error)),
        }
    }
}
