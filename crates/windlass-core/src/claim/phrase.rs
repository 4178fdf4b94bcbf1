//! A free goal (seed 004): claimed by a phrase on a line of its own, in several iterations in a row.

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag};

use crate::nesting::is_too_deep;
use crate::values::{CallReport, Class};

/// The phrase counts as the last line of the last result, which is not an error: what was said after it takes it back. Tool
/// results, the agent's other words and files are never looked at; the prompt names the phrase within a sentence only, so
/// that its echo is not a claim.
pub(super) fn claims(signal: &str, report: &CallReport) -> bool {
    let last_word = report.results.last().filter(|_| report.class == Class::Success);
    last_word.is_some_and(|text| ends_with_signal(text, signal))
}

/// Is the phrase the last line that is not blank, and no part of a fenced block?
fn ends_with_signal(text: &str, signal: &str) -> bool {
    let text = text.trim_end();
    let start = text.rfind('\n').map_or(0, |end| end + 1);
    is_signal(text.get(start..).unwrap_or_default(), signal) && !is_fenced(text, start)
}

/// Is a line the phrase and nothing else but emphasis around it? The prompt itself prints it between backticks.
pub fn is_signal(line: &str, signal: &str) -> bool {
    let mut bare = line.trim();
    if signal.is_empty() {
        return false;
    }
    loop {
        if bare == signal {
            return true;
        }
        let inner = ['*', '_', '`'].iter().find_map(|sign| bare.strip_prefix(*sign)?.strip_suffix(*sign));
        let Some(inner) = inner else { return false };
        bare = inner.trim();
    }
}

/// Does this place stand in a fenced block, one that was never closed included? What nests too deep to be read is not a claim.
fn is_fenced(text: &str, place: usize) -> bool {
    if is_too_deep(text) {
        return true;
    }
    Parser::new_ext(text, Options::empty()).into_offset_iter().any(|(event, range)| {
        matches!(event, Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(_)))) && range.contains(&place)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIGNAL: &str = "WINDLASS_JOB_COMPLETE";

    #[test]
    fn the_phrase_counts_as_the_last_line_and_nowhere_else() {
        let table = [
            ("WINDLASS_JOB_COMPLETE", true),
            ("All is done.\n\nWINDLASS_JOB_COMPLETE\n\n", true),
            ("All is done.\r\n  WINDLASS_JOB_COMPLETE  \r\n \t\r\n", true),
            ("`WINDLASS_JOB_COMPLETE`", true),
            ("**WINDLASS_JOB_COMPLETE**", true),
            ("done\n**`WINDLASS_JOB_COMPLETE`**", true),
            ("_WINDLASS_JOB_COMPLETE_", true),
            ("```sh\nmake test\n```\nWINDLASS_JOB_COMPLETE", true),
            ("- one\n  ```\n  code\n  ```\n\nWINDLASS_JOB_COMPLETE", true),
            ("</details>\nWINDLASS_JOB_COMPLETE", true),
            ("WINDLASS_JOB_COMPLETE\nNo: one test still fails.", false),
            ("WINDLASS_JOB_COMPLETE\n\n---", false),
            ("WINDLASS_JOB_COMPLETE is what I shall write once it is done", false),
            ("I do not write WINDLASS_JOB_COMPLETE", false),
            ("```\nWINDLASS_JOB_COMPLETE\n```", false),
            ("```\nWINDLASS_JOB_COMPLETE", false),
            ("~~~text\nWINDLASS_JOB_COMPLETE", false),
            ("- item\n  ```\n  WINDLASS_JOB_COMPLETE", false),
            ("> ```\n> x\n\nWINDLASS_JOB_COMPLETE", true),
            ("> ```\n> x\nWINDLASS_JOB_COMPLETE", true),
            ("- ```\n  x\nWINDLASS_JOB_COMPLETE", true),
            ("not WINDLASS_JOB_COMPLETE", false),
            ("WINDLASS_JOB_COMPLETE.", false),
            ("`WINDLASS_JOB_COMPLETE", false),
            ("windlass_job_complete", false),
            ("", false),
        ];
        for (text, expected) in table {
            assert_eq!(ends_with_signal(text, SIGNAL), expected, "{text:?}");
        }
        assert!(!ends_with_signal("", "") && !ends_with_signal("**", ""));
        assert!(ends_with_signal("**DONE**", "**DONE**"), "a phrase with signs of its own");
        let deep = format!("{}\n{SIGNAL}", "> ".repeat(5000));
        assert!(!ends_with_signal(&deep, SIGNAL));
    }
}
