//! What is known of decisions about conflicts of principles.

use serde::Serialize;
use windlass_jobs::doc::decision_log::Decision;

use crate::document::listed;
use crate::harmless::one_line;
use crate::line::{Line, rendered};
use crate::terminal::Terminal;

/// A decision that was read, and the log it stands in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DecisionShown {
    /// The log, from the working directory.
    pub file: String,
    /// What it says.
    #[serde(flatten)]
    pub decision: Decision,
}

/// Each with its time, what was asked and why, the oldest first within its log.
pub fn decisions_text(shown: &[DecisionShown], terminal: &Terminal) -> String {
    let mut lines = Vec::new();
    for DecisionShown { file, decision } in shown {
        let from = match decision.run.as_str() {
            "" => one_line(file),
            run => format!("{} iteration {}", one_line(run), decision.iteration),
        };
        lines.push(
            Line::hanging(2)
                .strong(one_line(&decision.decision))
                .dim(format!("  {} · {from}", one_line(&decision.time))),
        );
        let about =
            [("asked: ", &decision.question), ("chosen: ", &decision.chosen), ("why: ", &decision.rationale)];
        let said = about.into_iter().filter(|(_, text)| !text.is_empty());
        lines.extend(said.map(|(label, text)| Line::hanging(4).plain("  ").dim(label).plain(one_line(text))));
    }
    rendered(&lines, terminal)
}

/// The same as one line of JSON.
pub fn decisions_json(decisions: &[DecisionShown]) -> Vec<u8> {
    listed("decisions", decisions)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::columns;

    // rows: 103
    #[test]
    fn each_says_what_was_decided_of_what_and_why() {
        let own = Decision {
            time: "2026-11-23T10:00:00Z".to_owned(),
            run: "r-1".to_owned(),
            iteration: 3,
            attempt: 2,
            question: "Ship?".to_owned(),
            chosen: "now".to_owned(),
            decision: "ship\u{1b}[1m it".to_owned(),
            rationale: "cheap".to_owned(),
            ..Decision::default()
        };
        let old = Decision { time: "2026".to_owned(), decision: "small".to_owned(), ..Decision::default() };
        let shown = [(".claude/principles-decisions.log", old), (".windlass/decisions.jsonl", own)]
            .map(|(file, decision)| DecisionShown { file: file.to_owned(), decision });
        let text = decisions_text(&shown, &columns(80));
        let expected = "small  2026 · .claude/principles-decisions.log\n";
        assert!(text.starts_with(expected), "{text}");
        assert!(text.contains("r-1 iteration 3\n  asked: Ship?\n  chosen: now\n  why: cheap\n"), "{text}");
        assert!(!text.contains('\u{1b}'), "{text:?}");
        let json = decisions_json(&shown);
        crate::view::check_document("decisions", &json);
    }
}
