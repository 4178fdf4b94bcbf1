//! What a spec requires.

use std::collections::HashMap;
use std::ops::Range;

use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd};
use serde::Serialize;
use strum::VariantNames;
use windlass_core::nesting;

use crate::doc::lines::Lines;
use crate::doc::tasks::sources::box_at;
use crate::doc::text::{cut, without_mark};

/// The words of RFC 2119, in upper case.
const WORDS: [&str; 7] = ["MUST", "REQUIRED", "SHALL", "SHOULD", "RECOMMENDED", "MAY", "OPTIONAL"];

/// Sections that require nothing.
const ASIDE: [&str; 7] =
    ["out of scope", "out-of-scope", "not in scope", "non-goals", "won't do", "open questions", "archived"];

/// A spec as it was read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Spec {
    /// Its path in its folder.
    pub name: String,
    /// What it requires, in its order.
    pub requirements: Vec<Requirement>,
    /// Requirements by their ids, in lower case.
    pub(super) by_id: HashMap<String, usize>,
    /// Sections by their anchors and numbers, in lower case.
    pub(super) sections: HashMap<String, usize>,
}

/// One thing that a spec requires: a heading of level 3, a box, or a line with a word of RFC 2119 in upper case. A line is
/// one requirement, whatever it has of these.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Requirement {
    /// What a task may call it: its number (`AUTH-3`), the anchor of its heading (`login`), or its line (`L12`).
    pub id: String,
    /// Its line, from 1.
    pub line: usize,
    /// What makes it one.
    pub kind: RequirementKind,
    /// What it says: one line, at most 200 characters.
    pub text: String,
    /// The sections that it stands in.
    pub(super) sections: Vec<usize>,
}

/// What makes a [`Requirement`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, VariantNames)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum RequirementKind {
    /// A heading of level 3.
    Heading,
    /// A box.
    Box,
    /// A line with a word of RFC 2119.
    Sentence,
}

impl Spec {
    /// Reads a spec. Code, quotes and comments require nothing, nor do sections such as *Non-goals* and *Open questions*,
    /// nor the paragraph that explains the words of RFC 2119.
    pub fn parse(name: &str, text: &str) -> Spec {
        let (text, _) = without_mark(text);
        let mut reader = Reader {
            text,
            lines: Lines::of(text),
            spec: Spec { name: name.to_owned(), ..Spec::default() },
            ..Reader::default()
        };
        if nesting::too_deep(text).is_none() {
            for (event, range) in Parser::new_ext(text, Options::empty()).into_offset_iter() {
                reader.see(&event, range);
            }
        }
        reader.spec
    }
}

#[derive(Default)]
struct Reader<'a> {
    text: &'a str,
    spec: Spec,
    /// Open sections: level, index, and whether they require anything.
    open: Vec<(HeadingLevel, usize, bool)>,
    count: usize,
    /// Quotes and code blocks that are open.
    silent: u32,
    heading: Option<usize>,
    fresh_item: bool,
    line: String,
    line_start: Option<usize>,
    is_box: bool,
    /// Where the requirements of the open paragraph begin.
    paragraph: Option<usize>,
    explains: bool,
    lines: Lines<'a>,
}

