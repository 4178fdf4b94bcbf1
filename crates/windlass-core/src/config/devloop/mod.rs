//! What `DevLoop` was told and what it noted, in keys and sentences of ours (formats in part E3 of the seeds' inventory).

mod history;
mod session;
#[cfg(test)]
mod tests;

use serde_json::{Map, Value as Json};
use toml::Value;

pub use history::{DevloopCommits, devloop_commits};
pub use session::{ActiveTask, DevloopSession};

use crate::config::setting::{FolderAnywhere, Setting as _};
use crate::message::Wording;
use crate::typed::shown;

/// Its number of further iterations where nobody chose one, and which it never used.
const ITERATIONS: i64 = 10;

/// What there is to say of a wording with a state in it.
const STATUS: &str = "`{status}` in `devloopCommitFormat` is filled with other words here: `done`, `in-progress`, `failed` or \
                      `interrupted`";

/// A file of its configuration, read.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DevloopSettings {
    /// Keys of our configuration and their values.
    pub options: Vec<(&'static str, Value)>,
    /// One sentence for each setting that has no place here, or another meaning.
    pub notes: Vec<String>,
}

/// Reads a file of its that has to be one JSON object.
///
/// # Errors
/// It is none: the end of a sentence, with the line. (It took such a file for an empty one.)
pub fn devloop_object(bytes: &[u8]) -> Result<Map<String, Json>, String> {
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    match serde_json::from_slice(bytes) {
        Ok(Json::Object(fields)) => Ok(fields),
        Ok(_) => Err("is not a JSON object".to_owned()),
        Err(error) if error.is_eof() => Err(format!("is broken off in line {}", error.line())),
        Err(error) => Err(format!("is not JSON: line {}, column {}", error.line(), error.column())),
    }
}

impl DevloopSettings {
    /// A project's `.devloop/config.json`.
    pub fn of_project(fields: &Map<String, Json>) -> DevloopSettings {
        let mut found = DevloopSettings::default();
        for (name, value) in fields {
            match (name.as_str(), value) {
                (_, Json::Null) => {}
                ("devloopCommitFormat", Json::String(format)) => found.take_format(format),
                ("verifyEachTask", _) => found.notes.push(
                    "`verifyEachTask` is left out: gates are run for every task (gates.commands)".to_owned(),
                ),
                _ => found.leave(name),
            }
        }
        found
    }

    /// The user's `~/.devloop/config.json`. Whether the folder is there has to be looked at.
    pub fn of_user(fields: &Map<String, Json>) -> DevloopSettings {
        let mut found = DevloopSettings::default();
        for (name, value) in fields {
            match (name.as_str(), value) {
                (_, Json::Null) => {}
                ("defaultWorkspace", Json::String(path)) if !path.trim().is_empty() => {
                    let value = Value::from(path.as_str());
                    match FolderAnywhere::read(&value) {
                        Ok(_) => found.options.push(("project.default", value)),
                        Err(_) => found.notes.push(format!(
                            "`defaultWorkspace` is left out: `{}` is not an absolute path of a folder",
                            shown(path)
                        )),
                    }
                }
                ("maxIterations", Json::Number(number)) => found.take_iterations(number.as_i64()),
                _ => found.leave(name),
            }
        }
        found
    }

    fn leave(&mut self, name: &str) {
        self.notes.push(format!("`{}` is left out: there is nothing like it here", shown(name)));
    }

    /// `DevLoop: {action}`; an older one knows `{taskId}` as well.
    fn take_format(&mut self, format: &str) {
        let ours = format.replace("{taskId}", "{task}").replace("{taskTitle}", "{title}");
        match Wording::parse(&ours) {
            Ok(_) => {
                self.options.push(("commit.message", Value::from(ours.trim())));
                if ours.contains("{status}") {
                    self.notes.push(STATUS.to_owned());
                }
            }
            Err(error) => self.notes.push(format!("`devloopCommitFormat` is left out: {error}")),
        }
    }

    fn take_iterations(&mut self, number: Option<i64>) {
        match number {
            Some(ITERATIONS) => self.notes.push(format!(
                "`maxIterations` is left out: {ITERATIONS} is DevLoop's own, and it never used it"
            )),
            Some(number @ 1..=1_000_000) => {
                self.options.push(("limits.max_iterations", Value::Integer(number)));
                self.notes.push(
                    "`maxIterations` counted further iterations and was never used; here it is for each run"
                        .to_owned(),
                );
            }
            _ => self.notes.push("`maxIterations` is left out: it is not a number from 1 on".to_owned()),
        }
    }
}

/// Was a `.claude/settings.json` made by `DevLoop`? Two keys that nobody else knows tell.
pub fn is_devloop_settings(bytes: &[u8]) -> bool {
    devloop_object(bytes).is_ok_and(|fields| {
        fields.contains_key("restrictToWorkspace") && fields.contains_key("workspacePath")
    })
}

/// Was a `CLAUDE.md` made by `DevLoop`? Its first section is “Environment” and names platform and workspace.
pub fn is_devloop_guidance(text: &str) -> bool {
    let mut sections = text.trim_start_matches('\u{feff}').split("\n## ").skip(1);
    let section = text.strip_prefix("## ").or_else(|| sections.next()).unwrap_or_default();
    let mut lines = section.lines();
    let heading = lines.next().unwrap_or_default().trim().trim_matches('*');
    let names = |name: &str| {
        section.lines().any(|line| {
            let line = line.trim_start_matches(['-', '*', ' ', '\t']);
            line.strip_prefix(name).is_some_and(|rest| rest.trim_start_matches('*').starts_with(':'))
        })
    };
    heading.eq_ignore_ascii_case("environment") && names("Platform") && names("Workspace")
}
