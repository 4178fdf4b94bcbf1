//! JSON text that is looked at without being built.
//!
//! A line can be megabytes long, and most of it is of no interest. So objects are read with every field left as the
//! text it was ([`RawValue`] borrows it), and a string is unescaped only as far as somebody needs it. The unescaping
//! here never fails: a lone surrogate such as `\ud800`, which agents pass on and `serde_json` refuses, becomes U+FFFD.

use std::borrow::Cow;

use memchr::{memchr, memchr_iter};
use serde::Deserialize;
use serde::de::{Deserializer, SeqAccess, Visitor};
use serde_json::value::RawValue;

#[cfg(test)]
mod tests;

/// A field of an object as it was written; `None` where it is missing or `null`.
pub(crate) type Field<'a> = Option<&'a RawValue>;

/// Names, words of an enumeration, paths: longer ones are cut here.
const WORD: usize = 64 * 1024;

/// A string that had to be short, whole or cut.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Piece<'a> {
    /// The text, unescaped.
    pub text: Cow<'a, str>,
    /// Nothing was cut.
    pub whole: bool,
}

/// The size of a string's text, unescaped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Size {
    /// Its bytes.
    pub bytes: u64,
    /// Its lines; a last one without a line feed counts.
    pub lines: u64,
}

/// An object's fields, where the text is an object and has the expected shape.
pub(crate) fn object<'a, T: Deserialize<'a>>(field: Field<'a>) -> Option<T> {
    serde_json::from_str(field?.get()).ok()
}

/// Hands over each element of an array; says whether the field was one.
pub(crate) fn each<'a>(field: Field<'a>, found: impl FnMut(&'a RawValue)) -> bool {
    struct Elements<F>(F);
    impl<'de, F: FnMut(&'de RawValue)> Visitor<'de> for Elements<F> {
        type Value = ();
        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("an array")
        }
        fn visit_seq<A: SeqAccess<'de>>(mut self, mut elements: A) -> Result<(), A::Error> {
            while let Some(element) = elements.next_element()? {
                (self.0)(element);
            }
            Ok(())
        }
    }
    let Some(array) = field.filter(|raw| raw.get().starts_with('[')) else {
        return false;
    };
    serde_json::Deserializer::from_str(array.get())
        .deserialize_seq(Elements(found))
        .is_ok()
}

/// A short string; empty where the field is none.
pub(crate) fn word(field: Field<'_>) -> Cow<'_, str> {
    piece(field, WORD).map_or(Cow::Borrowed(""), |piece| piece.text)
}

/// A string's beginning: at most `limit` bytes of its text. `None` where the field is no string.
pub(crate) fn piece(field: Field<'_>, limit: usize) -> Option<Piece<'_>> {
    let (text, whole) = unescape(inside(field?)?, limit);
    Some(Piece { text, whole })
}

/// A string's end: about the last `limit` bytes of its text. `None` where the field is no string.
pub(crate) fn tail(field: Field<'_>, limit: usize) -> Option<String> {
    let inner = inside(field?)?;
    // An escape is at most six bytes for one, so this much is always enough.
    let start = after_escape(inner, inner.len().saturating_sub(limit.saturating_mul(6)));
    let (text, _) = unescape(inner.get(start..).unwrap_or_default(), usize::MAX);
    Some(last_bytes(&text, limit).to_owned())
}

/// How large a string's text is, without building it. `None` where the field is no string.
pub(crate) fn size(field: Field<'_>) -> Option<Size> {
    let inner = inside(field?)?;
    let (mut bytes, mut feeds, mut ends_with_feed) = (inner.len(), 0, false);
    let mut at = 0;
    while let Some(found) = inner.get(at..).and_then(|rest| memchr(b'\\', rest.as_bytes())) {
        let (character, length) = escape(inner.get(at + found..).unwrap_or_default());
        at += found + length;
        bytes = bytes.saturating_sub(length).saturating_add(character.len_utf8());
        feeds += u64::from(character == '\n');
        ends_with_feed = character == '\n' && at == inner.len();
    }
    let last = u64::from(bytes > 0 && !ends_with_feed);
    Some(Size {
        bytes: bytes as u64,
        lines: feeds + last,
    })
}

/// Lines of a text; a last one without a line feed counts.
pub(crate) fn lines(text: &str) -> u64 {
    let feeds = memchr_iter(b'\n', text.as_bytes()).count() as u64;
    feeds + u64::from(!text.is_empty() && !text.ends_with('\n'))
}

/// A number of any kind.
pub(crate) fn number(field: Field<'_>) -> Option<f64> {
    field?
        .get()
        .parse()
        .ok()
        .filter(|number: &f64| number.is_finite())
}

/// A whole number that is not negative and fits; `2.0` is one too.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a cast from a float saturates, and its fraction is not wanted"
)]
pub(crate) fn whole<T: TryFrom<u64>>(field: Field<'_>) -> Option<T> {
    let exact: Option<u64> = field?.get().parse().ok();
    let whole = exact.or_else(|| {
        number(field)
            .filter(|number| *number >= 0.0)
            .map(|number| number as u64)
    });
    T::try_from(whole?).ok()
}

