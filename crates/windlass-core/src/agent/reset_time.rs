//! Reset times in prose: the last resort where an agent names a time in a sentence and in no field.
//!
//! What was seen (separators vary, words come in any case):
//!
//! - `resets 9:12pm (UTC)`, `resets at 3pm`, `Your limit will reset at 3pm (America/Bogota).`
//! - `resets Nov 25, 8:06am (UTC)`, `resets Sep 14 at 8pm (America/Chicago)`
//! - `limit reached|1762455600`: seconds since 1970
//!
//! Without a date the next such time is meant; without a zone, UTC. A time that has passed, lies more than eight days
//! ahead or cannot be read is unknown.

use jiff::civil::{Date, Time};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp, ToSpan};

#[cfg(test)]
mod tests;

/// The longest window of any plan is a week.
const FARTHEST: SignedDuration = SignedDuration::from_hours(8 * 24);

const MONTHS: [&str; 12] =
    ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/// When a limit resets, according to a sentence; `now` says which day "3pm" is on.
///
/// A zone's name is looked up in the system's time zone database; `None` where it is not there.
#[must_use]
pub fn parse_reset_time(text: &str, now: Timestamp) -> Option<Timestamp> {
    let at = epoch(text).or_else(|| {
        let text = text.to_ascii_lowercase();
        after_reset(&text).find_map(|phrase| moment(phrase, now))
    })?;
    (at > now && at.duration_since(now) <= FARTHEST).then_some(at)
}

/// `|1762455600`
fn epoch(text: &str) -> Option<Timestamp> {
    text.split('|').skip(1).find_map(|rest| {
        let end = rest.find(|character: char| !character.is_ascii_digit()).unwrap_or(rest.len());
        let digits = rest.get(..end).filter(|digits| (10..=11).contains(&digits.len()))?;
        Timestamp::from_second(digits.parse().ok()?).ok()
    })
}

/// What stands after each `reset`, `resets`, `reset at`.
fn after_reset(text: &str) -> impl Iterator<Item = &str> {
    text.split("reset").skip(1).map(|rest| {
        let rest = rest.strip_prefix('s').unwrap_or(rest);
        let rest = rest.trim_start_matches([' ', ':']);
        rest.strip_prefix("at ").or_else(|| rest.strip_prefix("on ")).unwrap_or(rest)
    })
}

/// `[<month> <day>[,] [at ]]<h>[:<mm>](am|pm)[ (<zone>)]`
fn moment(phrase: &str, now: Timestamp) -> Option<Timestamp> {
    let (day, rest) = match month_and_day(phrase) {
        Some((month, day, rest)) => (Some((month, day)), rest),
        None => (None, phrase),
    };
    let (time, rest) = clock(rest)?;
    let zone = zone(rest)?;
    let today = now.to_zoned(zone.clone()).date();
    match day {
        Some((month, day)) => dated(today, month, day, time, &zone),
        None => next(today, time, &zone, now),
    }
}

/// `nov 25, ` and `sep 14 at `
fn month_and_day(phrase: &str) -> Option<(i8, i8, &str)> {
    let (word, rest) = phrase.split_once(' ')?;
    let month = MONTHS.iter().position(|month| word.trim_end_matches('.').starts_with(month))?;
    let (day, rest) = leading_number(rest.trim_start())?;
    let rest = rest.trim_start_matches([',', ' ']);
    let rest = rest.strip_prefix("at ").unwrap_or(rest);
    Some((i8::try_from(month + 1).ok()?, day, rest))
}

/// `9:12pm`, `3 pm`, `21:46`
fn clock(phrase: &str) -> Option<(Time, &str)> {
    let (hour, rest) = leading_number(phrase)?;
    let (minute, rest) = match rest.strip_prefix(':') {
        Some(rest) => leading_number(rest).map(|(minute, rest)| (Some(minute), rest))?,
        None => (None, rest),
    };
    let half = rest.trim_start();
    let (hour, rest) = match (half.strip_prefix("am"), half.strip_prefix("pm"), minute) {
        (Some(rest), _, _) => (half_day(hour)?, rest),
        (_, Some(rest), _) => (half_day(hour)? + 12, rest),
        (None, None, Some(_)) => (hour, rest),
        (None, None, None) => return None,
    };
    Some((Time::new(hour, minute.unwrap_or(0), 0, 0).ok()?, rest))
}

/// 12 is the first hour of each half of a day.
fn half_day(hour: i8) -> Option<i8> {
    (1..=12).contains(&hour).then_some(hour % 12)
}

/// ` (america/bogota)`; UTC where there is none. `None` where the zone is unknown: a wrong hour is worse than none.
fn zone(rest: &str) -> Option<TimeZone> {
    let Some(rest) = rest.trim_start().strip_prefix('(') else {
        return Some(TimeZone::UTC);
    };
    let name = rest.split(')').next()?.trim();
    if name == "utc" || name == "gmt" { Some(TimeZone::UTC) } else { TimeZone::get(name).ok() }
}

fn dated(today: Date, month: i8, day: i8, time: Time, zone: &TimeZone) -> Option<Timestamp> {
    // Around New Year the month named is next year's.
    let year = if month < today.month() { today.year().checked_add(1)? } else { today.year() };
    let date = Date::new(year, month, day).ok()?;
    Some(date.to_datetime(time).to_zoned(zone.clone()).ok()?.timestamp())
}

fn next(today: Date, time: Time, zone: &TimeZone, now: Timestamp) -> Option<Timestamp> {
    [today, today.checked_add(1.day()).ok()?].into_iter().find_map(|date| {
        let at = date.to_datetime(time).to_zoned(zone.clone()).ok()?.timestamp();
        (at > now).then_some(at)
    })
}

fn leading_number(text: &str) -> Option<(i8, &str)> {
    let end = text.find(|character: char| !character.is_ascii_digit()).unwrap_or(text.len());
    Some((text.get(..end)?.parse().ok()?, text.get(end..)?))
}
