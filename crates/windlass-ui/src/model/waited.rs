//! Who has to do something before a run can go on.

use jiff::Timestamp;
use serde::Serialize;
use windlass_core::values::{Class, StopReason};

use super::landing::top;
use crate::board::Board;
use crate::document::{RunState, RunStatus, commit_range};
use crate::harmless::one_line;
use crate::words;

/// Who is waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Who {
    /// Nobody: it goes on, or has nothing left to do.
    Nobody,
    /// A person.
    Person,
    /// The agent's account or service.
    Agent,
    /// The forge, or those who review there.
    Forge,
}

/// Who is waited for, why, and until when.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct WaitedFor {
    /// Who.
    pub who: Who,
    /// Why; empty where nobody is waited for.
    pub why: String,
    /// Until when at most; `None` where nothing bounds it.
    pub until: Option<Timestamp>,
    /// What a person types; `None` where there is nothing to type.
    pub command: Option<String>,
}

/// What shows the work of a run. That of several lanes is one piece in git alone.
fn look(board: &Board, run: &str) -> String {
    let has_lanes = board.plan.as_ref().is_some_and(|plan| plan.lanes.is_some());
    match commit_range(board) {
        _ if !has_lanes => format!("windlass diff {run}"),
        Some((Some(first), last)) => {
            format!("git -C {} diff {first} {last}", top(board))
        }
        _ => format!("windlass logs {run}"),
    }
}

impl WaitedFor {
    const NOBODY: WaitedFor = WaitedFor { who: Who::Nobody, why: String::new(), until: None, command: None };

    pub(super) fn of(board: &Board, status: &RunStatus) -> WaitedFor {
        match status.state {
            RunState::Running => WaitedFor::at_work(board),
            RunState::Interrupted => WaitedFor {
                why: "its process is gone, and it has not ended".to_owned(),
                ..WaitedFor::person(status)
            },
            RunState::Claimed => WaitedFor {
                why: "the agent says that it is done, and nothing has checked it".to_owned(),
                command: status.run.as_ref().map(|run| look(board, &one_line(&run.0))),
                ..WaitedFor::person(status)
            },
            RunState::Ended(StopReason::Complete | StopReason::NothingToDo) => WaitedFor::NOBODY,
            RunState::Ended(reason) => {
                let why = if status.detail.is_empty() { reason.sentence() } else { &status.detail };
                WaitedFor { why: one_line(why), ..WaitedFor::person(status) }
            }
        }
    }

    fn person(status: &RunStatus) -> WaitedFor {
        WaitedFor { who: Who::Person, command: status.next.first().cloned(), ..WaitedFor::NOBODY }
    }

    fn at_work(board: &Board) -> WaitedFor {
        if let Some(backoff) = board.backoff {
            let why = match backoff.class {
                Class::UsageLimit => "the usage limit has to reset; it goes on by itself".to_owned(),
                class => format!("{}; it tries again by itself", words::class(class)),
            };
            return WaitedFor { who: Who::Agent, why, until: Some(backoff.until), command: None };
        }
        match board.delivery.wait {
            Some((_, until)) => WaitedFor {
                who: Who::Forge,
                why: "its pull request waits for checks or reviews".to_owned(),
                until: Some(until),
                command: None,
            },
            None => WaitedFor::NOBODY,
        }
    }
}
