//! Reset times in prose: the last resort where an agent names a time in a sentence and in no field.
//!
//! What was seen (separators vary, words come in any case):
//!
//! - `resets 9:12pm (UTC)`, `resets at 3pm`, `Your limit will reset at 3pm (America/Bogota).`
//! - `resets Nov 25, 8:06am (UTC)`, `resets Sep 14 at 8pm (America/Chicago)`
//! - `limit reached|1762455600`: seconds since 1970
//! - `You will regain access on 2026-12-01 at 00:00 UTC.`, and with the date in words
//!
//! Without a date the next such time is meant; without a zone, UTC; a date alone means its first minute. A time that has
//! passed or cannot be read is unknown, and so is one that lies too far ahead: eight days for a plan's window, two
//! months for an account that regains access.

use jiff::civil::{Date, Time};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp, ToSpan};

#[cfg(test)]
mod tests;

/// The longest window of any plan is a week.
const FARTHEST: SignedDuration = SignedDuration::from_hours(8 * 24);

/// The limit that an account sets itself is one per month.
const FARTHEST_ACCESS: SignedDuration = SignedDuration::from_hours(62 * 24);

/// What comes before the time at which an account may go on.
const ACCESS: &str = "regain access";

const MONTHS: [&str; 12] =
    ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/// When a limit resets, according to a sentence; `now` says which day "3pm" is on.
///
/// A zone's name is looked up in the system's time zone database; `None` where it is not there.
pub fn parse_reset_time(text: &str, now: Timestamp) -> Option<Timestamp> {
    let lower = text.to_ascii_lowercase();
    let access = lower.split(ACCESS).skip(1).find_map(|rest| moment(without_preposition(rest), now));
    let farthest = if access.is_some() { FARTHEST_ACCESS } else { FARTHEST };
    let at = access
        .or_else(|| epoch(text))
        .or_else(|| after_reset(&lower).find_map(|phrase| moment(phrase, now)))?;
    (at > now && at.duration_since(now) <= farthest).then_some(at)
}

/// In how long a limit resets, according to a sentence that says no time: `Your quota will reset after 3h12m5s.`, `Suggested
/// retry after 3600s.`
pub(crate) fn parse_wait(text: &str) -> Option<SignedDuration> {
    let lower = text.to_ascii_lowercase();
    ["reset after ", "retry after "].iter().find_map(|lead_in| {
        let said = lower.split_once(lead_in)?.1;
        let end = said.find(|character: char| !character.is_ascii_alphanumeric()).unwrap_or(said.len());
        let wait: SignedDuration = said.get(..end)?.parse().ok()?;
        (wait > SignedDuration::ZERO && wait <= FARTHEST).then_some(wait)
    })
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
    text.split("reset").skip(1).map(|rest| without_preposition(rest.strip_prefix('s').unwrap_or(rest)))
}

fn without_preposition(rest: &str) -> &str {
    let rest = rest.trim_start_matches([' ', ':']);
    rest.strip_prefix("at ").or_else(|| rest.strip_prefix("on ")).unwrap_or(rest)
}

/// `[<day>[,] [at ]]<h>[:<mm>](am|pm)[ <zone>]`, or a day alone that has its year.
fn moment(phrase: &str, now: Timestamp) -> Option<Timestamp> {
    let (day, rest) = match day(phrase) {
        Some((day, rest)) => (Some(day), rest),
        None => (None, phrase),
    };
    let whole = day.is_some_and(|day| day.year.is_some());
    let (time, rest) = match clock(rest) {
        Some(read) => read,
        None if whole => (Time::midnight(), rest),
        None => return None,
    };
    let zone = zone(rest)?;
    let today = now.to_zoned(zone.clone()).date();
    match day {
        Some(day) => dated(today, day, time, &zone),
        None => next(today, time, &zone, now),
    }
}

/// A day; without a year the next such day is meant.
#[derive(Clone, Copy)]
struct Day {
    year: Option<i16>,
    month: i8,
    of_month: i8,
}

/// `2026-12-01`, `nov 25`, `december 1, 2026`, and what stands between it and a time.
fn day(phrase: &str) -> Option<(Day, &str)> {
    let (day, rest) = numbered_day(phrase).or_else(|| named_day(phrase))?;
    let rest = rest.trim_start_matches([',', ' ']);
    Some((day, rest.strip_prefix("at ").or_else(|| rest.strip_prefix('t')).unwrap_or(rest)))
}

