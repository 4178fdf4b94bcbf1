//! What single settings come to.

use toml::Value;

use super::super::keys::{KEYS, known};
use super::FresherSettings;
use super::table::{Meaning, SETTINGS, Setting};
use crate::typed::shown;

/// Settings while they are read.
#[derive(Debug, Default)]
pub(super) struct Reading {
    found: FresherSettings,
    /// What only holds where a container is used.
    in_container: Vec<(&'static str, Value)>,
    /// Which command it is, and the command.
    gates: Vec<(&'static str, String)>,
    iterations: Option<u32>,
    /// Somebody said that the agent has to ask.
    asks: bool,
    /// A container is used.
    container: bool,
}

/// What a setting comes to.
#[derive(Debug, PartialEq)]
pub(super) enum SettingOutcome {
    /// A key of ours.
    Option(&'static str, Value),
    /// The same, where a container is used.
    InContainer(&'static str, Value),
    /// So many iterations; 0 = no limit.
    Iterations(u32),
    /// Nobody is asked, or somebody is.
    AsksNobody(bool),
    /// A container is used, or none is.
    Container(bool),
    /// A command.
    Gate(String),
    /// A mode that is said by a verb here.
    Mode,
    /// It has no place here: why.
    Nothing(&'static str),
    /// It says nothing.
    Empty,
}

/// What a value of a setting comes to.
pub(super) fn outcome(setting: &Setting, value: Value) -> Result<SettingOutcome, String> {
    let accepted = |outcome: fn(&'static str, Value) -> SettingOutcome, key, value: Value| {
        known(key)?.accept(&value)?;
        Ok::<_, String>(outcome(key, value))
    };
    Ok(match setting.meaning {
        Meaning::Key(key) => accepted(SettingOutcome::Option, key, value)?,
        Meaning::InContainer(_) | Meaning::ListInContainer(_) if says_nothing(&value) => {
            SettingOutcome::Empty
        }
        Meaning::InContainer(key) | Meaning::ListInContainer(key) => {
            accepted(SettingOutcome::InContainer, key, value)?
        }
        Meaning::Folder(key) => {
            let folder = text(&value)?.trim_end_matches('/').trim_start_matches("./").to_owned();
            accepted(SettingOutcome::Option, key, Value::String(folder))?
        }
        Meaning::Seconds(key) => {
            accepted(SettingOutcome::Option, key, Value::String(format!("{}s", number(&value)?)))?
        }
        Meaning::Iterations => SettingOutcome::Iterations(number(&value)?),
        Meaning::Permissions => SettingOutcome::AsksNobody(switch(&value)?),
        Meaning::Container => SettingOutcome::Container(switch(&value)?),
        Meaning::Command => match text(&value)?.trim() {
            "" => SettingOutcome::Empty,
            command => SettingOutcome::Gate(command.to_owned()),
        },
        Meaning::Mode => match super::mode(text(&value)?) {
            Some(_) => SettingOutcome::Mode,
            None => return Err(expected("planning or building", &value)),
        },
        Meaning::Nothing(_) if says_nothing(&value) => SettingOutcome::Empty,
        Meaning::Nothing(why) => SettingOutcome::Nothing(why),
    })
}

fn says_nothing(value: &Value) -> bool {
    value.as_str().is_some_and(|text| text.trim().is_empty()) || value.as_array().is_some_and(Vec::is_empty)
}

fn text(value: &Value) -> Result<&str, String> {
    value.as_str().ok_or_else(|| expected("a text", value))
}

fn switch(value: &Value) -> Result<bool, String> {
    value.as_bool().ok_or_else(|| expected("true or false", value))
}

fn number(value: &Value) -> Result<u32, String> {
    let number = value.as_integer().and_then(|number| u32::try_from(number).ok());
    number.ok_or_else(|| expected("a whole number", value))
}

fn expected(what: &str, value: &Value) -> String {
    format!("expected {what}, found `{}`", shown(&value.to_string()))
}

impl Reading {
    /// A setting of a file.
    pub fn take_or_leave(&mut self, setting: &Setting, name: &str, value: Value) {
        if setting.usual.is(&value) {
            return;
        }
        match outcome(setting, value) {
            Ok(SettingOutcome::Option(key, value)) => self.found.options.push((key, value)),
            Ok(SettingOutcome::InContainer(key, value)) => self.in_container.push((key, value)),
            Ok(SettingOutcome::Iterations(number)) => self.iterations = Some(number),
            Ok(SettingOutcome::AsksNobody(nobody)) => self.asks = !nobody,
            Ok(SettingOutcome::Container(used)) => self.container = used,
            Ok(SettingOutcome::Gate(command)) => self.gates.push((setting.name, command)),
            Ok(SettingOutcome::Mode) => self.leave(name, "`windlass plan` and `windlass build` say it"),
            Ok(SettingOutcome::Nothing(why)) => self.leave(name, why),
            Ok(SettingOutcome::Empty) => {}
            Err(why) => self.leave(name, &why),
        }
    }

    pub fn leave(&mut self, name: &str, why: &str) {
        self.found.notes.push(format!("`{}` is left out: {why}", shown(name)));
    }

    /// All of it, with what follows from defaults.
    pub fn finish(self) -> FresherSettings {
        let Reading { mut found, in_container, mut gates, iterations, asks, container } = self;
        gates.sort_by_key(|(name, _)| SETTINGS.iter().position(|setting| setting.name == *name));
        found.gates = gates.into_iter().map(|(_, command)| command).collect();
        match iterations {
            Some(0) | None => found.notes.push(unlimited("windlass config set limits.max_iterations 0")),
            Some(number) => found.options.push(("limits.max_iterations", Value::Integer(number.into()))),
        }
        if !asks {
            found.notes.push(PERMISSIONS.to_owned());
        }
        if container {
            found.options.push(("sandbox.kind", Value::String("docker".to_owned())));
            found.options.extend(in_container);
        } else if !in_container.is_empty() {
            found.notes.push("the limits of its container are left out: `use_docker` was off".to_owned());
        }
        if !found.options.iter().any(|(key, _)| *key == "plan.folder") {
            found.options.push(("plan.folder", Value::String("impl".to_owned())));
        }
        found.options.sort_by_key(|(name, _)| KEYS.iter().position(|key| key.name == *name));
        found
    }
}

/// What there is to say of a Fresher without a limit; `how` brings that back.
pub(super) fn unlimited(how: &str) -> String {
    format!(
        "Fresher had no limit on iterations, which is not imported: a run here ends after 20 iterations of planning and 50 of \
         building; `{how}` lifts that"
    )
}

/// What there is to say of a Fresher that asks nobody.
const PERMISSIONS: &str = "Fresher's agent skipped all permissions, which is never saved here: in a sandbox that is the default \
                           (`--sandbox bwrap`), and `--dangerously-skip-permissions` does it for one run";
