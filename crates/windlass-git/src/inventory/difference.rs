//! What differs between two inventories.

use std::cmp::Ordering;

use super::{Entry, Inventory};

/// The paths whose content or kind differs between an inventory and a later one, in their order. What cannot be read any more is
/// not gone, and nobody knows whether it changed.
pub fn changes(before: &Inventory, after: &Inventory) -> Vec<Vec<u8>> {
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
        let differing = match order {
            Ordering::Less => old.next().filter(is_gone),
            Ordering::Greater => new.next(),
            Ordering::Equal => {
                let pair = old.next().zip(new.next());
                let differs =
                    |(one, other): &(&Entry, &Entry)| (one.kind, one.content) != (other.kind, other.content);
                pair.filter(differs).map(|(_, entry)| entry)
            }
        };
        found.extend(differing.map(|entry| entry.path.clone()));
    }
}
