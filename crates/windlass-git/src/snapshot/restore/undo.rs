//! Undoing what an agent changed although it was not allowed to: only what is still as the agent left it, and only what a
//! snapshot holds.

use std::collections::BTreeSet;
use std::path::Path;

use super::ignores::SnapshotIgnores;
use super::{RestorePlan, Restored, above, apply};
use crate::inventory::{EntryKind, Inventory, Place, as_path};
use crate::snapshot::{KeptFile, LeftOutReason, Snapshot, SnapshotError, Store};
use windlass_host::tree::at;

/// The paths that differ between a snapshot and what is there later, sorted. What git ignores, by the rules of now or of the
/// snapshot, is not looked at, nor what the snapshot could not hold; nothing is known of it.
pub fn changed_since(
    store: &Store,
    before: &Snapshot,
    now: &Inventory,
) -> Result<Vec<Vec<u8>>, SnapshotError> {
    let ignores = SnapshotIgnores::read(store, before)?;
    // Of a submodule its commit is known, and nothing else.
    let out = before.left_out.iter().filter(|left| left.reason != LeftOutReason::Submodule);
    let unknown = |path: &[u8]| out.clone().any(|left| left.path == path);
    let differs = |entry: &&crate::inventory::Entry| match before.file(&entry.path) {
        Some(file) => (file.kind, file.content) != (entry.kind, entry.content),
        None => !ignores.ignores(&entry.path),
    };
    let there = now.entries.iter().filter(|entry| !entry.ignored && !unknown(&entry.path));
    let mut changed: Vec<Vec<u8>> = there.filter(differs).map(|entry| entry.path.clone()).collect();
    // What is ignored since is still there. A folder in the place of a file is not that file.
    let is_there = |file: &KeptFile| {
        let there = at(&before.place.root).join(as_path(&file.path)).look().ok().flatten();
        there.is_some_and(|found| found.is_folder() == (file.kind == EntryKind::Submodule))
    };
    let gone = before.files.iter().filter(|file| now.entry(&file.path).is_none() && !is_there(file));
    changed.extend(gone.map(|file| file.path.clone()));
    changed.sort_unstable();
    Ok(changed)
}

/// Makes these paths what they were in `before`, where they are still as in `after`, which keeps what is undone. Done again
/// after it was cut off, it does the rest.
pub fn undo(
    store: &Store,
    place: &Place,
    (before, after): (&Snapshot, &Snapshot),
    paths: &[Vec<u8>],
) -> Result<Restored, SnapshotError> {
    let mut plan = RestorePlan::of(place.clone(), before);
    let named: BTreeSet<&[u8]> = paths.iter().map(Vec::as_slice).collect();
    // What stands in a folder's place goes first: what is seen through a link is not what was there.
    let is_behind =
        |path: &[u8]| above(path).any(|above| named.contains(above) && after.file(above).is_some());
    for path in paths {
        let there = if is_behind(path) { None } else { place.content_now(path) };
        let left = after.content(path);
        let was = before.file(path);
        let submodule = |kind: Option<EntryKind>| kind == Some(EntryKind::Submodule);
        let kept = !after.left_out.iter().any(|out| out.path == *path);
        if there != left
            || !kept
            || submodule(left.map(|(kind, _)| kind))
            || submodule(was.map(|file| file.kind))
        {
            continue;
        }
        match was {
            Some(file) => plan.write.push(file.clone()),
            None => plan.remove.push(path.clone()),
        }
    }
    let mut restored = Restored::default();
    apply::remove(&plan, |_| false, &mut restored);
    apply::write(store, &plan, |_| false, &mut restored)?;
    Ok(restored)
}

/// Removes the folders that an [`undo`] which was killed had emptied: of files that `left` has, and that are gone now.
pub fn remove_emptied(root: &Path, now: &Inventory, left: &Snapshot) {
    for file in left.files.iter().filter(|file| now.entry(&file.path).is_none()) {
        let path = as_path(&file.path);
        if !at(root).join(path).is_taken() {
            apply::remove_emptied(root, path);
        }
    }
}

/// Removes what an [`undo`] that was killed had half-written; it is ours by its name, and in neither snapshot.
pub fn remove_half_written(root: &Path, now: &Inventory, snapshots: [&Snapshot; 2]) {
    let half_written = |path: &[u8]| as_path(path).file_name().is_some_and(apply::is_temporary);
    for entry in now.entries.iter().filter(|entry| half_written(&entry.path)) {
        if snapshots.iter().all(|snapshot| snapshot.file(&entry.path).is_none()) {
            // It is seen, and told, as what it is.
            let _ = at(root).join(as_path(&entry.path)).remove_file();
        }
    }
}
