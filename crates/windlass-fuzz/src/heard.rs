//! What a decoder found, and the clocks of a call.

use std::time::Duration;

use windlass_agents::{Digest, Sink};
use windlass_core::observation::Observation;
use windlass_core::values::{CallClocks, Cut};

/// All that was found, in its order.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Heard {
    /// For the core.
    pub digests: Vec<Digest>,
    /// For whoever watches.
    pub observations: Vec<Observation>,
}

impl Sink for Heard {
    fn digest(&mut self, digest: Digest) {
        self.digests.push(digest);
    }

    fn observation(&mut self, observation: Observation) {
        self.observations.push(observation);
    }
}

/// Those that a call usually has.
pub(crate) fn clocks() -> CallClocks {
    CallClocks {
        silence: Duration::from_mins(15),
        wall: Duration::from_mins(150),
        wall_means: Cut::WallClock,
        linger: Duration::from_secs(10),
        linger_background: Duration::from_mins(10),
        tokens: None,
    }
}
