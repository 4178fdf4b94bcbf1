//! Several lanes: which one is dealt with, what runs in the others, and whether its checkout is there.

use windlass_core::run::LaneState;
use windlass_core::values::{Cut, LaneId};

use super::Runner;
use super::live::Live;
use crate::plant::Plant;

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

    /// Why the call of the lane that is dealt with is being ended.
    pub(crate) fn terminating_cut(&self) -> Cut {
        match self.core.run.lane(self.here) {
            Some(LaneState::Terminating(_, _, termination)) => termination.cut,
            _ => Cut::Stop,
        }
    }

    /// Is this about a lane whose checkout is gone?
    pub(super) fn is_lost(&self) -> bool {
        let sees = self.plant != Some(Plant::UnseenLoss);
        sees && self.has_lanes() && self.here != LaneId::default() && self.world.no_directory
    }
}
