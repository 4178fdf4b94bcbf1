//! The engine of a fleet: orders, leases, journals and files in NATS JetStream, an existing engine.
//!
//! Nothing outside of this crate knows the client of that engine. It offers a blocking interface: a [`Fleet`] has a runtime of
//! its own, which is started when a fleet is connected to and ends with it. It must not be used from within another runtime.
//!
//! Every call is given a [`Deadline`]: what may pass is tried again until then, and no longer. A call whose answer was lost
//! looks at what became of it.

mod call;
mod error;
mod fleet;
pub mod journal;
pub mod layout;
pub mod leases;
pub mod orders;
pub mod permissions;
pub mod settings;
pub mod signals;
pub mod store;
mod subjects;

pub use call::Deadline;
pub use error::FleetError;
pub use fleet::Fleet;
pub use windlass_core::fleet::names;
