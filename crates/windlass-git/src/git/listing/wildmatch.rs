//! git's own patterns (`wildmatch.c`), over bytes: what matches here matches there, and nothing else does.

use super::Unsure;

/// How much matching there may be in one listing. Some patterns take exponentially long, and guests write patterns.
#[derive(Debug)]
pub struct Effort {
    left: u64,
}

impl Effort {
    /// As much as a large repository with ordinary patterns needs a few percent of.
    pub const ENOUGH: Effort = Effort { left: 200_000_000 };

    #[cfg(test)]
    pub(crate) fn of(left: u64) -> Effort {
        Effort { left }
    }

    pub fn spend(&mut self, steps: usize) -> Result<(), Unsure> {
        let left = self.left.checked_sub(steps as u64);
        left.map(|left| self.left = left).ok_or(Unsure("matching takes too long"))
    }
}

/// Where stars match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Text {
    /// In one name.
    Name,
    /// In a path: a star, a question mark and a class match no slash.
    Path,
}

/// How a match ended. Whoever tries with less of the text need not go on where it was at its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum MatchOutcome {
    Match,
    NoMatch,
    /// Nor will it with less of the text.
    Exhausted,
    /// Nor will it before the next slash.
    NotBeforeSlash,
}

/// Does the whole text match?
pub fn matches(pattern: &[u8], text: &[u8], kind: Text, effort: &mut Effort) -> Result<bool, Unsure> {
    Matcher { pattern, kind, effort }.from(0, text).map(|outcome| outcome == MatchOutcome::Match)
}

/// What is special in a pattern.
pub(super) fn is_special(byte: u8) -> bool {
    matches!(byte, b'*' | b'?' | b'[' | b'\\')
}

struct Matcher<'pattern, 'effort> {
    pattern: &'pattern [u8],
    kind: Text,
    effort: &'effort mut Effort,
}

/// One character of the pattern against one of the text.
enum Single {
    /// It matches, and the pattern goes on here.
    Then(usize),
    Not(MatchOutcome),
}

impl Matcher<'_, '_> {
    fn at(&self, place: usize) -> Option<u8> {
        self.pattern.get(place).copied()
    }

    /// The pattern from here on, against all of the text.
    fn from(&mut self, mut place: usize, mut text: &[u8]) -> Result<MatchOutcome, Unsure> {
        self.effort.spend(1)?;
        while let Some(byte) = self.at(place) {
            if byte == b'*' {
                match self.star(place, text)? {
                    Star::Decided(outcome) => return Ok(outcome),
                    Star::UpToSlash(next, rest) => (place, text) = (next, rest),
                }
                continue;
            }
            let Some((&first, rest)) = text.split_first() else { return Ok(MatchOutcome::Exhausted) };
            match self.single(place, byte, first) {
                Single::Then(next) => (place, text) = (next, rest),
                Single::Not(outcome) => return Ok(outcome),
            }
        }
        Ok(if text.is_empty() { MatchOutcome::Match } else { MatchOutcome::NoMatch })
    }

    fn single(&self, place: usize, byte: u8, first: u8) -> Single {
        let literal = |wanted: Option<u8>, next| {
            if wanted == Some(first) { Single::Then(next) } else { Single::Not(MatchOutcome::NoMatch) }
        };
        match byte {
            b'\\' => literal(self.at(place + 1), place + 2),
            b'?' if first == b'/' && self.kind == Text::Path => Single::Not(MatchOutcome::NoMatch),
            b'?' => Single::Then(place + 1),
            b'[' => match self.class(place + 1, first) {
                None => Single::Not(MatchOutcome::Exhausted),
                Some((true, next)) if first != b'/' || self.kind == Text::Name => Single::Then(next),
                Some(_) => Single::Not(MatchOutcome::NoMatch),
            },
            byte => literal(Some(byte), place + 1),
        }
    }

