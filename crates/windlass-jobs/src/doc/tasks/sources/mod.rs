//! The forms in which tasks are written: a folder each, and a row.

mod boxes;
mod front_matter;
mod markdown;
mod prd;

pub use boxes::{Boxes, INDEX};
pub use front_matter::FrontMatter;
pub use markdown::Markdown;
pub use prd::Prd;

pub(in crate::doc) use boxes::{box_at, heading, reference};

use super::source::{Layout, Place, TaskForm};

/// All forms, in the order in which their usual places are looked at. Where nobody says which is meant, it is the first that
/// knows the file.
pub static SOURCES: [TaskForm; 4] = [&Markdown, &Prd, &FrontMatter, &Boxes];

/// The form of a list with ids in which a file of this name is read.
pub fn form_of(name: &str, place: Place) -> Option<TaskForm> {
    with_ids().find(|form| form.role(name, place).is_some())
}

/// The form of a folder of tasks.
pub fn form_of_folder() -> TaskForm {
    with_ids().find(|form| form.layout() == Layout::FilePerTask).unwrap_or(&FrontMatter)
}

fn with_ids() -> impl Iterator<Item = TaskForm> {
    SOURCES.into_iter().filter(|form| form.has_ids())
}
