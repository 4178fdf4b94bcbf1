//! What there is to see of runs, for whoever shows it: the report now, a terminal view and a web page later. They render
//! these structs and count nothing by themselves.
//!
//! ```text
//! Night                  the runs that somebody asks for: one, several, or those that were live since an evening
//! └─ RunSeen             one run: its RunStatus, which has the figures of `status`, and how it came to them
//!    ├─ IterationSeen    one round of work: its verdict and why, what it cost, what of that was wasted
//!    │  ├─ CallSeen      one process of an agent: what it was for, how it went, what it cost
//!    │  │  └─ pages      of what it said, from the recording, by call and byte offset of a line; not held here
//!    │  └─ GateSeen      one check, its result, and the tree that it judged
//!    ├─ TaskSeen         one task that the run began, and its iterations by their numbers
//!    ├─ WaitSeen         a usage limit or an outage that was waited out
//!    ├─ Landing          where the work is, and the commands that merge it
//!    ├─ AsideSeen        what was put aside, and the command that brings it back
//!    └─ WaitedFor        who has to do something before it can go on
//! ```
//!
//! Everything is folded from facts ([`Course`]); what only git can say today is given as [`PlacesSeen`]. A live run and a past one
//! differ in their state alone.

mod aside;
mod course;
mod landing;
mod task_board;
mod waited;
mod wasted;

#[cfg(test)]
mod standing_tests;
#[cfg(test)]
mod tests;

use jiff::Timestamp;
use serde::Serialize;
use windlass_core::values::{
    AgentIndex, CallId, CheckKind, CheckResult, CheckStage, Class, Cost, Denial, LaneId, Named as _, Purpose,
    Spent, TaskId, Tokens, Verdict, WindowShare,
};

pub use aside::AsideSeen;
pub use course::Course;
pub use landing::{CommitStanding, Landing, MainTree, PlacesSeen, Step};
pub use task_board::{Column, TaskOnBoard};
pub use waited::{WaitedFor, Who};
pub use wasted::Wasted;

use crate::document::RunStatus;
use crate::elsewhere;
use crate::narrate;
use crate::words;

/// The runs that somebody asks for.
#[derive(Clone, Debug, Serialize)]
pub struct Night {
    /// When it was looked at.
    pub made: Timestamp,
    /// Runs that were live after this moment were asked for; `None` where they were named.
    pub since: Option<Timestamp>,
    /// Those for which a person is waited come first, then the newest.
    pub runs: Vec<RunSeen>,
    /// Runs that are not shown, since they cannot be read.
    pub unreadable: Vec<Unreadable>,
}

/// A run that cannot be read, or all of a project's.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Unreadable {
    /// Its name; empty where it is all of a project's.
    pub run: String,
    /// The name of the project's folder in the state folder, where none of its runs can be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    /// Why: a sentence.
    pub why: String,
}

/// One run.
#[derive(Clone, Debug, Serialize)]
pub struct RunSeen {
    /// How it stands: the figures of `status`.
    #[serde(flatten)]
    pub status: RunStatus,
    /// The directory as a shell takes it, where it is not the one that is asked from: its commands say `-C` then.
    #[serde(skip)]
    pub elsewhere: Option<String>,
    /// What an ending as complete rests on, in words; empty for other endings.
    pub proof: String,
    /// When it ended; `None` before.
    pub ended: Option<Timestamp>,
    /// Its iterations, in the order of their numbers.
    pub rounds: Vec<IterationSeen>,
    /// Iterations by verdict; those that ended.
    pub verdicts: Verdicts,
    /// What was spent in vain.
    pub wasted: Wasted,
    /// Its checks, as they went last.
    pub gates: Vec<GateStanding>,
    /// The tasks that it began, in the order of their first iterations.
    pub begun: Vec<TaskSeen>,
    /// Waits, the last of which may still go on.
    pub waits: Vec<WaitSeen>,
    /// How much of which windows of usage is used, as an agent said last; none where none did.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub windows: Vec<WindowShare>,
    /// What agents did to the repository or to protected files, one sentence each.
    pub damage: Vec<String>,
    /// The page of its pull request.
    pub pull_request: Option<String>,
    /// Where its work is, and how it is merged.
    pub landing: Landing,
    /// What was put aside.
    pub aside: Vec<AsideSeen>,
    /// Who has to do something before it can go on.
    pub waited_for: WaitedFor,
}

impl Unreadable {
    /// What it is, and its name.
    pub fn named(&self) -> (&'static str, &str) {
        match &self.project {
            Some(project) => ("project", project),
            None => ("run", &self.run),
        }
    }
}

