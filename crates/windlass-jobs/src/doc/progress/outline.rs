//! The lines of a journal: which are headings, and which stand between fences.

use std::ops::Range;

/// A line, in the bytes of its file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Line {
    /// Without its ending.
    pub text: Range<usize>,
    /// Where the next one begins.
    pub next: usize,
    pub kind: LineKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LineKind {
    Text,
    /// A heading of this level.
    Heading(usize),
    /// Opens a fence.
    Opening,
    /// Stands between fences.
    Fenced,
    /// Closes a fence.
    Closing,
}

/// A fence that is open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fence {
    /// Its line's index.
    pub line: usize,
    /// The space before it.
    pub indent: Range<usize>,
    /// Of what it is made: a backtick or a tilde.
    pub letter: u8,
    /// Of how many.
    pub length: usize,
}

/// A file's lines.
#[derive(Debug)]
pub(super) struct Outline<'a> {
    pub bytes: &'a [u8],
    pub lines: Vec<Line>,
    /// A fence that is never closed.
    pub open: Option<Fence>,
}

/// The lines of one iteration: its heading, and all below it up to the next heading of its level or a higher one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Section {
    pub number: u64,
    pub lines: Range<usize>,
}

impl<'a> Outline<'a> {
    pub(super) fn of(bytes: &'a [u8]) -> Outline<'a> {
        let mut outline = Outline { bytes, lines: Vec::new(), open: None };
        let mut at = if bytes.starts_with(b"\xEF\xBB\xBF") { 3 } else { 0 };
        while at < bytes.len() {
            let rest = &bytes[at..];
            let (length, ending) = memchr::memchr(b'\n', rest).map_or((rest.len(), 0), |end| (end, 1));
            let text = &rest[..length];
            let text = text.strip_suffix(b"\r").filter(|_| ending == 1).unwrap_or(text);
            let range = at..at + text.len();
            let kind = outline.kind_of(&range);
            at += length + ending;
            outline.lines.push(Line { text: range, next: at, kind });
        }
        outline
    }

    /// What the next line is. An indented fence is one however deep it stands: in doubt, nothing in it is an entry.
    fn kind_of(&mut self, line: &Range<usize>) -> LineKind {
        let text = &self.bytes[line.clone()];
        let fence = Self::fence(text);
        match (&self.open, fence) {
            (Some(open), Some((letter, length, rest)))
                if open.letter == letter && length >= open.length && rest.trim_ascii().is_empty() =>
            {
                self.open = None;
                LineKind::Closing
            }
            (Some(_), _) => LineKind::Fenced,
            (None, Some((letter, length, rest))) if letter == b'~' || !rest.contains(&b'`') => {
                let indent = line.start..line.start + (text.len() - text.trim_ascii_start().len());
                self.open = Some(Fence { line: self.lines.len(), indent, letter, length });
                LineKind::Opening
            }
            (None, _) => heading_level(text).map_or(LineKind::Text, LineKind::Heading),
        }
    }

    /// Of what and how many letters a fence is made, and what follows it.
    fn fence(text: &[u8]) -> Option<(u8, usize, &[u8])> {
        let text = text.trim_ascii_start();
        let letter = *text.first().filter(|letter| matches!(letter, b'`' | b'~'))?;
        let length = text.iter().take_while(|each| **each == letter).count();
        (length >= 3).then(|| (letter, length, &text[length..]))
    }

    pub(super) fn text(&self, line: &Line) -> &'a [u8] {
        &self.bytes[line.text.clone()]
    }

    /// The words of a heading, without its marks.
    pub(super) fn heading(&self, line: &Line) -> String {
        let text = String::from_utf8_lossy(self.text(line)).into_owned();
        let words = text.trim().trim_start_matches('#').trim();
        let closed = words.trim_end_matches('#');
        let words = if closed.ends_with([' ', '\t']) || closed.is_empty() { closed } else { words };
        words.trim().to_owned()
    }

    /// The first line after this heading that belongs to another section of this level or a higher one.
    pub(super) fn end_of_section(&self, heading: usize, level: usize) -> usize {
        let ends = |line: &Line| matches!(line.kind, LineKind::Heading(found) if found <= level);
        let after = heading + 1;
        self.lines[after..].iter().position(ends).map_or(self.lines.len(), |found| after + found)
    }

    /// The first heading of the second level with these words.
    pub(super) fn second_level(&self, words: &str) -> Option<usize> {
        self.lines.iter().position(|line| {
            line.kind == LineKind::Heading(2) && self.heading(line).eq_ignore_ascii_case(words)
        })
    }

    /// The iterations, in order.
    pub(super) fn sections(&self) -> Vec<Section> {
        let mut sections: Vec<Section> = Vec::new();
        let mut open = false;
        for (index, line) in self.lines.iter().enumerate() {
            let LineKind::Heading(level) = line.kind else { continue };
            if level > 3 {
                continue;
            }
            if open && let Some(last) = sections.last_mut() {
                last.lines.end = index;
            }
            open = false;
            if let Some(number) = (level == 3).then(|| iteration_number(&self.heading(line))).flatten() {
                sections.push(Section { number, lines: index..self.lines.len() });
                open = true;
            }
        }
        sections
    }
}

/// `### Words`, with at most three spaces before it.
fn heading_level(text: &[u8]) -> Option<usize> {
    let indent = text.iter().take_while(|letter| **letter == b' ').count();
    let text = text.get(indent..).filter(|_| indent <= 3)?;
    let level = text.iter().take_while(|letter| **letter == b'#').count();
    let ends = matches!(text.get(level), None | Some(b' ' | b'\t'));
    ((1..=6).contains(&level) && ends).then_some(level)
}

/// The number of `Iteration 12 - 2026-03-01T12:00:00Z`.
fn iteration_number(heading: &str) -> Option<u64> {
    let (word, rest) = heading.split_at_checked("iteration".len())?;
    let digits = rest.trim_start();
    let end = digits.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(digits.len());
    let (number, after) = digits.split_at(end);
    let ends = after.is_empty() || after.starts_with([' ', '\t', '-', '–', '—', ':']);
    if !word.eq_ignore_ascii_case("iteration") || digits.len() == rest.len() || !ends {
        return None;
    }
    number.parse().ok()
}
