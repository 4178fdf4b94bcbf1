//! The hooks of a project: which there are, and what one said when it was tried out.

use serde::Serialize;
use windlass_core::values::{HookName, HookOutcome, Named};

use super::table::{Align, Column, Narrow, Row, table};
use crate::document::document;
use crate::format;
use crate::harmless::one_line;
use crate::line::{Line, Tone};
use crate::narrate::{hook_look, hook_summary};
use crate::terminal::Terminal;

/// A turn of a run, and what is called there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct HookRow {
    /// The hook.
    pub hook: HookName,
    /// `command` of the configuration, or `file`; `None` = there is neither.
    pub source: Option<&'static str>,
    /// The command, or the file's path.
    pub command: Option<String>,
    /// A run calls it.
    pub called: bool,
    /// Why not, though there is something.
    pub problem: Option<String>,
    /// What to type so that it is called.
    pub remedy: Option<String>,
    /// Its time, in milliseconds.
    pub timeout_ms: u64,
}

/// The hooks in the order of a run, and sentences on what else was found; every line ends with a newline.
pub fn hooks_table(rows: &[HookRow], terminal: &Terminal) -> String {
    let columns = [
        Column { heading: "hook", align: Align::Left, tone: Tone::Strong },
        Column { heading: "timeout", align: Align::Right, tone: Tone::Dim },
        Column { heading: "from", align: Align::Left, tone: Tone::Dim },
        Column { heading: "what is called", align: Align::Left, tone: Tone::Plain },
    ];
    let problems: Vec<Option<String>> = rows.iter().map(problem).collect();
    let rows = rows.iter().zip(&problems).map(|(row, problem)| {
        let timeout = format::bound(std::time::Duration::from_millis(row.timeout_ms));
        let cells = [
            row.hook.name().to_owned(),
            if row.source.is_some() { timeout } else { "-".to_owned() },
            row.source.unwrap_or("-").to_owned(),
            row.command.as_deref().map_or_else(|| "nothing".to_owned(), one_line),
        ];
        Row { cells, state: None, problem: problem.as_deref() }
    });
    table(columns, Narrow::Nothing, &rows.collect::<Vec<_>>(), terminal)
}

fn problem(row: &HookRow) -> Option<String> {
    let remedy = row.remedy.as_ref().map_or_else(String::new, |remedy| format!("; {remedy}"));
    row.problem.as_ref().map(|problem| format!("not called: {problem}{remedy}"))
}

/// The same as one line of JSON.
pub fn hooks_json(rows: &[HookRow], notices: &[String]) -> Vec<u8> {
    #[derive(Serialize)]
    struct Fields<'a> {
        hooks: &'a [HookRow],
        notices: &'a [String],
    }
    document("hooks", &Fields { hooks: rows, notices })
}

/// What came of trying a hook out.
pub fn hook_tried(outcome: &HookOutcome) -> Vec<Line> {
    let (tone, mark) = hook_look(outcome.decision);
    let said = hook_summary(outcome.decision, outcome.result, &outcome.reason);
    let took = format!("  {}", format::duration(outcome.duration));
    let mut lines = vec![Line::hanging(2).mark(tone, mark).plain(format!(" {said}")).dim(took)];
    if !outcome.prompt.is_empty() {
        lines.push(Line::new().dim("  the next agent would be told:"));
        let told =
            outcome.prompt.lines().map(|line| Line::hanging(4).plain(format!("    {}", one_line(line))));
        lines.extend(told);
    }
    lines
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use windlass_core::values::{CheckResult, HookDecision};

    use super::*;
    use crate::testing::columns;

    fn row(hook: HookName) -> HookRow {
        HookRow {
            hook,
            source: Some("file"),
            command: Some(format!(".windlass/hooks/{}", hook.name())),
            called: true,
            problem: None,
            remedy: None,
            timeout_ms: 30_000,
        }
    }

    #[test]
    fn a_list_says_what_is_called_and_what_is_not() {
        let nothing = HookRow { source: None, command: None, called: false, ..row(HookName::NextIteration) };
        let idle = HookRow {
            called: false,
            problem: Some("it is not executable".to_owned()),
            remedy: Some("chmod +x it".to_owned()),
            ..row(HookName::Finished)
        };
        let rows = [row(HookName::Started), nothing, idle];
        assert_eq!(
            hooks_table(&rows, &columns(80)),
            "\
hook            timeout  from  what is called
started             30s  file  .windlass/hooks/started
next_iteration        -  -     nothing
finished            30s  file  .windlass/hooks/finished
  ! not called: it is not executable; chmod +x it
"
        );
        crate::view::check_document("hooks", &hooks_json(&rows, &["finnished is not a hook".to_owned()]));
        let document: serde_json::Value = serde_json::from_slice(&hooks_json(&rows, &[])).unwrap();
        assert_eq!((&document["type"], &document["hooks"][2]["called"]), (&"hooks".into(), &false.into()));
    }

    #[test]
    fn what_was_tried_is_told_with_its_reason_and_its_text() {
        let outcome = HookOutcome {
            result: CheckResult::Failed(1),
            decision: HookDecision::Skip,
            reason: "busy".to_owned(),
            prompt: "One\nTwo".to_owned(),
            duration: Duration::from_secs(2),
            log: String::new(),
        };
        let terminal = columns(80);
        let lines: Vec<String> = hook_tried(&outcome).iter().map(|line| line.render(&terminal)).collect();
        assert_eq!(
            lines,
            ["○ skip (exit 1): busy  2s", "  the next agent would be told:", "    One", "    Two"]
        );
    }
}
