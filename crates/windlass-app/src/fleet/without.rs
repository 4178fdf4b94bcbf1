//! What a program knows of fleets that was built without them: that there is none.

#[path = "wanted.rs"]
mod wanted;

use windlass_core::config::Resolved;
use windlass_core::spec::RunSpec;
use windlass_engine::store::RunFolder;
use windlass_engine::supervisor::RemoteSession;

pub use wanted::FleetUse;

use crate::error::AppError;
use crate::here::Here;

/// There is none.
#[derive(Clone, Copy)]
pub(crate) enum FleetRun {}

impl FleetRun {
    /// What it is called.
    pub fn name(&self) -> &str {
        match *self {}
    }
}

/// None; it is refused where one is wanted.
pub(crate) fn for_run(_: &Here, _: &Resolved, wanted: FleetUse) -> Result<Option<FleetRun>, AppError> {
    match wanted {
        FleetUse::Required => Err(built_without()),
        FleetUse::AsConfigured => Ok(None),
    }
}

/// None; a run that has one cannot go on.
pub(crate) fn for_resumption(
    _: &Here,
    _: &Resolved,
    folder: &RunFolder,
) -> Result<Option<(FleetRun, Option<String>)>, AppError> {
    match wanted::fleet_of(folder)? {
        Some(_) => Err(built_without()),
        None => Ok(None),
    }
}

/// There is none.
pub(crate) fn remote(
    _: &Here,
    _: &RunSpec,
    _: &RunFolder,
    fleet: FleetRun,
) -> Result<RemoteSession, AppError> {
    match fleet {}
}

fn built_without() -> AppError {
    AppError::usage("this windlass was built without fleets")
        .hint("A program with them: cargo install --path crates/windlass")
}
