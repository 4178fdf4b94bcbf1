//! What was read when the run started, and whether it is still the same.

use std::path::Path;

use super::refuse;
use super::working_tree::WorkingTree;
use windlass_host::file::read_beginning;
use windlass_host::tree;

/// The longest file that is read when a run starts: a hook.
const LONGEST_INPUT: usize = 64 * 1024 * 1024;

impl WorkingTree {
    /// Configuration is read when a run starts; later changes are announced, and apply to the next run.
    pub(super) fn changed_inputs(&self) -> Vec<String> {
        let place = self.surveyor.place();
        // What is about to be undone applies to nothing; without snapshots nothing is.
        let is_undoing = refuse::undoes(self) && self.snapshots.is_some();
        let is_undone = |path: &Path| {
            is_undoing
                && place.relative(path).is_some_and(|relative| self.forbidden_changes.contains(&relative))
        };
        let inputs = self.plan.inputs.iter().filter(|(path, _)| !is_undone(path));
        let changed = inputs.filter(|(path, digest)| {
            // Of a project a guest may have left anything in its place; a person's own configuration may be a link.
            let bytes = if tree::is_known(path) {
                tree::at(path).read(LONGEST_INPUT).ok().flatten()
            } else {
                // outside: a person's own configuration, in no tree of guests.
                read_beginning(path, LONGEST_INPUT).ok().flatten()
            };
            bytes.map(|bytes| windlass_host::file::digest(&bytes)).unwrap_or_default() != *digest
        });
        changed
            .map(|(path, _)| format!("{} has changed; this applies to the next run", path.display()))
            .collect()
    }
}
