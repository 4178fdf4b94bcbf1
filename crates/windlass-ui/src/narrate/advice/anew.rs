//! The command that begins a job of tasks anew: with what judges it and holds it in, who does it and commits, and what it may cost,
//! since a new run knows nothing of the old one.

use std::ffi::OsStr;
use std::time::Duration;

use windlass_core::spec::{BudgetScope, CommitPolicy, LanesSpec, Network, ReviewScope, RunSpec, SandboxKind};
use windlass_core::values::CheckKind;
use windlass_core::words::quoted;

use crate::format::flag_duration;

/// How long a run may take that nobody has said anything of.
const USUAL: Duration = Duration::from_hours(12);

/// `None` where nobody can say how the tasks were named.
pub(super) fn command(plan: &RunSpec) -> Option<String> {
    let tasks = plan.job.tasks.as_ref().filter(|tasks| tasks.issues.is_none())?;
    if let Some(part) = plan.job.pipeline() {
        // Its limits are kept for all of its runs.
        return Some(format!("windlass pipeline --resume {} --run{}", part.id, work(plan)));
    }
    let place = match &tasks.feature {
        Some(feature) => format!("--feature {}", quoted(feature.as_ref())),
        None => format!("-f {}", quoted(tasks.file.as_os_str())),
    };
    Some(format!("windlass run --mode tasks {place}{}{}", work(plan), limits(plan)))
}

/// The flags that have the same agents do the work in the same lanes and walls, with what judges it; each begins with a blank.
pub fn work(plan: &RunSpec) -> String {
    let commit = match plan.commit {
        CommitPolicy::Runner => "",
        CommitPolicy::None => " --commit none",
        CommitPolicy::Agent => " --commit agent",
    };
    let agents = agents(plan).into_iter().map(|(flag, value)| said(flag, &value));
    [lanes(plan), checks(plan)].into_iter().chain(agents).chain([commit.to_owned()]).collect()
}

/// The flags that have the same model work behind the same walls, with their values.
pub fn agents(plan: &RunSpec) -> Vec<(&'static str, String)> {
    let model = plan.agent.model.iter().map(|model| ("--model", model.clone()));
    model.chain(sandbox(plan)).collect()
}

/// A flag with its value, as it is typed after a blank.
pub fn said(flag: &str, value: &str) -> String {
    format!(" {flag} {}", quoted(OsStr::new(value)))
}

fn lanes(plan: &RunSpec) -> String {
    let fleet = |lanes: &LanesSpec| if lanes.fleet.is_some() { " --fleet" } else { "" };
    plan.lanes.as_ref().map_or_else(String::new, |lanes| format!(" -j {}{}", lanes.count, fleet(lanes)))
}

/// The flags that ask for the same checks; each begins with a blank.
fn checks(plan: &RunSpec) -> String {
    let flag = |kind| match kind {
        CheckKind::Gate => Some("--gate"),
        CheckKind::Until => Some("--until"),
        CheckKind::Criterion => None,
    };
    let check = |(flag, command): (&str, &String)| said(flag, command);
    let checks = plan.checks.iter().filter_map(|check| Some((flag(check.kind)?, &check.command)));
    let is_of_each = plan.review.as_ref().is_some_and(|review| review.scope == ReviewScope::EachIteration);
    checks.map(check).chain(is_of_each.then(|| " --review".to_owned())).collect()
}

fn sandbox(plan: &RunSpec) -> Vec<(&'static str, String)> {
    let (name, image): (&str, Option<&String>) = match &plan.sandbox.kind {
        SandboxKind::None => return Vec::new(),
        SandboxKind::Docker(image) | SandboxKind::Podman(image) => {
            (plan.sandbox.kind.clone().into(), image.as_ref())
        }
        SandboxKind::Landlock | SandboxKind::Bwrap => (plan.sandbox.kind.clone().into(), None),
    };
    let kind = image.map_or_else(|| name.to_owned(), |image| format!("{name}:{image}"));
    let network = match plan.sandbox.network {
        Network::On => None,
        Network::Off => Some("off"),
        Network::Hosts(_) => Some("hosts"),
    };
    let network = network.map(|network| ("--network", network.to_owned()));
    [("--sandbox", kind)].into_iter().chain(network).collect()
}

fn limits(plan: &RunSpec) -> String {
    let scope = match plan.limits.budget_scope {
        BudgetScope::Job => " --budget-scope job",
        BudgetScope::Run | BudgetScope::Pipeline(_) => "",
    };
    let cost = plan.limits.cost.map(|cost| format!(" --max-cost {}{scope}", cost.dollars()));
    let tokens = plan.limits.tokens.map(|tokens| format!(" --max-tokens {tokens}"));
    let longest = plan.limits.duration.filter(|longest| *longest != USUAL);
    let duration = longest.map(|longest| format!(" --max-duration {}", flag_duration(longest)));
    cost.into_iter().chain(tokens).chain(duration).collect()
}
