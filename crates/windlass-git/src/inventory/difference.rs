//! What differs between two inventories.

use std::cmp::Ordering;

use super::{Entry, Inventory};

/// A path whose content or kind differs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// Relative to the root.
    pub path: Vec<u8>,
    /// How.
    pub kind: ChangeKind,
}

/// How a path differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ChangeKind {
    /// It is new.
    Added,
    /// Its content or its mode is another.
    Modified,
    /// It is gone.
    Removed,
}

/// What changed from one inventory to a later one, sorted by path. What cannot be read any more is not gone, and nobody knows
/// whether it changed.
pub fn changes(before: &Inventory, after: &Inventory) -> Vec<Change> {
    let mut found = Vec::new();
    let is_gone = |entry: &&Entry| !after.is_unread(&entry.path);
    let (mut old, mut new) = (before.entries.iter().peekable(), after.entries.iter().peekable());
    loop {
        let order = match (old.peek(), new.peek()) {
            (None, None) => return found,
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (Some(one), Some(other)) => one.path.cmp(&other.path),
        };
        let change = |entry: &Entry, kind| Change { path: entry.path.clone(), kind };
        match order {
            Ordering::Less => {
                found.extend(old.next().filter(is_gone).map(|entry| change(entry, ChangeKind::Removed)));
            }
            Ordering::Greater => found.extend(new.next().map(|entry| change(entry, ChangeKind::Added))),
            Ordering::Equal => {
                let pair = old.next().zip(new.next());
                let differing =
                    pair.filter(|(one, other)| (one.kind, one.content) != (other.kind, other.content));
                found.extend(differing.map(|(_, entry)| change(entry, ChangeKind::Modified)));
            }
        }
    }
}
