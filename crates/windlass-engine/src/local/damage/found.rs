//! What an attempt's damage is remembered as until it is undone.

use windlass_core::damage::{Damage, DamageCourse};
use windlass_core::run::TurnKey;

/// What was found, and what follows.
#[derive(Clone, Debug)]
pub(in crate::local) struct FoundDamage {
    pub turn: TurnKey,
    pub damage: Vec<Damage>,
    pub course: DamageCourse,
}
