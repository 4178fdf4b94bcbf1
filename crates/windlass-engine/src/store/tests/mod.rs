//! Tests of everything that is kept.

mod child;
pub(crate) mod fixture;

pub(super) use child::{Child, run_child};
pub(super) use fixture::Fixture;

mod disk_full;
mod index;
mod lock;
mod noted;
mod paths;
mod retention;
mod run_folder;
mod summary;
