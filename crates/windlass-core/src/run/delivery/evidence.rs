//! What a pull request says of itself: the run's evidence.

use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

use crate::report::Standing;
use crate::run::Run;
use crate::values::CheckKind;

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
    pub(in crate::run) fn delivery_text(&self, standing: Standing) -> Option<DeliveryContext> {
        let plan = self.plan()?;
        Some(DeliveryContext { title: plan.job.title.clone(), body: self.evidence_text(standing) })
    }

    fn evidence_text(&self, standing: Standing) -> String {
        let Some(plan) = self.plan() else { return String::new() };
        let mut text = String::from(match standing {
            Standing::Shown if plan.grounds().is_shown() => "The job is shown to be done.\n\n",
            Standing::Shown => "The agent says that the job is done; nothing else was asked.\n\n",
            Standing::AsItStands => {
                "**Not finished.** The run ended at a limit; this is the newest work that its gates passed on.\n\n"
            }
        });
        let counters = self.counters();
        let spent = self.ledger().spent().micros();
        let cents = spent.div_ceil(10_000);
        let tokens = self.ledger().tokens().total();
        let estimated = if self.ledger().is_estimated() { ", in part estimated" } else { "" };
        // Writing into a string does not fail.
        let _ = writeln!(text, "| | |\n|---|---|\n| run | `{}` |", plan.run);
        let _ = writeln!(text, "| iterations | {} |", counters.finished);
        let _ = writeln!(text, "| cost | ${}.{:02}{estimated} |", cents / 100, cents % 100);
        let _ = writeln!(text, "| tokens | {tokens} |");
        if self.is_of_tasks() {
            let _ = writeln!(text, "| tasks done in this run | {} |", counters.done);
        }
        let gates =
            plan.checks.iter().filter(|check| check.kind == CheckKind::Gate || standing == Standing::Shown);
        let gates: Vec<String> = gates.map(|check| format!("- [x] {}\n", as_code(&check.command))).collect();
        text.push_str(if gates.is_empty() {
            "\nNo gate was configured.\n"
        } else {
            "\nPassed on this commit:\n\n"
        });
        text.extend(gates);
        text
    }
}

/// One line of code, longer quoted than any quote in it.
fn as_code(text: &str) -> String {
    let line: Vec<&str> = text.split_whitespace().collect();
    let line = line.join(" ");
    let longest = line.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let quote = "`".repeat(longest + 1);
    format!("{quote} {line} {quote}")
}
