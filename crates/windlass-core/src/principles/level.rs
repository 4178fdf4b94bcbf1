//! The value of a principle.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The value of a principle, from 1 to 10.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "u8", into = "u8")]
pub struct Level(u8);

impl Level {
    /// The low end of a principle.
    pub const LOWEST: Level = Level(1);
    /// Neither end.
    pub const MIDDLE: Level = Level(5);
    /// The high end of a principle.
    pub const HIGHEST: Level = Level(10);

    /// This number; `None` where it is not from 1 to 10.
    pub fn new(number: u8) -> Option<Level> {
        (Level::LOWEST.0..=Level::HIGHEST.0).contains(&number).then_some(Level(number))
    }

    /// A number as it is written: digits and nothing else.
    pub fn parse(text: &str) -> Option<Level> {
        let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        Level::new(digits.then_some(text)?.parse().ok()?)
    }

    /// The number.
    pub const fn get(self) -> u8 {
        self.0
    }

    /// A number of the table, whose test looks whether all of them go from 1 to 10.
    pub(super) const fn of_table(number: u8) -> Level {
        Level(number)
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl TryFrom<u8> for Level {
    type Error = String;

    fn try_from(number: u8) -> Result<Level, String> {
        Level::new(number).ok_or_else(|| format!("{number} is not from 1 to 10"))
    }
}

impl From<Level> for u8 {
    fn from(level: Level) -> u8 {
        level.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_goes_from_one_to_ten_and_is_written_in_digits() {
        for (text, level) in [("1", Some(1)), ("10", Some(10)), ("07", Some(7)), ("5", Some(5))] {
            assert_eq!(Level::parse(text).map(Level::get), level, "{text}");
        }
        for text in ["0", "11", "-1", "+7", "7.0", "0x7", "", "seven", "300", "٧"] {
            assert_eq!(Level::parse(text), None, "{text}");
        }
    }
}
