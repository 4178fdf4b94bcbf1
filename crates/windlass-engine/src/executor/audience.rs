//! Who watches a run.

use windlass_agents::Detail;
use windlass_core::fact::Entry;
use windlass_core::observation::Observation;
pub use windlass_core::observation::Place;

/// Whoever watches a run. Its methods are called from several threads and must return at once: a slow audience may
/// lose observations, but never slows a run.
pub trait Audience: Send + Sync {
    /// A fact was journalled.
    fn fact(&self, entry: &Entry);
    /// An agent printed a line, given without its `\n`. What it means is told next.
    fn line(&self, place: Place, line: &[u8]) {
        let _ = (place, line);
    }
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
