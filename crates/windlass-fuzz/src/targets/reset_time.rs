//! A sentence that names a reset time.

use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};

/// Seconds since 1970: an ordinary evening, the last day of a year, a leap day, a night in which clocks change, the
/// beginning of everything.
const NOWS: [i64; 5] = [1_795_293_000, 1_798_747_200, 1_835_395_200, 1_793_500_000, 0];

/// The longest limits are of a month, two at most.
const FARTHEST: SignedDuration = SignedDuration::from_hours(62 * 24);

/// A time of day can have passed, for a window of five hours by half a day.
const PASSED: SignedDuration = SignedDuration::from_hours(12);

fn parse_reset_time(text: &str, now: Timestamp) -> Option<Timestamp> {
    windlass_agents::parse_reset_time(text, now, &TimeZone::UTC)
}

pub(crate) fn run(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let digits = |bytes: &[u8]| bytes.iter().all(u8::is_ascii_digit);
    let may_name_a_year = text.as_bytes().windows(4).any(digits);
    for now in NOWS.map(|second| Timestamp::from_second(second).unwrap_or_default()) {
        let parsed = parse_reset_time(&text, now);
        assert_eq!(parse_reset_time(&text.to_ascii_uppercase(), now), parsed, "case matters");
        assert_eq!(
            parse_reset_time(&format!("It is so. {text}"), now),
            parsed,
            "what stands before it matters"
        );
        let Some(time) = parsed else { continue };
        let ahead = time.duration_since(now);
        assert!(ahead >= -PASSED && (ahead <= FARTHEST || may_name_a_year), "{time} is {ahead} from {now}");
        // Asked again before that time, it still means that time.
        let later = now.checked_add(ahead / 2).unwrap_or(now);
        if later > now && later < time {
            assert_eq!(parse_reset_time(&text, later), Some(time), "asked again at {later}");
        }
    }
}
