//! The keeper: parent of whatever a lane runs, and the one who clears up when the runner cannot.
//!
//! [`serve`] is the process itself, [`handle`] what the runner holds of it.

mod handle;
mod serve;

pub use handle::{Keeper, KeeperEvent, LastRites, Pulse, SpawnRequest};
pub use serve::keeper_main;

pub use super::protocol::SpawnId;

/// The hidden subcommand of `windlass` that must call [`keeper_main`] and do nothing before it.
pub const KEEPER_COMMAND: &str = "keeper";
