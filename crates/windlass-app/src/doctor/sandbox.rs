//! Which sandboxes work here, what does not hold in them, how an agent inside is logged in, and what of `PATH` it could
//! change.

use std::env;
use std::path::PathBuf;
use windlass_core::values::Named;

use windlass_core::spec::{SandboxKind, SandboxLogin};
use windlass_engine::sandbox::{Probe, probe};
use windlass_ui::{Finding, Health};

use super::Configuration;
use crate::agent;
use crate::app::App;
use crate::here::Here;
use crate::sandbox;
use crate::search_path;

/// What was found of each kind, of the configured one, of its login, and of `PATH`.
pub fn findings(app: &App, configuration: Option<&Configuration>) -> Vec<Finding> {
    let probes =
        [SandboxKind::Bwrap, SandboxKind::Landlock, SandboxKind::Docker(None), SandboxKind::Podman(None)]
            .map(|kind| probe(&kind));
    let settings = configuration.map(|configuration| &configuration.resolved.sandbox);
    let chosen = settings.map(|settings| &settings.kind);
    let mut findings = vec![used(chosen, &probes)];
    if let (Some(configuration), Some(true)) = (configuration, chosen.map(|kind| *kind != SandboxKind::None))
    {
        findings.push(login(configuration));
        findings.extend(programs(app, configuration));
    }
    findings
}

/// What a run here would be locked in by, and how each kind fares.
fn used(chosen: Option<&SandboxKind>, probes: &[Probe]) -> Finding {
    let (health, found) = match chosen.filter(|kind| **kind != SandboxKind::None) {
        None => (Health::Doubtful, "none is used: an agent can reach whatever this user can".to_owned()),
        Some(kind) => {
            let name = kind.name();
            match probes.iter().find(|probe| probe.kind.name() == name).map(|probe| &probe.works) {
                Some(Err(_)) => (Health::Bad, format!("{name} is configured, and cannot be used here")),
                _ => (Health::Good, format!("{name}, as configured")),
            }
        }
    };
    Finding::new("sandbox", health, found).advise(probes.iter().flat_map(lines))
}

fn lines(probe: &Probe) -> Vec<String> {
    let name = probe.kind.name();
    match &probe.works {
        Err(why) => vec![format!("{name}: cannot be used: {why}")],
        Ok(missing) => {
            let works = format!("{name}: works (--sandbox {name})");
            std::iter::once(works).chain(missing.iter().map(|what| format!("{name}: {what}"))).collect()
        }
    }
}

/// Where programs are looked for that are started outside, and guests could put others.
fn programs(app: &App, configuration: &Configuration) -> Option<Finding> {
    // What is wrong with the directory is said elsewhere.
    let here = Here::find(app).ok()?;
    let plan = sandbox::plan(&here, &configuration.resolved);
    let folders = search_path::in_words(&search_path::writable_inside(&here, &plan))?;
    Some(
        Finding::doubtful(
            "PATH",
            format!("{folders} can be written inside the sandbox: what is put there may be started outside"),
        )
        .advise([
            "Take it out of PATH where Windlass is started: git and the agent are looked for there, too.",
        ]),
    )
}

fn login(configuration: &Configuration) -> Finding {
    const ABOUT: &str = "login inside";
    let settings = &configuration.resolved.sandbox;
    let about = agent::chosen(&configuration.resolved, None).about();
    if settings.login == SandboxLogin::Mount {
        let file = env::var_os("HOME").map(PathBuf::from).unwrap_or_default().join(about.files.credentials);
        return if file.is_file() {
            Finding::good(ABOUT, format!("{}, to be read only", file.display()))
        } else {
            Finding::bad(ABOUT, format!("sandbox.login is `mount`, but there is no {}", file.display()))
                .advise([about.words.log_in_or_token])
        };
    }
    let keys = configuration.resolved.agent.api_keys;
    let variables = about.variables;
    let usable = variables.tokens.iter().filter(|name| keys || !variables.inherited.api_keys.contains(name));
    let set = usable.copied().find(|name| env::var_os(name).is_some_and(|value| !value.is_empty()));
    match set {
        Some(name) => Finding::good(ABOUT, format!("{name}, from the environment")),
        None => Finding::doubtful(
            ABOUT,
            "no token is in the environment: the agent inside would not be logged in",
        )
        .advise([about.words.token, "Or: windlass config set sandbox.login mount"]),
    }
}
