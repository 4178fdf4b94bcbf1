//! Windlass's core: what a run is, what an agent said, and what follows from it.
//!
//! Nothing in this crate performs IO, reads a clock or the environment, starts a process or a thread, or draws a
//! random number (its `clippy.toml` forbids it). Time and the world come in as values; facts come out. So every rule
//! can be tested as a table, whole nights can be simulated, and recovery is the same code applied to the journal.

// Here, because everything of ours is built after this crate.
#[cfg(not(target_os = "linux"))]
compile_error!("Windlass runs on Linux only: build it there, or in WSL on Windows.");

pub mod claim;
pub mod config;
pub mod council;
pub mod damage;
pub mod dots;
pub mod environment;
pub mod escapes;
pub mod fact;
pub mod fleet;
pub mod forge;
pub mod guard;
pub mod hexadecimal;
pub mod hook;
pub mod inert;
pub mod message;
pub mod nesting;
pub mod notification;
pub mod observation;
pub mod price;
pub mod principles;
pub mod project;
pub mod recovery;
pub mod redact;
pub mod release;
pub mod report;
pub mod run;
pub mod spec;
pub mod tasks;
pub mod telling;
pub mod trust;
pub mod typed;
pub mod values;
pub mod withhold;
pub mod words;
pub mod workspace;
