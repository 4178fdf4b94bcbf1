//! windlass-engine

pub mod process;
//! Windlass's engine: it acts on what the core decides.

pub mod store;