/// `2026-12-01`
fn numbered_day(phrase: &str) -> Option<(Day, &str)> {
    let (date, rest) = (phrase.get(..10)?, phrase.get(10..)?);
    let date: Date = date.parse().ok()?;
    Some((Day { year: Some(date.year()), month: date.month(), of_month: date.day() }, rest))
}

/// `nov 25`, `sep 14`, `december 1st, 2026`
fn named_day(phrase: &str) -> Option<(Day, &str)> {
    let (word, rest) = phrase.split_once(' ')?;
    let month = MONTHS.iter().position(|month| word.trim_end_matches('.').starts_with(month))?;
    let (day, rest) = leading_number(rest.trim_start())?;
    let rest = ["st", "nd", "rd", "th"].iter().find_map(|ending| rest.strip_prefix(ending)).unwrap_or(rest);
    let after = rest.trim_start_matches([',', ' ']);
    let year = after.get(..4).and_then(|digits| digits.parse::<i16>().ok()).filter(|year| *year >= 2000);
    let rest = if year.is_some() { after.get(4..).unwrap_or_default() } else { rest };
    Some((Day { year, month: i8::try_from(month + 1).ok()?, of_month: day }, rest))
}

/// `9:12pm`, `3 pm`, `21:46`
fn clock(phrase: &str) -> Option<(Time, &str)> {
    let (hour, rest) = leading_number(phrase)?;
    let (minute, rest) = match rest.strip_prefix(':') {
        Some(rest) => leading_number(rest).map(|(minute, rest)| (Some(minute), rest))?,
        None => (None, rest),
    };
    let (second, rest) = seconds(rest);
    let half = rest.trim_start();
    let (hour, rest) = match (half.strip_prefix("am"), half.strip_prefix("pm"), minute) {
        (Some(rest), _, _) => (half_day(hour)?, rest),
        (_, Some(rest), _) => (half_day(hour)? + 12, rest),
        (None, None, Some(_)) => (hour, rest),
        (None, None, None) => return None,
    };
    Some((Time::new(hour, minute.unwrap_or(0), second, 0).ok()?, rest))
}

/// `:40` and `:40.123`; none where there are none.
fn seconds(rest: &str) -> (i8, &str) {
    let Some((second, rest)) = rest.strip_prefix(':').and_then(leading_number) else { return (0, rest) };
    let digits = |rest: &str| rest.find(|character: char| !character.is_ascii_digit()).unwrap_or(rest.len());
    let rest = rest.strip_prefix('.').map_or(rest, |rest| rest.get(digits(rest)..).unwrap_or_default());
    (second, rest)
}

/// 12 is the first hour of each half of a day.
fn half_day(hour: i8) -> Option<i8> {
    (1..=12).contains(&hour).then_some(hour % 12)
}

/// ` (america/bogota)`, ` utc`, `z`, `+02:00`; UTC where there is none. `None` where the zone is unknown: a wrong hour
/// is worse than none.
fn zone(rest: &str) -> Option<TimeZone> {
    let Some(rest) = rest.trim_start().strip_prefix('(') else {
        return offset(rest.trim_start());
    };
    let name = rest.split(')').next()?.trim();
    if name == "utc" || name == "gmt" { Some(TimeZone::UTC) } else { TimeZone::get(name).ok() }
}

/// `+02:00`; all else that is not in parentheses is prose, or says that it is UTC.
fn offset(rest: &str) -> Option<TimeZone> {
    let (sign, rest) = match (rest.strip_prefix('+'), rest.strip_prefix('-')) {
        (Some(rest), _) => (1, rest),
        (_, Some(rest)) if rest.starts_with(|character: char| character.is_ascii_digit()) => (-1, rest),
        _ => return Some(TimeZone::UTC),
    };
    let hours: i32 = rest.get(..2)?.parse().ok()?;
    let minutes: i32 = rest.get(2..)?.trim_start_matches(':').get(..2)?.parse().ok()?;
    Some(jiff::tz::Offset::from_seconds(sign * (hours * 3600 + minutes * 60)).ok()?.to_time_zone())
}

fn dated(today: Date, named: Day, time: Time, zone: &TimeZone) -> Option<Timestamp> {
    // Around New Year the month named is next year's.
    let next_year = named.month < today.month();
    let this_year = if next_year { today.year().checked_add(1)? } else { today.year() };
    let date = Date::new(named.year.unwrap_or(this_year), named.month, named.of_month).ok()?;
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
