//! Files that run as whoever they belong to (SUID, SGID): a guest of a container may make some, be it as root.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use windlass_host::file::FileError;
use windlass_host::tree::{Attributes, Enter, Kind, at};

/// The two marks.
const MARKS: u32 = 0o6000;

/// The clock of files is a little behind.
const BEHIND: Duration = Duration::from_secs(1);

/// A file that had such a mark.
#[derive(Debug)]
pub(super) struct Marked {
    /// Which.
    pub path: PathBuf,
    /// Is it gone?
    pub done: Result<(), FileError>,
}

/// Takes the marks from whatever got one in a folder since then. Nobody can set when a file was changed last.
pub(super) fn take_away(folder: &Path, since: SystemTime) -> Vec<Marked> {
    let since = since.checked_sub(BEHIND).unwrap_or(since);
    let (top, mut marked) = (at(folder), Vec::new());
    top.descend(&mut |inner, folder, entry| {
        let is_new = |found: &Attributes| found.mode & MARKS != 0 && found.changed_at() >= since;
        if entry.kind == Kind::File
            && let Some(found) = folder.look(&entry.name).ok().flatten().filter(is_new)
        {
            let path = top.join(inner);
            let done = path.set_permissions(found.mode & !MARKS & 0o7777);
            marked.push(Marked { path: path.shown(), done });
        }
        Enter::Yes
    });
    marked
}
