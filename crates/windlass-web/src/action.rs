//! What can be done through the page: the application's own verbs with fixed arguments, and nothing else.

use std::path::PathBuf;

use serde::Deserialize;
use windlass_app::asked::ActionAsked;
use windlass_app::configuration::{Scope, ValueChange};
use windlass_app::park::Leaving;
use windlass_app::restore::{RestoreFiles, RestoreTo};
use windlass_app::run::{NamedTasks, Raisable, ResumeApart};
use windlass_app::{App, AppError};
use windlass_core::config::Layer;
use windlass_core::values::{RunId, StopSource, TaskState};
use windlass_ui::{RunState, one_line};

use crate::site::Rights;

/// Longest amount that is taken.
const LONGEST_AMOUNT: usize = 24;

/// The run that something is to be done about, as it stands.
#[derive(Clone, Debug)]
pub struct Subject {
    /// Which.
    pub run: RunId,
    /// Where it works.
    pub directory: PathBuf,
    /// How it stands.
    pub state: RunState,
    /// The rules that would have allowed what was denied.
    pub rules: Vec<String>,
    /// The file or folder of its tasks, where it has any.
    pub tasks: Option<PathBuf>,
}

/// Something to be done about a run.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(tag = "do", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Action {
    /// The iteration that is under way ends, then the run.
    StopAfter {},
    /// The agent is ended now; what it did is kept.
    StopNow {},
    /// It goes on as it is.
    Resume {},
    /// It goes on with a higher limit.
    Raise {
        /// Which.
        limit: Raisable,
        /// To what.
        to: String,
    },
    /// It goes on with what the guard has found accepted.
    Accept {},
    /// A command that was denied is allowed from the next run on.
    Allow {
        /// The rule, as the run names it.
        rule: String,
    },
    /// The files are put back as they were after an iteration, or before.
    Restore {
        /// Which.
        iteration: u32,
        /// Before it.
        before: bool,
    },
    /// A task is open again.
    Reopen {
        /// Which.
        task: String,
    },
    /// It leaves a task, and goes on with the others.
    Park {
        /// Which.
        task: String,
    },
    /// A person has seen it.
    Seen {},
}

/// Is this something that can be asked of a run, as a browser says it?
pub fn is_action(bytes: &[u8]) -> bool {
    serde_json::from_slice::<Action>(bytes).is_ok()
}

impl Action {
    /// How far whoever asks for it has to be allowed to go.
    pub const fn needs(&self) -> Rights {
        match self {
            Action::StopAfter {} | Action::Seen {} => Rights::Stop,
            Action::StopNow {}
            | Action::Resume {}
            | Action::Raise { .. }
            | Action::Accept {}
            | Action::Allow { .. }
            | Action::Restore { .. }
            | Action::Park { .. }
            | Action::Reopen { .. } => Rights::Act,
        }
    }

    /// Does the run's journal say who asked for it, without a process of the run that writes that?
    pub const fn is_journalled_first(&self) -> bool {
        matches!(self, Action::Allow { .. } | Action::Restore { .. } | Action::Reopen { .. })
    }

    /// In words, for who reads later what was asked.
    pub fn words(&self) -> String {
        match self {
            Action::StopAfter {} => "stop after this iteration".to_owned(),
            Action::StopNow {} => "stop now".to_owned(),
            Action::Resume {} => "resume".to_owned(),
            Action::Raise { limit, to } => {
                format!("resume with {} {}", limit.flag(), one_line(to))
            }
            Action::Accept {} => "resume, and accept what the guard has found".to_owned(),
            Action::Allow { rule } => format!("allow {}", one_line(rule)),
            Action::Restore { iteration, before } => {
                format!("restore {} iteration {iteration}", if *before { "before" } else { "after" })
            }
            Action::Reopen { task } => format!("reopen task {}", one_line(task)),
            Action::Park { task } => format!("park task {}", one_line(task)),
            Action::Seen {} => "seen".to_owned(),
        }
    }

