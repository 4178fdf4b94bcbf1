//! What holds of every agent of the table.

pub mod recorded;

use std::collections::BTreeSet;

use super::*;

#[test]
fn every_agent_has_a_name_of_its_own_by_which_it_is_found() {
    let names: BTreeSet<&str> = AGENTS.iter().map(|agent| agent.about().name).collect();
    assert_eq!(names.len(), AGENTS.len());
    for agent in AGENTS {
        assert_eq!(named(agent.about().name).about().name, agent.about().name);
    }
    assert_eq!(named("somebody").about().name, "mock");
}
