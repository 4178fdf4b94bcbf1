//! Principles that an agent derives: asked for at most three times, and never once they are known.

use std::collections::{BTreeMap, BTreeSet};

use windlass_core::fact::Fact;
use windlass_core::run::TurnKey;
use windlass_core::spec::PrinciplesSpec;
use windlass_core::values::{Class, LaneId};

use super::Breach;
use crate::record::{Record, What};

/// So often they are asked for.
const MOST: usize = 3;

pub(super) fn check(record: &Record) -> Result<(), Breach> {
    let collects = matches!(record.plan.principles, Some(PrinciplesSpec::Collected { .. }));
    let mut taken = false;
    let mut vain: BTreeSet<TurnKey> = BTreeSet::new();
    // Of each lane, since the calls of several end in any order.
    let mut classes: BTreeMap<LaneId, Class> = BTreeMap::new();
    let mut proposed: BTreeMap<LaneId, (TurnKey, bool)> = BTreeMap::new();
    for (at, moment) in record.moments.iter().enumerate() {
        let wrong = |said: &str| Err(Breach::at(at, said));
        match &moment.what {
            What::Proposed { lane, turn, sound } => {
                proposed.insert(*lane, (*turn, *sound));
            }
            What::Fact(entry) => match &entry.fact {
                Fact::CallFinished { lane, summary, .. } => {
                    classes.insert(*lane, summary.class);
                }
                Fact::PrinciplesCollected { .. } if !collects || taken => {
                    return wrong("principles are taken in that nobody asked for");
                }
                Fact::PrinciplesCollected { lane, principles: Some(_), .. }
                    if !proposed.get(lane).is_some_and(|(_, sound)| *sound) =>
                {
                    return wrong("what cannot be taken is taken");
                }
                Fact::PrinciplesCollected { principles: Some(_), .. } => taken = true,
                Fact::PrinciplesCollected { lane, left, .. } => {
                    let again = proposed.get(lane).is_none_or(|(turn, _)| !vain.insert(*turn));
                    if again || vain.len() > MOST {
                        return wrong("an agent is asked in vain too often, or counted twice");
                    }
                    if usize::try_from(*left).unwrap_or(MOST) != MOST - vain.len() {
                        return wrong("it is said wrongly how often they are asked for yet");
                    }
                    if classes.get(lane).is_some_and(|class| class.is_of_api()) {
                        return wrong("an attempt that the API cut short is counted as one in vain");
                    }
                }
                _ => {}
            },
            _ => {}
        }
    }
    Ok(())
}
