//! Working directories: the user's, and those of lanes that have one each.

use windlass_core::values::{LaneId, TaskId};

use super::Actor;
use super::git::Repository;
use super::{FILES, Tree, World};

/// What there is of one working directory, while the world is looked at from another.
#[derive(Clone, Debug, Default)]
pub(crate) struct Place {
    pub tree: Tree,
    pub no_directory: bool,
    pub repository: Repository,
    pub notes: Option<Vec<u8>>,
    before: Tree,
    last_by: [Option<Actor>; FILES],
    strayed: [bool; FILES],
    epoch: u32,
    anchor: Option<(Tree, u32)>,
    task: Option<TaskId>,
}

impl World {
    /// From now on, what is said of a tree and of HEAD is said of this lane's.
    pub fn enter(&mut self, lane: LaneId) {
        if lane == self.here {
            return;
        }
        let mut place = self.elsewhere.remove(&lane).unwrap_or_default();
        self.change_places(&mut place);
        self.elsewhere.insert(self.here, place);
        self.here = lane;
    }

    fn change_places(&mut self, place: &mut Place) {
        std::mem::swap(&mut self.tree, &mut place.tree);
        std::mem::swap(&mut self.no_directory, &mut place.no_directory);
        std::mem::swap(&mut self.git.here, &mut place.repository);
        std::mem::swap(&mut self.notes, &mut place.notes);
        std::mem::swap(&mut self.before, &mut place.before);
        std::mem::swap(&mut self.last_by, &mut place.last_by);
        std::mem::swap(&mut self.strayed, &mut place.strayed);
        std::mem::swap(&mut self.epoch, &mut place.epoch);
        std::mem::swap(&mut self.anchor, &mut place.anchor);
        std::mem::swap(&mut self.task, &mut place.task);
    }
}
