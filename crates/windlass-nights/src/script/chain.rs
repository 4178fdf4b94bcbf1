//! Agents that take over from one another.

use windlass_core::spec::AgentSpec;

use super::Script;
use crate::dice::Dice;

/// What these dice start from, with the seed: drawn apart, so that all else stays as it was.
const CHAIN: u64 = 0x6368_6169_6E00_0000;

/// Gives some nights further agents. They do as the first does: each call is what comes next in the script, whoever makes it.
pub(super) fn draw(script: &mut Script) {
    let mut dice = Dice::new(script.seed ^ CHAIN);
    // Where lanes are compared with one lane, nobody is to meet a limit that another one did not meet.
    if script.commutes || !dice.chance(12) {
        return;
    }
    let names = ["second", "third"].into_iter().take(dice.pick(&[(3, 1), (1, 2)]));
    let agent = |model: &str| AgentSpec { model: Some(model.to_owned()), ..script.plan.agent.clone() };
    script.plan.substitutes = names.map(agent).collect();
}
