//! What prompts are made of.

use windlass_core::report::{ForgeFinding, Returned};
use windlass_core::run::{Collected, TurnKey};
use windlass_core::spec::RunSpec;
use windlass_core::values::{
    Assessment, CheckOutcome, Conflict, JobStatus, Purpose, Review, SettledConflict, Suspicion, TaskId,
    TaskRow,
};

use super::notes::Notes;
use crate::doc::plan::NextTask;

/// What a prompt is made of.
#[derive(Clone, Debug)]
pub struct PromptParts<'a> {
    /// The run.
    pub plan: &'a RunSpec,
    /// Which attempt of which iteration.
    pub turn: TurnKey,
    /// What the call is for.
    pub purpose: Purpose,
    /// What the person wants, word for word: a goal, or a workspace's instructions.
    pub goal: &'a str,
    /// The project's own texts for this mode.
    pub templates: Templates<'a>,
    /// The notes of earlier iterations; `None` when there is no such file yet.
    pub notes: Option<Notes>,
    /// The checks that refused the latest claim.
    pub refused: Vec<FailedCheck<'a>>,
    /// The project's AGENTS.md.
    pub agents_file: Option<&'a str>,
    /// What the latest verification had against the work.
    pub findings: Option<&'a Assessment>,
    /// What the guard holds against the work.
    pub held: &'a [Suspicion],
    /// What the status file says.
    pub standing: Option<&'a JobStatus>,
    /// What the project's hooks want the agent of this iteration to be told; empty = nothing.
    pub hook: &'a str,
    /// What the repository's hook said when it refused the latest commit; `None` = it did not.
    pub refused_commit: Option<&'a str>,
    /// What the last attempt did to the repository: lines, or empty.
    pub damage: &'a str,
    /// What came back from the pull request, and why; `None` = nothing.
    pub returned: Option<(Returned, &'a [ForgeFinding])>,
    /// How far the collection of principles is; `None` = nothing has been asked for.
    pub collected: Option<&'a Collected>,
    /// How the plan stands; `None` in modes without one.
    pub plan_work: Option<PlanWork<'a>>,
    /// How the document of a phase stands; `None` in other modes.
    pub phase_work: Option<PhaseWork<'a>>,
    /// The task of this iteration; `None` in modes without tasks.
    pub task_work: Option<TaskWork<'a>>,
    /// What a reviewer has against the work.
    pub rejection: Option<&'a Review>,
    /// What a reviewer is shown; `None` in other calls.
    pub review: Option<ReviewWork<'a>>,
    /// What councils have decided in this run, in this order.
    pub settled: &'a [SettledConflict],
    /// What a council is asked about; `None` in other calls.
    pub conflict: Option<&'a Conflict>,
}

/// What a mode says in its prompts.
#[derive(Clone, Copy, Debug)]
pub struct ModeWords {
    /// What the system prompt says of it; empty where the user's prompt says it all.
    pub(crate) role: &'static str,
    /// Our own text for the user's prompt, which a project may replace; empty where it is put together from parts.
    pub(crate) template: &'static str,
    /// How much is done in an iteration, as a workspace's agents are told.
    pub pace: Pace,
}

/// How much is done in an iteration.
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    /// In a prompt.
    pub(crate) in_prompts: &'static str,
    /// In a session in which the instructions are written.
    pub in_sessions: &'static str,
}

/// Texts of a project that replace (`user`) or add to (`system`) the built-in ones of a mode. `{{projectRoot}}` and
/// `{{iteration}}` are put in; for workspaces `{{workspacePath}}` and `{{instructions}}`, for plan and build
/// `{{planFile}}`, `{{specs}}`, `{{task}}` and `{{commits}}`, for tasks `{{taskFile}}`, `{{task}}`, `{{claim}}` and `{{commits}}`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Templates<'a> {
    /// `.windlass/prompts/<mode>.md`
    pub user: Option<&'a str>,
    /// `.windlass/prompts/<mode>.system.md`
    pub system: Option<&'a str>,
}

/// A check that failed, and the end of what it printed. Of what it printed before, the line that tells most is in its outcome.
#[derive(Clone, Debug)]
pub struct FailedCheck<'a> {
    /// The command.
    pub command: &'a str,
    /// How it ended.
    pub outcome: &'a CheckOutcome,
    /// The end of its output.
    pub tail: String,
    /// What it said before.
    pub earlier: Earlier<'a>,
}

/// What a check that fails now had said earlier in its run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Earlier<'a> {
    /// Nothing that matters.
    Nothing,
    /// It failed before the first iteration as well.
    Failed,
    /// It passed, and showed that a task is done: another one than that at hand.
    Showed(&'a TaskId),
}

/// How the plan of a job stands.
#[derive(Clone, Debug, Default)]
pub struct PlanWork<'a> {
    /// The plan as it is to be named: its file, or its folder's `README.md`.
    pub file: String,
    /// Is it a folder with a file for each feature?
    pub layout: PlanLayout,
    /// The task of this iteration; `None` when none is open, and when there is no plan yet.
    pub next: Option<NextTask>,
    /// What is wrong with it, one sentence each.
    pub problems: Vec<String>,
    /// The first files beyond the plan that the latest iteration changed.
    pub strays: &'a [String],
}

/// How a plan is laid out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PlanLayout {
    /// One file.
    #[default]
    File,
    /// A folder whose `README.md` leads to one file for each feature.
    Folder,
}

/// How the document of a phase stands.
#[derive(Clone, Debug, Default)]
pub struct PhaseWork<'a> {
    /// The ids of the PRD's requirements; empty before there is one.
    pub requirements: Vec<String>,
    /// What is wrong with the document, one sentence each; empty where it is not there yet.
    pub problems: Vec<String>,
    /// The first files beyond the document that the latest iteration changed.
    pub strays: &'a [String],
}

/// The task of an iteration.
#[derive(Clone, Debug)]
pub struct TaskWork<'a> {
    /// The task file, relative to the working directory.
    pub file: String,
    /// The task.
    pub task: &'a TaskRow,
    /// As it stands in its file; empty where it is not there any more.
    pub source: String,
    /// How its agent says that it is done: one sentence.
    pub claim: String,
    /// How often it has failed.
    pub failed: u32,
    /// Where each iteration is noted, relative to the working directory; `None` where nothing is noted yet.
    pub progress: Option<String>,
    /// What stands there of its latest failure.
    pub error: Option<String>,
    /// Paths that have to be put together.
    pub conflicts: &'a [String],
}

/// What a reviewer is shown.
#[derive(Clone, Debug, Default)]
pub struct ReviewWork<'a> {
    /// What has changed since a reviewer last let the work stand; `None` where nothing keeps what was there before.
    pub changes: Option<Changes>,
    /// The success criteria that it has to judge, in the order of their numbers.
    pub criteria: &'a [String],
    /// What each check said, with its command.
    pub checks: Vec<(&'a str, &'a CheckOutcome)>,
}

/// What has changed.
#[derive(Clone, Debug, Default)]
pub struct Changes {
    /// As `git diff` shows it.
    pub text: String,
    /// Files that differ and of which the text does not show all.
    pub not_shown: Vec<String>,
}
