//! The file formats that people and agents share with Windlass. Parsed from bytes, never written back whole.

pub mod archived;
pub mod plan;
mod problem;
pub mod progress;
pub mod report;
pub mod status;
pub mod tasks;
pub mod template;
mod todo;

pub use todo::count_boxes;

/// Does a text nest too deeply to be parsed as Markdown?
pub(crate) fn nests_too_deep(text: &str) -> bool {
    plan::nesting::too_deep(text).is_some()
}
