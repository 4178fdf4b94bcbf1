//! Reset times in prose: the last resort where an agent names a time in a sentence and in no field.
//!
//! What was seen (separators vary, words come in any case):
//!
//! - `resets 9:12pm (UTC)`, `resets at 3pm`, `Your limit will reset at 3pm (America/Bogota).`
//! - `resets Nov 25, 8:06am (UTC)`, `resets Sep 14 at 8pm (America/Chicago)`
//! - `limit reached|1762455600`: seconds since 1970
//! - `You will regain access on 2026-12-01 at 00:00 UTC.`, and with the date in words
//!
//! Without a date the next such time is meant, or one that has just passed: whole minutes are told, and a clock may be
//! ahead, so `resets 9:07pm` is heard at 21:07:14. Without a zone it is that of the process that says it, which writes the
//! time as its machine does; when an account regains access the API says, in UTC. A date alone means its first minute. A
//! date that has passed or cannot be read is unknown, and so is one without its year that lies more than two months ahead:
//! `Oct 31`, read on the first of November, is yesterday, and not in a year. One that has its year is what it says.

use jiff::civil::{Date, Time};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp, ToSpan};

#[cfg(test)]
mod tests;

/// The longest limits are of a month. What seems to lie farther ahead has passed, or is no time.
const FARTHEST: SignedDuration = SignedDuration::from_hours(62 * 24);

/// A time of day that was so long ago is the one that is meant: for as long as the pauses after refusals together last, so
/// that whoever still refuses a little later is not taken to mean tomorrow.
pub(crate) const JUST_PASSED: SignedDuration = SignedDuration::from_hours(1);

/// A window of five hours never resets half a day from now: of two such times of day the nearer is meant.
const HALF_A_DAY: SignedDuration = SignedDuration::from_hours(12);

/// What the window of five hours is called, in lower case.
const FIVE_HOURS: [&str; 2] = ["5-hour limit", "session limit"];

/// Zones that are named without parentheses by letters alone, in lower case: all other words are prose. Those that no
/// database of time zones has, since they mean several, are unknown.
const ABBREVIATIONS: [&str; 36] = [
    "pst", "pdt", "pt", "mst", "mdt", "mt", "cst", "cdt", "ct", "est", "edt", "et", "akst", "akdt", "hst",
    "ast", "adt", "brt", "wet", "bst", "ist", "cet", "cest", "eet", "eest", "msk", "sgt", "jst", "kst",
    "awst", "acst", "acdt", "aest", "aedt", "nzst", "nzdt",
];

/// What comes before the time at which an account may go on.
const ACCESS: &str = "regain access";

const MONTHS: [&str; 12] =
    ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/// When a limit resets, according to a sentence; `now` says which day "3pm" is on, `zone` in which zone where the sentence
/// does not. It lies in the past where the time of day that is named has just passed.
///
/// A zone's name is looked up in the system's time zone database; `None` where it is not there.
pub fn parse_reset_time(text: &str, now: Timestamp, zone: &TimeZone) -> Option<Timestamp> {
    let lower = text.to_ascii_lowercase();
    let is_of_five_hours = FIVE_HOURS.iter().any(|name| lower.contains(name));
    let passed = if is_of_five_hours { HALF_A_DAY } else { JUST_PASSED };
    let of_api = Clock { now, zone: &TimeZone::UTC, passed };
    let of_agent = Clock { now, zone, passed };
    let access = lower.split(ACCESS).skip(1).find_map(|rest| moment(without_preposition(rest), of_api));
    let moment = access
        .or_else(|| epoch(text).map(Moment::Dated))
        .or_else(|| after_reset(&lower).find_map(|phrase| moment(phrase, of_agent)))?;
    match moment {
        Moment::OfDay(at) => Some(at),
        Moment::OfYear(at) => (at > now).then_some(at),
        Moment::Dated(at) => (at > now && at.duration_since(now) <= FARTHEST).then_some(at),
    }
}

