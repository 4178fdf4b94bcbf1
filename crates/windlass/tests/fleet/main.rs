//! A fleet with the real binary: workers as processes, servers of NATS on loopback, the scripted agent.
#![cfg(feature = "fleet")]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod begun;
mod chaos;
mod dev;
mod elsewhere;
mod failures;
mod full_disk;
mod landing;
mod large_files;
mod real;
mod remote;
mod restoring;
mod verbs;
mod walls;
mod watching;
mod yard;
