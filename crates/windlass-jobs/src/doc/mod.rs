//! The file formats that people and agents share with Windlass. Parsed from bytes, never written back whole.

pub mod archived;
pub mod decision_log;
mod lines;
mod outline;
pub mod pipeline;
pub mod plan;
pub mod principles;
mod problem;
pub mod progress;
pub mod report;
mod splice;
pub mod status;
pub mod tasks;
pub mod template;
mod text;

pub use problem::{Problem, ProblemKind};
pub use splice::Splice;
