//! What stands in addresses: ids, numbers, cursors. Each is parsed before anything is looked for, so that none is ever a path.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, de};
use windlass_core::values::RunId;

/// Longest id that is looked for.
const LONGEST_ID: usize = 40;

/// Something in an address that is not what has to stand there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotAName;

impl fmt::Display for NotAName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("there is no such page")
    }
}

/// A run's id: `r-` and characters of `0-9a-z`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunName(pub RunId);

impl FromStr for RunName {
    type Err = NotAName;

    fn from_str(text: &str) -> Result<RunName, NotAName> {
        let letters = text.strip_prefix("r-").filter(|letters| !letters.is_empty()).ok_or(NotAName)?;
        let is_one = |byte: u8| byte.is_ascii_digit() || byte.is_ascii_lowercase();
        let fits = text.len() <= LONGEST_ID && letters.bytes().all(is_one);
        if fits { Ok(RunName(RunId(text.to_owned()))) } else { Err(NotAName) }
    }
}

/// An ordinal from 1: an iteration, a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ordinal(pub u32);

impl FromStr for Ordinal {
    type Err = NotAName;

    fn from_str(text: &str) -> Result<Ordinal, NotAName> {
        number(text)
            .and_then(|number| u32::try_from(number).ok())
            .filter(|one| *one > 0)
            .map(Ordinal)
            .ok_or(NotAName)
    }
}

/// A place in a stream or a list: a number from 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cursor(pub u64);

impl FromStr for Cursor {
    type Err = NotAName;

    fn from_str(text: &str) -> Result<Cursor, NotAName> {
        number(text).map(Cursor).ok_or(NotAName)
    }
}

/// Digits and nothing else: no sign, no blank.
fn number(text: &str) -> Option<u64> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    digits.then(|| text.parse().ok()).flatten()
}

macro_rules! deserialized_from_text {
    ($($name:ty),*) => {$(
        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<$name, D::Error> {
                String::deserialize(deserializer)?.parse().map_err(de::Error::custom)
            }
        }
    )*};
}

deserialized_from_text!(RunName, Ordinal, Cursor);

/// One value of an address's query, percent-decoded; the first of that name. What is no UTF-8 is none.
pub fn query_value(query: &str, name: &str) -> Option<String> {
    let mut pairs = query.split('&').filter_map(|pair| pair.split_once('='));
    pairs.find(|(key, _)| *key == name).and_then(|(_, value)| decoded(value))
}

/// `a%20b+c` is `a b c`.
fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        match byte {
            b'+' => bytes.push(b' '),
            b'%' => {
                let (high, low) = (rest.next().and_then(digit)?, rest.next().and_then(digit)?);
                bytes.push(high << 4 | low);
            }
            byte => bytes.push(byte),
        }
    }
    String::from_utf8(bytes).ok()
}

fn digit(byte: u8) -> Option<u8> {
    char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok())
}

/// As it can stand in a query.
pub fn encoded(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            encoded.push('%');
            encoded.extend(
                [byte >> 4, byte & 15].map(|half| char::from(b"0123456789ABCDEF"[usize::from(half)])),
            );
        }
    }
    encoded
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn only_names_are_names() {
        for text in ["r-7k2", "r-0", "r-abcdefgh"] {
            assert_eq!(text.parse(), Ok(RunName(RunId(text.to_owned()))));
        }
        let long = format!("r-{}", "a".repeat(60));
        for text in [
            "", "r-", "7k2", "R-7K2", "r-7k2/", "r-..", "../r-7k2", "r-7k2%2f", "r-é", "r-7k2\0", " r-7k2",
            &long,
        ] {
            assert_eq!(text.parse::<RunName>(), Err(NotAName), "{text:?}");
        }
        assert_eq!("12".parse(), Ok(Ordinal(12)));
        for text in ["0", "-1", "+1", " 1", "1 ", "1.0", "1e3", "99999999999", ""] {
            assert_eq!(text.parse::<Ordinal>(), Err(NotAName), "{text:?}");
        }
        assert_eq!("18446744073709551615".parse(), Ok(Cursor(u64::MAX)));
        assert_eq!("18446744073709551616".parse::<Cursor>(), Err(NotAName));
    }

    #[test]
    fn a_query_is_read_by_its_names() {
        assert_eq!(query_value("o=12&q=a%20b%2Bc+d", "q").as_deref(), Some("a b+c d"));
        for query in ["", "q", "q=%", "q=%4", "q=%zz", "q=%ff", "other=1"] {
            assert_eq!(query_value(query, "q"), None, "{query:?}");
        }
    }

    proptest! {
        #[test]
        fn what_is_a_name_is_a_plain_component(text in any::<String>()) {
            if let Ok(RunName(run)) = text.parse::<RunName>() {
                prop_assert!(run.0.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-'));
            }
        }

        #[test]
        fn what_is_encoded_is_read_back(text in any::<String>()) {
            prop_assert_eq!(query_value(&format!("x=1&q={}", encoded(&text)), "q"), Some(text));
        }
    }
}
