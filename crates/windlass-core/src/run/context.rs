//! What carrying out an effect needs to know of the run's state, taken from it once, when the effect is ordered.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::damage::DamageKind;
use crate::hook::HookSetting;
use crate::principles::{Preset, Principles};
use crate::report::{DeliveryTask, ForgeFinding, Returned};
use crate::run::lane::LaneState;
use crate::run::{Collected, DeliveryContext, Effect, IssueContext, Run, TurnKey};
use crate::tasks::Schedule;
use crate::values::{
    Assessment, CallClocks, CheckOutcome, Conflict, Evidence, HookName, JobStatus, LaneId, Named, Now,
    Review, SettledConflict, SnapshotId, Spent, Suspicion, TaskRow, Tokens,
};

/// What an effect needs to know; each kind of effect has its part, and the others are left out.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct OrderContext {
    /// When the run began: what is older is not its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub began: Option<Timestamp>,
    /// For a prompt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt: Option<Box<PromptContext>>,
    /// For what looks at, undoes or commits the work of an attempt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attempt: Option<AttemptContext>,
    /// For what is about a task.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tasks: Option<TaskContext>,
    /// For a call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clocks: Option<CallClocks>,
    /// For a hook.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hook: Option<Box<HookContext>>,
    /// For a pull request that is opened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delivery: Option<DeliveryContext>,
    /// For what a council has decided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decision: Option<Box<DecisionContext>>,
    /// For an issue that something is told of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub issue: Option<IssueContext>,
}

/// What a run knows that a prompt may have to say.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PromptContext {
    /// The outcomes that refused the latest claim.
    pub refused: Vec<CheckOutcome>,
    /// The outcomes of the baseline.
    pub baseline: Vec<CheckOutcome>,
    /// What the latest verification had against the work.
    pub findings: Option<Assessment>,
    /// What the job's own file says.
    pub standing: Option<JobStatus>,
    /// What hooks want the agent to be told.
    pub hook: String,
    /// What the repository's hook said when it refused the lane's latest commit.
    pub hook_refusal: Option<String>,
    /// The first files that the latest iteration was not allowed to change.
    pub forbidden_changes: Vec<String>,
    /// What the last attempt did to the repository.
    pub damage: String,
    /// What the guard holds against the work.
    pub held: Vec<Suspicion>,
    /// What came back from the pull request, and why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub returned: Option<(Returned, Vec<ForgeFinding>)>,
    /// How far the collection of principles is.
    #[serde(default)]
    pub collected: Collected,
    /// What a reviewer has against the work.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rejection: Option<Review>,
    /// What is to be reviewed; `None` in other calls.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub review: Option<ReviewContext>,
    /// What councils have decided in this run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub settled: Vec<SettledConflict>,
    /// What a council is asked about; `None` in other calls.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conflict: Option<Conflict>,
}

/// A decision that goes into the project's log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DecisionContext {
    /// What was settled, and how.
    pub settled: SettledConflict,
    /// What the project's principles come from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preset: Option<Preset>,
}

/// What a run knows of work that is looked over.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReviewContext {
    /// The first attempt whose changes no reviewer has let stand; `None` where all of them were.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<TurnKey>,
    /// The success criteria that are to be judged, in the order of their numbers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub criteria: Vec<String>,
    /// What the checks said of it; empty where there are none.
    pub checks: Vec<CheckOutcome>,
}

/// What a run knows of an attempt whose work is looked at.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AttemptContext {
    /// What it was told to have done to the repository, in a session before this one.
    pub told: Vec<DamageKind>,
    /// It changed files that it may not change.
    pub has_forbidden_changes: bool,
    /// What its lane had last committed, or began with.
    pub committed: Option<SnapshotId>,
    /// Patterns of files that its task protects, or may change, beyond those of the plan.
    pub protected: Vec<String>,
    /// It was asked to derive principles.
    #[serde(default)]
    pub owes_principles: bool,
    /// The principles that an agent of the run has derived; their file is the runner's.
    #[serde(default)]
    pub derived: Option<Principles>,
    /// The SHA-256 of the log of decisions as the runner left it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decision_log: Option<String>,
}

