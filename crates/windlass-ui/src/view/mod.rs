//! The views: ways to look at a run.

mod json;
mod log;
mod progress;
mod quiet;
mod tools;
mod verbose;

pub use json::JsonView;
pub use log::{LogParts, LogSink, LogState, LogView};
pub use progress::ProgressView;
pub use quiet::QuietView;
#[cfg(test)]
pub(crate) use schema::tests::check_document;
pub use tools::{ToolsForm, ToolsView};
pub use verbose::VerboseView;

use crate::event::View;
use crate::printer::Printer;
use windlass_core::config::OutputLevel;

/// The view for people at this level.
pub fn view(level: OutputLevel, printer: Printer) -> Box<dyn View> {
    match level {
        OutputLevel::Quiet => Box::new(QuietView::new(printer)),
        OutputLevel::Progress => Box::new(ProgressView::new(printer)),
        OutputLevel::Verbose => Box::new(VerboseView::new(printer)),
    }
}

#[cfg(test)]
mod guard_tests;
#[cfg(test)]
mod plan_tests;
#[cfg(test)]
#[path = "tests/schema/mod.rs"]
pub(crate) mod schema;
#[cfg(test)]
mod task_tests;
#[cfg(test)]
mod workspace_tests;
