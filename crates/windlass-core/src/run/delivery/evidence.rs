//! What a pull request says of itself: the run's evidence.

use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

use crate::report::DeliveryBasis;
use crate::run::Run;
use crate::spec::RunSpec;
use crate::values::{Check, CheckKind, TaskRow};

/// What a pull request is opened with.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeliveryContext {
    /// One line.
    pub title: String,
    /// Markdown.
    pub body: String,
}

impl Run {
    /// What a pull request of the run's work is opened with; `None` before it started.
    pub(in crate::run) fn delivery_text(&self, basis: DeliveryBasis) -> Option<DeliveryContext> {
        let spec = self.spec()?;
        let part = self.delivery.part.as_ref();
        let title = match part.map(|part| (part.number, self.part_row())) {
            Some((_, Some(row))) => format!("{}: {}", row.id, row.title),
            Some((number, None)) => format!("{} (part {number})", spec.job.title),
            None => spec.job.title.clone(),
        };
        Some(DeliveryContext { title, body: self.evidence_text(basis) })
    }

    /// The task that the part is.
    fn part_row(&self) -> Option<&TaskRow> {
        self.tasks().row(self.delivery.part.as_ref()?.task.as_ref()?)
    }

    /// What was done, in a paragraph.
    fn shown_text(&self, spec: &RunSpec) -> String {
        let is_shown = spec.grounds().is_shown();
        let what = match (&self.delivery.part, self.part_row()) {
            (_, Some(row)) => format!("task {} is done", row.id),
            (Some(_), None) if self.counters().complete => "the job is done".to_owned(),
            (Some(_), None) => return "Work of one iteration, and the job goes on.\n\n".to_owned(),
            (None, None) => "the job is done".to_owned(),
        };
        match (is_shown, what.as_str()) {
            (true, "the job is done") => "The job is shown to be done.\n\n".to_owned(),
            (true, what) => format!("It is shown that {what}.\n\n"),
            (false, what) => format!("The agent says that {what}; nothing else was asked.\n\n"),
        }
    }

    fn evidence_text(&self, basis: DeliveryBasis) -> String {
        let Some(spec) = self.spec() else { return String::new() };
        let mut text = match basis {
            DeliveryBasis::Shown => self.shown_text(spec),
            DeliveryBasis::AsItStands => {
                "**Not finished.** The run ended at a limit; this is the newest work that its gates passed on.\n\n"
                    .to_owned()
            }
        };
        let counters = self.counters();
        let spent = self.ledger().spent().micros();
        let cents = spent.div_ceil(10_000);
        let tokens = self.ledger().tokens().total();
        let estimated = if self.ledger().is_estimated() { ", in part estimated" } else { "" };
        // Writing into a string does not fail.
        let _ = writeln!(text, "| | |\n|---|---|\n| run | `{}` |", spec.run);
        let _ = writeln!(text, "| iterations | {} |", counters.finished);
        let _ = writeln!(text, "| cost | ${}.{:02}{estimated} |", cents / 100, cents % 100);
        let _ = writeln!(text, "| tokens | {tokens} |");
        if self.is_of_tasks() {
            let _ = writeln!(text, "| tasks done in this run | {} |", counters.done);
        }
        let commit = format!("commit {}", self.delivery.watch.head);
        text + &passed_checks(&commit, spec.checks.iter().filter(|check| self.has_passed(check, basis)))
    }

    /// Did it pass on what goes out? Gates always did; what shows that a job or a task is done, where it is.
    fn has_passed(&self, check: &Check, basis: DeliveryBasis) -> bool {
        let task = self.delivery.part.as_ref().and_then(|part| part.task.as_ref());
        match (check.kind, task) {
            (CheckKind::Gate, _) => true,
            (CheckKind::Criterion, Some(task)) => {
                basis == DeliveryBasis::Shown && check.is_criterion_of(task)
            }
            (CheckKind::Until | CheckKind::Criterion, _) => self.counters().complete,
        }
    }
}

/// The checks that passed, a line each. `on` completes "passed on …".
pub(in crate::run) fn passed_checks<'a>(on: &str, checks: impl Iterator<Item = &'a Check>) -> String {
    let passed: Vec<String> = checks.map(|check| format!("- [x] {}\n", as_code(&check.command))).collect();
    if passed.is_empty() {
        return "\nNo gate was configured.\n".to_owned();
    }
    format!("\nPassed on {on}:\n\n{}", passed.concat())
}

/// One line of code, longer quoted than any quote in it.
pub(in crate::run) fn as_code(text: &str) -> String {
    let line: Vec<&str> = text.split_whitespace().collect();
    let line = line.join(" ");
    let longest = line.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let quote = "`".repeat(longest + 1);
    format!("{quote} {line} {quote}")
}
