//! Markdown at a terminal, quietly: emphasis becomes a tone, its marks go, and the words stay where they are.

use crate::line::Tone;

/// How an agent's words are shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Prose {
    /// As they were written: in files, and where there are no tones that could stand for marks.
    #[default]
    AsWritten,
    /// With tones for marks.
    Rendered,
}

/// A text, row by row.
#[derive(Debug, Default)]
pub(crate) struct Markdown {
    /// Within a block of code.
    fenced: bool,
}

impl Markdown {
    /// The pieces of a row; `None` = it is a mark and nothing else.
    pub(crate) fn row(&mut self, row: &str) -> Option<Vec<(Tone, String)>> {
        let bare = row.trim_start();
        if bare.starts_with("```") || bare.starts_with("~~~") {
            self.fenced = !self.fenced;
            return None;
        }
        if self.fenced {
            return Some(vec![(Tone::Code, row.to_owned())]);
        }
        let heading = bare.trim_start_matches('#');
        if heading.len() < bare.len() && bare.len() - heading.len() <= 6 && heading.starts_with(' ') {
            return Some(vec![(Tone::Strong, heading.trim().replace("**", ""))]);
        }
        let indent = row.get(..row.len() - bare.len()).unwrap_or_default();
        let item = bare.strip_prefix("- ").or_else(|| bare.strip_prefix("* "));
        Some(match item {
            Some(item) => emphasised(&format!("{indent}• {item}")),
            None => emphasised(row),
        })
    }
}

/// `**bold**` and `` `code` `` of a row; marks without a partner are text.
fn emphasised(row: &str) -> Vec<(Tone, String)> {
    let mut pieces = Vec::new();
    let mut rest = row;
    while let Some((before, mark, inner, after)) = next_emphasis(rest) {
        pieces.push((Tone::Plain, before.to_owned()));
        pieces.push((if mark == "`" { Tone::Code } else { Tone::Strong }, inner.to_owned()));
        rest = after;
    }
    pieces.push((Tone::Plain, rest.to_owned()));
    pieces.retain(|(_, text)| !text.is_empty());
    pieces
}

/// What is before the first emphasis, its mark, what it holds, and what is behind it.
fn next_emphasis(text: &str) -> Option<(&str, &'static str, &str, &str)> {
    let found = ["**", "`"].into_iter().filter_map(|mark| {
        let (before, behind) = text.split_once(mark)?;
        let (inner, after) = behind.split_once(mark)?;
        let is_text = inner.is_empty() || mark == "**" && inner.starts_with([' ', '*']);
        (!is_text).then_some((before, mark, inner, after))
    });
    found.min_by_key(|(before, ..)| before.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> Vec<String> {
        let mut markdown = Markdown::default();
        let rows = text.lines().filter_map(|row| markdown.row(row));
        rows.map(|row| {
            row.into_iter().map(|(tone, text)| format!("{tone:?}:{text}")).collect::<Vec<_>>().join("|")
        })
        .collect()
    }

    #[test]
    fn marks_become_tones_and_words_stay() {
        assert_eq!(
            shown(
                "# Plan **A**\n- read `a.rs`, then **mend** it\n  * nested\n```rust\nlet **x** = `1`;\n```\nplain"
            ),
            [
                "Strong:Plan A",
                "Plain:• read |Code:a.rs|Plain:, then |Strong:mend|Plain: it",
                "Plain:  • nested",
                "Code:let **x** = `1`;",
                "Plain:plain",
            ]
        );
    }

    #[test]
    fn what_is_no_markdown_is_left_alone() {
        for text in ["2 ** 3 ** 4", "a `half", "#hash", "####### seven", "**", "``", "--flag", "-x"] {
            assert_eq!(shown(text), [format!("Plain:{text}")], "{text}");
        }
    }
}