/// The tasks of a job, and the one that an effect is about.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TaskContext {
    /// All of them, as their ends are decided.
    pub schedule: Schedule,
    /// The one that the lane is at.
    pub at: Option<TaskAtHand>,
}

/// The task that a lane is at.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TaskAtHand {
    /// The task.
    pub row: TaskRow,
    /// Its lane has just taken it up.
    pub fresh: bool,
    /// How often it has failed.
    pub failed: u32,
    /// Paths that its agent has to put together.
    pub conflicts: Vec<String>,
    /// The commit of its work before that.
    pub work: Option<String>,
    /// When its iteration began.
    pub began: Timestamp,
    /// What the iteration has cost.
    pub cost: Spent,
    /// What the iteration has used.
    pub tokens: Tokens,
}

/// What a run knows that a hook is told.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HookContext {
    /// All that the run itself knows.
    pub setting: HookSetting,
    /// What the run began with: commits are counted from there.
    pub first: Option<Evidence>,
    /// The same of the latest iteration.
    pub before: Option<Evidence>,
    /// Its log, below the run's folder; `None` = it gets none.
    pub log: Option<String>,
}

impl OrderContext {
    /// As the run stands: what this effect needs, and nothing else.
    pub fn of(run: &Run, effect: &Effect, now: Now) -> OrderContext {
        let lane = effect.lane().unwrap_or_default();
        let mut context = OrderContext { began: run.started(), ..OrderContext::default() };
        match effect {
            Effect::Prepare { .. } => {
                context.prompt = Some(Box::new(PromptContext::of(run, lane)));
                context.tasks = TaskContext::of(run, lane);
            }
            Effect::Keep { turn, .. } | Effect::Refuse { turn, .. } | Effect::Commit { turn, .. } => {
                context.attempt = Some(AttemptContext::of(run, lane, *turn));
                context.tasks = TaskContext::of(run, lane);
            }
            Effect::Open { .. } | Effect::Land { .. } | Effect::CloseTask { .. } => {
                context.tasks = TaskContext::of(run, lane);
            }
            Effect::LogDecision { turn, .. } => {
                context.decision = DecisionContext::of(run, *turn).map(Box::new);
            }
            Effect::Call { .. } => context.clocks = run.call_clocks(now),
            Effect::RunHook { hook, iteration, .. } => {
                context.hook = HookContext::of(run, *hook, *iteration, now).map(Box::new);
            }
            Effect::Survey(_)
            | Effect::RunCheck { .. }
            | Effect::Recover { .. }
            | Effect::EndCall { .. }
            | Effect::Undo { .. }
            | Effect::Merge { .. }
            | Effect::Settle { .. } => {}
            // What is to be tried again when the run goes on is not done, whatever its agent wrote.
            Effect::Announce => {
                let is_repeated =
                    |state: &LaneState| matches!(state, LaneState::Preparing(turn) if turn.attempt > 1);
                context.tasks = run
                    .lane(lane)
                    .filter(|state| is_repeated(state))
                    .and_then(|_| TaskContext::of(run, lane));
            }
            Effect::Issue { task, what } => context.issue = run.issue_text(task, *what),
            Effect::Deliver { task, basis, .. } => {
                let opens = *task == DeliveryTask::Open;
                context.delivery = opens.then(|| run.delivery_text(*basis)).flatten();
            }
        }
        context
    }

    /// Before anything was done: with the first of these tasks, in mode tasks.
    pub fn at_first(rows: Option<Vec<TaskRow>>) -> OrderContext {
        let prompt = Some(Box::default());
        OrderContext { prompt, tasks: rows.map(TaskContext::at_first), ..OrderContext::default() }
    }

    /// The tasks; `None` in other modes.
    pub fn schedule(&self) -> Option<&Schedule> {
        self.tasks.as_ref().map(|tasks| &tasks.schedule)
    }

    /// The task that the effect is about; `None` in other modes.
    pub fn task(&self) -> Option<&TaskAtHand> {
        self.tasks.as_ref()?.at.as_ref()
    }

    /// Patterns of files that the task protects, or may change, beyond those of the plan.
    pub fn protected(&self) -> &[String] {
        self.attempt.as_ref().map_or(&[], |attempt| &attempt.protected)
    }
}

