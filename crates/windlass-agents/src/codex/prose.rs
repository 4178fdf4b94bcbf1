//! What Codex's sentences mean: its failures are prose and nothing else.

use Class::{Auth, Billing, Config, ContextTooLong, Outage, Permission, TaskFailure, UsageLimit};
use jiff::Timestamp;
use jiff::civil::{Date, Time};
use jiff::tz::TimeZone;
use windlass_core::values::Class;

use crate::providers::class_by;
use crate::reset_time::{JUST_PASSED, time_of_day};

/// Parts of sentences, in lower case and with plain apostrophes. The first that fits counts.
const PARTS: &[(&str, Class)] = &[
    ("hit your usage limit", UsageLimit),
    ("quota exceeded", Billing),
    ("upgrade to plus", Billing),
    ("unexpected status 401", Auth),
    ("unexpected status 402", Billing),
    ("unexpected status 403", Permission),
    ("missing environment variable", Auth),
    ("not logged in", Auth),
    ("ran out of room", ContextTooLong),
    ("input exceeds the maximum length", ContextTooLong),
    ("does not exist", Config),
    ("reason: content_filter", TaskFailure),
    ("last status: 429", Outage),
    ("rate limit exceeded", Outage),
    ("at capacity", Outage),
    ("high demand", Outage),
    ("stream disconnected", Outage),
    ("connection failed", Outage),
    ("waiting for network", Outage),
    ("unexpected status 5", Outage),
    ("unexpected argument", Config),
    ("error loading config", Config),
    ("no prompt provided", Config),
    ("not inside a trusted directory", Config),
];

/// What a line says went wrong.
pub(super) fn class(line: &str) -> Option<Class> {
    class_by(PARTS, line)
}

/// The status of HTTP that a sentence names.
pub(super) fn status(line: &str) -> Option<u16> {
    let rest = ["unexpected status ", "last status: "]
        .iter()
        .find_map(|lead_in| Some(line.split_once(lead_in)?.1))?;
    rest.get(..3)?.parse().ok()
}

/// When a usage limit resets: `try again at 8:37 PM.`, the next such time or one that has just passed, or
/// `try again at Nov 27th, 2026 9:39 AM.`, both in the time zone of the process that said it. A date that has passed leaves it unknown:
/// the sentence is an old one, and trying at once would be refused again.
pub(super) fn reset(line: &str, now: Timestamp, zone: &TimeZone) -> Option<Timestamp> {
    let said = line.split_once("try again at ")?.1.split('.').next()?.trim();
    let at = |date: Date, time: Time| Some(date.to_datetime(time).to_zoned(zone.clone()).ok()?.timestamp());
    let Some((day, clock)) = said.split_once(", ") else {
        let time = Time::strptime("%I:%M %p", said).ok()?;
        return time_of_day(time, zone, now, JUST_PASSED);
    };
    let day = day.trim_end_matches(char::is_alphabetic);
    let (year, clock) = clock.split_once(' ')?;
    let date = Date::strptime("%b %d %Y", format!("{day} {year}")).ok()?;
    at(date, Time::strptime("%I:%M %p", clock).ok()?).filter(|at| *at > now)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_at_which_a_limit_resets_is_that_of_its_own_zone() {
        let now: Timestamp = "2026-11-22T18:33:00Z".parse().unwrap();
        let plus = |hours: i8| TimeZone::fixed(jiff::tz::offset(hours));
        let rows = [
            ("try again at 8:37 PM.", plus(0), Some("2026-11-22T20:37:00Z")),
            ("try again at 8:37 PM.", plus(2), Some("2026-11-22T18:37:00Z")),
            ("or try again at 6:32 PM.", plus(0), Some("2026-11-22T18:32:00Z")),
            ("or try again at 6:41 PM.", plus(1), Some("2026-11-22T17:41:00Z")),
            ("or try again at 6:31 PM.", plus(1), Some("2026-11-23T17:31:00Z")),
            ("or try again at Nov 27th, 2026 9:39 AM.", plus(0), Some("2026-11-27T09:39:00Z")),
            ("try again at Nov 22nd, 2026 6:34 PM.", plus(0), Some("2026-11-22T18:34:00Z")),
            ("try again at Nov 22nd, 2026 6:33 PM.", plus(0), None),
            ("try again at Nov 1st, 2026 12:05 PM.", plus(0), None),
            ("try again at Nov 22nd, 2025 8:37 PM.", plus(0), None),
            ("try again later.", plus(0), None),
            ("try again at noon.", plus(0), None),
            ("try again at Nov 31st, 2026 9:39 AM.", plus(0), None),
            ("try again at , .", plus(0), None),
            ("", plus(0), None),
        ];
        for (line, zone, expected) in rows {
            let expected: Option<Timestamp> = expected.map(|at| at.parse().unwrap());
            assert_eq!(reset(line, now, &zone), expected, "{line}");
        }
    }

    #[test]
    fn a_status_is_found() {
        let rows = [
            ("unexpected status 401 Unauthorized: x, url: y", Some(401)),
            ("exceeded retry limit, last status: 429 Too Many Requests", Some(429)),
            ("unexpected status ", None),
            ("Connection failed: error sending request", None),
        ];
        for (line, expected) in rows {
            assert_eq!(status(line), expected, "{line}");
        }
    }
}
