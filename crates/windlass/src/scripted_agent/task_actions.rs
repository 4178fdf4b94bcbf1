//! What the agent does in mode tasks: the task that its prompt names.

use std::path::Path;

use windlass_core::values::{TaskId, TaskState};
use windlass_engine::tasks::set_state;

use super::actions::ToolOutput;
use super::plan_actions::between;
use super::script::{Asked, Call, Script};

/// The task that a prompt names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NamedTask<'a> {
    /// Its id.
    pub id: &'a str,
    /// The task file.
    pub file: &'a str,
    /// How often it was tried before.
    pub tried: usize,
    /// Its work has to be put together with what others have finished.
    pub merging: bool,
}

impl<'a> NamedTask<'a> {
    /// Reads it from a prompt.
    pub fn read(prompt: &'a str) -> Option<NamedTask<'a>> {
        let id = between(prompt, "The task: **", ":")?;
        let tried = match between(prompt, "It was tried ", " and did not hold") {
            Some("once") => 1,
            Some(times) => times.split(' ').next()?.parse().unwrap_or(0),
            None => 0,
        };
        let file = between(prompt, "tasks: `", "`").unwrap_or_default();
        Some(NamedTask { id, file, tried, merging: prompt.contains("have to be put together now") })
    }

    /// Sets its status to done, and touches nothing else.
    pub fn tick(&self) -> ToolOutput {
        if self.merging {
            return Ok("It is done already.".to_owned());
        }
        let set = |place: &Path| set_state(Path::new("."), place, &TaskId::from(self.id), TaskState::Done);
        let file = Path::new(self.file);
        // A file with front matter is one of a folder's, and is read with it.
        set(file)
            .or_else(|error| match file.parent().filter(|folder| !folder.as_os_str().is_empty()) {
                Some(folder) => set(folder).map_err(|_| error),
                None => Err(error),
            })
            .map(|_| format!("The file {} has been updated successfully.", self.file))
            .map_err(|error| error.to_string())
    }
}

/// The call of a script that is meant for the task which this prompt names, or for what it asks; `None` when there is none.
pub fn call_for<'a>(script: &'a Script, prompt: &str) -> Option<&'a Call> {
    let asked = Asked::read(prompt);
    let calls = || script.calls.iter().filter(move |call| call.asked == asked);
    let of_task = NamedTask::read(prompt).and_then(|named| {
        let meant = |call: &&Call| call.task.as_deref() == Some(named.id) && call.merging == named.merging;
        let calls: Vec<&Call> = calls().filter(meant).collect();
        calls.get(named.tried).or(calls.last()).copied()
    });
    of_task.or_else(|| calls().find(|call| asked.is_some() && call.task.is_none()))
}
