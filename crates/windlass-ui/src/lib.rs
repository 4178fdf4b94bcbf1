//! What a person or a machine sees of a run. This crate gets facts and observations and nothing else, and it is the
//! only one that prints.
//!
//! An [`Event`] goes through a [`Screen`] (a thread of its own, so that a slow or closed terminal never slows or ends a
//! run) to one or more [`View`]s; a replay gives the same events to the same views and shows the same lines. Each view
//! folds what it has to remember into a [`Board`] and writes through a [`Printer`].

// The made-up night in `examples/` speaks of this crate by its name.
#[cfg(test)]
extern crate self as windlass_ui;

mod activity;
mod board;
mod delivery_board;
mod document;
mod elsewhere;
mod error;
mod event;
pub mod format;
mod harmless;
mod hush;
pub(crate) mod json_line;
mod judged;
mod line;
mod markdown;
pub mod model;
mod narrate;
mod page;
mod printer;
pub mod raise;
pub mod report;
mod screen;
mod seen;
mod terminal;
#[cfg(test)]
mod testing;
mod tool;
mod trail;
mod view;
mod words;

pub use board::Board;
pub use document::*;
pub use elsewhere::{typed_elsewhere, typed_in};
pub use error::{render_error, render_warning};
pub use event::{Event, View};
pub use harmless::{harmless, one_command, one_line};
pub use hush::Hush;
pub use json_line::FORMAT_VERSION;
pub use line::{Line, Mark, Tone, rendered};
pub use narrate::{flag_said, flags_of_agents, flags_of_work};
pub use page::Page;
pub use printer::{Output, Printer, lost_results};
pub use screen::{Screen, ScreenHandle};
pub use terminal::{Glyphs, Size, Stream, Terminal, is_abandoned, measure, terminal_reset};
pub use view::{
    JsonView, LogParts, LogSink, LogState, LogView, ProgressView, QuietView, ToolsForm, ToolsView,
    VerboseView, view,
};
