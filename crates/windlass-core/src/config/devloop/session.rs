//! `.devloop/session.json` and `.devloop/features/NAME.json`.

use std::fmt::Write as _;

use serde_json::{Map, Value};

use super::shown;

/// What is noted of a session; `None` where it is not said. (Its `sessionId` was never anything but null, its paths are
/// those of another machine perhaps.)
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DevloopSession {
    /// `init` or `run`.
    pub phase: Option<String>,
    /// The number of its last iteration.
    pub iterations: Option<u64>,
    /// When it began, as written.
    pub started: Option<String>,
    /// The task that was under way.
    pub active: Option<ActiveTask>,
    /// The feature that it is about.
    pub feature: Option<String>,
}

/// A task that was under way when `DevLoop` ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActiveTask {
    /// Its id.
    pub id: String,
    /// Its title.
    pub title: String,
    /// In which iteration.
    pub iteration: Option<u64>,
}

impl DevloopSession {
    /// Reads whatever can be read.
    pub fn read(fields: &Map<String, Value>) -> DevloopSession {
        let text = |name: &str| {
            let text = fields.get(name).and_then(Value::as_str).map(shown);
            text.filter(|text| !text.is_empty())
        };
        DevloopSession {
            phase: text("phase"),
            iterations: fields.get("lastIteration").and_then(Value::as_u64),
            started: text("startedAt"),
            active: fields.get("activeTask").and_then(Value::as_object).and_then(ActiveTask::read),
            feature: text("feature"),
        }
    }

    /// In one sentence.
    pub fn sentence(&self) -> String {
        let mut text = "its last session".to_owned();
        // Writing to a string cannot fail.
        if let Some(started) = &self.started {
            let _ = write!(text, " began {started} and");
        }
        let _ = match (self.phase.as_deref(), self.iterations) {
            (Some("init"), None | Some(0)) => write!(text, " never got beyond its beginning"),
            (_, Some(1)) => write!(text, " did 1 iteration"),
            (_, Some(number)) => write!(text, " did {number} iterations"),
            (_, None) => write!(text, " did an unknown number of iterations"),
        };
        text
    }

    /// What was cut off, where something was.
    pub fn interrupted(&self) -> Option<String> {
        let ActiveTask { id, title, iteration } = self.active.as_ref()?;
        let iteration = iteration.map_or_else(String::new, |number| format!(" in iteration {number}"));
        let title = if title.is_empty() { String::new() } else { format!(" - {title}") };
        Some(format!(
            "work on {id}{title} was interrupted{iteration}; what it left is in your working tree or in git"
        ))
    }
}

impl ActiveTask {
    fn read(fields: &Map<String, Value>) -> Option<ActiveTask> {
        let text = |name: &str| fields.get(name).and_then(Value::as_str).map(shown).unwrap_or_default();
        let id = text("taskId");
        let iteration = fields.get("iterationNumber").and_then(Value::as_u64);
        (!id.is_empty()).then(|| ActiveTask { id, title: text("taskTitle"), iteration })
    }
}
