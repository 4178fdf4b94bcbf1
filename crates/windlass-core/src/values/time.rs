//! The two clocks.

use std::time::Duration;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// A moment on both clocks. Reset times of limits are wall time; silence and durations are monotonic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Now {
    /// What a clock on the wall shows.
    #[serde(with = "wall_time")]
    pub wall: Timestamp,
    /// Since this session of the run began (a resume begins a new session). While the run is stopped by Ctrl-Z it
    /// stands still. In the journal: whole milliseconds.
    #[serde(rename = "ms", with = "millis")]
    pub monotonic: Duration,
}

/// So much later, in whole milliseconds as a journal has times: what is read again is the same. The last moment that can be told
/// where that is beyond it.
pub fn later(from: Timestamp, by: Duration) -> Timestamp {
    let by = Duration::from_millis(u64::try_from(by.as_millis()).unwrap_or(u64::MAX));
    from.saturating_add(by).unwrap_or(Timestamp::MAX)
}

/// The time from one moment to a later one; nothing when it is not later.
pub fn between(from: Timestamp, to: Timestamp) -> Duration {
    Duration::try_from(to.duration_since(from)).unwrap_or_default()
}

/// A time as JSON has it: RFC 3339, UTC, always three digits of a second, so that texts sort as the times do.
pub fn written(time: Timestamp) -> String {
    format!("{time:.3}")
}

/// Times in JSON and in journals: [`written`], and read in any precision.
pub mod wall_time {
    use jiff::Timestamp;
    use serde::{Deserialize as _, Deserializer, Serializer};

    /// Writes it.
    ///
    /// # Errors
    /// Those of the serializer.
    pub fn serialize<S: Serializer>(time: &Timestamp, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&super::written(*time))
    }

    /// Reads it.
    ///
    /// # Errors
    /// It is not a time of RFC 3339.
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Timestamp, D::Error> {
        Timestamp::deserialize(deserializer)
    }
}

/// The same where there may be none.
pub mod some_wall_time {
    use jiff::Timestamp;
    use serde::{Deserialize as _, Deserializer, Serializer};

    /// Writes it.
    ///
    /// # Errors
    /// Those of the serializer.
    pub fn serialize<S: Serializer>(time: &Option<Timestamp>, serializer: S) -> Result<S::Ok, S::Error> {
        match time {
            Some(time) => super::wall_time::serialize(time, serializer),
            None => serializer.serialize_none(),
        }
    }

    /// Reads it.
    ///
    /// # Errors
    /// It is neither null nor a time of RFC 3339.
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Timestamp>, D::Error> {
        Option::deserialize(deserializer)
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_comes_later_is_read_again_as_it_was() {
        let from: Timestamp = "2026-11-21T22:14:46.621Z".parse().unwrap();
        for by in [Duration::ZERO, Duration::from_micros(5_599_750), Duration::from_nanos(1), Duration::MAX] {
            let time = later(from, by);
            assert!(time == Timestamp::MAX || written(time).parse::<Timestamp>().unwrap() == time, "{time}");
        }
    }

    #[test]
    fn times_are_written_with_three_digits_and_read_with_any() {
        for (read, written) in [
            ("2026-03-01T20:00:00Z", "2026-03-01T20:00:00.000Z"),
            ("2026-03-01T20:00:00.5Z", "2026-03-01T20:00:00.500Z"),
            ("2026-03-01T20:00:00.123456789Z", "2026-03-01T20:00:00.123Z"),
        ] {
            let now: Now = serde_json::from_str(&format!(r#"{{"wall":"{read}","ms":7}}"#)).unwrap();
            assert_eq!(serde_json::to_string(&now).unwrap(), format!(r#"{{"wall":"{written}","ms":7}}"#));
        }
    }
}
