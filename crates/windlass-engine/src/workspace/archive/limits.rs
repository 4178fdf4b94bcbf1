//! How much an archive may hold. The same bounds hold when it is made, so that whatever was archived can be restored.

use std::path::{Path, PathBuf};

use super::error::ArchiveError;

/// The most that an archive may hold, unpacked, in bytes.
pub const LARGEST_ARCHIVE: u64 = 16 << 30;

/// The most entries (files, folders, links) that an archive may hold.
pub const MOST_ENTRIES: u64 = 200_000;

/// What one entry may take in an archive beside its content: headers, long names, padding.
const OVERHEAD: u64 = 12 * 1024;

/// How much an archive may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Unpacked, in bytes.
    pub bytes: u64,
    /// Files, folders and links.
    pub entries: u64,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { bytes: LARGEST_ARCHIVE, entries: MOST_ENTRIES }
    }
}

impl Limits {
    /// The bounds for the archive itself, headers included.
    pub(super) fn with_headers(self) -> Limits {
        Limits { bytes: self.bytes.saturating_add(self.entries.saturating_mul(OVERHEAD)), ..self }
    }
}

/// What has been counted so far.
#[derive(Debug)]
pub(super) struct Tally {
    of: PathBuf,
    limits: Limits,
    bytes: u64,
    entries: u64,
}

impl Tally {
    pub fn new(of: &Path, limits: Limits) -> Tally {
        Tally { of: of.to_owned(), limits, bytes: 0, entries: 0 }
    }

    /// One entry more.
    pub fn entry(&mut self) -> Result<(), ArchiveError> {
        self.entries += 1;
        if self.entries > self.limits.entries {
            return Err(self.too_large(format!("{} files and folders", self.limits.entries)));
        }
        Ok(())
    }

    /// So many bytes more.
    pub fn bytes(&mut self, more: u64) -> Result<(), ArchiveError> {
        self.bytes = self.bytes.saturating_add(more);
        if self.bytes > self.limits.bytes {
            let limit = match self.limits.bytes {
                bytes if bytes >= 1 << 30 => format!("{} GB", bytes >> 30),
                bytes => format!("{bytes} bytes"),
            };
            return Err(self.too_large(limit));
        }
        Ok(())
    }

    fn too_large(&self, limit: String) -> ArchiveError {
        ArchiveError::TooLarge { archive: self.of.clone(), limit }
    }
}
