//! Simulated nights of a fleet: a run whose lanes are on workers, with all that may go wrong between them.
//!
//! What is real: the core's state machine and its orders ([`Run`](windlass_core::run::Run), `Orders`), who has which lane
//! (`fleet::placement`), which orders wait for facts (`fleet::withheld`), when a lease is stale (`fleet::leases::Silence`), and on a
//! worker which order is new and what answers it (`fleet::held_lanes`). What is simulated is the rest, each as the program's own code
//! does it: the servers (`servers`), the network (`network`), the threads of a runner (`runner`), those of a worker (`worker`), the
//! machines on which a person runs the run.
//!
//! Time is a list of events ([`agenda`]). Whatever takes time in the program takes time here: between a question and its answer, between
//! an outcome's arrival and its counting, something else may happen. A question to the servers may not arrive, or be done without being
//! answered; what is sent may be lost, come twice and overtake; whoever stands still gets all of it when they go on. After some time
//! nothing goes wrong any more, and then the run has to end.

mod agenda;
mod hunt;
mod invariant;
mod network;
mod night;
mod plant;
mod record;
mod runner;
mod script;
mod servers;
mod story;
mod worker;

pub use hunt::hunt_fleet;
pub use invariant::{FLEET_INVARIANTS, FleetInvariant, broken_fleet};
pub use night::play_fleet;
pub use plant::FleetPlant;
pub use record::FleetRecord;
pub use script::FleetScript;
pub use story::tell_fleet;
