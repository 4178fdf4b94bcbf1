//! The `todos` of front matter, line by line.

use std::ops::Range;
use std::sync::Arc;

use crate::doc::ProblemKind;
use crate::doc::tasks::task::{Insertion, StatePlace};
use crate::doc::tasks::{Reading, Task, words};
use crate::doc::text::{line_end, one_line, without_mark};

/// Reads the todos of a text; nothing where it has none. All ranges are of the text as it is.
pub(super) fn read(name: &Arc<str>, text: &str) -> Reading {
    let (bare, mark) = without_mark(text);
    let mut reader =
        Reader { name, text, found: Reading::default(), key: String::new(), within: None, open: None };
    let mut at = mark;
    for (number, line) in (1..).zip(bare.split_inclusive('\n')) {
        let content = line.trim_end();
        match (number, content) {
            (1, "---") => {}
            (1, _) | (_, "---" | "...") => break,
            _ if reader.goes_on(content, at) => {}
            _ => reader.line(content, at, number),
        }
        at += line.len();
        if let Some(task) = reader.found.tasks.last_mut().filter(|_| reader.within.is_some()) {
            task.block.end = at;
        }
    }
    let mut found = reader.found;
    let is_whole = |task: &Task| !task.row.title.is_empty() && !task.row.id.0.is_empty();
    let broken = found.tasks.iter().filter(|task| !is_whole(task));
    let sentence = "is a todo without an `id` or without `content`: write both";
    let problems = broken.map(|task| task.problem(ProblemKind::Malformed, sentence.to_owned()));
    found.problems.extend(problems);
    found.tasks.retain(is_whole);
    found
}

struct Reader<'a> {
    name: &'a Arc<str>,
    text: &'a str,
    found: Reading,
    /// The latest key of the latest todo.
    key: String,
    /// Within the todos: how far their dashes are indented.
    within: Option<usize>,
    /// The latest value, where further lines may belong to it.
    open: Option<Open>,
}

/// A value that goes on in the lines below it: those that are indented further than its key, or all up to its closing quote.
struct Open {
    /// How far its key is indented.
    indent: usize,
    /// Which quote ends it.
    quote: Option<char>,
    /// What there is of it.
    text: String,
}

impl Open {
    /// What begins here; `None` where the next line is something else in any case.
    fn of(key: &str, source: &str, indent: usize) -> Option<Open> {
        let quote = source.chars().next().filter(|letter| matches!(letter, '"' | '\''));
        let is_block = source.starts_with(['|', '>'])
            && source.chars().skip(1).all(|letter| matches!(letter, '+' | '-' | '0'..='9'));
        let is_words = matches!(key, "content" | "title");
        match quote {
            Some(quote) if is_closed(source, quote) => None,
            None if !is_block && !is_words => None,
            _ => Some(Open { indent, quote, text: if is_block { String::new() } else { source.to_owned() } }),
        }
    }
}

/// Does the quote that a value begins with end in it? One that is doubled, or stands behind a backslash, is a part of it.
fn is_closed(source: &str, quote: char) -> bool {
    let mut letters = source.chars().skip(1).peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' if quote == '"' => drop(letters.next()),
            '\'' if quote == '\'' && letters.next_if_eq(&'\'').is_some() => {}
            _ if letter == quote => return true,
            _ => {}
        }
    }
    false
}

