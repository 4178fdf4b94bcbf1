//! The file that issues of a forge are worked off in: in each directory where an agent works, and in no commit.

use std::path::Path;

use windlass_host::file::FileError;
use windlass_host::tree::at;

/// Writes it, beside what keeps it and its kind out of commits. `file` is `FOLDER/REPOSITORY/NAME`, from the directory.
///
/// # Errors
/// Something else is in its place, or it cannot be written.
pub fn put_issues(directory: &Path, file: &Path, text: &str) -> Result<(), FileError> {
    let place = at(directory).join(file);
    if let Some(own) = place.parent() {
        own.make_folders()?;
        if let Some(all) = own.parent() {
            all.join(".gitignore").create_new(b"*\n", 0o644)?;
        }
    }
    place.replace(text.as_bytes(), 0o644)
}
