//! Repositories, with the real git.

mod finding;
mod locking;
mod object_files;
mod settings;
