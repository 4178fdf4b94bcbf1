//! git: what Windlass asks of it, what it lends to guests, what lies in a working tree, and the snapshots of it. Nothing here knows
//! of runs, agents or sandboxes. Each room uses those below it: `loan` on `lane` on `commit` on `snapshot` on `inventory` on `git`;
//! `parcel` and `large_files` on `git`, and `lane` and `snapshot` on `parcel`.

pub mod commit;
pub mod git;
pub mod inventory;
pub mod lane;
pub mod large_files;
pub mod loan;
pub mod parcel;
pub mod remote;
pub mod snapshot;

#[cfg(any(test, feature = "testing"))]
pub mod testing;
