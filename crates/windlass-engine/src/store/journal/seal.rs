//! What a crash left behind the last whole line of a journal is put aside.

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
    let (torn, mut file) = create_torn(path)?;
    // Only when the copy is safe may the original go.
    file.write_all(tail).and_then(|()| file.sync_data()).attempted("write", &torn)?;
    journal.set_len(whole).attempted("shorten", path)?;
    Ok(Some(torn))
}

fn create_torn(path: &Path) -> Result<(PathBuf, File), StoreError> {
    let mut number = 1_u32;
    loop {
        let torn = path.with_file_name(format!("journal.torn-{number}"));
        match open_private(OpenOptions::new().create_new(true).write(true), &torn) {
            Ok(file) => return Ok((torn, file)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => number = number.saturating_add(1),
            Err(error) => return Err(StoreError::io("create", &torn, error)),
        }
    }
}
