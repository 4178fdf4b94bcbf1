//! `feature_list.json`: features with `passes`, or with a status, often without an id.

use std::sync::Arc;

use windlass_core::values::TaskId;

use crate::doc::tasks::records::Records;
use crate::doc::tasks::{AboutForm, FileRole, Place, Reading, TaskSource};
use crate::doc::text::base_name;

/// A list of features.
#[derive(Clone, Copy, Debug)]
pub struct FeatureList;

impl TaskSource for FeatureList {
    fn about(&self) -> &'static AboutForm {
        &AboutForm {
            name: "feature_list",
            summary: "a list, or `features`; `passes`, `status` or `state`; a feature without an id is called by its place, from 1",
            other_places: &["feature_list.json", "docs/feature_list.json"],
            no_task: "has no task: its list of features is empty",
            is_json: true,
            ..AboutForm::USUAL
        }
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

    fn claim(&self, id: &TaskId, file: &str) -> String {
        format!(
            "Then say in `{file}` that the feature {id} is done: its `passes` is `true`, or its status is what the others have that are done."
        )
    }
}