impl Reader<'_> {
    /// Takes in a line of a value that began further up; `false` where it is none.
    fn goes_on(&mut self, content: &str, at: usize) -> bool {
        let Some(open) = &mut self.open else { return false };
        let indent = content.len() - content.trim_start().len();
        if open.quote.is_none() && indent <= open.indent && !content.trim().is_empty() {
            self.open = None;
            return false;
        }
        if !open.text.is_empty() && !content.trim().is_empty() {
            open.text.push(' ');
        }
        open.text.push_str(content.trim());
        let (text, is_over) =
            (open.text.clone(), open.quote.is_some_and(|quote| is_closed(&open.text, quote)));
        if let Some(task) = self.found.tasks.last_mut().filter(|_| matches!(&*self.key, "content" | "title"))
        {
            task.row.title = one_line(&scalar(&text));
            if let StatePlace::Missing(places) = &mut task.place
                && !content.trim().is_empty()
            {
                for place in places.iter_mut() {
                    place.at = at + content.len();
                }
            }
        }
        if is_over {
            self.open = None;
        }
        true
    }

    /// Takes in a line that begins here.
    fn line(&mut self, content: &str, at: usize, number: usize) {
        let indent = content.len() - content.trim_start().len();
        let item = content.trim_start().strip_prefix('-').filter(|rest| rest.starts_with(' '));
        if indent == 0 && item.is_none() {
            self.within = (content == "todos:").then_some(usize::MAX);
            return;
        }
        let Some(dash) = self.within else { return };
        match item {
            Some(rest) if dash == usize::MAX || indent <= dash => {
                self.within = Some(indent);
                self.found.tasks.push(Task::new(self.name, number, at..at));
                self.member(rest, at + content.len() - rest.len(), number, indent + 2);
            }
            Some(name) => self.dependencies(name, number),
            None => self.member(content, at, number, indent),
        }
    }

    /// Takes in `key: value`.
    fn member(&mut self, source: &str, at: usize, line: usize, indent: usize) {
        let Some((key, value)) = source.split_once(':') else { return };
        let start = at + key.len() + 1 + (value.len() - value.trim_start().len());
        let value = start..start + value.trim().len();
        key.trim().clone_into(&mut self.key);
        let end = at + source.len();
        self.open = Open::of(&self.key, self.text.get(value.clone()).unwrap_or_default(), indent);
        self.take(value, line, (end, indent));
    }

    fn take(&mut self, value: Range<usize>, line: usize, (end, indent): (usize, usize)) {
        let source = self.text.get(value.clone()).unwrap_or_default();
        if matches!(&*self.key, "dependencies" | "depends_on" | "dependsOn") {
            return self.dependencies(source, line);
        }
        let crlf = line_end(self.text);
        let Some(task) = self.found.tasks.last_mut() else { return };
        match &*self.key {
            "id" => task.row.id.0 = scalar(source),
            "content" | "title" => {
                let begun = self.open.as_ref().map_or(source, |open| &open.text);
                task.row.title = one_line(&scalar(begun));
                if matches!(&task.place, StatePlace::Missing(places) if places.is_empty()) {
                    let before = format!("{crlf}{}status: ", " ".repeat(indent));
                    task.place =
                        StatePlace::Missing(vec![Insertion { at: end, before, after: String::new() }]);
                }
            }
            "status" => {
                let before = if self.text.get(..value.start).is_some_and(|text| text.ends_with(':')) {
                    " "
                } else {
                    ""
                };
                let empty = Insertion { at: value.start, before: before.to_owned(), after: String::new() };
                let problem = task.take_status((source, value.start), line, empty);
                self.found.problems.extend(problem);
            }
            _ => {}
        }
    }

    fn dependencies(&mut self, source: &str, line: usize) {
        if !matches!(&*self.key, "dependencies" | "depends_on" | "dependsOn") {
            return;
        }
        let names = source.trim().trim_matches(['[', ']']).split(',').map(scalar);
        let names = names.filter(|name| !name.is_empty() && !words::is_none(name));
        if let Some(task) = self.found.tasks.last_mut() {
            task.named.extend(names.map(|name| (name, line)));
        }
    }
}

/// A value without quotes.
fn scalar(source: &str) -> String {
    let source = source.trim();
    let within = |quote: char| source.strip_prefix(quote)?.strip_suffix(quote);
    match (within('"'), within('\'')) {
        (None, Some(within)) => within.replace("''", "'"),
        (within, _) => within.unwrap_or(source).replace("\\\"", "\""),
    }
}
