//! A worker's policy: what it takes orders for. It is a file on the worker's machine, and no order changes it.

mod read;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

use globset::GlobMatcher;
use strum::{EnumString, VariantNames};

use crate::config::Choice;
use crate::spec::{Network, RunSpec, SandboxKind};
use crate::typed::shown;
use crate::values::Cost;

/// What a worker takes, and what it is.
#[derive(Clone, Debug)]
pub struct Policy {
    /// By which it is known in the fleet; `None` = the machine's name.
    pub name: Option<String>,
    /// So many lanes at once: 1 to [`MOST_LANES`].
    pub lanes: u16,
    /// What it has: `gpu`, `os=linux`.
    pub labels: Vec<String>,
    /// Whose usage limits count for it; `None` = its own.
    pub account: Option<String>,
    /// Must what it runs be locked in?
    pub sandbox: SandboxDemand,
    /// May what it runs reach the whole network?
    pub network: bool,
    /// Projects that it works on; none = all.
    pub projects: Vec<ProjectPattern>,
    /// Commands that may run outside of a sandbox; in one all may.
    pub gates: Vec<String>,
    /// What its agents may cost in an hour; `None` = no limit of its own.
    pub most_cost_per_hour: Option<Cost>,
    /// Agents' programs that are not in `PATH`, or are to be used before one that is: absolute.
    pub programs: Vec<PathBuf>,
}

/// Whether what a worker runs has to be locked in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, EnumString, VariantNames)]
#[strum(serialize_all = "kebab-case")]
pub enum SandboxDemand {
    /// It has.
    #[default]
    Required,
    /// As the run has it.
    AsOrdered,
}

impl Choice for SandboxDemand {
    const EXPECTED: &'static str = "`required` or `as-ordered`";
}

/// A pattern for names of repositories' folders, such as `shop` or `shop-*`.
#[derive(Clone, Debug)]
pub struct ProjectPattern(GlobMatcher);

impl ProjectPattern {
    /// Is it about a project whose repository is in a folder of this name?
    pub fn is_of(&self, project: &str) -> bool {
        self.0.is_match(project)
    }

    /// As it was written.
    pub fn as_str(&self) -> &str {
        self.0.glob().glob()
    }
}

/// The most lanes that one worker has.
pub const MOST_LANES: u16 = 256;

/// Among a policy's gates: every command.
const ANY_COMMAND: &str = "*";

impl Default for Policy {
    fn default() -> Policy {
        Policy {
            name: None,
            lanes: 1,
            labels: Vec::new(),
            account: None,
            sandbox: SandboxDemand::default(),
            network: true,
            projects: Vec::new(),
            gates: Vec::new(),
            most_cost_per_hour: None,
            programs: Vec::new(),
        }
    }
}

impl Policy {
    /// Why a run is not taken, in a sentence that its runner says as well; `None` where it is taken. `project` is what the
    /// repository's folder is called where the run is.
    pub fn refuses(&self, project: &str, spec: &RunSpec) -> Option<String> {
        let is_open = spec.sandbox.kind == SandboxKind::None;
        if is_open && self.sandbox == SandboxDemand::Required {
            return Some(
                "it would run without a sandbox, which this worker's policy requires (run it with --sandbox, or set \
                 sandbox = \"as-ordered\" in the worker's policy)"
                    .to_owned(),
            );
        }
        if !self.network && (is_open || spec.sandbox.network == Network::On) {
            return Some(
                "it would have the whole network, which this worker's policy does not allow (run it with \
                 --sandbox-network hosts)"
                    .to_owned(),
            );
        }
        if !self.projects.is_empty() && !self.projects.iter().any(|pattern| pattern.is_of(project)) {
            return Some(format!("this worker's policy does not name the project `{}`", shown(project)));
        }
        let unlisted = commands(spec).find(|command| !self.allows(command))?;
        is_open.then(|| {
            format!(
                "it would run `{}` outside of a sandbox, which this worker's policy does not name among its gates",
                shown(unlisted)
            )
        })
    }

    /// The program that an agent of this name is to be started by here, where the policy says one.
    pub fn program(&self, name: &Path) -> Option<&Path> {
        self.programs.iter().map(PathBuf::as_path).find(|program| program.file_name() == name.file_name())
    }

    fn allows(&self, command: &str) -> bool {
        self.gates.iter().any(|gate| gate == ANY_COMMAND || gate == command)
    }
}

/// Commands that a run has a worker carry out: its checks, but for those that are looked up, and what makes a checkout ready.
fn commands(spec: &RunSpec) -> impl Iterator<Item = &str> {
    let is_looked_up = |criterion: &crate::values::CriterionOf| criterion.lookup.is_some();
    let run = spec.checks.iter().filter(move |check| !check.criterion.as_ref().is_some_and(is_looked_up));
    let bootstrap = spec.lanes.as_ref().and_then(|lanes| lanes.bootstrap.as_ref());
    let setup = bootstrap.and_then(|bootstrap| bootstrap.setup.as_deref());
    run.map(|check| check.command.as_str()).chain(setup)
}
