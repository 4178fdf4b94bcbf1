//! The forms in which tasks are written: a folder each, and a row.

mod beads;
mod boxes;
mod cursor;
mod feature_list;
mod front_matter;
mod issues;
mod markdown;
mod page;
mod prd;
mod table;
mod task_master;

pub use beads::Beads;
pub use boxes::{Boxes, INDEX};
pub use cursor::Cursor;
pub use feature_list::FeatureList;
pub use front_matter::FrontMatter;
pub use issues::{ISSUES_FILE, IssueTask, Issues, Reference, references, write_issues};
pub use markdown::Markdown;
pub use page::page;
pub use prd::Prd;
pub use table::Table;
pub use task_master::TaskMaster;

pub(in crate::doc) use boxes::{any_box_at, box_at, heading, reference, state_of_sign};
pub(in crate::doc) use table::open_rows;

use super::source::{Layout, Place, TaskForm};

/// All forms, in the order in which their usual places are looked at. Where nobody says which is meant, it is the first that
/// knows the file.
pub static SOURCES: [TaskForm; 10] =
    [&Issues, &Markdown, &Cursor, &Beads, &FeatureList, &TaskMaster, &Prd, &FrontMatter, &Table, &Boxes];

/// The form of a file of this name with these bytes: the first that knows both, or else the first that knows the name, so that
/// what is wrong can be said.
pub fn form_of(name: &str, place: Place, bytes: &[u8]) -> Option<TaskForm> {
    let text = String::from_utf8_lossy(bytes);
    let may_be = |form: &TaskForm| place == Place::Alone || form.about().has_ids;
    let known = || SOURCES.into_iter().filter(|form| may_be(form) && form.role(name, place).is_some());
    known().find(|form| form.recognises(name, &text)).or_else(|| known().find(|form| form.about().has_ids))
}

/// The form of a folder of tasks.
pub fn form_of_folder() -> TaskForm {
    with_ids().find(|form| form.about().layout == Layout::FilePerTask).unwrap_or(&FrontMatter)
}

fn with_ids() -> impl Iterator<Item = TaskForm> {
    SOURCES.into_iter().filter(|form| form.about().has_ids)
}
