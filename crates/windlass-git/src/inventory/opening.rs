//! Permissions that somebody took while a working tree was watched: without them nobody can tell what is there.

use std::collections::BTreeSet;
use std::path::Path;

use super::{Unread, UnreadReason, as_path};
use windlass_host::tree::at;

/// To list a folder, change it, and get at what is in it.
const OF_A_FOLDER: u32 = 0o700;

/// To read a file.
const OF_A_FILE: u32 = 0o400;

/// What could not be read, of this.
pub(super) fn refused(unread: &[Unread]) -> BTreeSet<Vec<u8>> {
    unread.iter().filter(|one| one.why == UnreadReason::Refused).map(|one| one.path.clone()).collect()
}

/// Gives the owner back what it takes to read this path, from the outermost folder on: has anything come of it?
pub(super) fn open(root: &Path, path: &[u8]) -> bool {
    let path = as_path(path);
    let above: Vec<&Path> = path.ancestors().filter(|above| !above.as_os_str().is_empty()).collect();
    let mut opened = false;
    for path in above.into_iter().rev() {
        let place = at(root).join(path);
        let Ok(Some(found)) = place.look() else { break };
        // A link's permissions are nobody's, and what it leads to is not in this tree.
        let wanted = match (found.is_folder(), found.is_regular()) {
            (true, _) => OF_A_FOLDER,
            (_, true) => OF_A_FILE,
            _ => break,
        };
        let is_own = found.owner == rustix::process::geteuid().as_raw();
        if is_own && found.mode & wanted != wanted {
            opened |= place.set_permissions(found.mode & 0o7777 | wanted).is_ok();
        }
    }
    opened
}
