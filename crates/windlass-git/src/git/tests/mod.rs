//! Repositories, with the real git.

mod finding;
mod locking;
mod settings;
