//! A task in a file of its own: fields in front matter, then what is to be done.

use std::ops::Range;
use std::sync::Arc;

use windlass_core::values::TaskRow;

use super::file::{Found, without_mark};
use super::problem::{self, Problem, ProblemKind};
use super::task::{Insertion, ListedTask, StatePlace};
use super::{protection, words};

/// Front matter: `key: value` lines between two lines of `---`. What is nested deeper is nobody's concern here.
struct Matter<'a> {
    entries: Vec<Entry<'a>>,
    /// Where its last line begins.
    end: usize,
    /// What comes after it.
    body: usize,
}

struct Entry<'a> {
    key: &'a str,
    /// Where the value stands in its line, without blanks around it.
    value: Range<usize>,
    /// The value, or the items of its list, or its lines.
    items: Vec<String>,
    line: usize,
}

/// Reads a file. All ranges are of the text as it is, a byte order mark included.
pub(super) fn read(name: &Arc<str>, text: &str) -> Found {
    let (_, mark) = without_mark(text);
    let mut found = Found::default();
    let matter = match matter(text, mark) {
        Ok(matter) => matter,
        Err((line, sentence)) => {
            let kind = ProblemKind::Malformed;
            found.problems.push(Problem { kind, file: name.clone(), line: Some(line), sentence });
            return found;
        }
    };
    let body = text.get(matter.body..).unwrap_or_default();
    let mut task = ListedTask { file: name.clone(), line: 1, block: 0..text.len(), ..ListedTask::default() };
    stem(name).clone_into(&mut task.row.id.0);
    task.row.priority = TaskRow::USUAL_PRIORITY;
    task.place = StatePlace::Missing(vec![missing(text, matter.end)]);
    for entry in &matter.entries {
        take(&mut task, text, entry, &mut found.problems);
    }
    if task.row.title.is_empty() {
        task.row.title = title(body).unwrap_or_else(|| task.row.id.0.clone());
    }
    // That it breaks something may be said before what it is called.
    if task.row.breaking.as_deref() == Some("") {
        task.row.breaking = Some(task.row.title.clone());
    }
    if task.description.is_empty() {
        body.trim().clone_into(&mut task.description);
    }
    found.tasks.push(task);
    found
}

fn take(task: &mut ListedTask, text: &str, entry: &Entry<'_>, problems: &mut Vec<Problem>) {
    let value = || entry.items.join(" ");
    let some = || Some(value()).filter(|value| !value.is_empty());
    match entry.key.to_lowercase().replace(['-', ' '], "_").as_str() {
        "id" => task.row.id.0 = some().unwrap_or_else(|| task.row.id.0.clone()),
        "title" => task.row.title = value(),
        "status" => status(task, text, entry, problems),
        "priority" => match words::priority(&value()) {
            Some(priority) => task.row.priority = priority,
            None if value().is_empty() => {}
            None => {
                let sentence = problem::unknown_priority(&task.row.id.0, &value());
                problems.push(at(task, ProblemKind::UnknownPriority, entry.line, sentence));
            }
        },
        "dependencies" | "depends_on" | "dependson" => {
            let names = entry.items.iter().flat_map(|item| words::dependencies(item));
            task.named.extend(names.map(|name| (name, entry.line)));
        }
        "type" => task.row.kind = words::kind(&value()),
        "breaking" => task.row.breaking = words::breaking(&value(), &task.row.title),
        "description" => task.description = entry.items.join("\n"),
        "verification" | "success_criteria" | "acceptance_criteria" => {
            task.verification = some().map(|_| entry.items.join("\n"));
        }
        "protected" => {
            let source = text.get(entry.value.clone()).unwrap_or_default();
            let list = source.strip_prefix('[').and_then(|list| list.strip_suffix(']'));
            let patterns = match list {
                Some(list) => protection::split(list).map(scalar).collect(),
                None => entry.items.iter().flat_map(|item| protection::of_text(item)).collect(),
            };
            protection::take(task, patterns, entry.line, problems);
        }
        _ => {}
    }
}

fn status(task: &mut ListedTask, text: &str, entry: &Entry<'_>, problems: &mut Vec<Problem>) {
    let start = entry.value.start;
    let before = if text.get(..start).is_some_and(|text| text.ends_with(':')) { " " } else { "" };
    let empty = Insertion { at: start, before: before.to_owned(), after: String::new() };
    let problem = task.take_status(text.get(entry.value.clone()).unwrap_or_default(), start, empty);
    problems.extend(problem.map(|problem| Problem { line: Some(entry.line), ..problem }));
}

fn at(task: &ListedTask, kind: ProblemKind, line: usize, sentence: String) -> Problem {
    Problem { line: Some(line), ..task.problem(kind, sentence) }
}

/// A line for a status at the end of the front matter.
fn missing(text: &str, end: usize) -> Insertion {
    let crlf = text.get(..end).is_some_and(|before| before.ends_with("\r\n"));
    let after = if crlf { "\r\n" } else { "\n" };
    Insertion { at: end, before: "status: ".to_owned(), after: after.to_owned() }
}

