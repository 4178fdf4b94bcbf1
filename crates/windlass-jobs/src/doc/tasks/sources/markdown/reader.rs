//! A document's own headings and the fields below each, event by event.

use std::ops::Range;

use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd};

use windlass_core::values::TaskState;

use super::field::{Field, FieldName};
use super::heading::Heading;
use crate::doc::lines::Lines;
use crate::doc::tasks::Criterion;
use crate::doc::tasks::sources::any_box_at;

/// What divides the fields of a line.
const DIVIDERS: [char; 3] = ['|', '·', '•'];

/// Something bold at a line's beginning: it may be a field's name.
struct Bold {
    start: usize,
    text: String,
}

#[derive(Default)]
struct Reader<'a> {
    text: &'a str,
    lines: Lines<'a>,
    /// All headings but those in lists and quotes.
    headings: Vec<Heading>,
    items: u32,
    /// A list item has begun, and nothing of it has been seen.
    fresh_item: bool,
    quotes: u32,
    /// Within a heading: where it began, and its text.
    heading: Option<(usize, String)>,
    /// Nothing of the line has been seen, and a field could begin here.
    fresh: bool,
    bold: Option<Bold>,
    field: Option<Field>,
    /// The line began with something bold and a colon: more such may follow.
    names: bool,
}

/// All headings of the document itself; the first is what stands before them, and has no text.
pub(super) fn read(text: &str) -> Vec<Heading> {
    let headings = vec![Heading::default()];
    let mut reader = Reader { text, lines: Lines::of(text), headings, ..Reader::default() };
    for (event, range) in Parser::new_ext(text, Options::empty()).into_offset_iter() {
        reader.see(event, range);
    }
    reader.close_field(text.len());
    reader.headings
}

