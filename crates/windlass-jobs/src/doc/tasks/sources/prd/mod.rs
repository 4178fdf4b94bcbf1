//! snarktank's `prd.json`, and its variants: a list of stories by whatever name, or the document is the list.

mod add;

use std::sync::Arc;

use windlass_core::values::TaskId;

use crate::doc::Splice;
use crate::doc::tasks::records::Records;
use crate::doc::tasks::{
    AboutForm, CheckedTask, FileRole, Place, ReadFile, Reading, Refused, Task, TaskSource,
};
use crate::doc::text::ends_in;

/// snarktank's `prd.json`.
#[derive(Clone, Copy, Debug)]
pub struct Prd;

impl TaskSource for Prd {
    fn about(&self) -> &'static AboutForm {
        &AboutForm {
            name: "prd",
            summary: "`userStories`, `stories`, `features`, `units`, `phases` with `tasks` or any other list whose entries have some, or a list alone; `passes`, a `status` or `complete`",
            usual_places: &["prd.json"],
            other_places: &[
                "tasks/prd.json",
                "scripts/ralph/prd.json",
                ".ralph/prd.json",
                "ralph/prd.json",
                ".agent/prd.json",
            ],
            no_task: "has no task: `userStories` is empty",
            adds: true,
            id_zero: "US-000",
            is_json: true,
            ..AboutForm::USUAL
        }
    }

    fn role(&self, name: &str, place: Place) -> Option<FileRole> {
        (place == Place::Alone && ends_in(name, "json")).then_some(FileRole::Single)
    }

    fn read(&self, name: &Arc<str>, _role: FileRole, text: &str) -> Reading {
        let mut records = Records::new(name, text, "story");
        records.document();
        records.finish()
    }

    fn claim(&self, id: &TaskId, file: &str) -> String {
        format!(
            "Then set `passes` of {id} in `{file}` to `true`; where it has a status instead, set that to done."
        )
    }

    fn add(&self, file: &ReadFile, last: Option<&Task>, task: &CheckedTask) -> Result<Splice, Refused> {
        add::add(file, last, task).ok_or_else(|| file.no_place())
    }

    fn usual_priority(&self, tasks: &[Task]) -> u8 {
        tasks.iter().map(|task| task.row.priority).max().unwrap_or(0).saturating_add(1)
    }
}
