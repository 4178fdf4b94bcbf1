//! What a text in which no task is found seems to hold, so that its refusal can name it.

use super::status::{is_listed, is_sign_alone, state_of};
use crate::doc::text::quoted;

/// Lines of a kind: what one and several are called, and what is to be done by one of them.
struct Kind {
    one: &'static str,
    several: &'static str,
    title: fn(&str) -> Option<&str>,
    /// It counts where one of so many list items is of it: one that happens to end in such a word says nothing of the others.
    one_of: usize,
}

/// It counts wherever it is.
const ALWAYS: usize = usize::MAX;

/// All kinds; of a text the first counts that one of its lines is of.
const KINDS: [Kind; 12] = [
    Kind { one: "`<task>` element", several: "`<task>` elements", title: element, one_of: ALWAYS },
    Kind { one: "heading of Org", several: "headings of Org", title: org, one_of: ALWAYS },
    Kind {
        one: "box that begins no list item",
        several: "boxes that begin no list item",
        title: boxed,
        one_of: ALWAYS,
    },
    Kind { one: "line of todo.txt", several: "lines of todo.txt", title: todo_txt, one_of: ALWAYS },
    Kind { one: "entry of YAML", several: "entries of YAML", title: yaml, one_of: ALWAYS },
    Kind { one: "table of TOML", several: "tables of TOML", title: toml, one_of: ALWAYS },
    Kind {
        one: "line that begins with a sign",
        several: "lines that begin with a sign",
        title: sign,
        one_of: ALWAYS,
    },
    Kind { one: "list item with a status", several: "list items with a status", title: status, one_of: 3 },
    Kind { one: "line with a state", several: "lines with states", title: keyed, one_of: ALWAYS },
    Kind { one: "heading with a number", several: "headings with numbers", title: numbered, one_of: ALWAYS },
    Kind { one: "row of a table", several: "rows of a table", title: row, one_of: ALWAYS },
    Kind { one: "list item without a box", several: "list items without a box", title: item, one_of: ALWAYS },
];

/// What such a text holds that is not read, and what to do about it, as the end of a sentence.
pub(super) fn seen(text: &str) -> Option<String> {
    let lines = shown_lines(text);
    let items = lines.iter().filter(|(_, line)| item(line).is_some()).count();
    KINDS.iter().find_map(|kind| {
        let found: Vec<_> =
            lines.iter().filter_map(|(number, line)| Some((number, (kind.title)(line)?))).collect();
        let (line, title) = found.first()?;
        if items / kind.one_of > found.len() {
            return None;
        }
        let what = if found.len() == 1 { kind.one } else { kind.several };
        let title = if title.is_empty() { "What is to be done" } else { title };
        Some(format!(
            "its {} {what} (line {line}) cannot be read as tasks: write each in Markdown as `- [ ] {}`",
            found.len(),
            quoted(title)
        ))
    })
}

/// Numbers and texts of all lines but those of code in fences and of comments that begin a line.
fn shown_lines(text: &str) -> Vec<(usize, &str)> {
    let (mut is_code, mut is_comment) = (false, false);
    let numbered = text.lines().enumerate().map(|(index, line)| (index + 1, line));
    numbered
        .filter(|(_, line)| {
            let begin = line.trim_start();
            let is_fence = !is_comment && (begin.starts_with("```") || begin.starts_with("~~~"));
            is_code ^= is_fence;
            let was_comment = is_comment;
            is_comment = !is_code && (is_comment || begin.starts_with("<!--")) && !line.contains("-->");
            let is_hidden = was_comment || is_comment || (!is_code && begin.starts_with("<!--"));
            !is_code && !is_fence && !is_hidden
        })
        .collect()
}

/// `[ ] Parse`, `**[x] Parse**`, `a. [ ] Parse`, `# [ ] Parse`, `- [ ]Parse`.
fn boxed(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let lettered = line.split_once(['.', ')']).filter(|(letter, _)| {
        letter.len() == 1 && letter.starts_with(|first: char| first.is_ascii_alphabetic())
    });
    let line = lettered.map_or(line, |(_, rest)| rest).trim_start_matches("<li>");
    let text =
        line.trim_start_matches(|letter: char| "#*_-+>|.) \t".contains(letter) || letter.is_ascii_digit());
    let title = ["[ ]", "[x]", "[X]", "[]"].iter().find_map(|sign| text.strip_prefix(sign))?;
    let title = title.trim().trim_end_matches("</li>").trim_matches(['*', '_', '|', ' ']);
    let is_link = title.starts_with(['(', '[', ':']);
    (!is_link).then_some(title)
}

/// `## 1. Parse`, `### ✅ 2. Print`.
fn numbered(line: &str) -> Option<&str> {
    let title = line.trim_start_matches('#');
    let is_heading = title.len() < line.len() && title.starts_with(' ');
    let title = title
        .trim_start_matches(|letter: char| letter == ' ' || !(letter.is_ascii() || letter.is_alphanumeric()));
    let text = title.trim_start_matches(|letter: char| letter.is_ascii_digit() || letter == '.');
    (is_heading && text.len() < title.len() && text.starts_with(' ')).then_some(text.trim())
}

/// `  1-2-log-out: backlog`, of YAML.
fn keyed(line: &str) -> Option<&str> {
    let (key, word) = line.trim().split_once(": ")?;
    let is_key = !key.is_empty()
        && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'));
    let is_own = matches!(key.to_lowercase().as_str(), "status" | "state" | "phase");
    (is_key && !is_own && state_of(word.trim_matches(['"', '\''])).is_some()).then_some(key)
}

