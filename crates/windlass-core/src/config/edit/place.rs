//! Where a key stands in a text, or would stand.

use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::EditError;
use crate::typed::line_of;

/// Where a key is, or where it would be.
#[derive(Clone, Debug)]
pub(super) struct Whereabouts {
    /// Its place.
    pub place: Place,
    /// The pairs of its table, or the items of its list, in the order of the text.
    pub neighbours: Vec<Range<usize>>,
    /// The items, if it is a list.
    pub items: Vec<(Range<usize>, toml::Value)>,
    /// The line where to look, from 1.
    pub line: usize,
}

#[derive(Clone, Debug)]
pub(super) enum Place {
    /// It is there.
    Entry(Entry),
    /// It is not; its table is written like this.
    Vacant(Form),
}

/// A pair of key and value.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    /// The last part of the key.
    pub key: Range<usize>,
    /// The value.
    pub value: Range<usize>,
    /// How its table is written.
    pub form: Form,
}

impl Entry {
    /// Both.
    pub fn pair(&self) -> Range<usize> {
        self.key.start..self.value.end
    }
}

/// How a table is written. `last` is a place in the last line (or the end of the last value) of its pairs.
#[derive(Clone, Debug)]
pub(super) enum Form {
    /// `[table]`, pairs below it.
    Header { last: usize },
    /// `table.key = value`.
    Dotted { last: usize },
    /// `table = { key = value }`.
    Inline { braces: Range<usize>, last: Option<usize> },
    /// Not at all.
    Missing,
}

type Pairs<'a, 'i> = Vec<(&'a Spanned<std::borrow::Cow<'i, str>>, &'a Spanned<DeValue<'i>>)>;

/// Finds a key of a table (`table.key`).
///
/// # Errors
/// The text is not TOML, or something else stands in the table's place.
pub(super) fn find(text: &str, key: &str) -> Result<Whereabouts, EditError> {
    let document = DeTable::parse(text).map_err(|error| broken(text, error.span(), error.message()))?;
    let (table_name, name) = key.split_once('.').unwrap_or(("", key));
    let table = document.get_ref().iter().find(|(found, _)| found.get_ref() == table_name);
    let Some((table_key, table)) = table else {
        let place = Place::Vacant(Form::Missing);
        return Ok(Whereabouts { place, neighbours: Vec::new(), items: Vec::new(), line: 1 });
    };
    let line = line_of(text, table_key.span().start);
    let DeValue::Table(entries) = table.get_ref() else {
        return Err(EditError::Intricate { key: key.to_owned(), line });
    };
    let mut pairs: Pairs<'_, '_> = entries.iter().collect();
    pairs.sort_by_key(|(key, _)| key.span().start);
    let neighbours = pairs.iter().map(|(key, value)| key.span().start..value.span().end).collect();
    let form = form(text, table.span(), &pairs);
    let Some((key, value)) = pairs.into_iter().find(|(found, _)| found.get_ref() == name) else {
        return Ok(Whereabouts { place: Place::Vacant(form), neighbours, items: Vec::new(), line });
    };
    let line = line_of(text, key.span().start);
    let entry = Entry { key: key.span(), value: value.span(), form };
    Ok(Whereabouts { place: Place::Entry(entry), neighbours, items: items(text, value), line })
}

fn form(text: &str, table: Range<usize>, pairs: &Pairs<'_, '_>) -> Form {
    // A table below it (`[table.key]`) is not a pair of its own lines.
    let is_header = |value: &Spanned<DeValue<'_>>| {
        matches!(value.get_ref(), DeValue::Table(_) | DeValue::Array(_))
            && text.get(value.span()).is_some_and(|text| text.starts_with('[') && is_line(value, text))
    };
    let ends = pairs.iter().filter(|(_, value)| !is_header(value)).map(|(_, value)| value.span().end);
    let last = ends.max();
    match text.get(table.clone()).and_then(|text| text.chars().next()) {
        Some('{') => Form::Inline { braces: table, last },
        Some('[') => Form::Header { last: last.unwrap_or(table.end) },
        _ => last.map_or(Form::Missing, |last| Form::Dotted { last }),
    }
}

/// Is this the line that begins a table or an item of `[[…]]`? Those are not lists.
fn is_line(value: &Spanned<DeValue<'_>>, text: &str) -> bool {
    matches!(value.get_ref(), DeValue::Table(_)) || text.starts_with("[[") && items_outside(value)
}

fn items_outside(value: &Spanned<DeValue<'_>>) -> bool {
    let DeValue::Array(items) = value.get_ref() else { return false };
    items.iter().next().is_some_and(|item| item.span().start <= value.span().start)
}

/// The items of a list and what they say, in their order.
fn items(text: &str, value: &Spanned<DeValue<'_>>) -> Vec<(Range<usize>, toml::Value)> {
    let DeValue::Array(items) = value.get_ref() else { return Vec::new() };
    let read = |item: &Spanned<DeValue<'_>>| {
        let said = format!("item = {}", text.get(item.span())?).parse::<toml::Table>().ok()?;
        Some((item.span(), said.get("item")?.clone()))
    };
    items.iter().filter_map(read).collect()
}

/// The parser's complaint.
pub(super) fn broken(text: &str, span: Option<Range<usize>>, message: &str) -> EditError {
    let line = span.map(|span| line_of(text, span.start));
    EditError::Broken { line, message: message.replace('\n', ", ") }
}
