//! The checksums: what is signed, and what everything that is fetched is held to.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use sha2::{Digest, Sha256};

use super::staging::{files_below, write_file};
use crate::program::Failure;

/// The file, in the form of `sha256sum`.
pub const NAME: &str = "SHA256SUMS";

/// Writes the checksums of all that lies in the folder.
pub fn write(folder: &Path) -> Result<(), Failure> {
    let mut sums = String::new();
    for file in files_below(folder)? {
        let name = file.display().to_string();
        if name.starts_with(NAME) {
            continue;
        }
        let path = folder.join(&file);
        let bytes = fs::read(&path).map_err(|error| Failure::at(&path, error))?;
        for byte in Sha256::digest(&bytes) {
            let _ = write!(sums, "{byte:02x}");
        }
        let _ = writeln!(sums, "  {name}");
    }
    write_file(&folder.join(NAME), sums.as_bytes())
}
