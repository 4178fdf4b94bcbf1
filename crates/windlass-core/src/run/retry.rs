//! Waiting: usage limits until their reset, outages with a growing pause.

use std::time::Duration;

use jiff::Timestamp;

use crate::fact::Fact;
use crate::run::{Backoff, Run};
use crate::spec::{Clocks, Limits};
use crate::values::{Class, Now, RunId, StopReason, UsageLimit, between, later};

/// Added to a reset time, since two machines never agree about the time.
pub const RESET_MARGIN: Duration = Duration::from_secs(5);

/// Pauses of a usage limit that names no time, or that still refuses after the time it named.
const REFUSED_PAUSES: [Duration; 4] =
    [Duration::from_mins(2), Duration::from_mins(5), Duration::from_mins(10), Duration::from_mins(20)];

/// Refusals in a row, whatever times they name, after which nobody waits any more.
const MOST_REFUSALS: u32 = 20;

/// The longest pause of an outage.
const LONGEST_OUTAGE_PAUSE: Duration = Duration::from_mins(10);

/// Attempts in a row that did not get through.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Retries {
    /// How many.
    pub count: u32,
    /// When the first of them failed.
    pub since: Option<Timestamp>,
}

/// What to do about one more refusal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Patience {
    /// Try again then.
    Until(Timestamp),
    /// The run may not wait that long; the sentence says what would have been waited for.
    Exhausted(String),
}

impl Retries {
    pub(crate) fn failed(&mut self, at: Timestamp) {
        self.count = self.count.saturating_add(1);
        self.since.get_or_insert(at);
    }

    /// How long it has gone on.
    pub fn lasted(&self, now: Timestamp) -> Duration {
        self.since.map_or(Duration::ZERO, |since| between(since, now))
    }
}

/// When to try again after a usage limit. `before` are the refusals in a row before this one.
pub fn after_limit(limit: &UsageLimit, before: &Retries, limits: &Limits, now: Timestamp) -> Patience {
    if before.count >= MOST_REFUSALS {
        return Patience::Exhausted(format!("the usage limit refused {MOST_REFUSALS} times in a row"));
    }
    // A time that has just gone by is tried at once; one that still refuses after that proves nothing.
    if let Some(reset) = limit.resets_at.filter(|reset| *reset > now || before.count == 0) {
        let until = asked_again(reset, before, now);
        // All of the wait has to fit, its margin included: what is announced is going to happen.
        if between(now, until) <= limits.wait {
            return Patience::Until(until);
        }
        let what = if between(now, reset) > limits.wait {
            format!("the usage limit resets at {reset}")
        } else {
            format!("the usage limit, which resets at {reset}, would be asked again at {until}")
        };
        return Patience::Exhausted(format!(
            "{what}, later than --max-wait allows ({:#})",
            signed(limits.wait)
        ));
    }
    let pause = refused_pause(before.count);
    if before.lasted(now) + pause > limits.wait {
        Patience::Exhausted(match before.count {
            0 => format!(
                "when the usage limit resets is not known, and --max-wait ({:#}) ends before it would be asked again ({:#})",
                signed(limits.wait),
                signed(pause)
            ),
            _ => format!(
                "the usage limit still refuses after {:#}, and --max-wait allows no longer wait",
                signed(before.lasted(now))
            ),
        })
    } else {
        Patience::Until(later(now, pause))
    }
}

impl Run {
    /// A wait that was under way when the session before ended: it goes on, and is told again to whoever watches now, unless a
    /// usage limit has to be waited for longer than the run may by now.
    pub(super) fn goes_on_waiting(&self, limits: &Limits, now: Now) -> Option<Fact> {
        let Backoff { until, class, attempt } = self.backoff.filter(|backoff| backoff.until > now.wall)?;
        if class != Class::UsageLimit || between(now.wall, until) <= limits.wait {
            return Some(Fact::BackoffStarted { until, class, attempt });
        }
        let detail = format!(
            "the usage limit is waited for until {until}, later than --max-wait allows ({:#})",
            signed(limits.wait)
        );
        Some(Fact::failing(StopReason::LimitWaitExceeded, detail))
    }

    /// Is there anything that could be tried before its time?
    pub fn is_waiting(&self) -> bool {
        !self.tried_now().is_empty()
    }

    /// Whatever was waited for is tried at once: agents that would be back later, and the iteration that was refused.
    pub(super) fn tried_now(&self) -> Vec<Fact> {
        let back = self.agents_away().filter(|(_, until, _)| until.is_some());
        let back = back.map(|(agent, ..)| Fact::AgentBack { agent });
        back.chain(self.backoff.map(|_| Fact::BackoffEnded)).collect()
    }
}

/// When an agent that refused is back, however long the run may wait; `None` where nobody knows.
pub(super) fn back_after_limit(limit: &UsageLimit, before: &Retries, now: Timestamp) -> Option<Timestamp> {
    let named = limit.resets_at.filter(|reset| *reset > now && before.count < MOST_REFUSALS);
    named.map(|reset| asked_again(reset, before, now))
}

