//! What a run wants of fleets.

/// Whether a run's lanes are to be on a fleet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FleetUse {
    /// Where one is configured.
    #[default]
    AsConfigured,
    /// In any case.
    Required,
}
