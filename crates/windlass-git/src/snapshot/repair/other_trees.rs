//! Other working trees of the repository: the main one, and those that are linked.

use super::{RepairPlan, RepairScope, RepairStep, there};
use crate::inventory::EntryKind;
use crate::snapshot::repository::{AnotherTree, KeptPlace, MAIN_HEAD, OwnFile, location};
use crate::snapshot::{Snapshot, SnapshotError, Store};
use windlass_host::file::FileError;

impl RepairPlan {
    /// Puts back what is gone of them: each has its own owner, who may have gone on.
    pub(super) fn other_trees(
        &mut self,
        store: &Store,
        target: &Snapshot,
        scope: RepairScope<'_>,
    ) -> Result<(), SnapshotError> {
        // What tells a tree that is gone from one that is there comes last: a repair that was killed is finished by another one.
        let mut heads = Vec::new();
        for OwnFile { name, content, .. } in target.repository.iter().filter(|file| scope.has(&file.name)) {
            let Some(file) = AnotherTree::of(name) else { continue };
            let Some(path) = location(&target.place, name) else { continue };
            let content = store.content(content)?;
            let stays = there(&path)?.is_some_and(|(_, bytes)| !bytes.is_empty() || content.is_empty());
            // What was under way may have come to its end, and who locked a tree may have unlocked it.
            if stays || !(file.is_always_there() || is_gone(target, &file)?) {
                continue;
            }
            let step = RepairStep::WriteFile { path, content, kind: EntryKind::File };
            if file.below == b"HEAD" { heads.push(step) } else { self.steps.push(step) }
        }
        self.steps.extend(heads);
        self.say_headless(target, scope)
    }

    /// Snapshots that earlier releases took of a linked working tree know nothing of the main one.
    fn say_headless(&mut self, target: &Snapshot, scope: RepairScope<'_>) -> Result<(), SnapshotError> {
        let KeptPlace { git_dir, common_dir, .. } = &target.place;
        let Some(common_dir) = common_dir.as_ref().filter(|_| git_dir != common_dir) else { return Ok(()) };
        let head = common_dir.join("HEAD");
        let is_kept = target.repository.iter().any(|file| file.name == MAIN_HEAD);
        if scope.is_everything() && !is_kept && there(&head)?.is_none() {
            self.left_alone.push(format!(
                "{} is gone, and this snapshot does not have it: git knows the main working tree again once this file has a \
                 line that names its branch, like `ref: refs/heads/main`",
                head.display()
            ));
        }
        Ok(())
    }
}

/// Is what the repository has of this working tree no such thing any more?
fn is_gone(target: &Snapshot, file: &AnotherTree<'_>) -> Result<bool, FileError> {
    let Some(head) = location(&target.place, &[file.tree, b"HEAD"].concat()) else { return Ok(false) };
    Ok(there(&head)?.is_none_or(|(_, bytes)| bytes.is_empty()))
}
