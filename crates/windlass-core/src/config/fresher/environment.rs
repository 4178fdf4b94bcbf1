//! `FRESHER_*` variables as a layer of configuration.

use super::super::error::ConfigError;
use super::super::layer::{Layer, Origin};
use super::super::setting::Setting as _;
use super::settings::{SettingOutcome, outcome, unlimited};
use super::table::Setting;
use crate::spec::SandboxKind;
use crate::words::quoted;

/// What the variables say.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FresherEnvironment {
    /// Values of our keys; they go before the files and after `WINDLASS_*`.
    pub layer: Layer,
    /// What a person should know of them, one sentence each.
    pub notices: Vec<String>,
    /// The variable that says that this is a container already.
    pub container: Option<&'static str>,
}

/// Names that Fresher gave to its hooks. They are not settings.
const FOR_HOOKS: &[&str] = &[
    "ITERATION",
    "LAST_EXIT_CODE",
    "TOTAL_COMMITS",
    "DURATION",
    "TOTAL_ITERATIONS",
    "LAST_COMMIT_SHA",
    "FINISH_TYPE",
    "PROJECT_DIR",
    "STARTED_AT",
    "PLAN_FILE",
    "LAST_DURATION",
    "COMMITS_MADE",
];

/// The variable that says that this is a container already: `FRESHER_IN_DOCKER` or `DEVCONTAINER`.
pub fn container_variable<'a>(
    variables: impl IntoIterator<Item = (&'a str, &'a str)>,
) -> Option<&'static str> {
    let mut found = None;
    for (name, value) in variables {
        let says_so =
            !matches!(value.trim().to_ascii_lowercase().as_str(), "" | "0" | "false" | "no" | "off");
        match name {
            "FRESHER_IN_DOCKER" if says_so => return Some("FRESHER_IN_DOCKER"),
            "DEVCONTAINER" if says_so => found = Some("DEVCONTAINER"),
            _ => {}
        }
    }
    found
}

/// What there is to say where a container is to be started from within one: a sentence.
pub fn container_in_container(kind: &SandboxKind, variable: &str) -> Option<String> {
    matches!(kind, SandboxKind::Docker(_) | SandboxKind::Podman(_)).then(|| {
        format!(
            "{variable} says that this is a container already, and `sandbox.kind` starts another one beside it; \
             `--sandbox none` or `--sandbox bwrap` works in this one"
        )
    })
}

/// Takes `FRESHER_*` out of an environment; of other variables only `DEVCONTAINER` is looked at. Empty values count as
/// unset.
///
/// # Errors
/// Values that are none: all of them, each with its variable.
pub fn fresher_environment(variables: &[(String, String)]) -> Result<FresherEnvironment, ConfigError> {
    let container = container_variable(variables.iter().map(|(name, value)| (name.as_str(), value.as_str())));
    let mut reading = Reading { container, ..Reading::default() };
    for (variable, text) in variables.iter().filter(|(_, text)| !text.trim().is_empty()) {
        if let Some(name) = variable.strip_prefix("FRESHER_") {
            reading.read(name, variable, text);
        }
    }
    if !reading.problems.is_empty() {
        return Err(ConfigError { problems: reading.problems });
    }
    let mut environment = FresherEnvironment { layer: reading.layer, notices: Vec::new(), container };
    if !reading.taken.is_empty() {
        environment.notices.push(format!("taken from the environment: {}", reading.taken.join(", ")));
    }
    environment.notices.extend(reading.notices);
    Ok(environment)
}

fn switch_problem(variable: &str, text: &str) -> Option<String> {
    let is_switch = matches!(bool::from_text(text), toml::Value::Boolean(_));
    (!is_switch).then(|| format!("{variable}: expected true or false, found `{}`", super::shown(text)))
}

#[derive(Default)]
struct Reading {
    layer: Layer,
    /// `FRESHER_MODEL (agent.model)`
    taken: Vec<String>,
    notices: Vec<String>,
    problems: Vec<String>,
    container: Option<&'static str>,
}

impl Reading {
    fn read(&mut self, name: &str, variable: &str, text: &str) {
        if FOR_HOOKS.contains(&name) {
            return;
        }
        if name == "IN_DOCKER" {
            return self.problems.extend(switch_problem(variable, text));
        }
        let Some(setting) = Setting::of_variable(variable) else {
            return self.leave(variable, "there is nothing like it here");
        };
        match outcome(setting, setting.value_of(text)) {
            Ok(outcome) => self.take(variable, outcome),
            Err(problem) => self.problems.push(format!("{variable}: {problem}")),
        }
    }

    fn take(&mut self, variable: &str, outcome: SettingOutcome) {
        let container = self.container;
        match outcome {
            SettingOutcome::Option(key, value) | SettingOutcome::InContainer(key, value) => {
                self.say(variable, key, value);
            }
            SettingOutcome::Iterations(0) => {
                let how = unlimited("WINDLASS_LIMITS__MAX_ITERATIONS=0");
                self.notices.push(format!("{variable}=0: {how}"));
            }
            SettingOutcome::Iterations(number) => {
                self.say(variable, "limits.max_iterations", toml::Value::Integer(number.into()));
            }
            SettingOutcome::AsksNobody(true) => self.leave(
                variable,
                "`--dangerously-skip-permissions` says it for one run, and in a sandbox it is the default",
            ),
            SettingOutcome::Container(true) => match container {
                Some(inside) => {
                    self.leave(variable, &format!("{inside} says that this is a container already"));
                }
                None => self.say(variable, "sandbox.kind", toml::Value::String("docker".to_owned())),
            },
            SettingOutcome::Gate(command) => {
                // What cannot be typed as it is shown is no command to print.
                let is_whole = super::shown(&command) == command;
                let command = quoted(command.as_ref());
                let how = if is_whole { format!("--gate {command}") } else { "gates.commands".to_owned() };
                self.leave(variable, &format!("`{how}` makes it a check of the work"));
            }
            SettingOutcome::Nothing(why) => self.leave(variable, why),
            // A run without a job goes by it.
            SettingOutcome::Mode
            | SettingOutcome::AsksNobody(false)
            | SettingOutcome::Container(false)
            | SettingOutcome::Empty => {}
        }
    }

    fn say(&mut self, variable: &str, key: &'static str, value: toml::Value) {
        match self.layer.say(key, value, Origin::Environment(variable.to_owned())) {
            Ok(()) => self.taken.push(format!("{variable} ({key})")),
            Err(problem) => self.problems.push(format!("{variable}: {problem}")),
        }
    }

    fn leave(&mut self, variable: &str, why: &str) {
        self.notices.push(format!("{} is not taken: {why}", super::shown(variable)));
    }
}
