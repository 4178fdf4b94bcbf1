//! `config.sh`, read line by line and never executed.

use super::shown;

/// What a script assigns.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Assignments {
    /// Variables and their values, each once, in the order of their first lines.
    pub values: Vec<(String, String)>,
    /// One sentence for each line that is something else.
    pub left: Vec<String>,
}

/// So many lines are named; a file that is no `config.sh` would name thousands.
const NAMED: usize = 20;

/// Reads a script. What stands within `if`, `case`, loops or functions may never happen, so it is not read; after a
/// here-document nothing is.
pub(super) fn read(text: &str) -> Assignments {
    let mut found = Assignments::default();
    let (mut depth, mut continues, mut unread) = (0_usize, false, 0_usize);
    for (number, line) in
        text.trim_start_matches('\u{feff}').lines().enumerate().map(|(at, line)| (at + 1, line))
    {
        let was_continued = std::mem::replace(&mut continues, line.ends_with('\\'));
        let words = line.trim();
        if words.is_empty() || (words.starts_with('#') && !was_continued) {
            continue;
        }
        let at_top = depth == 0 && !was_continued;
        depth = depth.saturating_add(opened(words)).saturating_sub(closed(words));
        match assignment(line).filter(|_| at_top) {
            Some(Assignment { name, value, overrides }) => found.assign(name, value, overrides),
            None if unread < NAMED => {
                unread += 1;
                found.left.push(format!("line {number} is not imported: {}", shown(words)));
            }
            None => unread += 1,
        }
        if words.contains("<<") {
            found.left.push(format!("what follows line {number} is not read: it may be a here-document"));
            break;
        }
    }
    if unread > NAMED {
        found.left.push(format!("{} more lines are not imported", unread - NAMED));
    }
    found
}

impl Assignments {
    /// `${NAME:-default}` only says what holds where nothing is set.
    fn assign(&mut self, name: &str, value: String, overrides: bool) {
        match self.values.iter_mut().find(|(known, _)| known == name) {
            Some((_, old)) if overrides || old.is_empty() => *old = value,
            Some(_) => {}
            None => self.values.push((name.to_owned(), value)),
        }
    }
}

struct Assignment<'a> {
    name: &'a str,
    value: String,
    overrides: bool,
}

/// A line of one of the two shapes.
fn assignment(line: &str) -> Option<Assignment<'_>> {
    let (name, rest) = line.strip_prefix("export ")?.trim_start().split_once('=')?;
    let is_name = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_';
    if name.is_empty() || !name.bytes().all(is_name) {
        return None;
    }
    let (value, quotes) = one_word(rest)?;
    let default = value.strip_prefix("${").and_then(|rest| rest.strip_prefix(name)?.strip_prefix(":-"));
    let (text, overrides) = match default {
        Some(default) => (default.strip_suffix('}').filter(|text| !text.contains('}'))?, false),
        None => (value, true),
    };
    is_plain(text, quotes).then(|| Assignment { name, value: text.to_owned(), overrides })
}

/// What holds a value together.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Quotes {
    Without,
    Single,
    Double,
}

/// What is between quotes, or up to the next blank; nothing but a comment may follow.
fn one_word(rest: &str) -> Option<(&str, Quotes)> {
    let quotes = match rest.chars().next() {
        Some('"') => Quotes::Double,
        Some('\'') => Quotes::Single,
        _ => Quotes::Without,
    };
    let (value, after) = match quotes {
        Quotes::Double => rest.get(1..)?.split_once('"')?,
        Quotes::Single => rest.get(1..)?.split_once('\'')?,
        Quotes::Without => rest.split_at(rest.find(char::is_whitespace).unwrap_or(rest.len())),
    };
    let comment = after.trim_start();
    let ends = comment.is_empty() || (comment.starts_with('#') && comment.len() < after.len());
    ends.then_some((value, quotes))
}

/// A text in which a shell would find nothing to do.
fn is_plain(text: &str, quotes: Quotes) -> bool {
    const ANYWHERE: [char; 4] = ['$', '`', '\\', '"'];
    match quotes {
        // Only this is not as it looks: a person may have meant what a shell would not do.
        Quotes::Single => !text.contains('$'),
        Quotes::Double => !text.contains(ANYWHERE),
        Quotes::Without => {
            !text.contains(ANYWHERE)
                && !text.contains([';', '&', '|', '<', '>', '(', ')', '\'', '*', '?', '[', '~', '{', '}'])
        }
    }
}

/// How many compound commands begin in this line.
fn opened(line: &str) -> usize {
    let first = line.split(|c: char| c.is_whitespace() || c == ';').next().unwrap_or_default();
    let begins =
        matches!(first, "if" | "for" | "while" | "until" | "case" | "select" | "function" | "{" | "(");
    usize::from(begins || line.ends_with('{'))
}

/// How many end in it.
fn closed(line: &str) -> usize {
    let ends = |word: &&str| matches!(*word, "fi" | "done" | "esac" | "}" | ")");
    line.split(|c: char| c.is_whitespace() || c == ';').filter(ends).count()
}
