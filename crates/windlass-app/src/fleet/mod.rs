//! Lanes on many machines: what a person asks of a fleet, and what a run or a worker needs to be in one.

mod connect;
mod init;
mod policy;
mod remote;
mod worker;
mod workshop;

pub use init::{FleetInit, MadePart};
pub use policy::{PolicyRequest, WorkerPolicy};
pub use remote::FleetUse;
pub(crate) use remote::{FleetRun, for_resumption, for_run, remote};
pub use worker::{WorkRequest, WorkerEnd, WorkerEnded};
