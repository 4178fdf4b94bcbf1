//! What the machines of a fleet agree on, and what each of them decides. The engine that lies between them is in `windlass-fleet`, the
//! threads around these decisions are in `windlass-remote`.

pub mod answers;
pub mod held_lanes;
pub mod leases;
pub mod names;
pub mod placement;
pub mod policy;
pub mod remote;
pub mod withheld;
