//! windlass-engine

pub mod process;