/// When a limit that names this reset is asked again: one that names a new time again and again not more often than one that names
/// none.
fn asked_again(reset: Timestamp, before: &Retries, now: Timestamp) -> Timestamp {
    let least = before.count.checked_sub(1).map_or(now, |again| later(now, refused_pause(again)));
    later(reset, RESET_MARGIN).max(least)
}

fn refused_pause(count: u32) -> Duration {
    let index = usize::try_from(count).unwrap_or(usize::MAX);
    REFUSED_PAUSES[index.min(REFUSED_PAUSES.len() - 1)]
}

/// When to try again after an outage. `before` are the failures in a row before this one.
pub fn after_outage(
    run: &RunId,
    before: &Retries,
    limits: &Limits,
    clocks: &Clocks,
    now: Timestamp,
) -> Patience {
    if before.count >= limits.outage_retries {
        return Patience::Exhausted(format!("{} retries did not get through to the API", before.count));
    }
    let doubled = clocks.backoff.saturating_mul(1_u32 << before.count.min(16));
    let pause = jittered(doubled.min(LONGEST_OUTAGE_PAUSE), run, before.count);
    if before.lasted(now) + pause > limits.outage_time {
        Patience::Exhausted(format!("the API was out of reach for {:#}", signed(before.lasted(now))))
    } else {
        Patience::Until(later(now, pause))
    }
}

/// Spreads a pause by up to a fifth to either side, so that many runs do not come back at the same moment. The spread
/// follows from the run's name and the count alone: the core draws no random numbers.
fn jittered(pause: Duration, run: &RunId, count: u32) -> Duration {
    let mut mixed = u64::from(count).wrapping_add(0x9E37_79B9_7F4A_7C15);
    for byte in run.0.bytes() {
        mixed = (mixed ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3);
        mixed ^= mixed >> 29;
    }
    let share = 80 + u32::try_from(mixed % 41).unwrap_or(20);
    pause.saturating_mul(share) / 100
}

