//! Changes to a file of configuration that a person wrote: the bytes of one value, and no other ones.
//!
//! A change is a few splices at places that the parser of TOML names, so comments, order, spaces and line ends stay
//! as they are. What comes out is read again: it must say what was said before, but for this change.

mod list;
mod place;

use std::ops::Range;

use thiserror::Error;
use toml::{Table, Value};

use place::{Entry, Form, Place, Whereabouts};

/// Why a text cannot be changed. It stays as it is.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum EditError {
    /// It is not TOML.
    #[error("{message}")]
    Broken {
        /// The line, from 1; `None` where the parser names none.
        line: Option<usize>,
        /// What the parser says, in one line.
        message: String,
    },
    /// It is written in a way that is left to people: `[[gates.commands]]`, a table in the key's place.
    #[error("`{key}` is written here in a way that only a person can change")]
    Intricate {
        /// `table.key`.
        key: String,
        /// The line, from 1.
        line: usize,
    },
}

/// The text with this value for a key (`table.key`), be the key there or not.
///
/// # Errors
/// The text is not TOML, or only a person can change it.
pub fn set(text: &str, key: &str, value: &Value) -> Result<String, EditError> {
    let splice = match place::find(text, key)?.place {
        Place::Entry(Entry { value: there, .. }) => Splice::new(there, value.to_string()),
        Place::Vacant(form) => insertion(text, key, &form, value),
    };
    verified(text, splice.apply(text), key, Some(value))
}

/// The text with this list for a key: items that stay keep their place and their comments.
///
/// # Errors
/// The text is not TOML, or only a person can change it.
pub fn set_list(text: &str, key: &str, items: &[Value]) -> Result<String, EditError> {
    let mut changed = text.to_owned();
    let wanted = Value::Array(items.to_vec());
    if !matches!(value_of(text, key)?, Some(Value::Array(_))) {
        return set(text, key, &wanted);
    }
    while let Some(splice) = list::next_step(&changed, &place::find(&changed, key)?, items) {
        changed = splice.apply(&changed);
        if parsed(&changed).is_err() {
            break;
        }
    }
    verified(text, changed, key, Some(&wanted))
}

/// The text without this key; `None` where it does not say anything about it.
///
/// # Errors
/// The text is not TOML, or only a person can change it.
pub fn unset(text: &str, key: &str) -> Result<Option<String>, EditError> {
    let Whereabouts { place: Place::Entry(entry), neighbours, .. } = place::find(text, key)? else {
        return Ok(None);
    };
    let range = match &entry.form {
        Form::Inline { .. } => list::without(text, &entry.pair(), &neighbours),
        Form::Header { .. } | Form::Dotted { .. } | Form::Missing => {
            line_start(text, entry.key.start)..line_end(text, entry.value.end)
        }
    };
    verified(text, Splice::new(range, String::new()).apply(text), key, None).map(Some)
}

/// What the text says of a key.
pub fn value_of(text: &str, key: &str) -> Result<Option<Value>, EditError> {
    Ok(lookup(&parsed(text)?, key).cloned())
}

/// Bytes, and what comes in their place.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Splice {
    range: Range<usize>,
    new: String,
}

impl Splice {
    fn new(range: Range<usize>, new: String) -> Splice {
        Splice { range, new }
    }

    fn insert(at: usize, new: String) -> Splice {
        Splice { range: at..at, new }
    }

    fn apply(&self, text: &str) -> String {
        let (before, after) = (text.get(..self.range.start), text.get(self.range.end..));
        [before.unwrap_or(text), &self.new, after.unwrap_or_default()].concat()
    }
}

/// A new pair, where pairs of its table are.
fn insertion(text: &str, key: &str, form: &Form, value: &Value) -> Splice {
    let (table, name) = key.split_once('.').unwrap_or(("", key));
    let end = line_break(text);
    let line_after = |at: usize, pair: String| {
        let after = line_end(text, at);
        let indent = indentation(text, at);
        // The last line may have no end; where it has none, neither has the new one.
        if text.get(..after).is_some_and(|before| before.ends_with('\n')) {
            Splice::insert(after, format!("{indent}{pair}{end}"))
        } else {
            Splice::insert(after, format!("{end}{indent}{pair}"))
        }
    };
    match form {
        Form::Header { last } => line_after(*last, format!("{name} = {value}")),
        Form::Dotted { last } => line_after(*last, format!("{table}.{name} = {value}")),
        Form::Inline { braces, last: Some(last) } => {
            debug_assert!(braces.contains(last), "pairs of an inline table stand in its braces");
            Splice::insert(*last, format!(", {name} = {value}"))
        }
        Form::Inline { braces, last: None } => Splice::new(braces.clone(), format!("{{ {name} = {value} }}")),
        Form::Missing => {
            let gap = match text.trim_start_matches('\u{feff}') {
                "" => String::new(),
                rest if rest.ends_with("\n\n") || rest.ends_with("\r\n\r\n") => String::new(),
                rest if rest.ends_with('\n') => end.to_owned(),
                _ => end.repeat(2),
            };
            Splice::insert(text.len(), format!("{gap}[{table}]{end}{name} = {value}{end}"))
        }
    }
}

/// The changed text, if it says what the old one said, but for the key.
fn verified(old: &str, new: String, key: &str, value: Option<&Value>) -> Result<String, EditError> {
    let intricate = || {
        let line = place::find(old, key).map_or(1, |found| found.line);
        EditError::Intricate { key: key.to_owned(), line }
    };
    let (mut before, mut after) = (parsed(old)?, parsed(&new).map_err(|_| intricate())?);
    if lookup(&after, key) != value {
        return Err(intricate());
    }
    forget(&mut before, key);
    forget(&mut after, key);
    if before == after { Ok(new) } else { Err(intricate()) }
}

fn parsed(text: &str) -> Result<Table, EditError> {
    text.parse().map_err(|error: toml::de::Error| place::broken(text, error.span(), error.message()))
}

fn lookup<'a>(table: &'a Table, key: &str) -> Option<&'a Value> {
    key.split_once('.').and_then(|(name, key)| table.get(name)?.get(key))
}

/// Takes the key out, and its table where nothing else is in it: a table without keys says nothing.
fn forget(table: &mut Table, key: &str) {
    let Some((name, key)) = key.split_once('.') else { return };
    let Some(Value::Table(entries)) = table.get_mut(name) else { return };
    entries.remove(key);
    if entries.is_empty() {
        table.remove(name);
    }
}

/// The line break that the text uses.
fn line_break(text: &str) -> &'static str {
    match text.find('\n') {
        Some(at) if text.get(..at).is_some_and(|line| line.ends_with('\r')) => "\r\n",
        _ => "\n",
    }
}

/// Where the line begins that holds this place; a byte order mark belongs to no line.
fn line_start(text: &str, at: usize) -> usize {
    let before = text.get(..at).unwrap_or_default();
    match before.rfind('\n') {
        Some(newline) => newline + 1,
        None if before.starts_with('\u{feff}') => '\u{feff}'.len_utf8(),
        None => 0,
    }
}

/// Where the next line begins.
fn line_end(text: &str, at: usize) -> usize {
    text.get(at..).and_then(|rest| rest.find('\n')).map_or(text.len(), |newline| at + newline + 1)
}

/// The blanks that the line at this place begins with.
fn indentation(text: &str, at: usize) -> &str {
    let line = text.get(line_start(text, at)..).unwrap_or_default();
    let ink = line.find(|c| c != ' ' && c != '\t').unwrap_or(line.len());
    line.get(..ink).unwrap_or_default()
}

#[cfg(test)]
mod tests;
