//! Uncommitted work that is found when a run begins: whose it is, and what it is called. Pure.

use crate::message::{Message, RUN_TRAILER, TaskText, WorkOutcome};
use crate::run::{LaneState, Run, TurnKey};
use crate::spec::RunSpec;
use crate::values::{LaneId, TaskRow};
use crate::words::some_of;

#[cfg(test)]
mod tests;
mod way_back;

pub use way_back::{DIRECTORY_GONE, WayBack};

/// So many paths are named of those that are committed as interrupted work.
const NAMED: usize = 10;

/// What is known of a path that differs from its commit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Trace {
    /// It differed from its commit already when a session of that run began.
    pub was_dirty: bool,
    /// The commit that the run last saw has it as it is now: a person has moved the branch since.
    pub is_committed: bool,
    /// What the run last kept of it.
    pub kept: SnapshotComparison,
    /// It was changed after the agent was last heard of.
    pub is_younger: bool,
}

/// How a path compares to the newest snapshots of the run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SnapshotComparison {
    /// It is as the attempt left it.
    AsLeft,
    /// It is otherwise than the attempt left it.
    Otherwise,
    /// Nobody kept what the attempt left: it is as it was when the attempt began.
    AsBegun,
    /// Nobody kept what the attempt left: it has changed since the attempt began.
    #[default]
    Grown,
}

/// Whose uncommitted work it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    /// The interrupted run's.
    Run,
    /// A person's, or nobody can tell: it is left alone.
    Person,
}

/// Where it cannot be told, it is a person's.
pub const fn owner(trace: Trace) -> Owner {
    match trace {
        Trace { was_dirty: true, .. }
        | Trace { is_committed: true, .. }
        | Trace { kept: SnapshotComparison::Otherwise, .. } => Owner::Person,
        Trace { kept: SnapshotComparison::AsLeft | SnapshotComparison::AsBegun, .. }
        | Trace { is_younger: false, .. } => Owner::Run,
        Trace { .. } => Owner::Person,
    }
}

/// The attempt whose work was not committed, as the journal has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsettled {
    /// The last attempt that an agent worked at.
    pub turn: TurnKey,
    /// It did not come to a verdict: the run was cut off, or ended in the middle of it.
    pub interrupted: bool,
    /// What it left was never kept: its call was cut off with the runner.
    pub unkept: bool,
    /// What was worked on: `iteration 3`.
    pub label: String,
    /// The job's title.
    pub title: String,
    /// The task that was worked on, in mode tasks.
    pub task: Option<TaskRow>,
}

/// May a check have been at work when this was journalled last? Before the first iteration those of the baseline are.
pub fn checks_may_be_at_work(run: &Run) -> bool {
    let checked = |state: &LaneState| {
        matches!(state, LaneState::Gating(..) | LaneState::Advancing(..) | LaneState::Settling(..))
    };
    run.counters().started == 0 || run.lanes().any(|(_, state)| checked(state))
}

/// May a landing have been cut off? What it leaves differs from what is committed, and is nobody's.
pub fn may_have_half_landed(run: &Run) -> bool {
    run.lanes().any(|(_, state)| matches!(state, LaneState::Landing(..)))
}

