//! Money as people write it: `5`, `5.50`, `$5`.

use thiserror::Error;

use super::Cost;
use crate::typed::shown;

/// Why a text or a number is not an amount of money.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum MoneyError {
    /// Nothing that can be read as an amount: `five`, `NaN`, `-3`.
    #[error("`{0}` is not an amount in dollars; write one such as `5`, `5.50` or `$5`")]
    Malformed(String),
    /// More than a million dollars: a slip of the hand.
    #[error("`{0}` is more than a million dollars")]
    TooMuch(String),
    /// Less than is counted, and yet more than nothing, which would mean that there is no limit.
    #[error("`{0}` is less than a millionth of a dollar, the smallest step; write an amount such as `0.01`")]
    TooLittle(String),
}

/// The largest amount that is accepted, in dollars.
pub(crate) const MOST: f64 = 1_000_000.0;

/// Reads an amount in dollars: digits, at most one point, a `$` before it if you like.
///
/// # Errors
/// What is negative, infinite, no number, more than a million dollars, or less than a millionth of one.
pub fn parse_money(text: &str) -> Result<Cost, MoneyError> {
    let malformed = || MoneyError::Malformed(shown(text));
    let trimmed = text.trim();
    let digits = trimmed.strip_prefix('$').unwrap_or(trimmed).trim_start();
    // `f64` also reads `inf`, `1e9` and `-1`; people who write those in a budget have made a mistake.
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') {
        return Err(malformed());
    }
    checked(digits.parse().map_err(|_| malformed())?)
}

/// The same for a number from a file.
///
/// # Errors
/// What is negative, infinite, no number, more than a million dollars, or less than a millionth of one.
pub fn checked(dollars: f64) -> Result<Cost, MoneyError> {
    if !dollars.is_finite() || dollars.is_sign_negative() {
        return Err(MoneyError::Malformed(dollars.to_string()));
    }
    if dollars > MOST {
        return Err(MoneyError::TooMuch(dollars.to_string()));
    }
    match Cost::from_dollars(dollars) {
        Cost::ZERO if dollars > 0.0 => Err(MoneyError::TooLittle(dollars.to_string())),
        cost => Ok(cost),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn dollars_are_read_as_people_write_them() {
        for (text, micros) in [
            ("5", 5_000_000),
            ("5.50", 5_500_000),
            ("$5", 5_000_000),
            (" $ 0.25 ", 250_000),
            (".5", 500_000),
            ("0", 0),
        ] {
            assert_eq!(parse_money(text), Ok(Cost::from_micros(micros)), "{text}");
        }
    }

    #[test]
    fn what_is_no_amount_is_refused() {
        for text in [
            "",
            "$",
            "NaN",
            "nan",
            "inf",
            "-1",
            "-0",
            "1e3",
            "5 dollars",
            "1.2.3",
            ".",
            "5,50",
            "1000001",
            "0.0000001",
        ] {
            assert!(parse_money(text).is_err(), "{text}");
        }
        for number in [f64::NAN, f64::INFINITY, -1.0, -0.0, 1e7, 1e-9] {
            assert!(checked(number).is_err(), "{number}");
        }
    }

    proptest! {
        #[test]
        fn no_text_panics(text in ".{0,20}") {
            let _ = parse_money(&text);
        }

        #[test]
        fn cents_are_exact(cents in 0u64..100_000_000) {
            let text = format!("{}.{:02}", cents / 100, cents % 100);
            prop_assert_eq!(parse_money(&text), Ok(Cost::from_micros(cents * 10_000)));
        }
    }
}
