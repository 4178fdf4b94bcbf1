//! How numbers, times and money are written for people.

use std::time::Duration;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use windlass_core::values::{Cost, Spent, Tokens, between};

const MINUTE: u64 = 60;
const HOUR: u64 = 60 * MINUTE;
const DAY: u64 = 24 * HOUR;

/// `0.4s`, `12s`, `4m 12s`, `1h 03m`, `2d 4h`: never more than two units.
pub fn duration(duration: Duration) -> String {
    let seconds = duration.as_secs();
    if seconds < 10 {
        let tenths = duration.as_millis() / 100;
        if tenths.is_multiple_of(10) {
            format!("{seconds}s")
        } else {
            format!("{}.{}s", tenths / 10, tenths % 10)
        }
    } else {
        whole(seconds)
    }
}

/// The same in whole seconds, for what changes while it is looked at.
pub fn whole_seconds(duration: Duration) -> String {
    whole(duration.as_secs())
}

fn whole(seconds: u64) -> String {
    match seconds {
        0..MINUTE => format!("{seconds}s"),
        MINUTE..HOUR => format!("{}m {:02}s", seconds / MINUTE, seconds % MINUTE),
        HOUR..DAY => format!("{}h {:02}m", seconds / HOUR, seconds % HOUR / MINUTE),
        _ => format!("{}d {}h", seconds / DAY, seconds % DAY / HOUR),
    }
}

/// A limit as a person would write it: `12h`, `1h 30m`, `90s` becomes `1m 30s`; no zero units.
pub fn bound(duration: Duration) -> String {
    let seconds = duration.as_secs();
    let units = [
        (seconds / DAY, "d"),
        (seconds % DAY / HOUR, "h"),
        (seconds % HOUR / MINUTE, "m"),
        (seconds % MINUTE, "s"),
    ];
    let text: Vec<String> =
        units.iter().filter(|(count, _)| *count > 0).map(|(count, unit)| format!("{count}{unit}")).collect();
    if text.is_empty() { self::duration(duration) } else { text.join(" ") }
}

/// A limit as flags take it: `12h`, `1h30m`.
pub fn flag_duration(duration: Duration) -> String {
    bound(duration).replace(' ', "")
}

/// `$12.30`, `$0.42`, so that points stand below each other; four digits below one cent, since an iteration may cost that.
pub fn money(cost: Cost) -> String {
    let dollars = cost.dollars();
    if cost > Cost::ZERO && cost < Cost::from_micros(10_000) {
        format!("${dollars:.4}")
    } else {
        format!("${dollars:.2}")
    }
}

/// [`money`], with the part of it that is an estimate apart: `$4.60 (≈$3.40 estimated)`.
pub fn charged(spent: Spent) -> String {
    spent.written(money)
}

/// [`money`] where there is room for one amount: `≈$4.60` where any of it is an estimate.
pub fn spent(spent: Spent) -> String {
    let sign = if spent.estimated > Cost::ZERO { "≈" } else { "" };
    format!("{sign}{}", money(spent.cost))
}

/// What was spent, beside its limit: `$3.42 of $5.00`; `$0.40 and $1.80 by other runs, of $2.00` where the limit is not this run's alone.
pub fn of_limit(spent: &str, limit: Option<Cost>, by_others: Cost) -> String {
    match limit.map(money) {
        Some(limit) if by_others.is_zero() => format!("{spent} of {limit}"),
        Some(limit) => format!("{spent} and {} by other runs, of {limit}", money(by_others)),
        None => spent.to_owned(),
    }
}

/// `950`, `12.3k`, `1.2M`.
pub fn amount(number: u64) -> String {
    scaled(number, ["", "k", "M", "G"])
}

/// `512 B`, `1.2 kB`, `3.4 MB`.
pub fn bytes(number: u64) -> String {
    scaled(number, [" B", " kB", " MB", " GB"])
}

fn scaled(number: u64, units: [&str; 4]) -> String {
    let [one, thousand, million, milliard] = units;
    let (unit, size) = match number {
        0..1_000 => return format!("{number}{one}"),
        1_000..999_950 => (thousand, 1e3),
        999_950..999_950_000 => (million, 1e6),
        _ => (milliard, 1e9),
    };
    format!("{:.1}{unit}", number as f64 / size)
}

/// `1.2M (in 12.0k, out 34.1k, cache 1.1M)`.
pub fn tokens(tokens: &Tokens) -> String {
    let total = tokens.total();
    if total == 0 {
        return "0".to_owned();
    }
    format!(
        "{} (in {}, out {}, cache {})",
        amount(total),
        amount(tokens.input),
        amount(tokens.output),
        amount(tokens.cache_creation.saturating_add(tokens.cache_read)),
    )
}

/// `1 file`, `3 files`.
pub fn count(number: u64, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}

/// `3 of 50`; without a limit `3`. A resumption may lower the limit below what has begun.
pub fn iteration(number: u32, limit: Option<u32>) -> String {
    match limit {
        Some(limit) if number > limit => format!("{number}, beyond the limit of {limit}"),
        Some(limit) => format!("{number} of {limit}"),
        None => number.to_string(),
    }
}

/// What follows a number of commits by whomever: how many are of iterations, which is what a run's end counts, where others made
/// some as well (a person, or Windlass of interrupted work).
pub fn commits_apart(by_whomever: u64, of_iterations: u32) -> String {
    if of_iterations > 0 && by_whomever > u64::from(of_iterations) {
        format!(" ({of_iterations} of iterations)")
    } else {
        String::new()
    }
}

/// Whole milliseconds, as JSON has them.
pub fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

/// `just now`, `5m ago`, `3h ago`, `2d ago`; after four weeks the day: `2026-03-01`.
pub fn relative(then: Timestamp, now: Timestamp, zone: &TimeZone) -> String {
    match between(then, now).as_secs() {
        0..MINUTE => "just now".to_owned(),
        seconds @ MINUTE..HOUR => format!("{}m ago", seconds / MINUTE),
        seconds @ HOUR..DAY => format!("{}h ago", seconds / HOUR),
        seconds if seconds < 28 * DAY => format!("{}d ago", seconds / DAY),
        _ => written(then, zone, "%Y-%m-%d"),
    }
}

/// A moment on the wall clock, as short as it is clear seen from `now`: `21:12` within 20 hours, `Mon 21:12` within
/// six days, `2026-03-01 21:12` otherwise. Waits of less than two minutes get seconds.
pub fn clock(moment: Timestamp, now: Timestamp, zone: &TimeZone) -> String {
    let away = between(now, moment).max(between(moment, now)).as_secs();
    let format = match away {
        0..120 => "%H:%M:%S",
        seconds if seconds < 20 * HOUR => "%H:%M",
        seconds if seconds < 6 * DAY => "%a %H:%M",
        _ => "%Y-%m-%d %H:%M",
    };
    written(moment, zone, format)
}

/// `2026-03-01 21:12:09`.
pub fn date_time(moment: Timestamp, zone: &TimeZone) -> String {
    written(moment, zone, "%Y-%m-%d %H:%M:%S")
}

fn written(moment: Timestamp, zone: &TimeZone, format: &str) -> String {
    moment.to_zoned(zone.clone()).strftime(format).to_string()
}

#[cfg(test)]
#[path = "format_tests.rs"]
mod tests;