/// How times without a date or a zone are read.
#[derive(Clone, Copy)]
struct Clock<'a> {
    now: Timestamp,
    zone: &'a TimeZone,
    /// A time of day that was so long ago is the one that is meant.
    passed: SignedDuration,
}

/// What a sentence names.
enum Moment {
    /// A day of a year that is named.
    OfYear(Timestamp),
    /// A day whose year is not named, or a second since 1970.
    Dated(Timestamp),
    /// A time of day alone.
    OfDay(Timestamp),
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
fn moment(phrase: &str, reading: Clock<'_>) -> Option<Moment> {
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
    let zone = zone(rest, reading.zone)?;
    match day {
        Some(day) => {
            let today = reading.now.to_zoned(zone.clone()).date();
            let at = dated(today, day, time, &zone)?;
            Some(if whole { Moment::OfYear(at) } else { Moment::Dated(at) })
        }
        None => time_of_day(time, &zone, reading.now, reading.passed).map(Moment::OfDay),
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

/// ` (america/bogota)`, ` europe/berlin`, ` utc`, `z`, `+02:00`; this zone where there is none. `None` where the zone is
/// unknown: a wrong hour is worse than none.
fn zone(rest: &str, own: &TimeZone) -> Option<TimeZone> {
    let rest = rest.trim_start();
    if let Some(rest) = rest.strip_prefix('(') {
        return named_zone(rest.split(')').next()?.trim());
    }
    if is_offset(rest) {
        return offset(rest);
    }
    let of_name = |character: char| character.is_ascii_alphabetic() || matches!(character, '/' | '_');
    let letters = rest.find(|character| !of_name(character)).unwrap_or(rest.len());
    let (word, rest) = rest.split_at_checked(letters)?;
    match word {
        "utc" | "gmt" if is_offset(rest) => offset(rest),
        "z" | "utc" | "gmt" => Some(TimeZone::UTC),
        _ if word.starts_with('/') => Some(own.clone()),
        _ if word.contains('/') || ABBREVIATIONS.contains(&word) => named_zone(&with_dashes(word, rest)),
        _ => Some(own.clone()),
    }
}

/// The rest of a name such as `america/port-au-prince` or `etc/gmt+5`.
fn with_dashes(word: &str, rest: &str) -> String {
    let of_name = |character: char| character.is_ascii_alphanumeric() || matches!(character, '-' | '_' | '+');
    let end = rest.find(|character| !of_name(character)).unwrap_or(rest.len());
    format!("{word}{}", rest.get(..end).unwrap_or_default())
}

fn named_zone(name: &str) -> Option<TimeZone> {
    if name == "utc" || name == "gmt" { Some(TimeZone::UTC) } else { TimeZone::get(name).ok() }
}

/// `+02:00`, and not ` - see below`.
fn is_offset(rest: &str) -> bool {
    let rest = rest.strip_prefix('+').or_else(|| rest.strip_prefix('-'));
    rest.is_some_and(|rest| rest.starts_with(|character: char| character.is_ascii_digit()))
}

/// `+02:00`, `-0330`
fn offset(rest: &str) -> Option<TimeZone> {
    let sign = if rest.starts_with('-') { -1 } else { 1 };
    let rest = rest.get(1..)?;
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

/// When it is that time of day: the first one that was less long ago than this.
pub(crate) fn time_of_day(
    time: Time,
    zone: &TimeZone,
    now: Timestamp,
    passed: SignedDuration,
) -> Option<Timestamp> {
    let today = now.to_zoned(zone.clone()).date();
    let days = [today.checked_sub(1.day()).ok(), Some(today), today.checked_add(1.day()).ok()];
    days.into_iter().flatten().find_map(|date| {
        let at = date.to_datetime(time).to_zoned(zone.clone()).ok()?.timestamp();
        (now.duration_since(at) < passed).then_some(at)
    })
}

fn leading_number(text: &str) -> Option<(i8, &str)> {
    let end = text.find(|character: char| !character.is_ascii_digit()).unwrap_or(text.len());
    Some((text.get(..end)?.parse().ok()?, text.get(end..)?))
}
