//! Snapshots: the working tree as it was, untracked files included, in a bare repository of our own.
//!
//! A snapshot is a commit without parents. Its tree holds
//!
//! - `files/…`: the working tree, byte for byte;
//! - `repository/…`: HEAD, index, references, stash, configuration, hooks and what is under way (a merge, a rebase) of
//!   the project's repository, byte for byte;
//! - `left-out`: what is not protected, one line each: reason, bytes, path;
//! - `place`: where all of it belongs.
//!
//! The objects of the project's repository are copied to `repository-objects/`, so that its references mean something
//! even when the repository is gone. Everything is written and read in this process. Nothing is ever hard-linked.

mod difference;
mod durable;
mod keep;
pub mod left_out;
mod loose;
mod name;
mod objects;
mod parcel;
pub mod quoting;
mod repair;
pub mod repository;
mod restore;
mod scene;
mod store;
pub mod tree;

#[cfg(test)]
mod tests;

pub use difference::Difference;
pub use keep::{Caps, KeptFile, Snapshot};
pub use left_out::{LeftOut, LeftOutReason};
pub use name::{Moment, NotAMoment, Side, SnapshotName};
pub use parcel::{ParcelName, SnapshotParcelError};
pub use repair::{MovedReference, RepairPlan, RepairScope, RepairStep, Repaired, plan_repair, repair};
pub use repository::OwnFile;
pub use restore::{LeftAlone, RestoreError, RestorePlan, Restored, WhyLeft, plan_restore, restore};
pub use restore::{changed_since, remove_emptied, remove_half_written, undo};
pub(crate) use scene::operations;
pub use store::Store;

use std::path::PathBuf;

use windlass_host::file::FileError;

/// A snapshot could not be taken or read.
#[derive(Debug, thiserror::Error)]
pub enum SnapshotError {
    /// A file could not be read or written.
    #[error(transparent)]
    File(#[from] FileError),
    /// An object is not what its name says.
    #[error("object {id} of the snapshots is damaged: {why}")]
    Damaged {
        /// Which.
        id: String,
        /// How.
        why: String,
    },
    /// An object that was kept is not there any more.
    #[error("a snapshot needs {}, which somebody removed", .0.display())]
    Missing(PathBuf),
    /// There is no such snapshot.
    #[error("there is no snapshot {0}")]
    Unknown(String),
    /// A run's name would lead outside the store.
    #[error("“{0}” cannot be the name of a run")]
    BadName(String),
}
