//! Repositories and commits, with the real git.

mod committing;
mod finding;
mod lanes;
mod locking;
mod unusual;
