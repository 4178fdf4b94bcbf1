//! Several lanes: which one is dealt with, what runs in the others, and a person in the directory that they share.

use windlass_core::fact::LaneId;

use super::Runner;
use super::lane::Live;
use crate::plant::Plant;
use crate::record::{Actor, What};
use crate::world::{Author, NAMES, Tree};

impl Runner<'_> {
    /// From now on, this lane is dealt with.
    pub(crate) fn enter(&mut self, lane: LaneId) {
        self.world.enter(lane);
        if lane == self.here {
            return;
        }
        let (live, memory) = self.elsewhere.remove(&lane).unwrap_or_default();
        let left = (std::mem::replace(&mut self.live, live), std::mem::replace(&mut self.memory, memory));
        self.elsewhere.insert(self.here, left);
        self.here = lane;
    }

    /// What runs, lane by lane.
    pub(super) fn lives(&self) -> impl Iterator<Item = (LaneId, &Live)> {
        let others = self.elsewhere.iter().map(|(lane, (live, _))| (*lane, live));
        others.chain([(self.here, &self.live)])
    }

    /// Lanes in which something runs.
    pub(crate) fn busy(&self) -> Vec<LaneId> {
        let busy = self.lives().filter(|(_, live)| !matches!(live, Live::Nothing));
        busy.map(|(lane, _)| lane).collect()
    }

    /// A person works in the user's directory while lanes are at work.
    pub(super) fn lane_goes(&mut self, lane: LaneId) {
        let here = self.here;
        self.enter(lane);
        // One that was never opened is not there.
        if self.world.git.exists() {
            self.note(What::PersonDid(format!("removes the checkout of lane {lane}")));
            self.world.no_directory = self.plant != Some(Plant::UnseenLoss);
            self.world.change(Actor::Person, |tree| *tree = Tree::default());
        }
        self.enter(here);
    }

    /// Is this about a lane whose checkout is gone?
    pub(super) fn is_lost(&self) -> bool {
        let sees = self.plant != Some(Plant::UnseenLoss);
        sees && self.has_lanes() && self.here != LaneId::default() && self.world.no_directory
    }

    pub(super) fn person_writes(&mut self, file: u8, commits: bool) {
        let here = self.here;
        self.enter(LaneId::default());
        let content = self.world.new_content();
        self.world.change(Actor::Person, |tree| tree.put(file, content));
        let also = if commits && self.world.git.exists() {
            self.world.git.commit(self.world.tree, Author::Person);
            " and commits everything"
        } else {
            ""
        };
        self.note(What::PersonDid(format!("writes {}{also}", NAMES[usize::from(file)])));
        self.enter(here);
    }
}
