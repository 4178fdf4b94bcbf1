//! Who watches a run.

use jiff::Timestamp;
use windlass_agents::Detail;
use windlass_core::fact::Entry;
use windlass_core::observation::Observation;
use windlass_core::values::{CallId, LaneId};

/// Where an observation was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// In which lane.
    pub lane: LaneId,
    /// Of which call.
    pub call: CallId,
    /// In which line of that call's stream, from 1.
    pub line: u64,
    /// When its bytes came.
    pub at: Timestamp,
}

/// Whoever watches a run. Its methods are called from several threads and must return at once: a slow audience may
/// lose observations, but never slows a run.
pub trait Audience: Send + Sync {
    /// A fact was journalled.
    fn fact(&self, entry: &Entry);
    /// An agent said or did something.
    fn observation(&self, place: Place, observation: Observation);
    /// What a person should know of the watching itself, each thing once: a log that cannot be written. It becomes a
    /// notice of the run's.
    fn trouble(&self) -> Option<String> {
        None
    }
    /// How much of what agents print is wanted.
    fn detail(&self) -> Detail;
}
