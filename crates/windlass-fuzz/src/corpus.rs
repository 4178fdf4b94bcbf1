//! Inputs that are kept: small ones that say what a format looks like, and every one that ever broke something.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::Target;

/// Where a target's inputs are.
pub fn folder(target: &Target) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(target.name)
}

/// A target's inputs by their files' names, sorted.
pub fn inputs(target: &Target) -> io::Result<Vec<(String, Vec<u8>)>> {
    let mut inputs = Vec::new();
    for entry in fs::read_dir(folder(target))? {
        let entry = entry?;
        inputs.push((entry.file_name().to_string_lossy().into_owned(), fs::read(entry.path())?));
    }
    inputs.sort();
    Ok(inputs)
}
