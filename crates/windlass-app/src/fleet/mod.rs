//! Lanes on many machines: what a person asks of a fleet, and what a run or a worker needs to be in one.

mod connect;
mod dev;
mod drain;
mod elsewhere;
mod init;
mod looks;
mod policy;
mod remote;
mod status;
mod wanted;
mod worker;
mod workshop;

pub use dev::{DevFleet, DevNews, DevRequest};
pub(crate) use dev::{FOLDER_COMMAND, remove_dev_folder};
pub(crate) use elsewhere::{FollowedBeside, FollowedCopy, find, is_copy, is_live, refresh, refresh_all};
pub use init::{FleetInit, MadePart};
pub use policy::{PolicyRequest, WorkerPolicy};
pub(crate) use remote::{FleetRun, for_resumption, for_run, refuse_long_list, refuse_without_lanes, remote};
pub use wanted::FleetUse;
pub(crate) use windlass_remote::copy::Depth;
pub(crate) use windlass_remote::copy::register::alive as heard_alive;
pub use worker::{WorkRequest, WorkerEnd, WorkerEnded};
