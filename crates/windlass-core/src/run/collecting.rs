//! Principles that an agent derives: asked for in the first iterations until a proposal is sound, and not for ever.

use serde::{Deserialize, Serialize};

use super::apply::Applied;
use crate::fact::Fact;
use crate::principles::{COLLECTIONS, Principles};
use crate::report::PrinciplesProposed;
use crate::run::lane::{LaneState, Turn};
use crate::run::{Run, TurnKey};
use crate::spec::PrinciplesSpec;
use crate::values::{Class, LaneId, Purpose};

/// How far that is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Collected {
    /// What was taken.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub principles: Option<Principles>,
    /// The attempts whose agents were asked in vain; the few that there can be.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub in_vain: Vec<TurnKey>,
    /// Why its latest proposal was not taken: a sentence; empty = there was none yet.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub refused: String,
}

impl Collected {
    /// Is an agent to be asked, in a run of this plan?
    pub fn is_asked_for(&self, spec: Option<&PrinciplesSpec>) -> bool {
        let wanted = matches!(spec, Some(PrinciplesSpec::Collected { .. }));
        wanted && self.principles.is_none() && self.times_left() > 0
    }

    /// How often they are asked for yet.
    pub fn times_left(&self) -> u32 {
        COLLECTIONS.saturating_sub(u32::try_from(self.in_vain.len()).unwrap_or(u32::MAX))
    }
}

impl Run {
    /// By which principles its agents decide now; `None` = by none.
    pub fn principles(&self) -> Option<&Principles> {
        let known = self.spec.as_ref().and_then(|spec| spec.principles.as_ref()?.known());
        known.or(self.collected.principles.as_ref())
    }

    /// How far their collection is.
    pub const fn collected(&self) -> &Collected {
        &self.collected
    }

    /// Does the attempt that is being kept owe principles?
    pub(super) fn owes_principles(&self, lane: LaneId) -> bool {
        let is_work =
            matches!(self.lane(lane), Some(LaneState::Keeping(turn, _)) if turn.purpose == Purpose::Work);
        let spec = self.spec.as_ref().and_then(|spec| spec.principles.as_ref());
        is_work && self.collected.is_asked_for(spec)
    }

    /// What was found of a proposal. An attempt that the API cut short has not had its chance.
    pub(super) fn principles_proposed(&self, proposed: PrinciplesProposed) -> Option<Fact> {
        let PrinciplesProposed { lane, principles, refused } = proposed;
        let LaneState::Keeping(turn, outcome) = self.lane(lane)? else { return None };
        let class = outcome.summary.class;
        let had_its_chance = !class.is_of_api() && class != Class::Interrupted;
        // It was counted before the runner died, and what was proposed then is gone.
        let is_counted = self.collected.in_vain.contains(&turn.key());
        if !self.owes_principles(lane) || principles.is_none() && (is_counted || !had_its_chance) {
            return None;
        }
        let left = match principles {
            Some(_) => 0,
            None => self.collected.times_left().saturating_sub(1),
        };
        Some(Fact::PrinciplesCollected { lane, principles, refused, left })
    }

    pub(super) fn principles_collected(
        &mut self,
        lane: LaneId,
        principles: Option<&Principles>,
        refused: &str,
    ) -> Applied {
        if !self.owes_principles(lane) {
            return Err("nobody was asked for principles".to_owned());
        }
        if let Some(principles) = principles {
            self.collected.principles = Some(principles.clone());
        } else {
            self.collected.in_vain.extend(self.lane(lane).and_then(LaneState::turn).map(Turn::key));
        }
        refused.clone_into(&mut self.collected.refused);
        Ok(())
    }
}
