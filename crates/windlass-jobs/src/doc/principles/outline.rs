//! A file of principles as YAML sees it: names with values, and names with such names below them. Whatever else YAML has
//! (lists, aliases, tags, further documents) has no meaning here and is refused.

use std::ops::Range;

use saphyr_parser::{Event, Parser, ScalarStyle, ScanError, Span, StrInput};

use super::{LONGEST, Problem};
use crate::doc::text::{quoted, without_mark};

/// A name and what it holds.
#[derive(Clone, Debug)]
pub(super) struct Field {
    pub name: String,
    /// From 1.
    pub line: usize,
    pub value: Value,
}

/// What a name holds.
#[derive(Clone, Debug)]
pub(super) enum Value {
    /// A text or a number.
    Scalar(Scalar),
    /// Names below it.
    Fields(Vec<Field>),
}

/// A text or a number.
#[derive(Clone, Debug)]
pub(super) struct Scalar {
    pub text: String,
    /// It stands without quotes, so that it may be a number.
    pub is_plain: bool,
    /// Its bytes in the file, quotes included.
    pub range: Range<usize>,
    /// From 1.
    pub line: usize,
}

/// Reads the names of the file and those below them.
pub(super) fn outline(bytes: &[u8]) -> Result<Vec<Field>, Problem> {
    if bytes.len() > LONGEST {
        return Err(Problem::whole(format!("it is longer than {} KiB", LONGEST / 1024)));
    }
    let text = std::str::from_utf8(bytes).map_err(|error| {
        Problem::whole(format!("it is not UTF-8 text (byte {})", error.valid_up_to() + 1))
    })?;
    let (text, mark) = without_mark(text);
    if let Some(odd) = text.chars().find(|character| character.is_control() && !"\t\r\n".contains(*character))
    {
        return Err(Problem::whole(format!("it holds the control character U+{:04X}", u32::from(odd))));
    }
    Reader { parser: Parser::new_from_str(text), text, mark }.document()
}

struct Reader<'a> {
    parser: Parser<'a, StrInput<'a>>,
    text: &'a str,
    /// The length of what stands before the text, in bytes.
    mark: usize,
}

impl<'a> Reader<'a> {
    fn next(&mut self) -> Result<(Event<'a>, Span), Problem> {
        let event = self.parser.next_event().unwrap_or(Ok((Event::StreamEnd, Span::default())));
        event.map_err(|error| not_yaml(&error))
    }

    fn document(mut self) -> Result<Vec<Field>, Problem> {
        loop {
            match self.next()? {
                (Event::Nothing | Event::StreamStart | Event::DocumentStart(_), _) => {}
                (Event::MappingStart(_, None), _) => break,
                (Event::StreamEnd, _) => return Err(Problem::whole("it is empty")),
                (_, span) => {
                    return Err(Problem::at(
                        span.start.line(),
                        "here `version`, `preset` or a layer is expected",
                    ));
                }
            }
        }
        let fields = self.fields(None)?;
        loop {
            match self.next()? {
                (Event::StreamEnd, _) => return Ok(fields),
                (Event::Nothing | Event::DocumentEnd, _) => {}
                (_, span) => {
                    return Err(Problem::at(
                        span.start.line(),
                        "a second document begins here; the file has one",
                    ));
                }
            }
        }
    }

    /// What stands in a mapping, up to its end; `below` is the name that holds it.
    fn fields(&mut self, below: Option<&str>) -> Result<Vec<Field>, Problem> {
        let mut fields: Vec<Field> = Vec::new();
        loop {
            let (name, line) = match self.next()? {
                (Event::MappingEnd, _) => return Ok(fields),
                (Event::Scalar(name, _, _, None), span) => (name.into_owned(), span.start.line()),
                (_, span) => {
                    return Err(Problem::at(span.start.line(), "a name of YAML's own kind is expected"));
                }
            };
            let full = below.map_or_else(|| name.clone(), |below| format!("{below}.{name}"));
            if fields.iter().any(|field| field.name == name) {
                return Err(Problem::at(line, format!("`{}` is there twice", quoted(&full))));
            }
            let value = self.value(&full, below)?;
            fields.push(Field { name, line, value });
        }
    }

    fn value(&mut self, full: &str, below: Option<&str>) -> Result<Value, Problem> {
        let (event, span) = self.next()?;
        let refused = |what: &str| Err(Problem::at(span.start.line(), format!("`{}` {what}", quoted(full))));
        match event {
            Event::Scalar(text, style, _, None) => Ok(Value::Scalar(self.scalar(&text, style, span))),
            Event::MappingStart(_, None) if below.is_none() => Ok(Value::Fields(self.fields(Some(full))?)),
            Event::MappingStart(_, None) => refused("has names below it, where a number is expected"),
            Event::SequenceStart(..) => refused("is a list"),
            Event::Alias(_) => refused("is an alias; write out what it stands for"),
            _ => refused("has a tag; leave it out"),
        }
    }

    fn scalar(&self, text: &str, style: ScalarStyle, span: Span) -> Scalar {
        let byte = |index: usize| {
            let found = self.text.char_indices().nth(index).map_or(self.text.len(), |(at, _)| at);
            found + self.mark
        };
        let (start, end) = (byte(span.start.index()), byte(span.end.index()));
        // The parser has looked beyond what is in quotes, as far as the end of a comment.
        let source = self.text.get(start - self.mark..end - self.mark).unwrap_or_default();
        let end = end_of_quoted(source).map_or(end, |length| start + length);
        Scalar {
            text: text.to_owned(),
            is_plain: style == ScalarStyle::Plain,
            range: start..end,
            line: span.start.line(),
        }
    }
}

/// How long what is in quotes is, both included; `None` for what is in none.
fn end_of_quoted(source: &str) -> Option<usize> {
    let quote = source.chars().next().filter(|letter| matches!(letter, '"' | '\''))?;
    let mut letters = source.char_indices().skip(1).peekable();
    while let Some((at, letter)) = letters.next() {
        match letter {
            '\\' if quote == '"' => drop(letters.next()),
            '\'' if quote == '\'' && letters.next_if(|(_, next)| *next == '\'').is_some() => {}
            _ if letter == quote => return Some(at + 1),
            _ => {}
        }
    }
    None
}

fn not_yaml(error: &ScanError) -> Problem {
    Problem::at(error.marker().line(), format!("it is not YAML ({})", quoted(error.info())))
}
