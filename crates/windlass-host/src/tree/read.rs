//! Reading, within bounds.

use std::io::{self, Read as _};

use super::TreePath;
use crate::file::FileError;

/// The most room that is made before a file is read: it may say any length.
const ROOM: u64 = 1 << 20;

impl TreePath {
    /// The bytes of a regular file; `None` where there is none, or a folder on the way to it is missing.
    ///
    /// # Errors
    /// It cannot be read, is not a file, leads out, or is longer than `longest` bytes.
    pub fn read(&self, longest: usize) -> Result<Option<Vec<u8>>, FileError> {
        match self.read_beginning(longest)? {
            Some(bytes) if bytes.len() > longest => {
                let why = io::Error::other(format!("it is longer than {longest} bytes"));
                Err(self.failed("read", why))
            }
            bytes => Ok(bytes),
        }
    }

    /// So much of a regular file: a byte more than `longest` says that it is too long. `None` where there is none.
    pub fn read_beginning(&self, longest: usize) -> Result<Option<Vec<u8>>, FileError> {
        let file = match self.open() {
            Ok(file) => file,
            Err(error) if is_absent(&error) => return Ok(None),
            Err(error) => return Err(self.failed("read", error)),
        };
        let most = u64::try_from(longest).unwrap_or(u64::MAX).saturating_add(1);
        // Room for all of it and a byte more, which shows that it is all: else it is read in pieces of 32 bytes.
        let size = file.metadata().map_or(0, |about| about.len()).min(ROOM);
        let mut bytes = Vec::with_capacity(usize::try_from(size.saturating_add(1).min(most)).unwrap_or(0));
        file.take(most).read_to_end(&mut bytes).map_err(|error| self.failed("read", error))?;
        Ok(Some(bytes))
    }
}

pub(super) fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}
