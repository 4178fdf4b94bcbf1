//! A worker's policy: what it takes orders for. It is a file on the worker's machine, and no order changes it.

use serde::Deserialize;

use crate::spec::{Network, RunSpec, SandboxKind};

/// What a worker takes, and what it is.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Policy {
    /// By which it is known in the fleet; `None` = the machine's name.
    pub name: Option<String>,
    /// So many lanes at once.
    pub lanes: u16,
    /// What it has: `gpu`, `os=linux`.
    pub labels: Vec<String>,
    /// Whose usage limits count for it; `None` = its own.
    pub account: Option<String>,
    /// Must what it runs be locked in?
    pub sandbox: SandboxDemand,
    /// May what it runs reach the network?
    pub network: bool,
    /// Projects that it works on, by the names of their repositories' folders; empty = all.
    pub projects: Vec<String>,
    /// Commands that may be run as checks outside of a sandbox; in one all may.
    pub gates: Vec<String>,
}

/// Whether what a worker runs has to be locked in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SandboxDemand {
    /// It has.
    #[default]
    Required,
    /// As the run has it.
    AsOrdered,
}

/// The most lanes that one worker has.
const MOST_LANES: u16 = 256;

impl Default for Policy {
    fn default() -> Policy {
        Policy {
            name: None,
            lanes: 1,
            labels: Vec::new(),
            account: None,
            sandbox: SandboxDemand::Required,
            network: true,
            projects: Vec::new(),
            gates: Vec::new(),
        }
    }
}

impl Policy {
    /// Reads a policy's file.
    ///
    /// # Errors
    /// A sentence that says where something is wrong.
    pub fn parse(text: &str) -> Result<Policy, String> {
        let policy: Policy = toml::from_str(text).map_err(|error| {
            let line = error.span().map_or(0, |span| {
                text.get(..span.start).unwrap_or_default().bytes().filter(|byte| *byte == b'\n').count()
            });
            format!("line {}: {}", line + 1, error.message().replace('\n', " "))
        })?;
        if policy.lanes == 0 || policy.lanes > MOST_LANES {
            return Err(format!("lanes = {}: a worker has 1 to {MOST_LANES}", policy.lanes));
        }
        Ok(policy)
    }

    /// Why a run is not taken, in a sentence; `None` where it is. `project` is what the repository's folder is called.
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
            return Some("it would have the network, which this worker's policy does not allow".to_owned());
        }
        if !self.projects.is_empty() && !self.projects.iter().any(|known| known == project) {
            return Some(format!("this worker's policy does not name the project {project:?}"));
        }
        let unknown = spec.checks.iter().find(|check| !self.gates.contains(&check.command));
        if let (true, false, Some(check)) = (is_open, self.gates.is_empty(), unknown) {
            return Some(format!("this worker's policy does not name the check `{}`", check.command));
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::testing::plan;

    #[test]
    fn what_is_not_said_is_strict() {
        let policy = Policy::parse("").unwrap();
        assert_eq!((policy.lanes, policy.sandbox), (1, SandboxDemand::Required));
        assert_eq!(policy, Policy::default());
    }

    #[test]
    fn what_is_wrong_is_said_with_its_line() {
        for (text, said) in [
            ("lanes = 0", "lanes = 0: a worker has 1 to 256"),
            ("lanes = 300", "lanes = 300: a worker has 1 to 256"),
            ("lanes = 2\nlane = 3", "line 2: unknown field `lane`"),
            ("labels = \"gpu\"", "line 1: invalid type"),
            ("sandbox = \"none\"", "line 1: unknown variant `none`"),
            ("lanes = ", "line 1: "),
        ] {
            let error = Policy::parse(text).unwrap_err();
            assert!(error.contains(said), "{text}: {error}");
        }
    }

    #[test]
    fn a_run_is_taken_only_as_the_policy_has_it() {
        let plain = plan();
        let mut locked = plan();
        locked.sandbox.kind = SandboxKind::Bwrap;
        let policy = |text: &str| Policy::parse(text).unwrap();
        for (text, spec, said) in [
            ("", &plain, Some("without a sandbox")),
            ("", &locked, None),
            ("sandbox = \"as-ordered\"", &plain, None),
            ("sandbox = \"as-ordered\"\nnetwork = false", &plain, Some("the network")),
            ("network = false", &locked, Some("the network")),
            ("projects = [\"other\"]", &locked, Some("the project \"app\"")),
            ("projects = [\"other\", \"app\"]", &locked, None),
        ] {
            let refused = policy(text).refuses("app", spec);
            let fits = match said {
                Some(said) => refused.as_deref().is_some_and(|refused| refused.contains(said)),
                None => refused.is_none(),
            };
            assert!(fits, "{text}: {refused:?}");
        }
    }
}
