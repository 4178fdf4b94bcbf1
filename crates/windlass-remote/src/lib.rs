//! Lanes on other machines.
//!
//! A run's [`runner`] decides, as it does without a fleet; what its lanes need is carried out by [`worker`]s, each with exactly the
//! executor of its own machine. Between the two are orders and what comes of them (`windlass-fleet`), commits, as packs or through a git
//! remote, and files of the run's folder.

mod brief;
mod code;
pub mod copy;
pub mod journal;
mod live;
mod requirements;
mod run_files;
pub mod runner;
mod threads;
pub mod worker;

use windlass_core::fleet::answers;

pub use brief::{Brief, BriefError};
