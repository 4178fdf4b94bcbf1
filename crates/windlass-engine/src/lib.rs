//! windlass-engine

pub mod process;
//! Windlass's engine: it acts on what the core decides.

pub mod store;
//! Windlass's engine: the thin shell that acts on what the core decided.

pub mod file;
pub mod git;
pub mod inventory;
pub mod snapshot;

#[cfg(test)]
mod scratch;
