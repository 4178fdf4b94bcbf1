//! How far something goes.

/// Is anything done?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// It is looked at what would be done, and nothing is changed (`--dry-run`).
    Look,
    /// What can be done is done.
    Act,
}

impl Extent {
    /// As `--dry-run` says it.
    pub const fn of(dry_run: bool) -> Extent {
        if dry_run { Extent::Look } else { Extent::Act }
    }
}
