//! What the machines of a fleet agree on.

pub mod policy;
pub mod remote;
