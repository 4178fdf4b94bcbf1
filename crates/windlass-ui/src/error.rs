//! How errors look: what went wrong, and what to do about it.

use crate::elsewhere;
use crate::harmless::{harmless, one_line};
use crate::line::{Line, Tone, rendered};
use crate::terminal::Terminal;

/// `error: …` and a `hint: …` for each hint, for stderr; every line ends with a newline. Further lines of the summary
/// are indented below the first.
pub fn render_error(summary: &str, hints: &[String], terminal: &Terminal) -> String {
    let summary = harmless(summary.trim_end());
    let mut rows = summary.lines();
    let mut lines = vec![error_line(rows.next().unwrap_or("unknown"))];
    lines.extend(rows.map(|row| Line::hanging(7).plain("       ").plain(row.trim_end())));
    let typed = |hint| elsewhere::sentence(hint, terminal.elsewhere.as_deref());
    lines.extend(hints.iter().map(|hint| hint_line(&typed(hint))));
    rendered(&lines, terminal)
}

/// `warning: …`, for stderr; ends with a newline.
pub fn render_warning(text: &str, terminal: &Terminal) -> String {
    let text = elsewhere::sentence(text, terminal.elsewhere.as_deref());
    let line = Line::hanging(9).tone(Tone::Warn, "warning:").plain(" ").plain(one_line(&text));
    format!("{}\n", line.render(terminal))
}

pub(crate) fn error_line(text: &str) -> Line {
    Line::hanging(7).tone(Tone::Bad, "error:").plain(" ").plain(one_line(text))
}

fn hint_line(hint: &str) -> Line {
    Line::hanging(7).tone(Tone::Command, "hint:").plain("  ").plain(one_line(hint))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_says_what_and_what_to_do() {
        let hints = ["install it: npm install -g @anthropic-ai/claude-code".to_owned()];
        assert_eq!(
            render_error("cannot find claude\nlooked in PATH\x1b[2J", &hints, &Terminal::plain()),
            "error: cannot find claude\n       looked in PATH\nhint:  install it: npm install -g @anthropic-ai/claude-code\n"
        );
    }

    #[test]
    fn long_errors_hang() {
        let terminal = Terminal { width: Some(30), ..Terminal::plain() };
        assert_eq!(
            render_error("a sentence that does not fit into thirty columns", &[], &terminal),
            "error: a sentence that does\n       not fit into thirty\n       columns\n"
        );
    }
}
