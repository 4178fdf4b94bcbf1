//! What an attempt's damage is remembered as until it is undone.

use windlass_core::damage::{Damage, DamageCourse};
use windlass_core::run::TurnKey;

/// Whose doing it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::local) enum DoneBy {
    /// The attempt's agent.
    Agent,
    /// The checks of what it left; they run what it wrote.
    Checks,
}

impl DoneBy {
    /// Who that is, in a sentence.
    pub(super) const fn words(self) -> &'static str {
        match self {
            DoneBy::Agent => "the agent",
            DoneBy::Checks => "what the checks ran",
        }
    }
}

/// What was found, and what follows.
#[derive(Clone, Debug)]
pub(in crate::local) struct FoundDamage {
    pub turn: TurnKey,
    pub by: DoneBy,
    pub damage: Vec<Damage>,
    pub course: DamageCourse,
    /// Commands of git that bring back what is gone and leave all else; none where they would not bring back all of it.
    pub by_hand: Vec<String>,
}
