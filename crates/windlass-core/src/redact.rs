//! Keeping secrets out of what is told: values that are known, and shapes that secrets have.
//!
//! Used at the one place where notifications leave; offered to logs and reports. It errs on the side of hiding.

mod keys;
mod names;
mod shapes;

use std::fmt;

pub use keys::keys;
pub use names::{names_password, names_secret};
use shapes::Hit;

/// What stands in a secret's place.
pub const MARK: &str = "[redacted]";

/// Shorter values are not looked for: they would hide ordinary words, and are not secrets.
const SHORTEST: usize = 4;

/// Replaces secrets in text. It shows nothing of what it knows.
#[derive(Clone, Default)]
pub struct Redactor {
    /// Longest first, so that the whole of a secret goes where another one is its beginning.
    known: Vec<String>,
}

impl fmt::Debug for Redactor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Redactor({} values)", self.known.len())
    }
}

impl Redactor {
    /// Knows shapes and no values.
    pub fn new() -> Redactor {
        Redactor::default()
    }

    /// Knows a secret. Values shorter than four bytes, without the space around them, are ignored.
    pub fn with_value(mut self, value: &str) -> Redactor {
        self.learn(value.trim());
        self.known.sort_by(|one, other| other.len().cmp(&one.len()).then_with(|| one.cmp(other)));
        self.known.dedup();
        self
    }

    /// Knows an address: as a whole (many services hide a token in its path), its user and password, and the values of
    /// its query, as written and decoded.
    pub fn with_address(self, address: &str) -> Redactor {
        let rest = address.split_once("://").map_or(address, |(_, rest)| rest);
        let (before, query) = rest.split_once('?').unwrap_or((rest, ""));
        let query = query.split_once('#').map_or(query, |(query, _)| query);
        let authority = before.split('/').next().unwrap_or_default();
        let user = authority.rsplit_once('@').map_or("", |(user, _)| user);
        let parts = user
            .split(':')
            .chain(query.split('&').map(|pair| pair.split_once('=').map_or("", |(_, value)| value)));
        let mut redactor = self.with_value(address);
        for part in parts {
            redactor = redactor.with_value(part).with_value(&percent_decoded(part));
        }
        redactor
    }

    /// The text without its secrets.
    pub fn redact(&self, text: &str) -> String {
        let mut clean = String::with_capacity(text.len());
        let mut rest = text;
        let mut before = None;
        while let Some(next) = rest.chars().next() {
            let hit = self.known_at(rest).map(Hit::whole).or_else(|| shapes::at(rest, before));
            let hit = hit.map(|hit| self.with_known(rest, hit));
            let (kept, hidden) = hit.map_or((next.len_utf8(), 0), |hit| (hit.kept, hit.hidden));
            let (plain, after) = rest.split_at_checked(kept).unwrap_or((rest, ""));
            let (secret, after) = after.split_at_checked(hidden).unwrap_or((after, ""));
            clean.push_str(plain);
            if !secret.is_empty() {
                clean.push_str(MARK);
            }
            before = secret.chars().next_back().or(plain.chars().next_back());
            rest = after;
        }
        clean
    }

    /// A secret that is known may begin in what introduces another one, or in that, and reach beyond it.
    fn with_known(&self, text: &str, hit: Hit) -> Hit {
        let (mut kept, mut end, mut at) = (hit.kept, hit.kept + hit.hidden, 0);
        while at < end
            && let Some(rest) = text.get(at..)
        {
            if let Some(length) = self.known_at(rest) {
                kept = kept.min(at);
                end = end.max(at + length);
            }
            at += rest.chars().next().map_or(1, char::len_utf8);
        }
        Hit { kept, hidden: end - kept }
    }

    fn learn(&mut self, value: &str) {
        if value.len() >= SHORTEST {
            self.known.push(value.to_owned());
        }
    }

    /// The length of the known secret that the text begins with.
    fn known_at(&self, text: &str) -> Option<usize> {
        self.known.iter().find(|known| text.starts_with(known.as_str())).map(String::len)
    }
}

/// `%41` → `A`; what is not UTF-8 then is left out.
pub fn percent_decoded(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let digits = bytes.get(at + 1..at + 3).and_then(|digits| std::str::from_utf8(digits).ok());
        let value = digits.filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()));
        let value = value.and_then(|digits| u8::from_str_radix(digits, 16).ok()).filter(|_| *byte == b'%');
        decoded.push(value.unwrap_or(*byte));
        at += if value.is_some() { 3 } else { 1 };
    }
    String::from_utf8(decoded).unwrap_or_default()
}

#[cfg(test)]
mod tests;
