//! What holds of every agent of the table.

pub mod recorded;
pub mod spoken;

use std::collections::BTreeSet;

use super::*;

/// Its row says where its login and its calls go.
#[test]
#[expect(clippy::disallowed_methods, reason = "the page is a file of this repository")]
fn the_page_has_a_row_for_each_agent_that_is_known() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/agents.md");
    let page = std::fs::read_to_string(page).unwrap();
    for agent in AGENTS.iter().filter(|agent| agent.about().program.is_some()) {
        let About { name, files, variables, .. } = agent.about();
        let row = format!("| `{name}` | `{}` | `{}`", files.credentials, variables.hosts.usual);
        assert!(page.contains(&row), "{row}");
        assert!(page.contains(&format!("| `{name}` | ")), "{name}");
    }
}

#[test]
fn every_agent_has_a_name_of_its_own_by_which_it_is_found() {
    let names: BTreeSet<&str> = AGENTS.iter().map(|agent| agent.about().name).collect();
    assert_eq!(names.len(), AGENTS.len());
    for agent in AGENTS {
        assert_eq!(named(agent.about().name).about().name, agent.about().name);
    }
    assert_eq!(named("somebody").about().name, "mock");
}