/// The work of a run that may lie uncommitted in its directory; `None` where no agent has worked.
pub fn unsettled(run: &Run) -> Option<Unsettled> {
    let plan = run.spec()?;
    let task = run.task_in(LaneId::default()).cloned();
    let of = |iteration: u32, attempt: u32, interrupted: bool, unkept: bool| Unsettled {
        turn: TurnKey { iteration, attempt },
        interrupted,
        unkept,
        label: task.as_ref().map_or_else(|| format!("iteration {iteration}"), |row| row.id.to_string()),
        title: plan.job.title.clone(),
        task: task.clone(),
    };
    match run.lane(LaneId::default())? {
        LaneState::Preparing(turn) if turn.attempt > 1 => {
            Some(of(turn.iteration, turn.attempt - 1, true, false))
        }
        LaneState::Preparing(turn) => finished_before(turn.iteration).map(|last| of(last, 0, false, false)),
        state @ (LaneState::Calling(turn, _)
        | LaneState::Terminating(turn, ..)
        | LaneState::Recovering(turn, _)) => {
            debug_assert!(state.call().is_some());
            Some(of(turn.iteration, turn.attempt, true, true))
        }
        state => match state.turn() {
            // Kept, or about to be: a resumed run judges it, and commits it as what it is.
            Some(turn) => {
                Some(of(turn.iteration, turn.attempt, true, matches!(state, LaneState::Keeping(..))))
            }
            None => finished_before(run.counters().started + 1).map(|last| of(last, 0, false, false)),
        },
    }
}

fn finished_before(iteration: u32) -> Option<u32> {
    (iteration > 1).then(|| iteration - 1)
}

/// Will a resumed run work at it anew, instead of judging what is there?
pub fn is_to_be_repeated(run: &Run) -> bool {
    let lane = run.lane(LaneId::default());
    if lane.and_then(LaneState::turn).is_some_and(|turn| turn.review.is_some()) {
        // Whoever looks over it does so again: the work itself is done.
        return false;
    }
    match lane {
        Some(LaneState::Preparing(turn)) => turn.attempt > 1,
        Some(LaneState::Calling(..) | LaneState::Terminating(..) | LaneState::Recovering(..)) => true,
        _ => false,
    }
}

/// What whoever begins another run in the directory has to put right of one that nobody has judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unjudged {
    /// All that an agent may have done that nobody has looked over since.
    Attempt,
    /// How far its tasks are: what its agent may not change was undone.
    States,
}

/// What of the last attempt of a run nobody has judged; `None` where all was. What is being committed, or written down as done, was.
pub fn unjudged(run: &Run) -> Option<(TurnKey, Unjudged)> {
    let state = run.lane(LaneId::default())?;
    let turn = state.turn()?.key();
    match state {
        LaneState::Calling(..)
        | LaneState::Terminating(..)
        | LaneState::Recovering(..)
        | LaneState::Keeping(..)
        | LaneState::Refusing(..) => Some((turn, Unjudged::Attempt)),
        LaneState::Undoing(..) | LaneState::Gating(..) => Some((turn, Unjudged::States)),
        // What is prepared has not begun.
        LaneState::Preparing(_) if turn.attempt > 1 => {
            Some((TurnKey { attempt: turn.attempt - 1, ..turn }, Unjudged::States))
        }
        _ => None,
    }
}

/// The commit's message. Its trailers are other ones than those of an iteration's commit, which is found again by them.
pub fn message(plan: &RunSpec, unsettled: &Unsettled) -> String {
    let Unsettled { label, title, turn, task, .. } = unsettled;
    let Some(row) = task else {
        let run = &plan.run;
        return format!(
            "Interrupted work on {label} - {title}\n\n{RUN_TRAILER} {run}\nWindlass-Interrupted: {}\n",
            turn.iteration
        );
    };
    let text = TaskText { id: &row.id.0, title: &row.title, kind: row.kind.as_deref(), breaking: None };
    let message = Message {
        outcome: WorkOutcome::Interrupted,
        run: &plan.run.0,
        iteration: turn.iteration,
        job: title,
        feature: plan.job.tasks.as_ref().and_then(|tasks| tasks.feature.as_deref()),
        task: Some(text),
    };
    message.text(&plan.message).replace("\nWindlass-Iteration: ", "\nWindlass-Interrupted: ")
}

/// The first paths, and how many more.
pub fn listed<'a>(paths: impl ExactSizeIterator<Item = &'a [u8]>) -> String {
    some_of(paths.map(|path| String::from_utf8_lossy(path).replace(char::is_control, "?")), NAMED)
}
