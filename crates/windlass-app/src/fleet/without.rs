//! What a program knows of fleets that was built without them: that there is none.

#![expect(
    clippy::trivially_copy_pass_by_ref,
    clippy::unnecessary_wraps,
    reason = "whoever calls these calls those of a program with fleets as well"
)]

#[path = "wanted.rs"]
mod wanted;

use windlass_core::config::Resolved;
use windlass_core::spec::{LanesSpec, RunSpec};
use windlass_core::values::{RunId, TaskRow};
use windlass_engine::store::{Project, RunFolder};
use windlass_engine::supervisor::RemoteSession;
use windlass_git::git::{ObjectId, Repository};

pub use wanted::FleetUse;
use wanted::LastDriven;

use crate::error::AppError;
use crate::here::Here;

/// There is none.
#[derive(Clone, Copy)]
pub(crate) enum FleetRun {}

impl FleetRun {
    /// Nothing.
    pub fn takes(&self, _: &mut LanesSpec) {
        match *self {}
    }

    /// Nothing.
    pub fn bring_landed(&self, _: &RunFolder, _: &Repository) -> Result<Option<ObjectId>, AppError> {
        match *self {}
    }
}

/// No fleet has to keep it.
pub(crate) fn refuse_long_list(_: Vec<TaskRow>) -> Result<(), AppError> {
    Ok(())
}

/// None has lanes; it is refused where one is wanted.
pub(crate) fn refuse_without_lanes(_: &Resolved, wanted: FleetUse) -> Result<(), AppError> {
    match wanted {
        FleetUse::Required => Err(built_without()),
        FleetUse::AsConfigured => Ok(()),
    }
}

/// None; it is refused where one is wanted.
pub(crate) fn for_run(_: &Here, resolved: &Resolved, wanted: FleetUse) -> Result<Option<FleetRun>, AppError> {
    refuse_without_lanes(resolved, wanted).map(|()| None)
}

/// None; a run that has one cannot go on.
pub(crate) fn for_resumption(
    _: &Here,
    _: &Resolved,
    folder: &RunFolder,
) -> Result<Option<(FleetRun, LastDriven)>, AppError> {
    wanted::fleet_of(folder)?.map_or(Ok(None), |_| Err(built_without()))
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

/// Which of a run's files would be brought.
#[derive(Clone, Copy)]
pub(crate) enum Depth {
    /// What was decided.
    Facts,
    /// Also what was said.
    Files,
}

/// No fleet has a run.
pub(crate) fn find(_: &Here, _: &str, _: Depth) -> Result<Option<RunFolder>, AppError> {
    Ok(None)
}

/// What is here of a run is what there is to see.
pub(crate) fn refresh(_: &Here, _: &RunFolder, _: Depth) {}

/// No run is known to be driven elsewhere.
pub(crate) fn refresh_all(_: &Here) {}

/// None is heard of.
pub(crate) fn heard_alive(_: &Project) -> Vec<RunId> {
    Vec::new()
}

/// None is followed.
#[derive(Clone, Copy)]
pub(crate) enum FollowedBeside {}

impl FollowedBeside {
    pub fn begin(_: Here, _: &RunFolder) -> Option<FollowedBeside> {
        None
    }
}

/// No run's folder is known to be a copy.
pub(crate) fn is_copy(_: &RunFolder) -> bool {
    false
}

/// No run is known to be driven elsewhere.
pub(crate) fn is_live(_: &Here, _: &RunFolder) -> bool {
    false
}

/// No run is followed that is driven elsewhere.
#[derive(Clone, Copy)]
pub(crate) enum FollowedCopy {}

impl FollowedCopy {
    pub fn begin(_: &Here, _: &RunFolder) -> Result<Option<FollowedCopy>, AppError> {
        Ok(None)
    }

    pub fn look(&mut self) -> Result<bool, AppError> {
        match *self {}
    }
}

fn built_without() -> AppError {
    AppError::usage("this windlass was built without fleets")
        .hint("A program with them: cargo install --path crates/windlass")
}
