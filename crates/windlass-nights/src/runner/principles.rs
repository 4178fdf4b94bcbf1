//! What an agent that was asked for principles proposes.

use windlass_core::principles::{Preset, Principles};
use windlass_core::report::PrinciplesProposed;
use windlass_core::run::{Input, LaneState, TurnKey};
use windlass_core::values::Purpose;

use super::Runner;
use crate::dice::Dice;
use crate::plant::Plant;
use crate::record::What;

/// What these dice start from, with the seed.
const PROPOSALS: u64 = 0x7072_6F70_6F73_0000;

impl Runner<'_> {
    /// `None` where nobody was asked. Whoever keeps an attempt again finds nothing: what was there was taken, or refused.
    pub(super) fn proposal(&mut self, turn: TurnKey) -> Option<Input> {
        let run = &self.core.run;
        let purpose = run.lane(self.here).and_then(LaneState::turn).map(|turn| turn.purpose);
        let asked = run.collected().is_asked_for(self.plan.principles.as_ref());
        let asked = asked || self.plant == Some(Plant::AskedForEver) && self.plan.principles.is_some();
        if !asked || purpose != Some(Purpose::Work) {
            return None;
        }
        let at = u64::from(turn.iteration) << 32 | u64::from(turn.attempt);
        let mut dice = Dice::new(self.script.seed ^ PROPOSALS ^ at);
        let sound = dice.chance(30).then(|| Principles::of(Preset::Opensource));
        let refused = dice.pick(&[(2, "a value is 11"), (1, "nothing was proposed")]);
        self.note(What::Proposed { lane: self.here, turn, sound: sound.is_some() });
        let refused = if sound.is_some() { String::new() } else { refused.to_owned() };
        Some(Input::from(PrinciplesProposed { lane: self.here, principles: sound, refused }))
    }
}