impl PromptContext {
    fn of(run: &Run, lane: LaneId) -> PromptContext {
        let refused = if has_tasks(run) { run.refused_in(lane) } else { run.refused_by() };
        PromptContext {
            refused: refused.to_vec(),
            baseline: run.baseline().to_vec(),
            findings: run.findings().cloned(),
            standing: run.standings().latest().cloned(),
            hook: run.hook_prompt(),
            hook_refusal: run.hook_refusal(lane).map(str::to_owned),
            forbidden_changes: run.forbidden_changes().to_vec(),
            damage: run.damage_prompt(),
            held: run.held(lane).into_iter().cloned().collect(),
            returned: run.returned().map(|(because, findings)| (because, findings.to_vec())),
            collected: run.collected().clone(),
            rejection: run.rejection(lane).cloned(),
            review: ReviewContext::of(run, lane),
            settled: run.decisions().to_vec(),
            conflict: run.conflict(lane).cloned(),
        }
    }
}

impl DecisionContext {
    fn of(run: &Run, turn: TurnKey) -> Option<DecisionContext> {
        let settled = run.to_be_logged(turn)?.clone();
        Some(DecisionContext { settled, preset: run.principles().map(|principles| principles.preset) })
    }
}

impl ReviewContext {
    fn of(run: &Run, lane: LaneId) -> Option<ReviewContext> {
        let candidate = run.lane(lane)?.turn()?.review.as_ref()?;
        let checks = candidate.judged.outcomes.clone();
        let criteria = run.criteria_in_review(lane).into_iter().map(str::to_owned).collect();
        Some(ReviewContext { since: run.unreviewed_since(lane), criteria, checks })
    }
}

impl AttemptContext {
    fn of(run: &Run, lane: LaneId, turn: TurnKey) -> AttemptContext {
        let damaged = run.lanes().filter_map(|(lane, _)| run.damage(lane));
        let told = damaged.filter(|(damaged, ..)| *damaged == turn).flat_map(|(_, found, _)| found);
        AttemptContext {
            told: told.map(|damage| damage.kind).collect(),
            has_forbidden_changes: !run.forbidden_changes().is_empty(),
            committed: run.last_commit(lane).cloned(),
            protected: run.task_in(lane).map(|row| row.protected.clone()).unwrap_or_default(),
            owes_principles: run.owes_principles(lane),
            derived: run.collected().principles.clone(),
            decision_log: run.decision_log().map(str::to_owned),
        }
    }
}

impl TaskContext {
    fn of(run: &Run, lane: LaneId) -> Option<TaskContext> {
        let at = TaskAtHand::of(run, lane);
        has_tasks(run).then(|| TaskContext { schedule: run.tasks_as_decided(), at })
    }

    fn at_first(rows: Vec<TaskRow>) -> TaskContext {
        let schedule = Schedule::new(rows);
        let at = schedule.next().cloned().map(|row| TaskAtHand { row, fresh: true, ..TaskAtHand::default() });
        TaskContext { schedule, at }
    }
}

impl TaskAtHand {
    fn of(run: &Run, lane: LaneId) -> Option<TaskAtHand> {
        let (row, turn) = (run.task_in(lane)?.clone(), run.lane(lane)?.turn()?);
        Some(TaskAtHand {
            fresh: run.task_is_fresh(lane),
            failed: run.task_failures(&row.id),
            conflicts: run.conflicts_in(lane).to_vec(),
            work: run.work_in(lane).map(str::to_owned),
            began: turn.began,
            cost: Spent { cost: turn.cost, estimated: turn.estimated },
            tokens: turn.tokens,
            row,
        })
    }
}

impl HookContext {
    fn of(run: &Run, hook: HookName, iteration: u32, now: Now) -> Option<HookContext> {
        Some(HookContext {
            setting: run.hook_setting(hook, iteration, now)?,
            first: run.first_evidence().cloned(),
            before: run.latest_iteration().before.clone(),
            log: Some(format!("hooks/{:06}-{}.log", run.next_seq(), hook.name())),
        })
    }
}

fn has_tasks(run: &Run) -> bool {
    run.spec().is_some_and(|spec| spec.job.tasks.is_some())
}
