//! The facts of damage to the repository.

use super::Applied;
use crate::damage::{Damage, DamageCourse};
use crate::run::lane::{LaneState, Turn};
use crate::run::{Damaged, Run};
use crate::values::{Evidence, JobStatus, LaneId};

impl Run {
    pub(super) fn damaged(&mut self, lane: LaneId, found: &[Damage], course: DamageCourse) -> Applied {
        let turn = self.take_state(lane, "keeping, advancing or settling", |state| match state {
            LaneState::Keeping(turn, ..) | LaneState::Advancing(turn, ..) | LaneState::Settling(turn, ..) => {
                Some(turn.key())
            }
            _ => None,
        })?;
        if let Some(held) = self.lanes.get_mut(&lane) {
            held.damage = Some(Damaged { turn, found: found.to_vec(), course, undone: false });
        }
        Ok(())
    }

    /// What an earlier attempt did is not news any more; the next prompt has told of it.
    pub(super) fn forget_earlier_damage(&mut self, lane: LaneId, turn: &Turn) {
        if let Some(held) = self.lanes.get_mut(&lane)
            && held.damage.as_ref().is_some_and(|damage| damage.turn != turn.key())
        {
            held.damage = None;
        }
    }

    /// Does the runner still have to undo what this attempt did?
    pub(super) fn is_undoing_due(&self, lane: LaneId) -> bool {
        let damage = self.lanes.get(&lane).and_then(|held| held.damage.as_ref());
        damage.is_some_and(|damage| damage.course.undoes() && !damage.undone)
    }

    /// What is left is the attempt's own; where all of it was taken back, there is nothing to claim.
    pub(super) fn undone(
        &mut self,
        lane: LaneId,
        evidence: &Evidence,
        standing: Option<&JobStatus>,
    ) -> Applied {
        let (turn, mut outcome) = self.take_state(lane, "undoing", LaneState::try_as_undoing)?;
        if let Some(standing) = standing {
            self.standings.read(standing);
        }
        let mut whole = false;
        if let Some(damage) = self.lanes.get_mut(&lane).and_then(|held| held.damage.as_mut()) {
            damage.undone = true;
            whole = damage.course == DamageCourse::UndoAll;
        }
        let snapshot = outcome.kept.as_ref().and_then(|kept| kept.snapshot.clone());
        outcome.kept = Some(self.kept_tree(lane, evidence, snapshot.as_ref()));
        let claimed =
            self.file_claims().unwrap_or(outcome.claimed) && !whole && self.forbidden_changes.is_empty();
        self.take_in(lane, turn, outcome, claimed);
        Ok(())
    }
}