/// `true` or `false`.
pub(crate) fn flag(field: Field<'_>) -> Option<bool> {
    field?.get().parse().ok()
}

/// The longest beginning of at most `limit` bytes.
pub(crate) fn first_bytes(text: &str, limit: usize) -> &str {
    text.get(..text.floor_char_boundary(limit)).unwrap_or(text)
}

/// The longest end of at most `limit` bytes.
pub(crate) fn last_bytes(text: &str, limit: usize) -> &str {
    let start = text.ceil_char_boundary(text.len().saturating_sub(limit));
    text.get(start..).unwrap_or_default()
}

/// What is between a string's quotes, still escaped.
fn inside(raw: &RawValue) -> Option<&str> {
    raw.get().strip_prefix('"')?.strip_suffix('"')
}

/// Unescapes until `limit` bytes are there; the flag says that this was all.
fn unescape(inner: &str, limit: usize) -> (Cow<'_, str>, bool) {
    let Some(first) = memchr(b'\\', inner.as_bytes()) else {
        let text = first_bytes(inner, limit);
        return (Cow::Borrowed(text), text.len() == inner.len());
    };
    let mut text = String::with_capacity(inner.len().min(limit));
    let (mut rest, mut next) = (inner, Some(first));
    loop {
        let plain = rest.get(..next.unwrap_or(rest.len())).unwrap_or_default();
        let fits = first_bytes(plain, limit - text.len());
        text.push_str(fits);
        rest = rest.get(plain.len()..).unwrap_or_default();
        if fits.len() < plain.len() || next.is_none() {
            return (Cow::Owned(text), fits.len() == plain.len());
        }
        let (character, length) = escape(rest);
        if text.len() + character.len_utf8() > limit {
            return (Cow::Owned(text), false);
        }
        text.push(character);
        rest = rest.get(length..).unwrap_or_default();
        next = memchr(b'\\', rest.as_bytes());
    }
}

/// The character that an escape stands for, and the escape's length. `text` begins with a backslash.
fn escape(text: &str) -> (char, usize) {
    let character = match text.as_bytes().get(1) {
        Some(b'n') => '\n',
        Some(b't') => '\t',
        Some(b'r') => '\r',
        Some(b'b') => '\u{8}',
        Some(b'f') => '\u{c}',
        Some(b'u') => return unicode(text),
        Some(plain @ (b'"' | b'\\' | b'/')) => char::from(*plain),
        _ => return (char::REPLACEMENT_CHARACTER, 1),
    };
    (character, 2)
}

/// The same for `\uXXXX` and for a pair of surrogates.
fn unicode(text: &str) -> (char, usize) {
    let Some(first) = hexadecimal(text) else {
        return (char::REPLACEMENT_CHARACTER, 2);
    };
    if let Some(character) = char::from_u32(first) {
        return (character, 6);
    }
    let second = text
        .get(6..)
        .filter(|rest| rest.starts_with("\\u"))
        .and_then(hexadecimal);
    match second {
        Some(low) if (0xd800..0xdc00).contains(&first) && (0xdc00..0xe000).contains(&low) => {
            let code = 0x1_0000 + ((first - 0xd800) << 10) + (low - 0xdc00);
            (char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER), 12)
        }
        _ => (char::REPLACEMENT_CHARACTER, 6),
    }
}

/// The four digits of `\uXXXX`.
fn hexadecimal(text: &str) -> Option<u32> {
    let digits = text.get(2..6)?;
    digits
        .bytes()
        .all(|digit| digit.is_ascii_hexdigit())
        .then_some(())?;
    u32::from_str_radix(digits, 16).ok()
}

/// The first place from `start` on where a character begins and no escape is cut in two. (What is cut in two may be
/// `\uXXXX`; its digits then stand there as text, in front of all that is wanted.)
fn after_escape(inner: &str, start: usize) -> usize {
    let start = inner.ceil_char_boundary(start);
    let before = inner.as_bytes().get(..start).unwrap_or_default();
    let backslashes = before.iter().rev().take_while(|byte| **byte == b'\\').count();
    inner.ceil_char_boundary(start + backslashes % 2)
}
