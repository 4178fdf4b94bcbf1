//! The words of code, and what is counted of them.

use std::ops::AddAssign;

/// What was counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Tests.
    pub tests: u32,
    /// Marks that keep tests from running, or from failing.
    pub skips: u32,
    /// Marks that let nothing but the marked tests run.
    pub only: u32,
    /// Assertions; those that cannot fail are none.
    pub assertions: u32,
}

impl AddAssign for Counts {
    fn add_assign(&mut self, other: Counts) {
        self.tests += other.tests;
        self.skips += other.skips;
        self.only += other.only;
        self.assertions += other.assertions;
    }
}

/// A word of the code, with what stands around it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Word<'a> {
    code: &'a [u8],
    start: usize,
    end: usize,
}

impl<'a> Word<'a> {
    /// Itself.
    pub fn text(&self) -> &'a [u8] {
        self.code.get(self.start..self.end).unwrap_or_default()
    }

    pub fn is(&self, text: &str) -> bool {
        self.text() == text.as_bytes()
    }

    pub fn is_one_of(&self, texts: &[&str]) -> bool {
        texts.iter().any(|text| self.is(text))
    }

    pub fn starts_with(&self, text: &str) -> bool {
        self.text().starts_with(text.as_bytes())
    }

    /// What follows, without blanks.
    pub fn after(&self) -> &'a [u8] {
        self.code.get(self.end..).unwrap_or_default().trim_ascii_start()
    }

    /// What stands before, without blanks.
    pub fn before(&self) -> &'a [u8] {
        self.code.get(..self.start).unwrap_or_default().trim_ascii_end()
    }

    pub fn is_called(&self) -> bool {
        self.after().starts_with(b"(")
    }

    pub fn follows(&self, text: &str) -> bool {
        self.before().ends_with(text.as_bytes())
    }

    /// The word before the one byte that joins it to this one: `a` in `a.b`.
    pub fn owner(&self) -> &'a [u8] {
        let before = self.before();
        let before = before.strip_suffix(b".").unwrap_or_default();
        let from = before.iter().rposition(|byte| !is_word(*byte)).map_or(0, |at| at + 1);
        before.get(from..).unwrap_or_default()
    }

    /// Is it the first of its line?
    pub fn begins_line(&self) -> bool {
        let before = self.code.get(..self.start).unwrap_or_default();
        let blank = before.iter().rev().take_while(|byte| **byte != b'\n');
        blank.clone().all(u8::is_ascii_whitespace)
    }
}

pub(super) struct Words<'a> {
    code: &'a [u8],
    at: usize,
}

impl<'a> Words<'a> {
    pub fn new(code: &'a [u8]) -> Words<'a> {
        Words { code, at: 0 }
    }
}

impl<'a> Iterator for Words<'a> {
    type Item = Word<'a>;

    fn next(&mut self) -> Option<Word<'a>> {
        let rest = self.code.get(self.at..)?;
        let start = self.at + rest.iter().position(|byte| is_word(*byte))?;
        let length = self.code.get(start..)?.iter().take_while(|byte| is_word(**byte)).count();
        self.at = start + length;
        Some(Word { code: self.code, start, end: self.at })
    }
}

pub(super) fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$') || byte >= 0x80
}
