//! `feature_list.json`: features with `passes`, or with a status, often without an id.

use std::sync::Arc;

use windlass_core::values::{TaskId, TaskState};

use crate::doc::tasks::records::{self, Records};
use crate::doc::tasks::{FileRole, Place, ReadFile, Reading, TaskSource};
use crate::doc::text::base_name;

/// A list of features.
#[derive(Clone, Copy, Debug)]
pub struct FeatureList;

impl TaskSource for FeatureList {
    fn name(&self) -> &'static str {
        "feature_list"
    }

    fn about(&self) -> &'static str {
        "a list, or `features`; `passes`, `status` or `state`; a feature without an id is called by its place, from 1"
    }

    fn other_places(&self) -> &'static [&'static str] {
        &["feature_list.json", "docs/feature_list.json"]
    }

    fn role(&self, name: &str, place: Place) -> Option<FileRole> {
        let is_it = base_name(name).to_ascii_lowercase().ends_with("feature_list.json");
        (place == Place::Alone && is_it).then_some(FileRole::Single)
    }

    fn read(&self, name: &Arc<str>, _role: FileRole, text: &str) -> Reading {
        let mut records = Records::new(name, text, "feature");
        records.document();
        records.finish()
    }

    fn no_task(&self, _role: FileRole) -> &'static str {
        "has no task: its list of features is empty"
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
            "Then say in `{file}` that the feature {id} is done: its `passes` is `true`, or its status is what the others have that are done."
        )
    }
}
