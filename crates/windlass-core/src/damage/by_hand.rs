//! What a person types to have back what is gone from a repository that is otherwise left as it is.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;

use super::{Damage, DamageKind, Name, Scene};
use crate::words::{quoted, short_commit};

/// The commands of git, in the order of what is gone; none for what no single command brings back.
pub fn by_hand(before: &Scene, after: &Scene, damage: &Damage) -> Vec<String> {
    match damage.kind {
        DamageKind::ReferencesLost => {
            let named = |name: &Name| before.references.get(name).map(|value| update(name, value));
            damage.names.iter().filter_map(named).collect()
        }
        DamageKind::StashDropped => {
            let dropped = before.stashes.iter().filter(|stash| !after.stashes.contains(stash));
            dropped.map(|stash| format!("git stash store {stash}")).collect()
        }
        DamageKind::CommitsLost | DamageKind::BranchMovedBack => {
            let Some(commit) = &before.commit else { return Vec::new() };
            match &before.branch {
                Some(branch) if !after.references.contains_key(branch) => vec![update(branch, commit)],
                // It may be meant to be where it is.
                _ => vec![format!("git branch was-{} {commit}", short_commit(commit))],
            }
        }
        _ => Vec::new(),
    }
}

fn update(name: &Name, value: &str) -> String {
    let name = quoted(OsStr::from_bytes(name));
    match value.strip_prefix("ref:") {
        Some(other) => format!("git symbolic-ref {name} {}", quoted(OsStr::new(other.trim()))),
        None => format!("git update-ref {name} {}", quoted(OsStr::new(value))),
    }
}