impl Reader<'_> {
    fn see(&mut self, event: Event<'_>, range: Range<usize>) {
        match event {
            Event::Start(tag) => self.start(&tag, range),
            Event::End(tag) => self.end(tag, range),
            Event::Text(text) => self.text(&text, range.start),
            Event::Code(text) => self.add(&text),
            Event::SoftBreak | Event::HardBreak => {
                self.add("\n");
                self.names = false;
                self.fresh = self.quotes == 0 && self.items <= 1 && self.heading.is_none();
            }
            _ => self.fresh = false,
        }
    }

    /// Is this the document itself, outside of lists and quotes?
    const fn is_outside(&self) -> bool {
        self.items == 0 && self.quotes == 0
    }

    fn start(&mut self, tag: &Tag<'_>, range: Range<usize>) {
        match tag {
            Tag::Strong => {
                if self.fresh && self.quotes == 0 && self.heading.is_none() {
                    self.bold = Some(Bold { start: range.start, text: String::new() });
                }
                self.fresh = false;
            }
            Tag::Emphasis | Tag::Link { .. } | Tag::Image { .. } => self.fresh = false,
            Tag::Item => {
                self.begin_block(range.start);
                self.items += 1;
                self.fresh_item = true;
                self.fresh = self.items == 1 && self.quotes == 0;
            }
            // In a list item the first paragraph is where a field could begin, and no other.
            Tag::Paragraph if self.items == 0 => {
                self.begin_block(range.start);
                self.fresh = self.quotes == 0;
            }
            Tag::Paragraph => self.break_line(),
            Tag::Heading { .. } => {
                self.begin_block(range.start);
                self.heading = Some((range.start, String::new()));
            }
            Tag::BlockQuote(_) => {
                self.begin_block(range.start);
                self.quotes += u32::from(self.quotes > 0 || !self.follows_heading(range.start));
            }
            _ => self.begin_block(range.start),
        }
    }

    fn end(&mut self, tag: TagEnd, range: Range<usize>) {
        match tag {
            TagEnd::Strong => self.end_bold(range.end),
            TagEnd::Heading(level) => self.end_heading(level),
            TagEnd::Item => {
                self.items = self.items.saturating_sub(1);
                self.end_block(range.end);
            }
            TagEnd::BlockQuote(_) => {
                self.quotes = self.quotes.saturating_sub(1);
                self.end_block(range.end);
            }
            TagEnd::Paragraph | TagEnd::CodeBlock => self.end_block(range.end),
            _ => {}
        }
    }

    /// Does nothing but blanks stand between the latest heading's line and here? A quote there may hold the heading's fields.
    fn follows_heading(&self, at: usize) -> bool {
        let Some(heading) =
            self.headings.last().filter(|heading| heading.level > 0 && heading.fields.is_empty())
        else {
            return false;
        };
        let between = self.text.get(heading.start..at).unwrap_or_default();
        self.items == 0 && between.split_once('\n').is_some_and(|(_, rest)| rest.trim().is_empty())
    }

    /// A block begins: outside of lists that is the end of a field, within one another line of it.
    fn begin_block(&mut self, at: usize) {
        (self.fresh, self.names) = (false, false);
        self.bold = None;
        if self.is_outside() {
            self.close_field(at);
        } else {
            self.break_line();
        }
    }

    fn end_block(&mut self, at: usize) {
        (self.fresh, self.names) = (false, false);
        self.bold = None;
        if self.is_outside() {
            self.close_field(at);
        }
    }

    fn break_line(&mut self) {
        if let Some(field) = self.field.as_mut().filter(|field| !field.text.is_empty()) {
            field.text.push('\n');
        }
    }

    /// A text: it may begin a field with a plain name, and after a sign that divides a line another field may follow.
    fn text(&mut self, text: &str, at: usize) {
        if std::mem::take(&mut self.fresh_item) && self.quotes == 0 {
            self.criterion(at);
        }
        let begins = self.fresh && self.heading.is_none() && self.headings.len() > 1;
        if begins {
            self.plain_field(at);
        }
        self.add(text);
        self.fresh = (self.field.is_some() || self.names)
            && self.bold.is_none()
            && text.trim_end().ends_with(DIVIDERS);
    }

    /// A field may begin here with a plain name.
    fn plain_field(&mut self, at: usize) {
        let rest = self.text.get(at..).unwrap_or_default();
        let line = rest.split(['\n', '\r']).next().unwrap_or_default();
        if let Some((name, value)) = FieldName::row(line).filter(|_| !self.heads_table(at)) {
            self.close_field(at);
            let (line, value) = (self.lines.line_of(at), at + value.start..at + value.end);
            let text = self.text.get(value.clone()).unwrap_or_default().to_owned();
            let field = Field { name, line, start: at, value, text, awaits_colon: false };
            if let Some(heading) = self.headings.last_mut() {
                heading.fields.push(field);
            }
        }
        if let Some((name, length)) = FieldName::plain(line) {
            self.close_field(at);
            let (line, value) = (self.lines.line_of(at), at + length);
            self.field = Some(Field {
                name,
                line,
                start: at,
                value: value..value,
                text: String::new(),
                awaits_colon: true,
            });
        } else if names_something(line) && self.field.as_ref().is_some_and(Field::is_said_in_its_line) {
            self.close_field(at);
        }
    }

    /// Is the line that begins here the head of a table?
    fn heads_table(&self, at: usize) -> bool {
        let next = self.text.get(at..).and_then(|rest| rest.lines().nth(1)).unwrap_or_default().trim();
        next.starts_with('|') && next.contains('-') && next.chars().all(|letter| "|:- ".contains(letter))
    }

    /// A box below a heading says what has to hold.
    fn criterion(&mut self, at: usize) {
        let Some(sign) = any_box_at(self.text, at) else { return };
        let line = self.lines.line_of(at);
        let rest = self.text.get(at + sign.length..).unwrap_or_default().lines().next().unwrap_or_default();
        let criterion =
            Criterion { text: rest.trim().to_owned(), holds: sign.state == Some(TaskState::Done), line };
        if let Some(heading) = self.headings.last_mut() {
            heading.boxes.push((at, criterion));
        }
    }

    fn add(&mut self, text: &str) {
        self.fresh = false;
        if let Some((_, heading)) = &mut self.heading {
            return heading.push_str(if text == "\n" { " " } else { text });
        }
        if let Some(bold) = &mut self.bold {
            return bold.text.push_str(text);
        }
        let Some(field) = &mut self.field else { return };
        let mut text = text;
        if field.awaits_colon {
            let Some((_, after)) = text.split_once(':') else { return };
            field.awaits_colon = false;
            text = after;
        }
        field.text.push_str(text);
    }

    /// What was bold at a line's beginning is over: is it a field's name?
    fn end_bold(&mut self, end: usize) {
        let Some(bold) = self.bold.take() else { return };
        let name = bold.text.trim();
        let inside = name.strip_suffix(':');
        let outside = self.colon_after(end);
        let value = inside.map(|_| end).or(outside);
        self.names = value.is_some();
        let known = FieldName::read(inside.unwrap_or(name).trim());
        let (Some(name), Some(value)) = (known, value) else {
            // A field that means nothing here ends the one before it. On the same line it may be a remark on the status.
            let ends = self.field.as_ref().is_some_and(|field| {
                let divided = field.text.trim_end().ends_with(DIVIDERS) && field.name != FieldName::Status;
                divided || field.text.ends_with('\n')
            });
            if ends && value.is_some() {
                return self.close_field(bold.start);
            }
            return self.add(&bold.text);
        };
        self.close_field(bold.start);
        let line = self.lines.line_of(bold.start);
        let (awaits_colon, start, text) = (inside.is_none(), bold.start, String::new());
        self.field = Some(Field { name, line, start, value: value..value, text, awaits_colon });
    }

    /// What comes after the colon, where the next sign is one.
    fn colon_after(&self, end: usize) -> Option<usize> {
        let rest = self.text.get(end..)?;
        let blank = rest.len() - rest.trim_start_matches([' ', '\t']).len();
        rest.get(blank..)?.starts_with(':').then_some(end + blank + 1)
    }

    fn close_field(&mut self, end: usize) {
        let Some(mut field) = self.field.take() else { return };
        field.value.end = end.max(field.value.start);
        let divides = |letter: char| letter.is_whitespace() || DIVIDERS.contains(&letter);
        if field.text.trim_end().ends_with(DIVIDERS) {
            field.text.truncate(field.text.trim_end_matches(divides).len());
            let source = self.text.get(field.value.clone()).unwrap_or_default();
            field.value.end = field.value.start + source.trim_end_matches(divides).len();
        }
        // Before the first heading nothing is a task's.
        if let Some(heading) = self.headings.last_mut().filter(|heading| heading.level > 0) {
            heading.fields.push(field);
        }
    }

    fn end_heading(&mut self, level: HeadingLevel) {
        let Some((start, text)) = self.heading.take() else { return };
        if self.is_outside() {
            let line = self.lines.line_of(start);
            self.headings.push(Heading::read(&text, level as usize, start, line));
        }
    }
}

/// Does a line begin with a name and a colon, as a field that is not bold does? With a number in it that is an id.
fn names_something(line: &str) -> bool {
    let Some((name, _)) = line.split_once(':') else { return false };
    let is_word = |word: &str| word.chars().all(|letter| letter.is_alphabetic() || letter == '-');
    let words = name.split(' ').collect::<Vec<_>>();
    words.len() <= 3 && words.iter().all(|word| !word.is_empty() && is_word(word))
}
