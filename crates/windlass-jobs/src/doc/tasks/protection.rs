//! What a task protects while it is worked on: patterns of files, with `!` before those that it may change although they
//! are protected otherwise.

use windlass_core::guard::Protected;

use super::task::Task;
use super::words::is_none;
use crate::doc::text::quoted;
use crate::doc::{Problem, ProblemKind};

/// So many patterns a task may have.
const MOST: usize = 100;

/// The longest pattern, in bytes.
const LONGEST: usize = 256;

/// Puts down what a task protects, and names what is not a pattern, which is left out.
pub(super) fn take(task: &mut Task, patterns: Vec<String>, line: usize, problems: &mut Vec<Problem>) {
    let id = quoted(&task.row.id.0);
    let mut say = |sentence| problems.push(task.problem_at(line, ProblemKind::BadPattern, sentence));
    let mut kept: Vec<String> = Vec::new();
    for pattern in patterns.into_iter().filter(|pattern| !pattern.is_empty() && !is_none(pattern)) {
        if kept.len() == MOST {
            say(format!("{id} has more than {MOST} patterns of protected files; the first {MOST} count"));
            break;
        }
        if pattern.len() > LONGEST {
            say(format!("{id} has a pattern of protected files that is longer than {LONGEST} bytes"));
        } else if let Err(bad) = Protected::check(&pattern) {
            let (glob, why) = (quoted(&bad.glob), quoted(&bad.why));
            say(format!("{id} protects `{glob}`, which is not a pattern for files: {why}"));
        } else {
            kept.push(pattern);
        }
    }
    task.row.protected = kept;
}

/// The patterns of a text, apart by commas and lines.
pub(super) fn of_text(text: &str) -> Vec<String> {
    text.lines().flat_map(split).map(str::to_owned).collect()
}

/// The same of Markdown's source: perhaps a list, perhaps as code. What is not a code may have signs escaped.
pub(super) fn of_markdown(source: &str) -> Vec<String> {
    let lines = source.lines().map(|line| line.split("<!--").next().unwrap_or_default().trim_start());
    let items = lines.map(|line| {
        let item = line.strip_prefix(['-', '*', '+']).filter(|item| item.starts_with([' ', '\t']));
        item.unwrap_or(line)
    });
    items.flat_map(split).map(plain).collect()
}

/// A pattern without Markdown's signs around it and in it.
fn plain(source: &str) -> String {
    let code = source.strip_prefix('`').and_then(|code| code.strip_suffix('`'));
    if let Some(code) = code {
        return code.trim_matches('`').trim().to_owned();
    }
    // `!` may stand before what is code.
    let code = source.strip_prefix("!`").and_then(|code| code.strip_suffix('`'));
    if let Some(code) = code {
        return format!("!{}", code.trim());
    }
    let mut text = String::with_capacity(source.len());
    let mut letters = source.chars().peekable();
    while let Some(letter) = letters.next() {
        let escapes = letter == '\\' && letters.peek().is_some_and(char::is_ascii_punctuation);
        text.extend(if escapes { letters.next() } else { Some(letter) });
    }
    text
}

/// What stands between commas, without blanks around it; commas in braces, brackets or quotes are the pattern's own.
pub(super) fn split(text: &str) -> impl Iterator<Item = &str> {
    let (mut depth, mut quote, mut escaped) = (0_usize, None, false);
    let parts = text.split(move |letter: char| {
        let is_own = std::mem::take(&mut escaped);
        match letter {
            _ if is_own => {}
            '\\' => escaped = true,
            _ if quote == Some(letter) => quote = None,
            _ if quote.is_some() => {}
            '"' | '`' => quote = Some(letter),
            '{' | '[' => depth += 1,
            '}' | ']' => depth = depth.saturating_sub(1),
            ',' => return depth == 0,
            _ => {}
        }
        false
    });
    parts.map(str::trim).filter(|part| !part.is_empty())
}
