//! Windlass's engine: it acts on what the core decided, and on nothing else.

pub mod beginning;
mod certificates;
pub mod config_file;
pub mod decisions;
mod document;
pub mod executor;
pub mod guard;
pub mod hook;
pub mod interactive;
pub mod local;
pub mod notify;
pub mod pipeline;
pub mod plan;
pub mod principles;
pub mod progress;
mod put_in;
pub mod recovery;
pub mod relay;
pub mod replay;
pub mod sandbox;
pub mod scaffold;
mod steered;
pub mod store;
pub mod supervisor;
pub mod tasks;
#[cfg(feature = "testing")]
pub mod testing;
pub mod trust;
pub mod update;
pub mod watch;
pub mod withhold;
pub mod workspace;
pub mod worktree;
pub mod written;
