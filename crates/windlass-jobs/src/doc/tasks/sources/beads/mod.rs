//! beads: a line of JSON for each issue, as `bd` exports them. It is read; what is said of an issue is said by `bd`.

mod epics;

use std::collections::HashSet;
use std::sync::Arc;

use serde_json::value::RawValue;
use windlass_core::values::{TaskId, TaskRow, TaskState};

use self::epics::Epics;
use crate::doc::Splice;
use crate::doc::tasks::records::{Around, Members, Records, text};
use crate::doc::tasks::{
    AboutForm, FileRole, Place, ReadFile, Reading, StateCommand, Task, TaskSource, Unwritable,
};
use crate::doc::text::ends_in;

/// Issues that `bd` keeps.
#[derive(Clone, Copy, Debug)]
pub struct Beads;

impl TaskSource for Beads {
    fn about(&self) -> &'static AboutForm {
        &AboutForm {
            name: "beads",
            summary: "a line of JSON per issue; what `blocks` it has to be done before; an epic is done with its issues; the file is only read, and `tasks done` tells `bd`",
            other_places: &[".beads/issues.jsonl", ".beads/beads.jsonl"],
            no_task: "has no task: it holds no issue",
            ..AboutForm::USUAL
        }
    }

    fn role(&self, name: &str, place: Place) -> Option<FileRole> {
        (place == Place::Alone && ends_in(name, "jsonl")).then_some(FileRole::Single)
    }

    fn read(&self, name: &Arc<str>, _role: FileRole, source: &str) -> Reading {
        let mut records = Records::new(name, source, "issue");
        let mut epics = Epics::default();
        let mut deleted = HashSet::new();
        for (index, line) in records.text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            match serde_json::from_str::<&RawValue>(line) {
                Ok(issue) if is_deleted(issue) => deleted.extend(said(issue, "id")),
                Ok(issue) => {
                    epics.see(issue);
                    records.list(&[issue], Around::default());
                }
                Err(error) => records.fault(Some(index + 1), format!("is not JSON: {error}")),
            }
        }
        let mut found = records.finish();
        for task in &mut found.tasks {
            task.named.retain(|(name, _)| !deleted.contains(name));
        }
        epics.settle(&mut found.tasks);
        found
    }

    fn mark(&self, file: &ReadFile, task: &Task, state: TaskState) -> Result<Splice, Unwritable> {
        if task.row.state == state {
            return Ok(Splice { file: file.name.clone(), range: 0..0, text: String::new() });
        }
        Err(Unwritable::ByCommand(command(&task.row, state)))
    }

    fn claim(&self, id: &TaskId, _file: &str) -> String {
        format!("Then close it: `bd close {id}`.")
    }
}

/// How `bd` is told; as beads-mcp 1.3.2 says it.
fn command(issue: &TaskRow, state: TaskState) -> StateCommand {
    let words: &[&str] = match state {
        TaskState::Done => &["close"],
        TaskState::Open if issue.state == TaskState::Done => &["reopen"],
        TaskState::Open => &["update", "--status", "open"],
        TaskState::InProgress => &["update", "--status", "in_progress"],
    };
    // What follows is no option, whatever an id looks like.
    let end_of_options = issue.id.0.starts_with('-').then_some("--");
    let arguments = words.iter().copied().chain(end_of_options).chain([issue.id.0.as_str()]);
    StateCommand { program: "bd", folder: ".beads", arguments: arguments.map(str::to_owned).collect() }
}

fn is_deleted(issue: &RawValue) -> bool {
    said(issue, "status").as_deref() == Some("tombstone")
}

/// What a member of an issue says.
fn said(issue: &RawValue, key: &str) -> Option<String> {
    Members::of(issue.get()).and_then(|members| members.first(&[key]).and_then(text))
}
