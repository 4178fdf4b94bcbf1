//! The tasks of a run: which is next, and what the others wait for.
//!
//! The order (of those whose dependencies are done and that nobody works on): in progress first, then by priority, then
//! by id as people count (`TASK-9` before `TASK-10`), then as they stand in the file. A task with a dependency that is
//! not there, or that waits for itself, never becomes ready.

mod blocking;
pub mod cycles;
mod graph;
pub mod natural;
mod schedule;
#[cfg(test)]
mod tests;

pub use blocking::{Blocking, Missing};
pub use schedule::{Counts, Schedule, TaskProgress};
