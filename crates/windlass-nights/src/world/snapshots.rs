//! The store of snapshots: contents, and names that make them count.

use std::collections::{BTreeMap, BTreeSet};

use windlass_core::run::TurnKey;
use windlass_core::values::SnapshotId;

use super::Tree;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Side {
    Before,
    After,
}

pub(crate) type Name = (TurnKey, Side);

#[derive(Clone, Debug, Default)]
pub(crate) struct Snapshots {
    written: BTreeMap<SnapshotId, (Tree, bool)>,
    names: BTreeMap<Name, SnapshotId>,
    protected: BTreeSet<(u8, u32)>,
    count: u32,
}

impl Snapshots {
    /// Writes contents; they are not on the disk yet.
    pub fn write(&mut self, tree: Tree) -> SnapshotId {
        let id = self.new_id();
        self.written.insert(id.clone(), (tree, false));
        id
    }

    pub fn new_id(&mut self) -> SnapshotId {
        self.count += 1;
        SnapshotId(format!("s{}", self.count))
    }

    /// A planted fault needs this: contents that come after their name.
    pub fn write_as(&mut self, id: SnapshotId, tree: Tree) {
        self.written.insert(id, (tree, false));
    }

    pub fn sync(&mut self, id: &SnapshotId) {
        if let Some((_, synced)) = self.written.get_mut(id) {
            *synced = true;
        }
    }

    pub fn name(&mut self, id: &SnapshotId, name: Name) {
        self.names.insert(name, id.clone());
        if let Some((tree, _)) = self.written.get(id) {
            self.protected.extend(tree.files());
        }
    }

    /// What is in the snapshot of this name.
    pub fn named(&self, name: Name) -> Option<&Tree> {
        self.tree(self.names.get(&name)?)
    }

    pub fn tree(&self, id: &SnapshotId) -> Option<&Tree> {
        self.written.get(id).map(|(tree, _)| tree)
    }

    /// Is this content in a snapshot with a name?
    pub fn protects(&self, at: (u8, u32)) -> bool {
        self.protected.contains(&at)
    }

    /// What was written and not synced is gone.
    pub fn cut(&mut self) {
        self.written.retain(|_, (_, synced)| *synced);
    }

    /// A name without its contents.
    pub fn dangling(&self) -> Option<Name> {
        self.names.iter().find(|(_, id)| !self.written.contains_key(id)).map(|(name, _)| *name)
    }
}
