//! What reaches the select loop.

use windlass_host::process::signals::Signal;

/// One thing that happened outside the loop.
#[derive(Debug)]
pub(super) enum Event {
    /// A signal came.
    Signal(Signal),
    /// Whoever carries out orders or notifies has something to say.
    Stirred,
}
