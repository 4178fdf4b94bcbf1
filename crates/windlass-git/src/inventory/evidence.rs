//! Evidence: what the working tree looks like, in one digest.

use windlass_core::values::Evidence;

use super::{Entry, Inventory, UnreadReason, as_path};
use crate::git::{ObjectFormat, ObjectKind};

/// The folder that holds Windlass's own files in a project. Never evidence.
pub const OWN_FOLDER: &str = ".windlass";

/// The state of the world as an inventory shows it. Paths below `.windlass/`, at any depth, are left out, and so are the
/// `excluded` ones (files, or folders with all that is in them; relative to the root): notes and logs.
pub fn evidence(inventory: &Inventory, excluded: &[Vec<u8>]) -> Evidence {
    let mut listing = Vec::new();
    let counts = |path: &[u8]| !is_own(path) && !excluded.iter().any(|prefix| is_within(path, prefix));
    for entry in inventory.entries.iter().filter(|entry| counts(&entry.path)) {
        let mode = entry.kind.git_mode();
        listing.extend_from_slice(mode.as_bytes());
        listing.push(b' ');
        listing.extend_from_slice(entry.content.as_bytes());
        push_path(&mut listing, &entry.path);
    }
    for unread in inventory.unread.iter().filter(|unread| counts(&unread.path)) {
        listing.extend_from_slice(reason_mark(unread.why));
        push_path(&mut listing, &unread.path);
    }
    let head = inventory.head.as_ref().and_then(crate::git::Head::commit).map(|commit| commit.to_string());
    Evidence { head, tree: tree_digest(&listing), work: None }
}

/// The entries of a folder (relative to the root), sorted by path.
pub fn entries_within<'a>(inventory: &'a Inventory, folder: &'a [u8]) -> impl Iterator<Item = &'a Entry> {
    inventory.entries.iter().filter(move |entry| is_within(&entry.path, folder))
}

/// The length goes first, so that no name can pretend to be two.
fn push_path(listing: &mut Vec<u8>, path: &[u8]) {
    listing.extend_from_slice(&(path.len() as u64).to_be_bytes());
    listing.extend_from_slice(path);
}

const fn reason_mark(why: UnreadReason) -> &'static [u8] {
    match why {
        UnreadReason::NotAFile => b"not-a-file",
        UnreadReason::Refused => b"refused",
        // It differs each time anyway; what it was in between says nothing.
        UnreadReason::Changing => b"changing",
    }
}

fn tree_digest(listing: &[u8]) -> String {
    ObjectFormat::Sha256.identify(ObjectKind::Blob, listing).to_string()
}

/// Is it below `.windlass/`, at any depth, or what Windlass was writing when it was killed?
pub fn is_own(path: &[u8]) -> bool {
    path.split(|byte| *byte == b'/').any(|part| part == OWN_FOLDER.as_bytes()) || is_half_written(path)
}

/// The new content of a file on its way, left by a runner that was killed: no work of anybody's.
pub fn is_half_written(path: &[u8]) -> bool {
    let name = path.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
    name.starts_with(b".windlass-") && name.ends_with(b".tmp")
}

/// Is it this path, or below it? The whole tree is the empty one.
pub fn is_within(path: &[u8], prefix: &[u8]) -> bool {
    as_path(path).starts_with(as_path(prefix))
}
