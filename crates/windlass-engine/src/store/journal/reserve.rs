//! Bytes that are taken while there are any, so that a full disk can be journalled.

use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::path::Path;

use super::super::StoreError;
use super::super::error::Attempted as _;
use super::super::files::open_private;

/// How much is reserved, in bytes: some hundred facts.
pub const RESERVE_BYTES: usize = 64 * 1024;

/// Fills the reserve, if it is not full. Its content is random, so that a file system which compresses really gives
/// the room away.
pub(super) fn fill(path: &Path) -> Result<(), StoreError> {
    if fs::metadata(path).is_ok_and(|metadata| metadata.len() == RESERVE_BYTES as u64) {
        return Ok(());
    }
    let mut content = vec![0; RESERVE_BYTES];
    getrandom::fill(&mut content)
        .map_err(|error| StoreError::NoRandomness { source: io::Error::other(error) })?;
    let mut file = open_private(OpenOptions::new().create(true).truncate(true).write(true), path)
        .attempted("create", path)?;
    file.write_all(&content).and_then(|()| file.sync_data()).attempted("write", path)
}

/// Gives the room back.
pub(super) fn release(path: &Path) -> Result<(), StoreError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(StoreError::io("remove", path, error)),
        _ => Ok(()),
    }
}
