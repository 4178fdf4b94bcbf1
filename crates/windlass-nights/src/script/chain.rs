//! Agents that take over from one another, and those that are for one purpose.

use windlass_core::spec::{AgentSpec, Specialist};
use windlass_core::values::Purpose;

use super::Script;
use crate::dice::Dice;

/// What these dice start from, with the seed: drawn apart, so that all else stays as it was.
const CHAIN: u64 = 0x6368_6169_6E00_0000;

/// The same for agents that review.
const REVIEWER: u64 = 0x6F77_6E72_6576_0000;

/// The same for those that tasks name, and the first night that may have one.
const NAMED: u64 = 0x6E61_6D65_6461_0000;
const NAMED_FROM: u64 = 400_000;

/// Gives some nights further agents. They do as the first does: each call is what comes next in the script, whoever makes it.
pub(super) fn draw(script: &mut Script) {
    let mut dice = Dice::new(script.seed ^ CHAIN);
    // Where lanes are compared with one lane, nobody is to meet a limit that another one did not meet.
    if script.commutes || !dice.chance(12) {
        return;
    }
    let names = ["second", "third"].into_iter().take(dice.pick(&[(3, 1), (1, 2)]));
    script.plan.substitutes = names.map(|name| agent(script, name)).collect();
}

/// Gives some nights that review an agent that does nothing else.
pub(super) fn draw_reviewer(script: &mut Script) {
    let mut dice = Dice::new(script.seed ^ REVIEWER);
    if script.commutes || script.plan.review.is_none() || !dice.chance(25) {
        return;
    }
    script.plan.specialists = vec![Specialist { purpose: Purpose::Review, agent: agent(script, "reviewer") }];
}

/// Gives some nights of tasks an agent that works where a task names it, and tasks that name somebody.
pub(super) fn draw_named(script: &mut Script) {
    let mut dice = Dice::new(script.seed ^ NAMED);
    if script.seed < NAMED_FROM || script.commutes || script.tasks.is_empty() || !dice.chance(25) {
        return;
    }
    script.plan.named = vec![agent(script, "named")];
    let name = script.plan.agent.name.clone();
    for task in &mut script.tasks {
        let model = dice.pick(&[(2, None), (2, Some("named")), (1, Some("second")), (1, Some("nobody"))]);
        task.agent = model.map(|model| format!("{name}:{model}"));
    }
}

fn agent(script: &Script, model: &str) -> AgentSpec {
    AgentSpec { model: Some(model.to_owned()), ..script.plan.agent.clone() }
}