impl RunSeen {
    /// Its commands as they are typed where this directory, as a shell takes it, is not the one that somebody is in.
    pub fn type_elsewhere(&mut self, place: &str) {
        self.elsewhere = Some(place.to_owned());
        let next = std::mem::take(&mut self.status.next);
        self.status.next = next.iter().map(|command| self.typed(command)).collect();
        let steps = std::mem::take(&mut self.landing.steps);
        self.landing.steps =
            steps.into_iter().map(|step| Step { command: self.typed(&step.command), ..step }).collect();
        let aside = std::mem::take(&mut self.aside);
        let typed = |put: AsideSeen| AsideSeen {
            command: put.command.as_ref().map(|command| self.typed(command)),
            ..put
        };
        self.aside = aside.into_iter().map(typed).collect();
        self.waited_for.command = self.waited_for.command.as_ref().map(|command| self.typed(command));
    }

    /// Its workspace was deleted: nothing is advised that needs that.
    pub fn without_workspace(&mut self) {
        let was_advised = self.waited_for.command.as_ref() == self.status.next.first();
        self.status.without_workspace();
        if was_advised && self.waited_for.command.is_some() {
            self.waited_for.command = self.status.next.first().cloned();
        }
    }

    /// Would it go on where somebody resumed it, by what is advised?
    pub fn is_resumable(&self) -> bool {
        let resume = self.status.run.as_ref().map(|run| format!(" resume {run}"));
        resume.is_some_and(|resume| self.status.next.iter().any(|command| command.contains(&resume)))
    }

    /// What became of a task that it began, or that somebody is at it.
    pub fn task_word(&self, task: &TaskSeen) -> &'static str {
        let is_its = |round: &&IterationSeen| round.task.as_ref() == Some(&task.task);
        match self.rounds.iter().rev().find(is_its) {
            Some(round) if task.state == TaskOutcome::Open && round.ended.is_none() => round.unended(),
            _ => task.state.name(),
        }
    }

    /// The command that allows what these rules name, in the run's project.
    pub fn allowing<'a>(&self, rules: impl IntoIterator<Item = &'a str>) -> String {
        self.typed(&narrate::allow_command(rules))
    }

    /// A command about it, as it is typed where its others are.
    pub fn typed(&self, command: &str) -> String {
        let place = self.elsewhere.as_ref().map(|place| format!("-C {place}"));
        elsewhere::command(command, place.as_deref()).into_owned()
    }
}

/// One round of work.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct IterationSeen {
    /// Its number, from 1.
    pub iteration: u32,
    /// Where.
    pub lane: LaneId,
    /// The task that it worked on.
    pub task: Option<TaskId>,
    /// When it began.
    pub started: Timestamp,
    /// When it ended; `None` while it goes on, and where it was cut off.
    pub ended: Option<Timestamp>,
    /// Somebody works on it; one that has neither ended nor is at work was cut off.
    #[serde(skip)]
    pub at_work: bool,
    /// What the runner made of it; `None` before its end.
    pub verdict: Option<Verdict>,
    /// How its last call went.
    pub class: Option<Class>,
    /// What is said of it, in the words of the run's own lines.
    pub why: String,
    /// All its calls.
    #[serde(rename = "cost_usd")]
    pub cost: Cost,
    /// The part of that which is an estimate.
    #[serde(rename = "estimated_usd")]
    pub estimated_cost: Cost,
    /// What of it was spent in vain.
    pub wasted: Wasted,
    /// All its calls.
    pub tokens: Tokens,
    /// Milliseconds from its start to its end, waits included; to now while it is at work, and 0 where it was cut off.
    pub duration_ms: u64,
    /// Files that it changed.
    pub changed: u32,
    /// Lines that it added and removed; `None` where nobody has looked, and where its snapshots are gone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lines: Option<LinesChanged>,
    /// The commit that holds its work.
    pub commit: Option<String>,
    /// Its calls, in the order in which they were made.
    pub calls: Vec<CallSeen>,
    /// The checks of its work, in the order in which they ended.
    pub gates: Vec<GateSeen>,
}

/// Lines of text that an iteration changed, over all files that its snapshots have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct LinesChanged {
    /// Those that came.
    pub added: u64,
    /// Those that went.
    pub removed: u64,
}

/// One process of an agent.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct CallSeen {
    /// Which.
    pub call: CallId,
    /// Which try of its iteration, from 1.
    pub attempt: u32,
    /// What it was for.
    pub purpose: Purpose,
    /// Whose it was.
    #[serde(skip)]
    pub agent: AgentIndex,
    /// Its name; empty where the run has one agent alone.
    #[serde(rename = "agent", skip_serializing_if = "String::is_empty")]
    pub by: String,
    /// When it was begun.
    pub started: Timestamp,
    /// When it was over; `None` while it goes on, and where its runner was killed.
    pub ended: Option<Timestamp>,
    /// The model that it worked with; empty before its end, and in journals of old.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub model: String,
    /// How it went.
    pub class: Option<Class>,
    /// What there is to say of that.
    pub detail: String,
    /// What it cost; before its end nothing, and where it was cut off what was reserved for it.
    #[serde(rename = "cost_usd")]
    pub cost: Cost,
    /// The cost is an estimate.
    pub estimated: bool,
    /// Its tokens.
    pub tokens: Tokens,
    /// Tool calls.
    pub tool_uses: u32,
    /// Tool calls that were refused.
    pub denied: u32,
    /// Which; each kind once.
    #[serde(skip)]
    pub denials: Vec<Denial>,
    /// Its attempt was over without a verdict, and the iteration was tried again.
    pub repeated: bool,
}

