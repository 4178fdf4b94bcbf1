//! JSON text that is looked at without being built.
//!
//! A line can be megabytes long, and most of it is of no interest. So an object is walked once ([`walk`]), the fields
//! that somebody asked for are kept as the text they were written in, and a string is unescaped only as far as it is
//! needed. A general parser would do all of it for every field: on short lines this is about twice as fast.
//!
//! Nothing here fails: what cannot be read is missing, and a lone surrogate such as `\ud800`, which agents pass on and
//! parsers refuse, becomes U+FFFD. Numbers and nested values that nobody asks for are not checked; that a line ends
//! where its object ends is.

use std::borrow::Cow;

use memchr::{memchr, memchr_iter};

mod walk;

#[cfg(test)]
mod tests;

pub(crate) use walk::{each, members};

/// A field of an object as it was written; `None` where it is missing or `null`.
pub(crate) type Field<'a> = Option<&'a str>;

/// An object of which some fields are wanted; see [`shape!`].
pub(crate) trait Shape<'a>: Default {
    /// Keeps a field if it is wanted. Of several with one name the last counts.
    fn keep(&mut self, name: &str, value: Field<'a>);
}

/// Declares an object by the fields that are wanted of it: `shape! { Name { field, other: "its name in the JSON" } }`.
macro_rules! shape {
    ($($(#[$about:meta])* $shape:ident { $($(#[$what:meta])* $field:ident $(: $($name:literal)|+)?,)* })*) => {$(
        $(#[$about])*
        #[derive(Default)]
        pub(crate) struct $shape<'a> {
            $($(#[$what])* pub $field: Field<'a>,)*
        }

        impl<'a> json::Shape<'a> for $shape<'a> {
            fn keep(&mut self, name: &str, value: Field<'a>) {
                match name {
                    $(name if shape!(@is name, $field $(, $($name)|+)?) => self.$field = value,)*
                    _ => {}
                }
            }
        }
    )*};
    (@is $given:ident, $field:ident) => { $given == stringify!($field) };
    (@is $given:ident, $field:ident, $($name:literal)|+) => { matches!($given, $($name)|+) };
}
pub(crate) use shape;

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
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Size {
    /// Its bytes.
    pub bytes: u64,
    /// Its lines; a last one without a line feed counts.
    pub lines: u64,
}

/// The wanted fields of an object; `None` where the text is no whole object.
pub(crate) fn object<'a, T: Shape<'a>>(field: Field<'a>) -> Option<T> {
    let mut shape = T::default();
    members(field?, |name, value| shape.keep(name, value)).then_some(shape)
}

/// A short string; empty where the field is none.
pub(crate) fn word(field: Field<'_>) -> Cow<'_, str> {
    piece(field, WORD).map_or(Cow::Borrowed(""), |piece| piece.text)
}

/// A string's beginning: at most `limit` bytes of its text. `None` where the field is not a string.
pub(crate) fn piece(field: Field<'_>, limit: usize) -> Option<Piece<'_>> {
    let (text, whole) = unescape(inside(field?)?, limit);
    Some(Piece { text, whole })
}

/// A string's end: about the last `limit` bytes of its text. `None` where the field is not a string.
pub(crate) fn tail(field: Field<'_>, limit: usize) -> Option<String> {
    let inner = inside(field?)?;
    // An escape is at most six bytes for one, so this much is always enough.
    let start = after_escape(inner, inner.len().saturating_sub(limit.saturating_mul(6)));
    let (text, _) = unescape(inner.get(start..).unwrap_or_default(), usize::MAX);
    Some(last_bytes(&text, limit).to_owned())
}

/// How large a string's text is, without building it. `None` where the field is not a string.
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
    Some(Size { bytes: bytes as u64, lines: feeds + last })
}

/// Lines of a text; a last one without a line feed counts.
pub(crate) fn lines(text: &str) -> u64 {
    let feeds = memchr_iter(b'\n', text.as_bytes()).count() as u64;
    feeds + u64::from(!text.is_empty() && !text.ends_with('\n'))
}

/// A number of any kind.
pub(crate) fn number(field: Field<'_>) -> Option<f64> {
    field?.parse().ok().filter(|number: &f64| number.is_finite())
}

/// A whole number that is not negative and fits; `2.0` is one too.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a cast from a float saturates, and its fraction is not wanted"
)]
pub(crate) fn whole<T: TryFrom<u64>>(field: Field<'_>) -> Option<T> {
    let exact: Option<u64> = field?.parse().ok();
    let whole = exact.or_else(|| number(field).filter(|number| *number >= 0.0).map(|number| number as u64));
    T::try_from(whole?).ok()
}

/// `true` or `false`.
pub(crate) fn flag(field: Field<'_>) -> Option<bool> {
    field?.parse().ok()
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
fn inside(raw: &str) -> Option<&str> {
    raw.strip_prefix('"')?.strip_suffix('"')
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
    let Some(first) = hexadecimal(text) else { return (char::REPLACEMENT_CHARACTER, 2) };
    if let Some(character) = char::from_u32(first) {
        return (character, 6);
    }
    let second = text.get(6..).filter(|rest| rest.starts_with("\\u")).and_then(hexadecimal);
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
    digits.bytes().all(|digit| digit.is_ascii_hexdigit()).then_some(())?;
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
