//! What a repository's own files make the agent start, compared before each call with what a person trusted: an agent may
//! have written some of it since, and a lane's checkout has what was committed.

use std::collections::BTreeSet;
use windlass_core::words::some_of;

use windlass_agents::{Ability, of};
use windlass_core::spec::{AgentSpec, RepositorySettings, RunSpec};
use windlass_core::trust::{Startable, Startables, Starter};

use crate::store::Project;
use crate::trust::{FoundStartables, Search, find, store};
use windlass_git::inventory::Place;

/// So many things are named.
const NAMED: usize = 3;

/// What was trusted when the session began.
#[derive(Debug, Default)]
pub(super) struct Starters {
    trusted: Startables,
    said: BTreeSet<String>,
}

/// Settings that an agent may not be given.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct LeftOut {
    pub settings: RepositorySettings,
    /// For the person; `None` where it was said before.
    pub notice: Option<String>,
}

impl Starters {
    /// As it is when a session begins: whoever began it has made sure that all of it is trusted that the first agent would start.
    pub fn at_beginning(plan: &RunSpec, project: &Project, place: &Place) -> Starters {
        if plan.agents().all(|(_, agent)| !asks_for(agent)) {
            return Starters::default();
        }
        let mut trusted = store::trusted(project).items;
        if asks_for(&plan.agent) {
            trusted = trusted.with(&of_agent(plan, &look(place)));
        }
        Starters { trusted, said: BTreeSet::new() }
    }

    /// What is in the way of the next call here, where its agent would start something else than was trusted.
    pub fn left_out(&mut self, plan: &RunSpec, place: &Place) -> Option<LeftOut> {
        if !asks_for(&plan.agent) {
            return None;
        }
        let found = look(place);
        let new = of_agent(plan, &found).beyond(&self.trusted);
        let untold = found.troubles.iter().filter(|trouble| is_its(plan, &trouble.starter));
        let named: Vec<String> = new
            .iter()
            .map(|item| format!("{} ({} in {})", item.shown(), item.key, item.file))
            .chain(untold.map(|trouble| format!("{}: {}", trouble.file, trouble.why)))
            .collect();
        if named.is_empty() {
            return None;
        }
        let notice = Some(sentence(plan, &named)).filter(|text| self.said.insert(text.clone()));
        Some(LeftOut { settings: RepositorySettings::LeftOut { deny: found.denied }, notice })
    }
}

/// Those that were left out at the beginning stay so.
fn asks_for(agent: &AgentSpec) -> bool {
    let reads = of(agent).about().can(Ability::ReadTheRepositorysSettings);
    reads && agent.repository_settings.are_used()
}

fn look(place: &Place) -> FoundStartables {
    find(&Search { place, loaded: &[], coming: &[], own_settings: &[] })
}

fn of_agent(plan: &RunSpec, found: &FoundStartables) -> Startables {
    found.items.which(|item: &Startable| is_its(plan, &item.starter))
}

fn is_its(plan: &RunSpec, starter: &Starter) -> bool {
    starter.is_agent() && starter.name() == plan.agent.name
}

fn sentence(plan: &RunSpec, named: &[String]) -> String {
    format!(
        "{} are left out from now on, since they would start what nobody has trusted: {}; windlass trust --list",
        of(&plan.agent).about().words.left_out,
        some_of(named.iter(), NAMED)
    )
}