    /// Stars, and all that may follow them.
    fn star<'text>(&mut self, place: usize, text: &'text [u8]) -> Result<Star<'text>, Unsure> {
        let stars =
            self.pattern.get(place..).unwrap_or_default().iter().take_while(|byte| **byte == b'*').count();
        let next = place + stars;
        let begins = place == 0 || self.at(place - 1) == Some(b'/');
        let ends = match self.at(next) {
            None | Some(b'/') => true,
            Some(b'\\') => self.at(next + 1) == Some(b'/'),
            Some(_) => false,
        };
        let crosses = self.kind == Text::Name || stars > 1 && begins && ends;
        // `a/**/b` is `a/b` as well.
        if self.kind == Text::Path
            && crosses
            && self.at(next) == Some(b'/')
            && self.from(next + 1, text)? == MatchOutcome::Match
        {
            return Ok(Star::Decided(MatchOutcome::Match));
        }
        let slash = memchr::memchr(b'/', text);
        match self.at(next) {
            None if crosses || slash.is_none() => return Ok(Star::Decided(MatchOutcome::Match)),
            None => return Ok(Star::Decided(MatchOutcome::NotBeforeSlash)),
            Some(b'/') if !crosses => {
                let after = slash.and_then(|slash| text.get(slash + 1..));
                return Ok(after
                    .map_or(Star::Decided(MatchOutcome::Exhausted), |rest| Star::UpToSlash(next + 1, rest)));
            }
            Some(_) => {}
        }
        self.each_end(next, text, crosses).map(Star::Decided)
    }

    /// Tries the rest of the pattern at each place where the star may end.
    fn each_end(&mut self, next: usize, text: &[u8], crosses: bool) -> Result<MatchOutcome, Unsure> {
        let mut rest = text;
        let literal = self.at(next).filter(|byte| !is_special(*byte));
        loop {
            if let Some(literal) = literal {
                let stop = if crosses { None } else { memchr::memchr(b'/', rest) };
                let within = rest.get(..stop.map_or(rest.len(), |stop| stop + 1)).unwrap_or_default();
                self.effort.spend(within.len() / 16)?;
                rest = match memchr::memchr(literal, within) {
                    Some(found) => rest.get(found..).unwrap_or_default(),
                    None if crosses => return Ok(MatchOutcome::Exhausted),
                    None => return Ok(MatchOutcome::NotBeforeSlash),
                };
            }
            match self.from(next, rest)? {
                MatchOutcome::NoMatch if !crosses && rest.first() == Some(&b'/') => {
                    return Ok(MatchOutcome::NotBeforeSlash);
                }
                MatchOutcome::NoMatch => {}
                MatchOutcome::NotBeforeSlash if crosses => {}
                decided => return Ok(decided),
            }
            match rest.split_first() {
                Some((_, shorter)) => rest = shorter,
                None => return Ok(MatchOutcome::Exhausted),
            }
        }
    }

    /// A class, from behind its bracket: whether the byte is in it, and where the pattern goes on. `None`: it has no end.
    fn class(&self, mut place: usize, byte: u8) -> Option<(bool, usize)> {
        let negated = matches!(self.at(place)?, b'!' | b'^');
        place += usize::from(negated);
        let mut previous = None;
        let mut found = false;
        loop {
            let this = self.at(place)?;
            let mut last = Some(this);
            if this == b'\\' {
                place += 1;
                last = Some(self.at(place)?);
                found |= last == Some(byte);
            } else if let (b'-', Some(first), Some(behind)) = (this, previous, self.at(place + 1))
                && behind != b']'
            {
                place += 1;
                let mut end = behind;
                if end == b'\\' {
                    place += 1;
                    end = self.at(place)?;
                }
                found |= (first..=end).contains(&byte);
                last = None;
            } else if this == b'[' && self.at(place + 1) == Some(b':') {
                let name = place + 2;
                let end = name + memchr::memchr(b']', self.pattern.get(name..)?)?;
                if end > name && self.at(end - 1) == Some(b':') {
                    found |= is_in(self.pattern.get(name..end - 1)?, byte)?;
                    place = end;
                    last = None;
                } else {
                    found |= byte == b'[';
                }
            } else {
                found |= this == byte;
            }
            place += 1;
            previous = last;
            if self.at(place)? == b']' {
                return Some((found != negated, place + 1));
            }
        }
    }
}

enum Star<'text> {
    Decided(MatchOutcome),
    /// It was all up to a slash: the pattern goes on here, with this text.
    UpToSlash(usize, &'text [u8]),
}

/// Is a byte in a class of this name? `None`: there is no such class.
fn is_in(name: &[u8], byte: u8) -> Option<bool> {
    Some(match name {
        b"alnum" => byte.is_ascii_alphanumeric(),
        b"alpha" => byte.is_ascii_alphabetic(),
        b"blank" => matches!(byte, b' ' | b'\t'),
        b"cntrl" => byte.is_ascii_control(),
        b"digit" => byte.is_ascii_digit(),
        b"graph" => byte.is_ascii_graphic(),
        b"lower" => byte.is_ascii_lowercase(),
        b"print" => byte.is_ascii_graphic() || byte == b' ',
        b"punct" => byte.is_ascii_punctuation(),
        b"space" => matches!(byte, b' ' | b'\t' | b'\n' | b'\r'),
        b"upper" => byte.is_ascii_uppercase(),
        b"xdigit" => byte.is_ascii_hexdigit(),
        _ => return None,
    })
}
