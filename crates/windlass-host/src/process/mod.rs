//! Processes: the only room that starts, signals and reaps them. Linux.
//!
//! Whatever a lane runs is a child of that lane's *keeper*, a small process that outlives the runner if it must
//! ([`Keeper`], [`keeper_main`]). Three things follow:
//!
//! - "Everything this lane started" is exactly "everything below this keeper": the keeper is a subreaper, so that a
//!   process which starts a session of its own, forks twice or wipes its environment is still below it.
//! - When the runner dies, by whatever signal, the keeper's socket ends and it clears up.
//! - When the keeper dies, its orphans fall to the runner, a subreaper as well ([`become_subreaper`]), which clears up
//!   ([`adopt_and_kill`]).
//!
//! When both die at once, what is left is found by its environment at the next start ([`leftovers`]).

mod adopt;
mod ancestry;
mod apart;
mod callers;
mod command;
mod connection;
mod entry;
mod error;
mod hearing;
mod keeper;
pub mod leftovers;
mod programs;
pub mod protocol;
pub mod signals;
mod standing_in;
mod started;
pub mod stream;
mod talk;
mod terminal;
pub mod tree;
mod users;
pub mod wire;

pub use adopt::{adopt_and_kill, become_subreaper, end_with_parent, reap_adopted};
pub use ancestry::{keeper_above, windlass_above};
pub use apart::Apart;
pub use callers::{Guest, guest_at};
pub use command::{Captured, Command, Interruption, Output, signal_commands};
pub use error::{ProcessError, StartFault, StartFaultKind};
pub use hearing::{first_of, pipe, start_thread};
pub use keeper::{KEEPER_COMMAND, Keeper, KeeperEvent, LastRites, Pulse, SpawnId, SpawnRequest, keeper_main};
pub use programs::others_running;
pub use rustix::process::Signal as CommandSignal;
pub use standing_in::stand_before;
pub use talk::{Talk, TalkEvent};
pub use terminal::HandedBack;
pub use users::{may_be_at_work, sees_all_processes, that_have_open};

/// The environment variable that marks everything a run starts; its value is the run's id.
pub const RUN_VARIABLE: &str = "WINDLASS_RUN";

/// The environment variable that tells agents and checks where the job's workspace is.
pub const WORKSPACE_VARIABLE: &str = "WINDLASS_WORKSPACE";