    /// Does it. Gives a sentence.
    ///
    /// # Errors
    /// It cannot be done: what the verb says of it.
    pub fn perform(&self, app: &App, subject: &Subject, asked: ActionAsked) -> Result<String, AppError> {
        let run = &subject.run;
        if !self.fits(subject.state) {
            return Err(AppError::usage(format!(
                "run {run} is {}: this cannot be done now",
                subject.state.name()
            )));
        }
        let there = || app.in_directory(&subject.directory);
        match self {
            Action::StopAfter {} => {
                let stopping = there()?.stop_for(Some(&run.0), StopSource::Page)?;
                let begins = if stopping.asked_before { "It was asked already" } else { "It will stop" };
                Ok(format!("{begins}: the iteration under way ends first, and its result is kept."))
            }
            Action::StopNow {} => {
                there()?.terminate_for(run, StopSource::Page)?;
                Ok("The agent is being ended; what it did is kept.".to_owned())
            }
            Action::Resume {} => {
                let asked = Some(asked);
                go_on(&there()?, run, &ResumeApart { raise: None, accept_findings: false, asked })
            }
            Action::Raise { limit, to } => {
                let raise = Some((*limit, amount(to)?));
                go_on(&there()?, run, &ResumeApart { raise, accept_findings: false, asked: Some(asked) })
            }
            Action::Accept {} => {
                let asked = Some(asked);
                go_on(&there()?, run, &ResumeApart { raise: None, accept_findings: true, asked })
            }
            Action::Allow { rule } => {
                if rule.is_empty() || !subject.rules.contains(rule) {
                    return Err(AppError::usage("no command of this run that was denied has this rule"));
                }
                let change = ValueChange::Items { add: vec![rule.clone()], remove: Vec::new() };
                let set = there()?.set_value("permissions.allow", &change, &Scope::Project)?;
                Ok(format!("{} allows it from the next run on.", set.source.path.display()))
            }
            Action::Restore { iteration, before } => {
                let to = RestoreTo::Iteration(*iteration);
                let restored = there()?.restore(&RestoreFiles {
                    run: run.0.clone(),
                    to,
                    before: *before,
                    repository: false,
                    paths: Vec::new(),
                })?;
                let undo = restored.undo().map(|command| format!(" Undo: {command}")).unwrap_or_default();
                Ok(format!("The files are as they were {}.{undo}", restored.when()))
            }
            Action::Reopen { task } => {
                let tasks = NamedTasks { file: subject.tasks.clone(), feature: None };
                let ids = [task.clone()];
                let mut told = "It was open.";
                there()?.mark_tasks(&tasks, Layer::default(), &ids, TaskState::Open, |marked| {
                    if marked.changed {
                        told = "It is open again.";
                    }
                    Ok(())
                })?;
                Ok(told.to_owned())
            }
            Action::Park { task } => {
                let parked =
                    there()?.park_tasks(Some(&run.0), std::slice::from_ref(task), StopSource::Page)?;
                Ok(match parked.tasks.first() {
                    Some((_, Leaving::AfterTheAttempt)) => {
                        "It is parked after the attempt under way, unless that does it."
                    }
                    Some((_, Leaving::AsItWas)) => "It was parked already.",
                    _ => "It is parked; the run goes on with the others.",
                }
                .to_owned())
            }
            Action::Seen {} => Ok("Seen.".to_owned()),
        }
    }

    /// Does it make sense as the run stands? Buttons are shown for what does.
    pub fn fits(&self, state: RunState) -> bool {
        match self {
            Action::StopAfter {} | Action::StopNow {} | Action::Park { .. } => state == RunState::Running,
            Action::Seen {} | Action::Allow { .. } => true,
            _ => state != RunState::Running,
        }
    }
}

fn go_on(there: &App, run: &RunId, how: &ResumeApart) -> Result<String, AppError> {
    there.resume_apart(run, how)?;
    Ok("It goes on.".to_owned())
}

/// A limit as it is typed: digits, units, a dollar; never a flag, and not without a bound.
fn amount(text: &str) -> Result<String, AppError> {
    let text = text.trim();
    let is_one = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'.' || byte == b'$';
    let has_digit = text.bytes().any(|byte| (b'1'..=b'9').contains(&byte));
    if has_digit && text.len() <= LONGEST_AMOUNT && text.bytes().all(is_one) {
        Ok(text.to_owned())
    } else {
        Err(AppError::usage("this is no limit: write 20, 7.50, 90m, 2h"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_named_can_be_asked() {
        let read = |text: &str| serde_json::from_str::<Action>(text).ok();
        assert_eq!(read(r#"{"do":"stop-after"}"#), Some(Action::StopAfter {}));
        assert_eq!(
            read(r#"{"do":"raise","limit":"cost","to":"20"}"#),
            Some(Action::Raise { limit: Raisable::Cost, to: "20".to_owned() })
        );
        for text in [
            "",
            "{}",
            r#"{"do":"run"}"#,
            r#"{"do":"raise","limit":"model","to":"x"}"#,
            r#"{"do":"resume","flags":["--x"]}"#,
            r#"{"do":"restore","iteration":-1,"before":false}"#,
            r#"{"do":"restore","iteration":"1; rm","before":false}"#,
            r#"{"do":"allow"}"#,
            "[]",
            "null",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    #[test]
    fn an_amount_is_no_flag_and_has_a_bound() {
        for text in ["20", "7.50", "$5", "90m", "1h30m", " 12 "] {
            assert!(amount(text).is_ok(), "{text}");
        }
        for text in [
            "",
            "0",
            "-1",
            "--unlimited",
            "20 --model x",
            "1e3;",
            "unlimited",
            "9".repeat(30).as_str(),
            "1\n2",
        ] {
            assert!(amount(text).is_err(), "{text}");
        }
    }
}
