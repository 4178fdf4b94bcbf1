//! The page's own files in the state folder: JSON, private, each replaced in one step.

use std::fs;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;
use windlass_app::{AppError, Kind};
use windlass_host::file::{self, Made};

const PRIVATE: u32 = 0o600;

/// Writes it, in place of what was there.
pub fn write(path: &Path, value: &impl Serialize) -> Result<(), AppError> {
    file::replace(path, &bytes_of(value)?, PRIVATE).map_err(AppError::system)
}

/// Makes it where there is none, in one step: of several that make it only one has made it anew.
pub fn make(path: &Path, value: &impl Serialize) -> Result<Made, AppError> {
    file::create_new(path, &bytes_of(value)?, PRIVATE).map_err(AppError::system)
}

/// What is in it; `None` where it is not there, or is something else.
pub fn read<T: DeserializeOwned>(path: &Path) -> Option<T> {
    serde_json::from_slice(&file::read_if_there(path).ok()??).ok()
}

/// The files of a folder; none where it cannot be read.
pub fn in_folder(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten();
    entries.filter_map(|entry| entry.ok().map(|entry| entry.path())).collect()
}

fn bytes_of(value: &impl Serialize) -> Result<Vec<u8>, AppError> {
    serde_json::to_vec(value).map_err(|error| AppError::of(Kind::Internal, error))
}