fn signed(duration: Duration) -> jiff::SignedDuration {
    jiff::SignedDuration::from_secs(i64::try_from(duration.as_secs()).unwrap_or(i64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::testing::plan;

    const MINUTE: Duration = Duration::from_mins(1);
    const HOUR: Duration = Duration::from_hours(1);

    fn now() -> Timestamp {
        "2026-11-21T22:00:00Z".parse().unwrap()
    }

    fn ago(count: u32, ago: Duration) -> Retries {
        Retries { count, since: Some(now().checked_sub(ago).unwrap()) }
    }

    /// How long is waited; `None` when that is too long.
    fn pause(patience: &Patience) -> Option<Duration> {
        match patience {
            Patience::Until(until) => Some(between(now(), *until)),
            Patience::Exhausted(why) => {
                assert!(!why.is_empty());
                None
            }
        }
    }

    fn in_seconds(seconds: i64) -> Timestamp {
        now().checked_add(jiff::SignedDuration::from_secs(seconds)).unwrap()
    }

    fn limit_pause(resets_in: Option<i64>, before: &Retries) -> Option<Duration> {
        let resets_at = resets_in.map(in_seconds);
        let limit = UsageLimit { resets_at, window: String::new() };
        pause(&after_limit(&limit, before, &plan().limits, now()))
    }

    // rows: 65
    #[test]
    fn a_named_reset_is_waited_for_to_the_second() {
        let six_hours = 6 * 3600;
        let first = Retries::default();
        for (resets_in, expected) in [
            (90, Some(95)),
            (six_hours - 5, Some(six_hours)),
            (six_hours - 4, None),
            (0, Some(5)),
            (-5, Some(0)),
        ] {
            let expected = expected.map(|seconds: i64| Duration::from_secs(seconds.unsigned_abs()));
            assert_eq!(limit_pause(Some(resets_in), &first), expected, "{resets_in}");
        }
        // What refused before is not asked sooner than one that names no time.
        assert_eq!(limit_pause(Some(30), &ago(1, MINUTE)), Some(2 * MINUTE));
        assert_eq!(limit_pause(Some(30), &ago(2, MINUTE)), Some(5 * MINUTE));
        assert_eq!(limit_pause(Some(600), &ago(1, MINUTE)), Some(10 * MINUTE + RESET_MARGIN));
        // A time that has come and did not help proves nothing.
        assert_eq!(limit_pause(Some(0), &ago(1, MINUTE)), Some(5 * MINUTE));
        assert_eq!(limit_pause(Some(-1), &ago(2, MINUTE)), Some(10 * MINUTE));
    }

    // rows: 65
    #[test]
    fn refusals_without_a_time_are_asked_less_and_less_and_not_beyond_the_longest_wait() {
        for (count, minutes) in [(0, 2), (1, 5), (2, 10), (3, 20), (4, 20), (19, 20)] {
            assert_eq!(limit_pause(None, &ago(count, Duration::ZERO)), Some(minutes * MINUTE), "{count}");
        }
        assert_eq!(limit_pause(None, &ago(20, Duration::ZERO)), None);
        let nearly = Duration::from_mins(6 * 60 - 5);
        assert_eq!(limit_pause(None, &ago(1, nearly)), Some(5 * MINUTE));
        assert_eq!(limit_pause(None, &ago(1, nearly + Duration::from_secs(1))), None);
    }

    #[test]
    fn what_would_have_been_waited_for_is_said() {
        let spec = plan();
        let hurried = Limits { wait: MINUTE, ..spec.limits.clone() };
        let limit = |resets_at| UsageLimit { resets_at, window: String::new() };
        let late = limit(Some(now().checked_add(7 * HOUR).unwrap()));
        let (first, long) = (Retries::default(), ago(4, 6 * HOUR));
        for (patience, sentence) in [
            (
                after_limit(&late, &first, &spec.limits, now()),
                "the usage limit resets at 2026-11-22T05:00:00Z, later than --max-wait allows (6h)",
            ),
            (
                after_limit(&limit(Some(in_seconds(57))), &first, &hurried, now()),
                "the usage limit, which resets at 2026-11-21T22:00:57Z, would be asked again at 2026-11-21T22:01:02Z, later than --max-wait allows (1m)",
            ),
            (
                after_limit(&limit(Some(in_seconds(1))), &ago(1, MINUTE), &hurried, now()),
                "the usage limit, which resets at 2026-11-21T22:00:01Z, would be asked again at 2026-11-21T22:02:00Z, later than --max-wait allows (1m)",
            ),
            (
                after_limit(&limit(None), &first, &hurried, now()),
                "when the usage limit resets is not known, and --max-wait (1m) ends before it would be asked again (2m)",
            ),
            (
                after_limit(&limit(None), &long, &spec.limits, now()),
                "the usage limit still refuses after 6h, and --max-wait allows no longer wait",
            ),
            (
                after_outage(&spec.run, &long, &spec.limits, &spec.clocks, now()),
                "the API was out of reach for 6h",
            ),
        ] {
            assert_eq!(patience, Patience::Exhausted(sentence.to_owned()));
        }
    }

    #[test]
    fn an_agent_is_back_when_its_limit_says_unless_that_has_come_or_it_refused_too_often() {
        let seven_hours = 7 * 3600;
        for (resets_in, count, expected) in [
            (Some(seven_hours), 0, Some(7 * HOUR + RESET_MARGIN)),
            (Some(seven_hours), MOST_REFUSALS - 1, Some(7 * HOUR + RESET_MARGIN)),
            (Some(seven_hours), MOST_REFUSALS, None),
            (Some(1), 0, Some(Duration::from_secs(1) + RESET_MARGIN)),
            (Some(1), 1, Some(2 * MINUTE)),
            (Some(0), 1, None),
            (Some(-1), 1, None),
            (None, 1, None),
        ] {
            let resets_at = resets_in.map(in_seconds);
            let limit = UsageLimit { resets_at, window: String::new() };
            let back = back_after_limit(&limit, &ago(count, HOUR), now());
            assert_eq!(back.map(|back| between(now(), back)), expected, "{resets_in:?} {count}");
        }
    }

    fn outage_pause(run: &str, before: &Retries) -> Option<Duration> {
        let spec = plan();
        pause(&after_outage(&RunId(run.to_owned()), before, &spec.limits, &spec.clocks, now()))
    }

    #[test]
    fn an_outage_is_backed_off_from_within_its_bounds() {
        let mut spread = std::collections::BTreeSet::new();
        for count in 0..20 {
            let usual = Duration::from_secs(10 << count.min(6)).min(10 * MINUTE);
            let pause = outage_pause("r-test0000", &ago(count, Duration::ZERO)).unwrap();
            assert!(pause >= usual * 4 / 5 && pause <= usual * 6 / 5, "{count}: {pause:?}");
            spread.insert(pause.as_millis() * 100 / usual.as_millis());
            let other = outage_pause("r-test0001", &ago(count, Duration::ZERO)).unwrap();
            assert_ne!(pause, other, "two runs do not come back at the same moment");
            let latest = (2 * HOUR).checked_sub(pause).unwrap();
            assert_eq!(outage_pause("r-test0000", &ago(count, latest)), Some(pause));
            assert_eq!(outage_pause("r-test0000", &ago(count, latest + Duration::from_secs(1))), None);
        }
        assert!(spread.len() > 10, "{spread:?}");
        assert_eq!(outage_pause("r-test0000", &ago(20, Duration::ZERO)), None);
        // It follows from the run's name and the count alone.
        assert_eq!(outage_pause("r-test0000", &Retries::default()), Some(Duration::from_millis(8_800)));
    }
}
