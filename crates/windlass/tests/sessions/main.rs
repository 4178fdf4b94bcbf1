//! Interactive sessions and judgements with the real binary and the scripted agent.
#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on has failed")]

mod authoring;
mod desk;
#[cfg(feature = "watch")]
mod glass;
mod judging;
mod principles;
mod task_files;
mod terminal;
#[cfg(feature = "watch")]
mod watching;