/// One check of an iteration's work.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GateSeen {
    /// Which of the run's checks, from 0.
    pub check: u16,
    /// When in the iteration.
    pub stage: CheckStage,
    /// How it ended.
    pub result: CheckResult,
    /// The last line of its output.
    pub last_line: String,
    /// Milliseconds.
    pub duration_ms: u64,
    /// The digest of the tree that it judged; `None` where none was kept.
    pub tree: Option<String>,
}

/// A check of the run, as it went last.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GateStanding {
    /// What it is for.
    pub kind: CheckKind,
    /// Its command.
    pub command: String,
    /// Before the first iteration; `None` where it was not run then.
    pub before: Option<CheckResult>,
    /// The last time; `None` where it was never run on work.
    pub last: Option<GateSeen>,
    /// The iteration whose work that was.
    pub iteration: Option<u32>,
    /// The commit of what it judged.
    pub commit: Option<String>,
    /// Files that were there when it judged, and that the commit does not hold.
    pub lacks: Vec<String>,
}

impl IterationSeen {
    /// What there is to say of it in a word: its verdict, `at work`, or `cut off`.
    pub const fn word(&self) -> &'static str {
        match self.verdict {
            Some(verdict) => words::verdict(verdict).2,
            None => self.unended(),
        }
    }

    /// What one is that has no verdict.
    pub const fn unended(&self) -> &'static str {
        if self.at_work { "at work" } else { "cut off" }
    }

    /// What one of its calls is that has no class.
    pub const fn call_word(&self, call: &CallSeen) -> &'static str {
        match call.ended {
            Some(_) => "ended",
            None if call.repeated => "cut off",
            None => self.unended(),
        }
    }

    /// What it cost, with the part that is an estimate.
    pub const fn spent(&self) -> Spent {
        Spent { cost: self.cost, estimated: self.estimated_cost }
    }
}

impl CallSeen {
    /// What it cost, known or estimated.
    pub const fn spent(&self) -> Spent {
        Spent::of(self.cost, self.estimated)
    }
}

/// A task that a run began.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct TaskSeen {
    /// Which.
    pub task: TaskId,
    /// What it is called.
    pub title: String,
    /// `done`, `parked`, or `open`.
    pub state: TaskOutcome,
    /// Its iterations.
    pub iterations: Vec<u32>,
    /// What they cost.
    #[serde(rename = "cost_usd")]
    pub cost: Cost,
    /// What of it is an estimate.
    #[serde(rename = "estimated_usd")]
    pub estimated_cost: Cost,
    /// The commits that hold its work, oldest first.
    pub commits: Vec<String>,
}

impl TaskSeen {
    /// What it cost, with the part that is an estimate.
    pub const fn spent(&self) -> Spent {
        Spent { cost: self.cost, estimated: self.estimated_cost }
    }
}

/// What became of a task in a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, strum::IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum TaskOutcome {
    /// It is not done.
    #[default]
    Open,
    /// It is done.
    Done,
    /// It was given up for this run.
    Parked,
}

/// A wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct WaitSeen {
    /// When it began.
    pub since: Timestamp,
    /// When it was over; `None` while it goes on, and where its runner was killed meanwhile.
    pub ended: Option<Timestamp>,
    /// A usage limit or an outage.
    pub class: Class,
}

/// Iterations by verdict.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Verdicts {
    /// They brought something new.
    pub worked: u32,
    /// A claim was accepted.
    pub accepted: u32,
    /// A claim was refused.
    pub refused: u32,
    /// A claim, and nothing had changed.
    pub unproven: u32,
    /// Nothing new.
    pub idle: u32,
    /// They failed.
    pub failed: u32,
}

impl Verdicts {
    /// All of them.
    pub const fn total(self) -> u32 {
        self.worked + self.accepted + self.refused + self.unproven + self.idle + self.failed
    }

    /// `3 worked, 1 idle`; empty where there are none.
    pub fn in_words(self) -> String {
        let kinds = [
            (self.worked, "worked"),
            (self.accepted, "accepted"),
            (self.refused, "refused"),
            (self.unproven, "unproven"),
            (self.idle, "idle"),
            (self.failed, "failed"),
        ];
        let counted = kinds.iter().filter(|(number, _)| *number > 0);
        counted.map(|(number, word)| format!("{number} {word}")).collect::<Vec<_>>().join(", ")
    }

    /// One more.
    pub(crate) fn count(&mut self, verdict: Verdict) {
        let counter = match verdict {
            Verdict::Worked => &mut self.worked,
            Verdict::Idle => &mut self.idle,
            Verdict::Failed => &mut self.failed,
            Verdict::ClaimAccepted => &mut self.accepted,
            Verdict::ClaimRefused => &mut self.refused,
            Verdict::ClaimUnsupported => &mut self.unproven,
        };
        *counter = counter.saturating_add(1);
    }
}
