//! Working trees of the repository that an attempt made and left: what is in them is seen by nobody here.

use std::collections::BTreeSet;
use std::path::PathBuf;

use windlass_core::words::quoted;

use super::working_tree::WorkingTree;
use windlass_git::git::LinkedTree;

/// Those that there are; none where they cannot be told.
pub(super) fn of(world: &WorkingTree) -> BTreeSet<PathBuf> {
    let repository = world.surveyor.place().repository.as_ref();
    let trees = repository.and_then(|repository| repository.linked_trees().ok()).unwrap_or_default();
    trees.into_iter().filter(LinkedTree::is_there).map(|tree| tree.path).collect()
}

/// Those that there are beyond `before`, named.
pub(super) fn notices(world: &WorkingTree, before: &BTreeSet<PathBuf>) -> Vec<String> {
    let new = of(world).into_iter().filter(|tree| !before.contains(tree));
    new.map(|tree| {
        let path = tree.to_string_lossy().replace(char::is_control, " ");
        format!(
            "a worktree was made while the agent worked, and left: {path}. What is in it is neither looked at nor kept; \
             to remove it: git worktree remove --force {}",
            quoted(tree.as_os_str())
        )
    })
    .collect()
}
