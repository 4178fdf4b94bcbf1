//! The terminal view: runs of this machine on a full screen, at work and past ones alike.
//!
//! A view is a process of its own that reads what runs have written. It cannot slow, end or change one, but for the one thing that a
//! person asks for in its dialog: to stop.
//!
//! - [`state`]: what is shown and selected, and what an action changes: values, without terminal, file or clock
//! - [`keys`]: what a key means
//! - [`draw`]: what the state looks like in so many columns and rows
//! - [`shell`]: the terminal, keys, signals, and the thread that reads
//!
//! All that comes from agents goes through [`text::clean`] or `one_line` on its way into a row.

pub mod draw;
pub mod keys;
pub mod look;
#[cfg(test)]
mod made_up;
mod shell;
pub mod state;
pub mod text;
mod transcript;

pub use shell::{Activity, First, Left, watch};
