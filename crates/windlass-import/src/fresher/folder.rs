//! What lies in a folder of somebody else's.

use std::fs::{self, Metadata, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use windlass_host::file::read_beginning;

/// So much of a script is searched.
const SEARCHED: usize = 1024 * 1024;

/// What something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Entry {
    File,
    Folder,
    Link,
    Other,
}

impl Entry {
    pub fn of(metadata: &Metadata) -> Entry {
        let kind = metadata.file_type();
        match (kind.is_file(), kind.is_dir(), kind.is_symlink()) {
            (true, ..) => Entry::File,
            (_, true, _) => Entry::Folder,
            (.., true) => Entry::Link,
            _ => Entry::Other,
        }
    }

    /// Why it is not what was looked for.
    pub const fn refusal(self) -> &'static str {
        match self {
            Entry::File => "it is a file",
            Entry::Folder => "it is a folder",
            Entry::Link => "it is a link; links are not followed",
            Entry::Other => "it is neither a file nor a folder",
        }
    }
}

/// The names in a folder, in order, without what systems leave there.
pub(super) fn entries(folder: &Path) -> io::Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder)? {
        names.push(entry?.file_name().to_string_lossy().into_owned());
    }
    names.retain(|name| !matches!(name.as_str(), ".gitkeep" | ".DS_Store" | ".gitignore"));
    names.sort();
    Ok(names)
}

/// May anybody start it?
pub(super) fn is_executable(permissions: &Permissions) -> bool {
    permissions.mode() & 0o111 != 0
}

/// Does a script speak of Fresher's folder?
pub(super) fn names_fresher(script: &Path) -> bool {
    let text = read_beginning(script, SEARCHED).ok().flatten().unwrap_or_default();
    text.windows(b".fresher/".len()).any(|bytes| bytes == b".fresher/")
}