impl Reader<'_> {
    fn see(&mut self, event: &Event<'_>, range: Range<usize>) {
        let fresh = std::mem::take(&mut self.fresh_item);
        match event {
            Event::Start(Tag::Emphasis | Tag::Strong | Tag::Link { .. } | Tag::Image { .. }) => {
                self.line_start.get_or_insert(range.start);
            }
            Event::End(TagEnd::Emphasis | TagEnd::Strong | TagEnd::Link | TagEnd::Image) => {}
            Event::Text(text) | Event::Code(text) => {
                self.is_box |= fresh && box_at(self.text, range.start).is_some();
                self.line_start.get_or_insert(range.start);
                self.line.push_str(text);
            }
            Event::SoftBreak | Event::HardBreak => self.end_line(),
            Event::Start(tag) => {
                self.end_line();
                self.start(tag, range.start);
                self.fresh_item = matches!(tag, Tag::Item) || (fresh && matches!(tag, Tag::Paragraph));
            }
            Event::End(tag) => self.end(*tag),
            _ => {}
        }
    }

    fn start(&mut self, tag: &Tag<'_>, at: usize) {
        match tag {
            Tag::BlockQuote(_) | Tag::CodeBlock(_) => self.silent += 1,
            Tag::Heading { .. } if self.silent == 0 => self.heading = Some(at),
            Tag::Paragraph | Tag::Item => {
                self.paragraph = Some(self.spec.requirements.len());
                self.explains = false;
            }
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Heading(level) => return self.end_heading(level),
            TagEnd::CodeBlock => self.line.clear(),
            _ => {}
        }
        self.end_line();
        match tag {
            TagEnd::BlockQuote(_) | TagEnd::CodeBlock => self.silent = self.silent.saturating_sub(1),
            TagEnd::Paragraph => {
                if let Some(from) = self.paragraph.take().filter(|_| self.explains) {
                    self.forget(from);
                }
            }
            _ => {}
        }
    }

    /// These words only said what the words mean.
    fn forget(&mut self, from: usize) {
        self.spec.requirements.truncate(from);
        self.spec.by_id.retain(|_, index| *index < from);
    }

    fn end_heading(&mut self, level: HeadingLevel) {
        let (text, start) = (std::mem::take(&mut self.line), self.line_start.take());
        self.is_box = false;
        let Some(at) = self.heading.take().or(start).filter(|_| self.silent == 0) else { return };
        while self.open.last().is_some_and(|(open, ..)| *open >= level) {
            self.open.pop();
        }
        let words = text.trim().trim_start_matches(|letter: char| !letter.is_alphabetic()).to_lowercase();
        let aside = ASIDE.iter().any(|name| words.replace('’', "'").starts_with(name));
        let requires = !aside && self.open.last().is_none_or(|(.., requires)| *requires);
        let section = self.count;
        self.count += 1;
        self.open.push((level, section, requires));
        let number = number(&text);
        let anchor = self.anchor(&text);
        self.spec.sections.insert(anchor.clone(), section);
        if let Some(number) = number {
            self.spec.sections.entry(number.to_lowercase()).or_insert(section);
        }
        if level == HeadingLevel::H3 && requires {
            let id = number.map_or(anchor, str::to_owned);
            self.add(at, RequirementKind::Heading, &text, Some(id));
        }
    }

    fn end_line(&mut self) {
        let (line, start) = (std::mem::take(&mut self.line), self.line_start.take());
        let is_box = std::mem::take(&mut self.is_box);
        let Some(at) = start.filter(|_| self.silent == 0 && self.heading.is_none()) else { return };
        self.explains |= line.contains("RFC 2119") || line.contains("RFC2119");
        if self.open.last().is_some_and(|(.., requires)| !requires) {
            return;
        }
        let text = if is_box { line.trim().get(3..).unwrap_or_default().trim() } else { line.trim() };
        if is_box {
            self.add(at, RequirementKind::Box, text, None);
        } else if has_word(&line) {
            self.add(at, RequirementKind::Sentence, text, None);
        }
    }

    fn add(&mut self, at: usize, kind: RequirementKind, text: &str, id: Option<String>) {
        let line = self.lines.line_of(at);
        let id = id.or_else(|| number(text).map(str::to_owned));
        let id = id
            .filter(|id| !self.spec.by_id.contains_key(&id.to_lowercase()))
            .unwrap_or_else(|| format!("L{line}"));
        let index = self.spec.requirements.len();
        self.spec.by_id.insert(id.to_lowercase(), index);
        self.spec.by_id.entry(format!("l{line}")).or_insert(index);
        let text = cut(text, 200);
        let sections = self.open.iter().map(|(_, section, _)| *section).collect();
        self.spec.requirements.push(Requirement { id, line, kind, text, sections });
    }

    /// The anchor of a heading as GitHub makes it, `-1` added where another has it.
    fn anchor(&self, text: &str) -> String {
        let kept = |letter: &char| letter.is_alphanumeric() || matches!(letter, ' ' | '-' | '_');
        let anchor: String = text.trim().chars().filter(kept).collect();
        let anchor = anchor.to_lowercase().replace(' ', "-");
        let taken = |anchor: &str| self.spec.sections.contains_key(anchor);
        if !taken(&anchor) {
            return anchor;
        }
        format!("{anchor}-{}", self.count)
    }
}

fn has_word(line: &str) -> bool {
    line.split(|letter: char| !letter.is_alphanumeric() && letter != '_').any(|word| WORDS.contains(&word))
}

/// The number that a text begins with: `AUTH-3`, `FR-1.2`, `R7`, `4.2`.
fn number(text: &str) -> Option<&str> {
    let text = text.trim_start_matches(['[', '(', ' ']);
    let end =
        text.find(|letter: char| !(letter.is_ascii_alphanumeric() || matches!(letter, '-' | '.' | '_')));
    let word = text.get(..end.unwrap_or(text.len()))?.trim_end_matches(['.', '-', '_']);
    is_number(word).then_some(word)
}

/// Capital letters and then digits, or digits with a dot in between.
pub(super) fn is_number(word: &str) -> bool {
    let letters = word.bytes().take_while(u8::is_ascii_uppercase).count();
    let rest = word.get(letters..).unwrap_or_default();
    let digits = rest.trim_start_matches(['-', '_']);
    let all = digits.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'-'));
    let first = digits.bytes().next().is_some_and(|byte| byte.is_ascii_digit());
    all && first && (1..=12).contains(&letters) || (letters == 0 && all && first && digits.contains('.'))
}
