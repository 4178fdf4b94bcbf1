//! What is told below an issue.

use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

use super::Owed;
use crate::report::IssueTask;
use crate::run::Run;
use crate::run::delivery::{as_code, passed_checks};
use crate::spec::CommitPolicy;
use crate::values::{CheckKind, TaskId};

/// What an effect about an issue has to know of the run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct IssueContext {
    /// What is told there, as Markdown; empty where nothing is.
    pub text: String,
    /// It is closed with that.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub closes: bool,
}

impl Run {
    pub(in crate::run) fn issue_text(&self, task: &TaskId, what: IssueTask) -> Option<IssueContext> {
        let owed = self.issues.owed.iter().find(|owed| owed.task == *task && owed.what == what)?;
        let text = match what {
            IssueTask::Lease | IssueTask::GiveBack => String::new(),
            IssueTask::TellDone => self.done_text(owed),
            IssueTask::TellParked => self.parked_text(owed),
        };
        // What is on a branch that nobody has merged is not done for those who asked for it.
        let is_there = self.spec()?.delivery.is_none() || self.is_merged();
        let closes = what == IssueTask::TellDone && is_there && self.issues_spec()?.closes;
        Some(IssueContext { text, closes })
    }

    fn done_text(&self, owed: &Owed) -> String {
        let Some(spec) = self.spec() else { return String::new() };
        let mut text = "**Done**, as the runner has seen it.\n\n".to_owned();
        text.push_str(&self.run_table());
        if !owed.detail.is_empty() {
            // Writing into a string does not fail.
            let _ = writeln!(text, "| commit | {} |", owed.detail);
        }
        if let Some((_, url)) = self.pull_request() {
            let _ = writeln!(text, "| pull request | {url} |");
        } else if let Some(delivery) = &spec.delivery {
            let _ = writeln!(text, "| branch | {}: its pull request follows |", as_code(&delivery.branch));
        } else if spec.commit == CommitPolicy::Runner {
            text.push_str("| pushed | no |\n");
        }
        let is_its = |check: &&crate::values::Check| match check.kind {
            CheckKind::Gate => true,
            CheckKind::Criterion => check.is_criterion_of(&owed.task),
            CheckKind::Until => false,
        };
        text + &passed_checks("this work", spec.checks.iter().filter(is_its))
    }

    fn parked_text(&self, owed: &Owed) -> String {
        let mut text = "**Parked**: this run gave it up.\n\n".to_owned();
        text.push_str(&self.run_table());
        let reason: String = owed.detail.chars().take(500).collect();
        let _ = writeln!(text, "| why | {} |", as_code(&reason).replace('|', "\\|"));
        text
    }

    fn run_table(&self) -> String {
        let run = self.spec().map(|spec| spec.run.to_string()).unwrap_or_default();
        format!("| | |\n|---|---|\n| run | {} |\n", as_code(&run))
    }
}
