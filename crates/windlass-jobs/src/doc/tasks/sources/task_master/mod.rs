//! task-master's `tasks.json`: lists of tasks by tags, with subtasks.

use std::sync::Arc;

use serde_json::value::RawValue;
use windlass_core::values::TaskId;

use crate::doc::tasks::records::{Around, Members, Records, has_records};
use crate::doc::tasks::{AboutForm, FileRole, Place, Reading, TaskSource};
use crate::doc::text::{base_name, ends_in, without_mark};

/// The tag whose tasks are called by their numbers alone.
const MAIN: &str = "master";

/// task-master's lists.
#[derive(Clone, Copy, Debug)]
pub struct TaskMaster;

impl TaskSource for TaskMaster {
    fn about(&self) -> &'static AboutForm {
        &AboutForm {
            name: "task_master",
            summary: "tags with `tasks`, or `tasks` alone as it once was, in them `subtasks`: `5.1` is the first of 5; tasks of other tags than `master` are called `TAG:5`",
            other_places: &[".taskmaster/tasks/tasks.json", "tasks/tasks.json"],
            no_task: "has no task: the `tasks` of its tags are empty",
            is_json: true,
            ..AboutForm::USUAL
        }
    }

    fn role(&self, name: &str, place: Place) -> Option<FileRole> {
        (place == Place::Alone && ends_in(name, "json")).then_some(FileRole::Single)
    }

    fn recognises(&self, name: &str, text: &str) -> bool {
        let text = without_mark(text).0;
        !tags(text).is_empty()
            || base_name(name).eq_ignore_ascii_case("tasks.json") && untagged(text).is_some()
    }

    fn read(&self, name: &Arc<str>, _role: FileRole, text: &str) -> Reading {
        let mut records = Records::new(name, text, "task");
        if let Some(list) = untagged(records.text) {
            records.list(&list, Around::default());
            if let Some(document) = Members::of(records.text) {
                records.unread_lists(&document, &["tasks"]);
            }
            return records.finish();
        }
        let document = Members::of(records.text);
        let tags = tags(records.text);
        if let Some(document) = document {
            let read: Vec<&str> = tags.iter().map(|(tag, _)| tag.as_str()).collect();
            records.unread_lists(&document, &read);
        }
        let only = tags.len() == 1;
        for (tag, members) in tags {
            let prefix = if only || tag == MAIN { String::new() } else { format!("{tag}:") };
            let list = members.tasks().unwrap_or_default();
            records.list(&list, Around { tag: &prefix, prefix: &prefix, section: &tag, ..Around::default() });
        }
        records.finish()
    }

    fn claim(&self, id: &TaskId, file: &str) -> String {
        format!("Then set the `status` of {id} in `{file}` to `done`.")
    }
}

/// The tasks of a document without tags, as they were written before there were any: each has a status, and nothing else says
/// how far it is.
fn untagged(text: &str) -> Option<Vec<&RawValue>> {
    let list = Members::of(text)?.tasks()?;
    let has_status = |raw: &&RawValue| {
        Members::of(raw.get()).is_some_and(|members| {
            members.first(&["status"]).is_some() && members.first(&["passes"]).is_none()
        })
    };
    (!list.is_empty() && list.iter().all(has_status)).then_some(list)
}

/// The tags of a document: its members that hold tasks. A document with a list of its own has none.
fn tags(text: &str) -> Vec<(String, Members<'_>)> {
    let document = Members::of(text).filter(|members| !has_records(members));
    let tags = document
        .map(|members| members.0)
        .unwrap_or_default()
        .into_iter()
        .filter_map(|(tag, value)| Some((tag, Members::of(value.get())?)));
    tags.filter(|(_, members)| members.tasks().is_some()).collect()
}
