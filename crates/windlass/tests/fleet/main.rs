//! A fleet with the real binary: workers as processes, servers of NATS on loopback, the scripted agent.
#![cfg(feature = "fleet")]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
#![expect(clippy::print_stderr, reason = "what cannot be tried here is said")]

mod begun;
mod chaos;
mod dev;
mod elsewhere;
mod failures;
mod filters;
mod full_disk;
#[path = "../sandbox/kinds.rs"]
mod kinds;
mod landing;
mod large_files;
mod real;
mod remote;
mod restoring;
mod spending;
mod verbs;
mod walls;
mod watching;
mod yard;
