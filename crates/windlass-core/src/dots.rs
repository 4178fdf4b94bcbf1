//! Paths by their words alone.

use std::path::{Component, Path, PathBuf};

/// The same path without `.` and `..`; links are not looked at.
pub fn without_dots(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => drop(plain.pop()),
            part => plain.push(part),
        }
    }
    plain
}