/// A file's name without folder and ending.
fn stem(name: &str) -> &str {
    let file = name.rsplit(['/', '\\']).next().unwrap_or(name);
    file.rsplit_once('.').map_or(file, |(stem, _)| stem)
}

/// The first heading of a text.
fn title(body: &str) -> Option<String> {
    let line = body.lines().find(|line| line.starts_with('#'))?;
    let title = line.trim_start_matches('#').trim().trim_end_matches('#').trim();
    (!title.is_empty()).then(|| title.to_owned())
}

fn matter(text: &str, mark: usize) -> Result<Matter<'_>, (usize, String)> {
    let mut lines = Lines { text, at: mark, number: 0 };
    if lines.next().is_none_or(|line| line.text.trim_end() != "---") {
        return Err((1, "has no front matter: a task begins with a line `---`".to_owned()));
    }
    let mut matter = Matter { entries: Vec::new(), end: 0, body: 0 };
    for line in lines {
        if matches!(line.text.trim_end(), "---" | "...") {
            (matter.end, matter.body) = (line.start, line.end);
            return Ok(matter);
        }
        matter.take(&line);
    }
    Err((1, "has front matter without an end: it ends with a line `---`".to_owned()))
}

struct SourceLine<'a> {
    text: &'a str,
    start: usize,
    /// With its end.
    end: usize,
    number: usize,
}

struct Lines<'a> {
    text: &'a str,
    at: usize,
    number: usize,
}

impl<'a> Iterator for Lines<'a> {
    type Item = SourceLine<'a>;

    fn next(&mut self) -> Option<SourceLine<'a>> {
        let rest = self.text.get(self.at..).filter(|rest| !rest.is_empty())?;
        let length = memchr::memchr(b'\n', rest.as_bytes()).map_or(rest.len(), |end| end + 1);
        let text = rest.get(..length)?.trim_end_matches(['\n', '\r']);
        let start = self.at;
        self.at += length;
        self.number += 1;
        Some(SourceLine { text, start, end: self.at, number: self.number })
    }
}

impl<'a> Matter<'a> {
    fn take(&mut self, line: &SourceLine<'a>) {
        let text = line.text;
        if let Some(item) = text.trim_start().strip_prefix("- ") {
            return self.add(scalar(item));
        }
        if text.starts_with([' ', '\t']) {
            return self.add(text.trim().to_owned());
        }
        let Some((key, value)) = text.split_once(':').filter(|_| !text.starts_with('#')) else { return };
        let source = without_comment(value.trim());
        let start = line.start + key.len() + 1 + (value.len() - value.trim_start().len());
        let items = match source {
            "" | "|" | ">" | "|-" | ">-" | "[]" => Vec::new(),
            _ => match source.strip_prefix('[').and_then(|list| list.split_once(']')) {
                Some((list, _)) => list.split(',').map(scalar).filter(|item| !item.is_empty()).collect(),
                None => vec![scalar(source)],
            },
        };
        let key = key.trim().trim_matches(['"', '\'']);
        let value = start..start + source.len();
        self.entries.push(Entry { key, value, items, line: line.number });
    }

    fn add(&mut self, item: String) {
        if let Some(entry) = self.entries.last_mut().filter(|_| !item.is_empty()) {
            entry.items.push(item);
        }
    }
}

/// A value without quotes and comment.
fn scalar(source: &str) -> String {
    let source = without_comment(source.trim());
    if source.starts_with('"') {
        return serde_json::from_str(source).unwrap_or_else(|_| source.trim_matches('"').to_owned());
    }
    match source.strip_prefix('\'') {
        Some(rest) => rest.strip_suffix('\'').unwrap_or(rest).replace("''", "'"),
        None => source.to_owned(),
    }
}

/// Where a list ends, its bracket included; what is in quotes or in brackets of its own does not end it.
fn end_of_list(source: &str) -> Option<usize> {
    let (mut depth, mut quote) = (0_usize, None);
    for (at, letter) in source.char_indices() {
        match letter {
            _ if quote == Some(letter) => quote = None,
            _ if quote.is_some() => {}
            '"' | '\'' => quote = Some(letter),
            '[' => depth += 1,
            ']' if depth == 1 => return Some(at + 1),
            ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    None
}

/// A value up to its end; a comment may follow.
fn without_comment(source: &str) -> &str {
    let closed = |close: &str| {
        let end = source.get(1..).and_then(|rest| rest.find(close)).map(|end| 1 + end + close.len());
        end.unwrap_or(source.len())
    };
    let end = match source.chars().next() {
        Some('"') if source.contains('\\') => source.rfind('"').map_or(source.len(), |end| end + 1),
        Some('"') => closed("\""),
        Some('\'') if source.contains("''") => source.rfind('\'').map_or(source.len(), |end| end + 1),
        Some('\'') => closed("'"),
        Some('[') => end_of_list(source).unwrap_or(source.len()),
        Some('#') => 0,
        _ => source.find(" #").unwrap_or(source.len()),
    };
    source.get(..end).unwrap_or(source).trim_end()
}
