//! What a night is made of: all of it drawn before it begins, so that a failing night can be made smaller.

mod act;
mod chain;
mod characters;
mod claims;
mod councils;
mod draw;
mod forge;
mod hook;
mod money;
mod natures;
mod outside;
mod phase;
mod plan;
mod principles;
mod receiver;
mod reviews;
mod shrink;
mod tasks;

use windlass_core::spec::{Mode, RunSpec};

pub(crate) use act::{
    Act, Action, End, Failure, Judgement, Miscount, OnTerm, PlanAction, ResultEvent, StatusWord, TaskAction,
    Word,
};
pub(crate) use forge::{ChecksEnd, ForgeEvent, ForgeNature};
pub(crate) use hook::{HookNature, HookWord};
pub(crate) use plan::SIGNAL;
pub(crate) use receiver::{Answers, Receiver};

/// What a task of the job is like, beside how far it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TaskNature {
    pub priority: u8,
    /// Numbers of tasks; one that no task has is a dependency that is not there.
    pub dependencies: Vec<u8>,
    /// Another task has its id, and is open. Nobody ever finishes that one.
    pub has_twin: bool,
    /// Who is to work on it.
    pub agent: Option<String>,
}

/// One night, as a value. The same script gives the same night.
#[derive(Clone, Debug)]
pub struct Script {
    /// The number that it was drawn from; chance within the night (a flaky check) follows from it as well.
    pub seed: u64,
    pub(crate) plan: RunSpec,
    /// Who is told what happens; `None` = nobody.
    pub(crate) receiver: Option<Receiver>,
    /// So much work makes the job done.
    pub(crate) goal: u32,
    /// What each check is like, as the plan lists them.
    pub(crate) checks: Vec<CheckNature>,
    /// The hook of commits.
    pub(crate) hook: Hook,
    /// What each hook of the run is like, as the plan lists them.
    pub(crate) hooks: Vec<HookNature>,
    /// The plan of the job before the run, as a file's content.
    pub(crate) book: u32,
    /// The tasks of the job, as they are in the plan's file; empty in other modes.
    pub(crate) tasks: Vec<TaskNature>,
    /// No task has to do with another: lanes give what one lane gives.
    pub(crate) commutes: bool,
    /// What agents do that are to put work together.
    pub(crate) mergers: Vec<Act>,
    /// What the workspace's status file said before the run.
    pub(crate) status: Option<StatusWord>,
    /// What agents do, one call after another, over and over.
    pub(crate) acts: Vec<Act>,
    /// What agents do that are asked to judge.
    pub(crate) verifiers: Vec<Act>,
    /// What agents do that are asked to look over work; empty where nobody is.
    pub(crate) reviewers: Vec<Act>,
    /// What agents do that are asked to settle a conflict; empty where nobody is.
    pub(crate) councils: Vec<Act>,
    /// Where the work goes; `None` where it stays.
    pub(crate) forge: Option<ForgeNature>,
    /// By step, ascending.
    pub(crate) events: Vec<Event>,
    /// What happens between the sessions.
    pub(crate) pauses: Vec<Pause>,
}

impl Script {
    /// The words of the success criteria of its tasks.
    pub fn criteria(&self) -> Vec<&str> {
        let criteria = self.plan.checks.iter().filter(|check| check.criterion.is_some());
        criteria.map(|check| check.command.as_str()).collect()
    }
}

/// Something from outside, at a step of the night. A step is the smallest thing that a night does: a fact written, an
/// effect begun or done, an action of the agent, a stretch of time.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Event {
    pub step: u32,
    /// If the step is a stretch of time: after so many 256ths of it.
    pub part: u8,
    pub what: Happening,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Happening {
    CtrlC,
    Terminate,
    HangUp,
    /// `windlass stop`.
    StopFile,
    /// SIGKILL to the runner. Of a write under way, so many 256ths are done. The keeper gives the agent so many ms.
    Kill {
        torn: u8,
        agent_lives_ms: u32,
    },
    /// Of what is not synced, so many 256ths survive; zeros may stand where the rest was to be.
    PowerCut {
        survives: u8,
        zeros: bool,
    },
    KeeperDies,
    DiskFills,
    DiskFrees,
    /// The wall clock is set by so many seconds.
    Jump(i32),
    /// The machine sleeps: the monotonic clock stands still.
    Sleep(u32),
    /// A person writes a file in the user's directory and commits everything, while lanes work.
    TipMoves(u8),
    /// The same, and nothing is committed.
    Dirties(u8),
    /// Somebody removes the checkout of this lane.
    LaneGoes(u8),
    /// A commit of a person's waits in an editor while so many landings are tried.
    Locks(u8),
}

/// Between two sessions.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Pause {
    /// Seconds.
    pub length: u32,
    pub edit: Option<Edit>,
    /// Does somebody resume a run that ended by itself, with higher limits where it needs them?
    pub resumes_ended: bool,
}

/// What a person does to the tree between two sessions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Edit {
    Writes(u8),
    Deletes(u8),
    /// Writes, and commits everything.
    Commits(u8),
    /// Takes a claim back that stands in the status file.
    Unclaims,
}

/// What a check is like.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct CheckNature {
    pub rule: CheckRule,
    pub leaves: Leaves,
    /// How long it takes.
    pub seconds: u32,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum CheckRule {
    /// Passes once so much work is done.
    WhenDone(u32),
    Always,
    Never,
    /// Passes so many times out of a hundred, whatever is there.
    Flaky(u32),
    /// Passes while the work of every task that is marked as done is there.
    Whole,
    /// Passes unless the work of both of these tasks is there, and nothing holds it together.
    Apart(u32, u32),
    /// Takes longer than it may.
    Slow,
    /// Cannot be started.
    Lost,
}

/// What a check, or a hook of the run, does to the tree.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Leaves {
    Nothing,
    /// The same content each time.
    Same(u8),
    /// Another content each time: a report with a date in it.
    New(u8),
    /// It removes a file.
    Removes(u8),
}

/// What the repository's commit hook does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Hook {
    None,
    /// It changes a file, and that is what is committed.
    Formats,
    /// It changes a file in a way that undoes the work.
    Breaks,
    /// It changes the working tree, not what is committed.
    Litters,
    Refuses,
    /// It changes the working tree, and refuses: look at it and try again.
    FormatsAndRefuses,
}

impl Script {
    /// The mode that the night is about.
    pub fn mode(&self) -> Mode {
        self.plan.job.mode
    }
}
