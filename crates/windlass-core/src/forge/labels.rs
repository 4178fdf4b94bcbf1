//! The labels that issues have for people. What a run may do follows from leases; of labels only [`DONE`] counts.

/// A run works on it.
pub const WORKING: &str = "windlass:working";

/// A run has done it, and it is not closed: no run takes it up.
pub const DONE: &str = "windlass:done";

/// A run gave it up. A later one may try it.
pub const PARKED: &str = "windlass:parked";
