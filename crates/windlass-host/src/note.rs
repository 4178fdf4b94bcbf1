//! What a runner notes beside a run for whoever comes after it, should it be cut off.

use std::fs;
use std::path::PathBuf;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::file::{FileError, read_if_there, replace};

/// A file of ours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note(PathBuf);

impl Note {
    /// The note at this path.
    pub const fn at(path: PathBuf) -> Note {
        Note(path)
    }

    /// Is there one?
    pub fn is_there(&self) -> bool {
        self.0.is_file()
    }

    /// What it says; `None` where there is none, or where it says something else.
    pub fn read<T: DeserializeOwned>(&self) -> Result<Option<T>, FileError> {
        let content = read_if_there(&self.0)?;
        Ok(content.and_then(|content| serde_json::from_slice(&content).ok()))
    }

    /// Writes it, on the disk.
    pub fn write<T: Serialize>(&self, what: &T) -> Result<(), FileError> {
        replace(&self.0, &serde_json::to_vec(what).unwrap_or_default(), 0o600)
    }

    /// Nothing has to be known any more. Where it cannot be removed the next one takes its place.
    pub fn remove(&self) {
        let _ = fs::remove_file(&self.0);
    }
}
