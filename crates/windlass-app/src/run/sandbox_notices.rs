//! What a person should know of a sandbox before anything is started in it.

use std::collections::BTreeSet;
use std::env;
use std::path::Path;

use windlass_agents::{ApiHosts, of};
use windlass_core::spec::{CommitPolicy, Network, RunSpec, SandboxKind, SandboxSpec};
use windlass_engine::sandbox::lets_through;
use windlass_git::git::Repository;

use crate::agent;
use crate::here::Here;
use crate::search_path;

/// Folders of which guests of bubblewrap have their own.
const TEMPORARY: [&str; 2] = ["/tmp", "/var/tmp"];

/// One sentence each.
pub fn notices(here: &Here, plan: &RunSpec) -> Vec<String> {
    let walls = &plan.sandbox;
    let nested = here.repository.as_ref().and_then(nested);
    if !walls.is_on() {
        return nested.into_iter().collect();
    }
    let variable = |name: &str| env::var(name).ok().filter(|value| !value.is_empty());
    let agents = plan.agents().filter(|_| !agent::is_scripted(&plan.agent));
    let hosts = agents.map(|(_, agent)| &of(agent).about().variables.hosts);
    let apis: BTreeSet<String> =
        hosts.filter_map(|hosts| api_out_of_reach(hosts, &walls.network, variable)).collect();
    let tree = here.repository.as_ref().map_or(here.directory.as_path(), |repository| &repository.top);
    let all = [search_path::notice(here, walls), siblings(walls, tree), closed_filters(here, plan), nested];
    all.into_iter().flatten().chain(apis).collect()
}

/// Repositories inside this one: a guest can write all of them.
fn nested(repository: &Repository) -> Option<String> {
    // Where the files cannot be listed, that is said by what needs them.
    let listed = repository.list_files().ok()?;
    let nested: Vec<&[u8]> = listed.iter().filter_map(|path| path.strip_suffix(b"/")).collect();
    (!nested.is_empty()).then(|| {
        format!(
            "there are other repositories inside this one: {}; what is in them is not kept, put back or committed, no git of \
             windlass is run in them, and an agent can write their settings and hooks: look at those before you run git there",
            windlass_core::recovery::listed(nested.into_iter())
        )
    })
}

/// The filters that the runner's commits are made without, said before the first iteration.
fn closed_filters(here: &Here, plan: &RunSpec) -> Option<String> {
    if plan.commit != CommitPolicy::Runner {
        return None;
    }
    let closed = here.repository.as_ref()?.closed_filters.as_ref()?;
    let named: Vec<&str> =
        if plan.lanes.is_some() { closed.names().collect() } else { closed.hopeless().collect() };
    if named.is_empty() {
        return None;
    }
    let cannot = if plan.lanes.is_some() {
        "lanes do not run it"
    } else {
        "it speaks with git for many files at once (`process`), which is not done inside"
    };
    Some(format!(
        "what .gitattributes sends through the filter {} is not committed by the runner: outside the sandbox it is not run, \
         since what it starts may be a guest's work, and {cannot} (--commit agent commits inside)",
        named.join(", ")
    ))
}

/// The agent speaks with a host that cannot be reached from inside.
fn api_out_of_reach(
    api: &ApiHosts,
    network: &Network,
    variable: impl Fn(&str) -> Option<String>,
) -> Option<String> {
    let hosts = match network {
        Network::On => return None,
        Network::Off => {
            return Some("the agent cannot reach its API with the network off: --network hosts lets through the hosts of sandbox.hosts".to_owned());
        }
        Network::Hosts(hosts) => hosts,
    };
    let (switch, name) =
        api.elsewhere.iter().find(|(switch, _)| switch.is_empty() || variable(switch).is_some())?;
    let (host, source) = match variable(name) {
        Some(url) => (host(&url), format!(" ({name})")),
        // The provider's own hosts depend on the region.
        None if !switch.is_empty() => return None,
        None => (api.usual.to_owned(), String::new()),
    };
    (!lets_through(hosts, &host)).then(|| {
        format!(
            "the agent's API is {host}{source}, which sandbox.hosts does not name: its calls will fail; `windlass config set \
             sandbox.hosts --add {host}`"
        )
    })
}

/// The host of an address of the web.
fn host(url: &str) -> String {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let place = authority.rsplit_once('@').map_or(authority, |(_, place)| place);
    let host = match place.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((address, _)) => address,
        None => place.split(':').next().unwrap_or_default(),
    };
    host.to_ascii_lowercase()
}

/// What lies beside the project is not there inside.
fn siblings(walls: &SandboxSpec, tree: &Path) -> Option<String> {
    let folder = TEMPORARY.iter().find(|folder| tree.starts_with(folder))?;
    (walls.kind == SandboxKind::Bwrap).then(|| {
        format!(
            "the project lies in {folder}, of which the sandbox has its own: of what lies beside the project nothing is seen \
             inside, but what sandbox.writable names"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_api_that_no_guest_reaches_is_named() {
        let hosts = |names: &[&str]| Network::Hosts(names.iter().map(|name| (*name).to_owned()).collect());
        let api = &windlass_agents::usual().about().variables.hosts;
        let usual = hosts(&[api.usual, "*.example.com"]);
        for (network, variables, named) in [
            (&Network::On, &[("ANTHROPIC_BASE_URL", "https://elsewhere.test")][..], None),
            (&Network::Off, &[], Some("network off")),
            (&usual, &[], None),
            (&usual, &[("ANTHROPIC_BASE_URL", "https://llm.example.com:8443/v1")], None),
            (
                &usual,
                &[("ANTHROPIC_BASE_URL", "https://u:p@Elsewhere.test/x")],
                Some("elsewhere.test (ANTHROPIC_BASE_URL)"),
            ),
            (&usual, &[("ANTHROPIC_BASE_URL", "http://[::1]:80")], Some("::1 (")),
            (
                &usual,
                &[("CLAUDE_CODE_USE_VERTEX", "1"), ("ANTHROPIC_BASE_URL", "https://elsewhere.test")],
                None,
            ),
            (
                &usual,
                &[("CLAUDE_CODE_USE_BEDROCK", "1"), ("ANTHROPIC_BEDROCK_BASE_URL", "https://b.test")],
                Some("b.test (ANTHROPIC_BEDROCK_BASE_URL)"),
            ),
            (&hosts(&["github.com"]), &[], Some("api.anthropic.com, which")),
        ] {
            let variable = |name: &str| {
                variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
            };
            let said = api_out_of_reach(api, network, variable);
            match named {
                None => assert_eq!(said, None, "{variables:?}"),
                Some(part) => assert!(said.as_ref().is_some_and(|said| said.contains(part)), "{said:?}"),
            }
        }
    }

    #[test]
    fn siblings_are_hidden_below_the_folders_of_temporary_files_and_nowhere_else() {
        let walls = |kind| SandboxSpec { kind, ..SandboxSpec::default() };
        assert!(siblings(&walls(SandboxKind::Bwrap), Path::new("/tmp/x")).is_some());
        assert!(siblings(&walls(SandboxKind::Bwrap), Path::new("/tmpfs/x")).is_none());
        assert!(siblings(&walls(SandboxKind::Landlock), Path::new("/tmp/x")).is_none());
    }
}
