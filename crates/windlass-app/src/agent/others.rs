//! Agents beside the one that works: who takes over, who is for one purpose, and whom tasks name.

use std::collections::BTreeSet;
use std::iter;

use windlass_agents::Agent;
use windlass_core::config::{AgentChoice, AgentSettings};
use windlass_core::spec::{AgentSpec, Specialist};
use windlass_core::values::Purpose;
use windlass_ui::one_line;

use super::{Wanted, check, choosable, find, plan_one, planned, refuse_unbounded};
use crate::error::AppError;
use crate::trusting::Trusted;

/// Those beside the one that works: who takes over, in their order, and who is asked first for one of these purposes.
#[derive(Debug, Default)]
pub struct Others {
    /// Who takes over.
    pub substitutes: Vec<AgentSpec>,
    /// Who is for one purpose.
    pub specialists: Vec<Specialist>,
    /// Who works on tasks that name it.
    pub named: Vec<AgentSpec>,
}

/// For what agents are looked for, beside the work.
#[derive(Debug)]
pub struct Occasions {
    /// What calls will be for.
    pub purposes: Vec<Purpose>,
    /// Whom tasks name.
    pub names: BTreeSet<String>,
}

/// The agents beside the first: each is there, bounded and logged in.
///
/// # Errors
/// One of them is not.
pub fn others(
    wanted: &Wanted<'_>,
    trusted: &Trusted,
    first: &AgentSpec,
    occasions: &Occasions,
) -> Result<Others, AppError> {
    let AgentSettings { choices, specialists, .. } = &wanted.resolved.agent;
    if wanted.mock.is_some() {
        return Ok(Others::default());
    }
    let mut others = Others::default();
    for index in 1..choices.len() {
        others.substitutes.push(ready(wanted, trusted, plan_one(wanted, index)?)?);
    }
    let working = choices.len().max(1);
    let due = |(_, (purpose, _)): &(usize, &(Purpose, AgentChoice))| occasions.purposes.contains(purpose);
    for (at, (purpose, _)) in specialists.iter().enumerate().filter(due) {
        let agent = ready(wanted, trusted, plan_one(wanted, working + at)?)?;
        others.specialists.push(Specialist { purpose: *purpose, agent });
    }
    for (choice, agent, command) in occasions.names.iter().filter_map(|name| offered(name)) {
        let specialists = others.specialists.iter().map(|specialist| &specialist.agent);
        let known = iter::once(first).chain(&others.substitutes).chain(specialists);
        if !known.chain(&others.named).any(|agent| agent.is_named(&choice.name, choice.model.as_deref())) {
            others.named.push(named_by_task(wanted, trusted, choice, agent, command)?);
        }
    }
    Ok(others)
}

/// The agent of a name that a task may say, and its program; `None` where the name is text for whoever works.
fn offered(name: &str) -> Option<(AgentChoice, &'static dyn Agent, &'static str)> {
    let choice = AgentChoice::parse(name)?;
    let agent = choosable().find(|agent| agent.about().name == choice.name)?;
    Some((choice, agent, agent.about().program?))
}

fn named_by_task(
    wanted: &Wanted<'_>,
    trusted: &Trusted,
    choice: AgentChoice,
    agent: &dyn Agent,
    command: &str,
) -> Result<AgentSpec, AppError> {
    let AgentChoice { name, model } = choice;
    let found = find(agent.about(), command, wanted.directory, wanted.resolved.exit_codes);
    let ready = found
        .and_then(|program| planned(wanted, agent, program, model))
        .and_then(|plan| ready(wanted, trusted, plan));
    ready.map_err(|error| {
        error.hint(format!("A task names `{name}`: install it, or take it out of the task's `Agent` field"))
    })
}

/// What tasks name that no agent is called.
pub fn unknown(names: &BTreeSet<String>) -> Option<String> {
    let unknown = names.iter().filter(|name| offered(name).is_none());
    let shown: Vec<String> = unknown.take(3).map(|name| format!("`{}`", one_line(name))).collect();
    (!shown.is_empty()).then(|| {
        format!(
            "tasks name agents that windlass does not know: {}; whoever works takes these",
            shown.join(", ")
        )
    })
}

/// It is bounded, there and logged in.
fn ready(wanted: &Wanted<'_>, trusted: &Trusted, mut plan: AgentSpec) -> Result<AgentSpec, AppError> {
    let resolved = wanted.resolved;
    refuse_unbounded(&plan, &resolved.sandbox.kind)?;
    check(wanted.app, &mut plan, trusted, resolved.exit_codes)?;
    Ok(plan)
}
