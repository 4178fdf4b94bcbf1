//! The engine room with real servers of NATS on loopback.
#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has to fail at the spot")]

mod cluster;
mod connecting;
mod journals;
mod layouts;
mod leasing;
mod letters;
mod lossy;
mod lost_answers;
mod page;
mod permissions;
mod queues;
mod raw;
mod signed;
mod stores;
mod support;
