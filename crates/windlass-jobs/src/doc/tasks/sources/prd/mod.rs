//! snarktank's `prd.json`, and its variants: a list of stories by whatever name, or the document is the list.

mod add;

use std::sync::Arc;

use windlass_core::values::{TaskId, TaskState};

use crate::doc::Splice;
use crate::doc::tasks::records::{self, Records};
use crate::doc::tasks::{CheckedTask, FileRole, Place, ReadFile, Reading, Refused, Task, TaskSource};
use crate::doc::text::ends_in;

/// snarktank's `prd.json`.
#[derive(Clone, Copy, Debug)]
pub struct Prd;

impl TaskSource for Prd {
    fn name(&self) -> &'static str {
        "prd"
    }

    fn about(&self) -> &'static str {
        "`userStories`, `stories`, `features`, `units`, `phases` with `tasks` or any other list whose entries have some, or a list alone; `passes`, a `status` or `complete`"
    }

    fn usual_places(&self) -> &'static [&'static str] {
        &["prd.json"]
    }

    fn other_places(&self) -> &'static [&'static str] {
        &["tasks/prd.json", "scripts/ralph/prd.json", ".ralph/prd.json", "ralph/prd.json", ".agent/prd.json"]
    }

    fn role(&self, name: &str, place: Place) -> Option<FileRole> {
        (place == Place::Alone && ends_in(name, "json")).then_some(FileRole::Single)
    }

    fn read(&self, name: &Arc<str>, _role: FileRole, text: &str) -> Reading {
        let mut records = Records::new(name, text, "story");
        records.document();
        records.finish()
    }

    fn no_task(&self, _role: FileRole) -> &'static str {
        "has no task: `userStories` is empty"
    }

    fn kept(&self, state: TaskState, former: &str) -> TaskState {
        records::kept(state, former)
    }

    fn state_of(&self, word: &str) -> Option<TaskState> {
        records::state_of(word)
    }

    fn word(&self, file: &ReadFile, state: TaskState, former: &str) -> Option<String> {
        records::word(file, state, former)
    }

    fn claim(&self, id: &TaskId, file: &str) -> String {
        format!(
            "Then set `passes` of {id} in `{file}` to `true`; where it has a status instead, set that to done."
        )
    }

    fn adds(&self) -> bool {
        true
    }

    fn add(&self, file: &ReadFile, last: Option<&Task>, task: &CheckedTask) -> Result<Splice, Refused> {
        add::add(file, last, task).ok_or_else(|| file.no_place())
    }

    fn id_zero(&self) -> &'static str {
        "US-000"
    }

    fn usual_priority(&self, tasks: &[Task]) -> u8 {
        tasks.iter().map(|task| task.row.priority).max().unwrap_or(0).saturating_add(1)
    }
}
