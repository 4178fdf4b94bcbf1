//! Durations as people write them: `1h30m`, `90s`, `1 H 30 M`.

use std::time::Duration;

use thiserror::Error;

use crate::typed::shown;

/// Why a text is not a duration. Each is one sentence that shows a way out.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum DurationError {
    /// Nothing was given.
    #[error("a duration is missing; write one such as `90s`, `30m` or `1h30m`")]
    Empty,
    /// A number without a unit.
    #[error("`{0}` has no unit; write `{0}s`, `{0}m` or `{0}h`")]
    NoUnit(String),
    /// A unit without a number, a sign, a letter that is not a unit.
    #[error("`{0}` is not a duration; write one such as `90s`, `30m` or `1h30m` (units: d, h, m, s)")]
    Malformed(String),
    /// Milliseconds for less than a second.
    #[error("`{0}` is less than a second; whole seconds such as `1s` are the smallest step")]
    TooFine(String),
    /// More than a hundred years.
    #[error("`{0}` is longer than 100 years")]
    TooLong(String),
}

/// The longest duration that is accepted, in milliseconds: a hundred years.
const LONGEST: u64 = 100 * 366 * 24 * 3_600_000;

/// Reads a duration: numbers with the units `d`, `h`, `m`, `s` (and `ms` from one second up), largest first or not,
/// upper or lower case, with or without spaces. A number may have a fraction: `1.5h`.
///
/// # Errors
/// What is not a duration, has no unit, is finer than a second or longer than a hundred years.
pub fn parse_duration(text: &str) -> Result<Duration, DurationError> {
    let milliseconds = read(text)?;
    // What is rounded down to nothing is none the less too fine: a limit of nothing means that there is no limit.
    let is_something = text.contains(|character| matches!(character, '1'..='9'));
    if is_something && milliseconds < 1_000 {
        return Err(DurationError::TooFine(shown(text)));
    }
    Ok(Duration::from_millis(milliseconds))
}

/// The same, but with `ms` below a second: for scripts of the scripted agent.
///
/// # Errors
/// What is not a duration, has no unit or is longer than a hundred years.
pub fn parse_fine_duration(text: &str) -> Result<Duration, DurationError> {
    read(text).map(Duration::from_millis)
}

/// The milliseconds, rounded down.
fn read(text: &str) -> Result<u64, DurationError> {
    let compact: String =
        text.chars().filter(|c| !c.is_whitespace()).collect::<String>().to_ascii_lowercase();
    if compact.is_empty() {
        return Err(DurationError::Empty);
    }
    let mut rest = compact.as_str();
    let mut total: u64 = 0;
    while !rest.is_empty() {
        let (number, after) = split_while(rest, |c| c.is_ascii_digit() || c == '.');
        let (unit, after) = split_while(after, |c| !(c.is_ascii_digit() || c == '.'));
        if !number.is_empty() && unit.is_empty() {
            return Err(if rest.len() == compact.len() {
                DurationError::NoUnit(shown(text))
            } else {
                DurationError::Malformed(shown(text))
            });
        }
        let scale = unit_in_milliseconds(unit).ok_or_else(|| DurationError::Malformed(shown(text)))?;
        let part = scaled(number, scale).ok_or_else(|| DurationError::Malformed(shown(text)))?;
        total = total.saturating_add(part);
        rest = after;
    }
    if total > LONGEST {
        return Err(DurationError::TooLong(shown(text)));
    }
    Ok(total)
}

fn split_while(text: &str, belongs: impl Fn(char) -> bool) -> (&str, &str) {
    let end = text.find(|c| !belongs(c)).unwrap_or(text.len());
    text.split_at(end)
}

fn unit_in_milliseconds(unit: &str) -> Option<u64> {
    match unit {
        "d" => Some(86_400_000),
        "h" => Some(3_600_000),
        "m" => Some(60_000),
        "s" => Some(1_000),
        "ms" => Some(1),
        _ => None,
    }
}

/// `number × scale`, rounded down; `None` for `.`, `1.2.3` and the like. What is too large saturates.
fn scaled(number: &str, scale: u64) -> Option<u64> {
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    if (whole.is_empty() && fraction.is_empty()) || fraction.contains('.') {
        return None;
    }
    let whole = match whole {
        "" => 0,
        digits => digits.parse::<u64>().unwrap_or(u64::MAX),
    };
    let fraction = fraction.get(..fraction.len().min(9)).unwrap_or("");
    let mut part = 0;
    let mut step = scale;
    for digit in fraction.chars().filter_map(|c| c.to_digit(10)) {
        // Every unit is a multiple of what three decimals of it need; further ones are rounded down.
        part += step * u64::from(digit) / 10;
        step /= 10;
    }
    Some(whole.saturating_mul(scale).saturating_add(part))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn durations_are_read_as_people_write_them() {
        for (text, seconds) in [
            ("1h30m", 5_400),
            ("90s", 90),
            ("90m", 5_400),
            ("1H 30M", 5_400),
            (" 2 d ", 172_800),
            ("1.5h", 5_400),
            ("0.25m", 15),
            ("2000ms", 2),
            ("0s", 0),
            ("30m1h", 5_400),
        ] {
            assert_eq!(parse_duration(text), Ok(Duration::from_secs(seconds)), "{text}");
        }
    }

    #[test]
    fn what_is_no_duration_is_refused_with_its_reason() {
        use DurationError::{Empty, Malformed, NoUnit, TooFine, TooLong};
        let own = str::to_owned;
        for (text, error) in [
            ("", Empty),
            ("   ", Empty),
            ("90", NoUnit(own("90"))),
            ("1.5", NoUnit(own("1.5"))),
            ("1h30", Malformed(own("1h30"))),
            ("-5m", Malformed(own("-5m"))),
            ("h", Malformed(own("h"))),
            ("5 minutes", Malformed(own("5 minutes"))),
            ("1..5h", Malformed(own("1..5h"))),
            (".h", Malformed(own(".h"))),
            ("500ms", TooFine(own("500ms"))),
            ("0.5s", TooFine(own("0.5s"))),
            ("0.0001s", TooFine(own("0.0001s"))),
            ("0.5ms", TooFine(own("0.5ms"))),
            ("999999999999d", TooLong(own("999999999999d"))),
            ("99999999999999999999999h", TooLong(own("99999999999999999999999h"))),
        ] {
            assert_eq!(parse_duration(text), Err(error), "{text}");
        }
    }

    #[test]
    fn scripts_may_be_finer() {
        assert_eq!(parse_fine_duration("50ms"), Ok(Duration::from_millis(50)));
    }

    proptest! {
        #[test]
        fn no_text_panics(text in ".{0,40}") {
            let _ = parse_duration(&text);
        }

        #[test]
        fn written_durations_are_read_back(hours in 0u64..1000, minutes in 0u64..60, seconds in 0u64..60) {
            let text = format!("{hours}h{minutes}m{seconds}s");
            prop_assert_eq!(parse_duration(&text), Ok(Duration::from_secs(hours * 3600 + minutes * 60 + seconds)));
        }
    }
}