/// `| Parse | no |`: neither head nor the line below it is one.
fn row(line: &str) -> Option<&str> {
    let inner = line.trim().strip_prefix('|')?.strip_suffix('|')?;
    let mut cells = inner.split('|').map(str::trim);
    cells
        .clone()
        .any(|cell| state_of(cell).is_some() || matches!(cell.to_lowercase().as_str(), "yes" | "no" | "x"))
        .then(|| cells.find(|cell| cell.len() > 3).unwrap_or_default())
}

/// `[[task]]`
fn toml(line: &str) -> Option<&str> {
    line.trim().strip_prefix("[[")?.strip_suffix("]]").map(|_| "")
}

/// `<task type="auto">`, as GSD has it.
pub(super) fn element(line: &str) -> Option<&str> {
    let rest = line.trim_start().strip_prefix("<task")?;
    rest.starts_with([' ', '>']).then_some("")
}

/// `** TODO [#A] Write docs`.
fn org(line: &str) -> Option<&str> {
    org_parts(line).map(|(_, title)| title)
}

/// The word that such a heading begins with, and its title.
pub(super) fn org_parts(line: &str) -> Option<(&str, &str)> {
    const WORDS: [&str; 7] = ["TODO", "NEXT", "DOING", "STARTED", "WAITING", "DONE", "CANCELLED"];
    let rest = line.trim_start_matches('*');
    let (word, title) = rest.strip_prefix(' ').filter(|_| rest.len() < line.len())?.split_once(' ')?;
    WORDS.contains(&word).then_some((word, title.trim()))
}

/// `(A) Write docs`, `x 2026-11-01 Print it`.
fn todo_txt(line: &str) -> Option<&str> {
    let mut letters = line.chars();
    let is_open = letters.next() == Some('(')
        && letters.next().is_some_and(|level| level.is_ascii_uppercase())
        && letters.as_str().starts_with(") ");
    if is_open {
        return line.get(4..).map(str::trim);
    }
    let (date, title) = line.strip_prefix("x ")?.split_once(' ')?;
    let is_date = date.len() == 10 && date.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
    is_date.then_some(title.trim())
}

/// `- id: T1`, `- title: Parse`.
fn yaml(line: &str) -> Option<&str> {
    const KEYS: [&str; 7] = ["id", "title", "name", "task", "content", "description", "status"];
    let (key, value) = line.trim_start().strip_prefix("- ")?.split_once(':')?;
    let value = value.trim().trim_matches(['"', '\'']);
    KEYS.contains(&key).then_some(if key == "id" { "" } else { value })
}

/// `✅ Parse the header`, also as a list item.
fn sign(line: &str) -> Option<&str> {
    let text = bullet(line).unwrap_or(line).trim_start();
    let end = text.find(' ')?;
    let (sign, title) = text.split_at_checked(end)?;
    (is_sign_alone(sign) || is_listed(sign)).then_some(title.trim())
}

/// `- **Parser** — done`.
fn status(line: &str) -> Option<&str> {
    let text = bullet(line)?;
    let cut = ["—", "–", " - ", ":"].iter().find_map(|sign| text.rsplit_once(sign));
    let (title, _) = cut.filter(|(_, word)| state_of(word).is_some())?;
    Some(title.trim().trim_matches(['*', '_', '`']))
}

fn item(line: &str) -> Option<&str> {
    bullet(line).map(str::trim).filter(|title| !title.is_empty())
}

/// What comes after what a list item begins with.
fn bullet(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let digits = line.trim_start_matches(|letter: char| letter.is_ascii_digit());
    let counted = digits.strip_prefix(['.', ')']).filter(|_| digits.len() < line.len());
    line.strip_prefix(['-', '*', '+']).or(counted)?.strip_prefix([' ', '\t'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_text_holds_in_place_of_tasks_is_named_with_its_line() {
        for (text, expected) in [
            ("<tasks>\n<task type=\"auto\">\n</task>\n", "its 1 `<task>` element (line 2)"),
            ("#+TITLE: x\n* TODO Parse\n** DONE Print\n", "its 2 headings of Org (line 2)"),
            ("x 2026-11-01 Print +core\n(B) Write\n", "its 2 lines of todo.txt (line 1)"),
            ("tasks:\n  - id: T1\n    title: Parse\n", "its 1 entry of YAML (line 2)"),
            ("# P\n\n✅ Parse\n❌ Ship\n- ☐ Write\n", "its 3 lines that begin with a sign (line 3)"),
            (
                "- **Parser** — done\n- Printer: in progress\n- other\n",
                "its 2 list items with a status (line 1)",
            ),
            ("# P\n1. Parse\n2. Print\n", "its 2 list items without a box (line 2)"),
            (
                "- Parse\n- Print\n- Ship: done\n- Help\n- Log\n- Pay\n- Sell\n",
                "its 7 list items without a box (line 1)",
            ),
        ] {
            let said = seen(text).unwrap_or_default();
            assert!(said.starts_with(expected), "{text}: {said}");
        }
        assert!(
            seen("1. Parse it\n")
                .is_some_and(|said| said.ends_with("write each in Markdown as `- [ ] Parse it`"))
        );
        for nothing in [
            "",
            "# Notes\n\nWe want it all.\n",
            "```\n- a\n```\n",
            "---\n***\n",
            "3.5 GB\n",
            "# Tasks\n\n<!--\n- **Status**: pending\n- one\n-->\n<!-- - two -->\n",
        ] {
            assert_eq!(seen(nothing), None, "{nothing}");
        }
    }
}
