//! What is ignored: files of patterns, read from their bytes, line by line as git reads them.

use super::Unsure;
use super::wildmatch::{self, Effort, Text, is_special};

/// A longer pattern, or one with more stars, is git's to match.
const LONGEST_PATTERN: usize = 4096;
const MOST_STARS: usize = 100;

/// The patterns of one file.
#[derive(Debug, Default)]
pub struct Rules {
    patterns: Vec<Pattern>,
}

/// What a pattern is matched with.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'path> {
    /// From the folder that the rules are of.
    pub path: &'path [u8],
    pub is_folder: bool,
}

/// What rules say of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Said {
    Nothing,
    Ignored,
    Kept,
}

#[derive(Debug, PartialEq, Eq)]
struct Pattern {
    text: Vec<u8>,
    /// So many bytes at its beginning are not special.
    plain: usize,
    negated: bool,
    only_folders: bool,
    shape: Shape,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape {
    /// Without a slash: of the last name alone.
    Name,
    /// A star and nothing else that is special.
    Ending,
    /// From the folder that the rules are of.
    Path,
}

impl Rules {
    pub fn parse(bytes: &[u8]) -> Result<Rules, Unsure> {
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        let mut rules = Rules::default();
        for line in
            bytes.split(|byte| *byte == b'\n').filter(|line| line.first().is_some_and(|first| *first != b'#'))
        {
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            // To git it ends here.
            let line = line.split(|byte| *byte == 0).next().unwrap_or_default();
            let line = without_spaces(line);
            let stars = memchr::memchr_iter(b'*', line).count();
            if line.len() > LONGEST_PATTERN || stars > MOST_STARS {
                return Err(Unsure("a pattern is very long"));
            }
            rules.patterns.push(Pattern::parse(line));
        }
        Ok(rules)
    }

    /// The last pattern that matches decides.
    pub fn say(&self, subject: Subject<'_>, effort: &mut Effort) -> Result<Said, Unsure> {
        effort.spend(self.patterns.len() / 8)?;
        for pattern in self.patterns.iter().rev() {
            if pattern.matches(subject, effort)? {
                return Ok(if pattern.negated { Said::Kept } else { Said::Ignored });
            }
        }
        Ok(Said::Nothing)
    }
}

/// Without the spaces at its end, apart from one that a backslash stands before.
fn without_spaces(line: &[u8]) -> &[u8] {
    let mut end = None;
    let mut place = 0;
    while let Some(byte) = line.get(place) {
        match byte {
            b' ' => end = end.or(Some(place)),
            b'\\' if place + 1 == line.len() => return line,
            b'\\' => {
                place += 1;
                end = None;
            }
            _ => end = None,
        }
        place += 1;
    }
    end.and_then(|end| line.get(..end)).unwrap_or(line)
}

impl Pattern {
    fn parse(line: &[u8]) -> Pattern {
        let (negated, text) = line.strip_prefix(b"!").map_or((false, line), |rest| (true, rest));
        let (only_folders, text) = text.strip_suffix(b"/").map_or((false, text), |rest| (true, rest));
        let specials = text.iter().filter(|byte| is_special(**byte)).count();
        let shape = match text {
            text if text.contains(&b'/') => Shape::Path,
            [b'*', ..] if specials == 1 => Shape::Ending,
            _ => Shape::Name,
        };
        let text = if shape == Shape::Path { text.strip_prefix(b"/").unwrap_or(text) } else { text };
        let plain = text.iter().position(|byte| is_special(*byte)).unwrap_or(text.len());
        Pattern { text: text.to_vec(), plain, negated, only_folders, shape }
    }

    fn matches(&self, subject: Subject<'_>, effort: &mut Effort) -> Result<bool, Unsure> {
        if self.only_folders && !subject.is_folder {
            return Ok(false);
        }
        let name = memchr::memrchr(b'/', subject.path).and_then(|slash| subject.path.get(slash + 1..));
        let name = name.unwrap_or(subject.path);
        let is_plain = self.plain == self.text.len();
        match self.shape {
            Shape::Name if is_plain => Ok(self.text == name),
            Shape::Name => wildmatch::matches(&self.text, name, Text::Name, effort),
            Shape::Ending => Ok(name.ends_with(self.text.get(1..).unwrap_or_default())),
            Shape::Path => {
                let (plain, special) = self.text.split_at(self.plain);
                match subject.path.strip_prefix(plain) {
                    None => Ok(false),
                    Some(rest) if is_plain => Ok(rest.is_empty()),
                    Some(rest) => wildmatch::matches(special, rest, Text::Path, effort),
                }
            }
        }
    }
}
