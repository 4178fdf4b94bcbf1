//! Carrying orders out: what is between the one who decides and those who act.
//!
//! The supervisor decides and journals; an [`Executor`] gets [`Order`]s and gives [`Reported`] things back. Lanes of this
//! machine ([`local`](crate::local)) are one; lanes of others would be another, with the same two types on a wire.

mod audience;
mod clock;
mod error;

use std::sync::Arc;
use std::time::Duration;

use windlass_core::fact::Entry;
use windlass_core::run::{Effect, Order, Reported};

pub use audience::{Audience, Place};
pub use clock::Clock;
pub use error::EngineError;

/// Wakes the loop, from any thread: [`Executor::poll`] has something to say, or something to do.
pub type Waker = Arc<dyn Fn() + Send + Sync>;

/// Whoever carries orders out.
///
/// In each lane one thing is done at a time. An order that is given again, after a restart or since what it waited for came
/// and went, is carried out again, under a higher epoch: whoever carries it out looks at the world first
/// (`docs/effects.md`).
pub trait Executor {
    /// Takes an order and returns soon; what comes of it is told by [`poll`](Executor::poll), under the order's epoch. A call
    /// is begun by one order and ended by another, and both are answered by its end.
    fn carry_out(&mut self, order: Order) -> Result<(), EngineError>;

    /// These facts are in the journal. Where it is kept beyond this machine as well, orders that need it there wait until it is.
    fn recorded(&mut self, _: &[Entry]) -> Result<(), EngineError> {
        Ok(())
    }

    /// Nobody waits for this any longer: it was seen done, or came to nothing.
    fn withdraw(&mut self, effect: &Effect);

    /// What has come of orders since this was last asked, in its order. Also does what its own clocks ask for: it is called
    /// after each waking, and at the latest after [`next_due`](Executor::next_due).
    fn poll(&mut self) -> Result<Vec<Reported>, EngineError>;

    /// In how long its clocks ask for something; `None` while only a waking can.
    fn next_due(&self) -> Option<Duration>;

    /// A person does not wait for hooks any longer: those under way are ended. Was there one?
    fn cut_hooks(&mut self) -> Result<bool, EngineError>;

    /// Lets what runs stand still until [`resume`](Executor::resume).
    fn pause(&mut self) -> Result<(), EngineError>;

    /// Lets it go on.
    fn resume(&mut self) -> Result<(), EngineError>;

    /// Ends all that runs, and lets what is being written be finished.
    fn close(&mut self);
}
