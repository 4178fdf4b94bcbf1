//! What an attempt leaves in a repository inside the repository, or in a submodule: no commit of the runner's takes it along, and
//! no snapshot. In a lane it would be gone with the lane, so that no claim is accepted while it is there; elsewhere it is said.

use std::collections::BTreeMap;

use windlass_core::values::{Suspicion, SuspicionKind};

use super::work::WorkError;
use super::working_tree::WorkingTree;
use windlass_git::inventory::{Inventory, NestedFolder};

/// So many folders are named.
const NAMED: usize = 20;

/// Such folders as an attempt found them, each with what shows that something in it has changed.
pub(super) type NestedMarks = BTreeMap<NestedFolder, String>;

/// Before an attempt in a person's own directory. A lane has no such folder when its task begins.
pub(super) fn before(world: &WorkingTree, now: &Inventory) -> Result<NestedMarks, WorkError> {
    if world.plan.lanes.is_some() {
        return Ok(NestedMarks::new());
    }
    Ok(world.surveyor.place().nested_marks(now)?)
}

/// All of them that there are in a lane, as findings.
pub(super) fn in_lane(world: &WorkingTree, now: &Inventory) -> Result<Vec<Suspicion>, WorkError> {
    if world.plan.lanes.is_none() {
        return Ok(Vec::new());
    }
    let found = world.surveyor.place().nested_folders(now)?;
    let finding = |folder: &NestedFolder| {
        let path = String::from_utf8_lossy(&folder.path);
        Suspicion::new(SuspicionKind::Nested, path.clone(), said(folder, &path))
    };
    Ok(found.iter().take(NAMED).map(finding).collect())
}

/// Those that an attempt made or changed in a person's own directory; one after a restart of the runner is compared with
/// nothing.
pub(super) fn notice(
    world: &WorkingTree,
    before: Option<&NestedMarks>,
    now: &Inventory,
) -> Result<Option<String>, WorkError> {
    let Some(before) = before.filter(|_| world.plan.lanes.is_none()) else { return Ok(None) };
    let after = world.surveyor.place().nested_marks(now)?;
    let changed = after.iter().filter(|(folder, mark)| before.get(folder) != Some(mark)).take(NAMED);
    let named: Vec<String> = changed
        .map(|(folder, _)| {
            let path = String::from_utf8_lossy(&folder.path);
            if folder.is_submodule {
                return format!("{path} is a submodule, of which commits here have the one that is checked out in it, and nothing else");
            }
            format!("{path} is {}", said(folder, &path))
        })
        .collect();
    Ok((!named.is_empty())
        .then(|| format!("what the agent left there stays in the files alone: {}", named.join("; "))))
}

fn said(folder: &NestedFolder, path: &str) -> String {
    if folder.is_submodule {
        return "a submodule: what is in it is in no commit of this repository; commit it there yourself, or empty the folder".to_owned();
    }
    format!(
        "a repository of its own: what is in it is in no commit of this one; remove {path}/.git so that its files can be \
         committed, or move the folder out"
    )
}
