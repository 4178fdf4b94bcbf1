//! The script's format: what a user writes (`docs/mock-script.md`), refused with file and line where it is wrong.

use std::path::{Path, PathBuf};

use serde::Deserialize;
use thiserror::Error;
use windlass_core::typed::{line_of, nearest};

use super::steps::{Step, yes};

/// Why a script cannot be played.
#[derive(Debug, Error)]
pub enum ScriptError {
    /// It cannot be read.
    #[error("cannot read the script {}: {source}", path.display())]
    Unreadable {
        /// The script.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// It says something that no script may say.
    #[error("{place}: {message}")]
    Wrong {
        /// `file:line`.
        place: String,
        /// One sentence.
        message: String,
    },
    /// There is no built-in script of this name.
    #[error(
        "there is no built-in script `{0}`; the built-in scripts are `builtin:default`, `builtin:workspace`, `builtin:plan`, \
         `builtin:build`, `builtin:tasks`, `builtin:phase`, `builtin:setup`, `builtin:edit`, `builtin:task-setup`, `builtin:task-edit`, `builtin:verify` and `builtin:demo`"
    )]
    NoSuchBuiltin(String),
}

/// A script: what the agent does, call by call.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Script {
    /// What holds for all calls.
    #[serde(default)]
    pub options: Options,
    /// The calls, in the order they are made.
    #[serde(default, rename = "call")]
    pub calls: Vec<Call>,
}

/// What holds for all calls.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Options {
    /// What a call after the last one does.
    pub after_last: AfterLast,
    /// The model that the agent says it uses.
    pub model: String,
}

impl Default for Options {
    fn default() -> Options {
        Options { after_last: AfterLast::default(), model: "scripted".to_owned() }
    }
}

/// What a call after the last one does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AfterLast {
    /// The last one again.
    #[default]
    Repeat,
    /// Exit 70 without a result: a run that makes more calls than the script foresees is wrong.
    Fail,
}

/// One call.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Call {
    /// What it does, in this order.
    #[serde(default)]
    pub steps: Vec<Step>,
    /// Print the event with which a session begins.
    #[serde(default = "yes")]
    pub init: bool,
    /// Read the prompt from standard input before anything else.
    #[serde(default = "yes")]
    pub read_prompt: bool,
    /// It is played when the prompt names this task, whatever its place in the order of calls. Of several for one task the
    /// first is played until the prompt says that the task was tried once and did not hold, and so on; the last is for all
    /// further ones. A call that is repeated after a usage limit is the same again.
    #[serde(default)]
    pub task: Option<String>,
    /// It is played when the work of that task is to be put together with what others have finished.
    #[serde(default)]
    pub merging: bool,
    /// It is played when the prompt asks for this, whatever its place in the order of calls.
    #[serde(default, rename = "for")]
    pub asked: Option<Asked>,
}

/// What else an agent is asked for than to work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Asked {
    /// To look over another's work.
    Review,
    /// To settle a conflict of principles.
    Council,
}

impl Asked {
    /// Reads it from a prompt.
    pub fn read(prompt: &str) -> Option<Asked> {
        if prompt.contains("## What to look over") {
            return Some(Asked::Review);
        }
        prompt.contains("## A conflict to settle").then_some(Asked::Council)
    }
}

impl Script {
    /// Reads a script: a file, or a built-in one by its name (`builtin:default`, `builtin:demo`).
    ///
    /// # Errors
    /// A file that cannot be read, and whatever [`Script::parse`] refuses.
    pub fn load(source: &str) -> Result<Script, ScriptError> {
        if let Some(name) = source.strip_prefix("builtin:") {
            let text = super::builtin(name).ok_or_else(|| ScriptError::NoSuchBuiltin(name.to_owned()))?;
            return Script::parse(text, source);
        }
        let path = Path::new(source);
        let text = std::fs::read_to_string(path)
            .map_err(|source| ScriptError::Unreadable { path: path.to_owned(), source })?;
        Script::parse(&text, source)
    }

    /// Reads a script's text; `name` is what messages call it.
    ///
    /// # Errors
    /// What is not TOML, unknown keys and steps, wrong types, and a script without a call.
    pub fn parse(text: &str, name: &str) -> Result<Script, ScriptError> {
        let script: Script = toml::from_str(text).map_err(|error| {
            let place = match error.span() {
                Some(span) => format!("{name}:{}", line_of(text, span.start)),
                None => name.to_owned(),
            };
            ScriptError::Wrong { place, message: reworded(error.message()) }
        })?;
        if script.calls.is_empty() {
            return Err(ScriptError::Wrong {
                place: name.to_owned(),
                message: "a script needs at least one `[[call]]`".to_owned(),
            });
        }
        Ok(script)
    }

    /// The call with this ordinal (from 1); `None` when the script has none left.
    pub fn call(&self, ordinal: u32) -> Option<&Call> {
        let index = usize::try_from(ordinal.saturating_sub(1)).unwrap_or(usize::MAX);
        let in_order: Vec<&Call> =
            self.calls.iter().filter(|call| call.task.is_none() && call.asked.is_none()).collect();
        let last = in_order.last().copied().or(self.calls.last());
        match self.options.after_last {
            AfterLast::Repeat => in_order.get(index).copied().or(last),
            AfterLast::Fail => in_order.get(index).copied(),
        }
    }
}

/// The parser's complaint in the words of the documentation, with the name that most likely was meant.
fn reworded(message: &str) -> String {
    if message.starts_with("wanted exactly 1 element") {
        return "a step does one thing; make two steps of it".to_owned();
    }
    // "unknown field `x`, expected one of `a`, `b`": every second part stands between backticks.
    let mut names = message.split('`').skip(1).step_by(2);
    let (Some(typed), true) = (names.next(), message.starts_with("unknown ")) else {
        return message.trim_end().to_owned();
    };
    let known: Vec<&str> = names.collect();
    match nearest(typed, known.iter().copied()) {
        Some(meant) => format!("unknown `{typed}`; did you mean `{meant}`?"),
        None => format!("unknown `{typed}`; known here: {}", known.join(", ")),
    }
}
