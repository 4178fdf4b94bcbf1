//! Walks objects and arrays, handing over their parts as text.

use memchr::memchr2;

use super::Field;

/// Most strings end within so many bytes.
const SHORT: usize = 64;

/// Hands over each member of an object, its name still escaped; says whether the text was one whole object.
pub(crate) fn members<'a>(text: &'a str, mut found: impl FnMut(&'a str, Field<'a>)) -> bool {
    let mut walk = Walk { text, at: 0 };
    let whole = walk.sequence(b'{', b'}', |walk| {
        let name = walk.value()?;
        let name = name.strip_prefix('"')?.strip_suffix('"')?;
        walk.expect(b':')?;
        found(name, not_null(walk.value()?));
        Some(())
    });
    whole.is_some() && walk.is_at_end()
}

/// Hands over each element of an array; says whether the field was one, whole.
pub(crate) fn each<'a>(field: Field<'a>, mut found: impl FnMut(Field<'a>)) -> bool {
    let Some(text) = field else { return false };
    let mut walk = Walk { text, at: 0 };
    let whole = walk.sequence(b'[', b']', |walk| {
        found(not_null(walk.value()?));
        Some(())
    });
    whole.is_some() && walk.is_at_end()
}

fn not_null(value: &str) -> Field<'_> {
    (value != "null").then_some(value)
}

/// A place in a text. All steps are `None` where the text is not what they expect or ends too early.
struct Walk<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Walk<'a> {
    /// `open`, parts with commas between them, `close`.
    fn sequence(&mut self, open: u8, close: u8, mut part: impl FnMut(&mut Self) -> Option<()>) -> Option<()> {
        self.expect(open)?;
        if self.peek()? == close {
            return self.expect(close);
        }
        loop {
            part(self)?;
            match self.peek()? {
                b',' => self.at += 1,
                _ => return self.expect(close),
            }
        }
    }

    fn expect(&mut self, byte: u8) -> Option<()> {
        let found = self.peek()? == byte;
        self.at += 1;
        found.then_some(())
    }

    /// The next byte that is not white space.
    fn peek(&mut self) -> Option<u8> {
        let bytes = self.text.as_bytes();
        while bytes.get(self.at)?.is_ascii_whitespace() {
            self.at += 1;
        }
        bytes.get(self.at).copied()
    }

    fn is_at_end(&mut self) -> bool {
        self.peek().is_none()
    }

    /// The next value's text.
    fn value(&mut self) -> Option<&'a str> {
        let first = self.peek()?;
        let (bytes, start) = (self.text.as_bytes(), self.at);
        let end = match first {
            b'"' => string_end(bytes, start)?,
            b'{' | b'[' => nested_end(bytes, start)?,
            _ => scalar_end(bytes, start).filter(|end| *end > start)?,
        };
        self.at = end;
        self.text.get(start..end)
    }
}

/// Behind the quote that ends the string beginning at `start`.
fn string_end(bytes: &[u8], start: usize) -> Option<usize> {
    let mut at = start + 1;
    loop {
        at = quote_or_backslash(bytes, at)?;
        match bytes.get(at)? {
            b'"' => return Some(at + 1),
            _ => at += 2,
        }
    }
}

/// Where the next of the two is. Most strings are short, and a search that is good for long ones takes longer to
/// begin: so the first bytes are looked at eight at a time.
fn quote_or_backslash(bytes: &[u8], start: usize) -> Option<usize> {
    let mut at = start;
    while at < start + SHORT {
        let Some(eight) = bytes.get(at..).and_then(<[u8]>::first_chunk) else { break };
        let word = u64::from_le_bytes(*eight);
        let found = zero_bytes(word ^ every(b'"')) | zero_bytes(word ^ every(b'\\'));
        if found != 0 {
            return Some(at + found.trailing_zeros() as usize / 8);
        }
        at += 8;
    }
    Some(at + memchr2(b'"', b'\\', bytes.get(at..)?)?)
}

/// Eight times this byte.
const fn every(byte: u8) -> u64 {
    u64::from_le_bytes([byte; 8])
}

/// The high bit of each byte that is zero; above the first such byte others may be set too.
const fn zero_bytes(word: u64) -> u64 {
    word.wrapping_sub(every(1)) & !word & every(0x80)
}

/// Behind the bracket that ends the object or array beginning at `start`.
fn nested_end(bytes: &[u8], start: usize) -> Option<usize> {
    let (mut at, mut depth) = (start, 0_usize);
    loop {
        match bytes.get(at)? {
            b'"' => {
                at = string_end(bytes, at)?;
                continue;
            }
            b'{' | b'[' => depth += 1,
            b'}' | b']' => {
                depth -= 1;
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            _ => {}
        }
        at += 1;
    }
}

/// Behind a number or a word.
fn scalar_end(bytes: &[u8], start: usize) -> Option<usize> {
    let ends = |byte: &u8| {
        matches!(byte, b',' | b'}' | b']' | b':' | b'"' | b'{' | b'[') || byte.is_ascii_whitespace()
    };
    Some(start + bytes.get(start..)?.iter().position(ends)?)
}
