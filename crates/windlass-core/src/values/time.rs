//! The two clocks.

use std::time::Duration;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// A moment on both clocks. Reset times of limits are wall time; silence and durations are monotonic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Now {
    /// What a clock on the wall shows.
    pub wall: Timestamp,
    /// Since this session of the run began (a resume begins a new session). While the run is stopped by Ctrl-Z it
    /// stands still. In the journal: whole milliseconds.
    #[serde(rename = "ms", with = "millis")]
    pub monotonic: Duration,
}

/// So much later; the last moment that can be told where that is beyond it.
pub fn later(from: Timestamp, by: Duration) -> Timestamp {
    from.saturating_add(by).unwrap_or(Timestamp::MAX)
}

/// The time from one moment to a later one; nothing when it is not later.
pub fn between(from: Timestamp, to: Timestamp) -> Duration {
    Duration::try_from(to.duration_since(from)).unwrap_or_default()
}

/// A duration as whole milliseconds.
pub(crate) mod millis {
    use std::time::Duration;

    use serde::{Deserialize, Deserializer, Serializer};

    pub fn serialize<S: Serializer>(duration: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u64(u64::try_from(duration.as_millis()).unwrap_or(u64::MAX))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Duration, D::Error> {
        u64::deserialize(deserializer).map(Duration::from_millis)
    }
}
