//! What a run wants of fleets.

use windlass_core::fact::plan_of;
use windlass_core::spec::LanesSpec;
use windlass_engine::store::{RunFolder, StoreError, journal};

/// Whether a run's lanes are to be on a fleet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FleetUse {
    /// Where one is configured.
    #[default]
    AsConfigured,
    /// In any case.
    Required,
}

/// The lanes that a run was begun with.
pub(super) fn lanes_of(folder: &RunFolder) -> Result<Option<LanesSpec>, StoreError> {
    Ok(plan_of(journal::read(&folder.journal())?).and_then(|plan| plan.lanes))
}

/// The fleet that a run was begun with.
pub(super) fn fleet_of(folder: &RunFolder) -> Result<Option<String>, StoreError> {
    Ok(lanes_of(folder)?.and_then(|lanes| lanes.fleet))
}

/// Where a run that goes on was driven last.
pub(crate) struct LastDriven {
    /// On another machine.
    pub elsewhere: bool,
    /// What a person should know of that.
    pub notice: Option<String>,
}
