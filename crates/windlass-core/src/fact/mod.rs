//! The vocabulary: what happened or was decided, one journalled line each.
//!
//! Terminal, `--json`, reports and replay are made from [`Entry`] values and [`Observation`](crate::observation)s and
//! nothing else.

mod lane;
mod name;

use serde::{Deserialize, Serialize};

use crate::damage::{Damage, DamageCourse};
use crate::spec::RunSpec;
use crate::values::{
    CallId, CallSummary, CheckOutcome, CheckStage, Class, CommitNotes, Cost, Cut, Delivery, Evidence,
    HookName, HookOutcome, LandOutcome, LaneId, MergeOutcome, NotificationKey, Now, Purpose, SinkKind,
    SnapshotId, Standing, StopReason, StopSource, Suspicion, TaskEnd, TaskId, TaskRow, Tokens, UnderWay,
    Verdict, millis,
};

/// One line of the journal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// Its ordinal, counted from 1 over the whole run.
    pub seq: u64,
    /// When it was decided.
    #[serde(flatten)]
    pub at: Now,
    /// What happened or was decided.
    #[serde(flatten)]
    pub fact: Fact,
}

/// What happened or was decided. Each variant says who may follow; [`Run::apply`](crate::run::Run::apply) refuses
/// the others.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "fact", rename_all = "snake_case")]
pub enum Fact {
    /// A run began; all that it needs to be continued is here.
    RunStarted {
        /// The run as it was resolved.
        plan: Box<RunSpec>,
    },
    /// The world before the first iteration was looked at and kept.
    #[serde(rename = "surveyed")]
    BaselineCaptured {
        /// What was seen.
        evidence: Evidence,
        /// Where it is kept; `None` without a git repository.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        snapshot: Option<SnapshotId>,
        /// Files that the snapshot left out.
        #[serde(default)]
        left_out: u32,
        /// What the job's own file says; `None` where the mode reads none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        standing: Option<Standing>,
    },
    /// A check ended.
    CheckFinished {
        /// The lane whose tree it judged.
        lane: LaneId,
        /// When it was run.
        stage: CheckStage,
        /// How it ended.
        outcome: CheckOutcome,
    },
    /// An iteration began.
    IterationStarted {
        /// Where.
        lane: LaneId,
        /// Its number, from 1 over the whole run.
        iteration: u32,
        /// The task it works on (mode tasks).
        #[serde(default, skip_serializing_if = "Option::is_none")]
        task: Option<TaskId>,
    },
    /// The tasks of the job were read, all of them, before anything else of this session; they differ from those known.
    TasksRead {
        /// In the order of their file.
        tasks: Vec<TaskRow>,
    },
    /// A lane's own checkout is at the tip of the branch, or where the lane's task was left.
    LaneOpened {
        /// Where.
        lane: LaneId,
        /// The commit that it is counted from.
        base: String,
        /// What was seen there.
        evidence: Evidence,
        /// Where it is kept.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        snapshot: Option<SnapshotId>,
    },
    /// A lane's work was merged with the tip of the branch, in the lane.
    Merged {
        /// Where.
        lane: LaneId,
        /// The tip.
        tip: String,
        /// What came of it.
        outcome: MergeOutcome,
        /// What is in the lane now.
        evidence: Evidence,
    },
    /// A lane's work was to reach the branch.
    Landed {
        /// Where.
        lane: LaneId,
        /// What came of it.
        outcome: LandOutcome,
    },
    /// What an iteration means for its task is written down where people look for it.
    TaskClosed {
        /// Where.
        lane: LaneId,
        /// The iteration that ended.
        iteration: u32,
        /// The task.
        task: TaskId,
        /// How it stands.
        end: TaskEnd,
        /// The branch that holds the work of a parked task; `None` where there was none to hold.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        branch: Option<String>,
        /// What is in the lane now.
        evidence: Evidence,
        /// Where it is kept, where the lane was put back to what was last committed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        snapshot: Option<SnapshotId>,
    },
    /// Money was set aside for a call that is about to be made.
    CallReserved {
        /// Where.
        lane: LaneId,
        /// The call.
        call: CallId,
        /// The iteration it belongs to.
        iteration: u32,
        /// Which try of that iteration, from 1.
        attempt: u32,
        /// What it is for.
        purpose: Purpose,
        /// What was set aside.
        #[serde(rename = "reserved_usd")]
        reserved: Cost,
        /// What the agent may spend; `None` = no limit.
        #[serde(rename = "budget_usd", default, skip_serializing_if = "Option::is_none")]
        budget: Option<Cost>,
    },
    /// The agent's process exists.
    CallSpawned {
        /// Where.
        lane: LaneId,
        /// The call.
        call: CallId,
        /// Its process id.
        pid: u32,
    },
    /// The runner decided to end a call.
    CallCut {
        /// Where.
        lane: LaneId,
        /// The call.
        call: CallId,
        /// Why.
        cut: Cut,
        /// Without asking first: SIGKILL now.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        now: bool,
    },
    /// The agent's process is gone, its output is read, nothing that it started is left.
    CallFinished {
        /// Where.
        lane: LaneId,
        /// The call.
        call: CallId,
        /// The agent claims that the job is done.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        claimed: bool,
        /// What there is to say about it.
        #[serde(flatten)]
        summary: CallSummary,
    },
    /// The job's own file says something else than before; seen while an agent worked, or after it.
    StatusChanged {
        /// Where.
        lane: LaneId,
        /// What it says now.
        standing: Standing,
    },
    /// The tree that a call left is kept.
    #[serde(rename = "kept")]
    SnapshotTaken {
        /// Where.
        lane: LaneId,
        /// What was seen.
        evidence: Evidence,
        /// Where it is kept; `None` without a git repository.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        snapshot: Option<SnapshotId>,
        /// Files that differ from the iteration's beginning.
        #[serde(default)]
        changed: u32,
        /// Those that the agent may not change: they are protected, or its mode does not let it.
        #[serde(default, skip_serializing_if = "is_none")]
        strayed: u32,
        /// What the job's own file says; `None` where the mode reads none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        standing: Option<Standing>,
    },
    /// What speaks against the checks of a lane's tree is something else than before. The tree is being kept.
    Suspected {
        /// Where.
        lane: LaneId,
        /// All that is suspicious now, with what was so before; empty = nothing is any more.
        suspicions: Vec<Suspicion>,
    },
    /// What the agent may not change, since it is protected or by its mode, was undone; the kept tree still has it.
    #[serde(rename = "refused")]
    ForbiddenChangesReverted {
        /// Where.
        lane: LaneId,
        /// How many files.
        count: u32,
        /// The first of them, relative to the working directory: at most 5.
        files: Vec<String>,
        /// They are as before; `false` where there is no snapshot to take them from.
        undone: bool,
        /// What is there now.
        evidence: Evidence,
    },
    /// The agent did something to the repository beyond its work. Comes before the tree is [`Fact::SnapshotTaken`].
    Damaged {
        /// Where.
        lane: LaneId,
        /// The iteration.
        iteration: u32,
        /// The attempt.
        attempt: u32,
        /// What, the worst first.
        found: Vec<Damage>,
        /// What follows.
        course: DamageCourse,
    },
    /// That was undone, as far as it could be; the kept tree still has it.
    Undone {
        /// Where.
        lane: LaneId,
        /// What is there now.
        evidence: Evidence,
        /// What the job's own file says now; `None` where the mode reads none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        standing: Option<Standing>,
    },
    /// A hook is to be asked whether the next iteration may begin.
    HookDue {
        /// Where.
        lane: LaneId,
        /// The iteration's number.
        iteration: u32,
    },
    /// A hook ended.
    HookFinished {
        /// Below whose keeper it ran.
        lane: LaneId,
        /// Which.
        hook: HookName,
        /// How it went, and what follows.
        #[serde(flatten)]
        outcome: HookOutcome,
    },
    /// A commit was made of what the iteration changed, or there was nothing to commit.
    Committed {
        /// Where.
        lane: LaneId,
        /// The commit; `None` when nothing was left to commit.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        commit: Option<String>,
        /// What is there now, seen after the commit's own hooks.
        evidence: Evidence,
        /// The commit's hooks changed the tree that the gates had judged, whether there is a commit or not.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        altered: bool,
        /// Why there is no commit although there were changes: what git or its hook said, at most 10 lines.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        refused: Option<String>,
        /// What else there is to say.
        #[serde(flatten)]
        notes: CommitNotes,
    },
    /// What the checks wrote was looked at, so that it is not taken for the agent's progress.
    #[serde(rename = "settled")]
    TreeRechecked {
        /// Where.
        lane: LaneId,
        /// What was seen.
        evidence: Evidence,
    },
    /// A claim would complete the job: a fresh agent is asked first, as a further attempt of the same iteration.
    VerificationDue {
        /// Where.
        lane: LaneId,
        /// The iteration.
        iteration: u32,
        /// The attempt that claimed.
        attempt: u32,
    },
    /// The attempt is over and the same iteration will be tried again. In a lane whose checkout is gone it comes before
    /// anything was judged, and the iteration begins anew in another checkout.
    AttemptRepeats {
        /// Where.
        lane: LaneId,
        /// The iteration.
        iteration: u32,
        /// The attempt that is over.
        attempt: u32,
        /// Why.
        class: Class,
    },
    /// An iteration ended.
    IterationFinished {
        /// Where.
        lane: LaneId,
        /// Its number.
        iteration: u32,
        /// What the runner made of it.
        verdict: Verdict,
        /// How its last call went.
        class: Class,
        /// Its evidence is one that this run had not seen.
        progress: bool,
        /// All its calls.
        #[serde(rename = "cost_usd")]
        cost: Cost,
        /// The part of the cost that is an estimate.
        #[serde(rename = "estimated_usd", default, skip_serializing_if = "Cost::is_zero")]
        estimated_cost: Cost,
        /// All its calls.
        tokens: Tokens,
        /// From its start to its end, waits included.
        #[serde(rename = "duration_ms", with = "millis")]
        duration: std::time::Duration,
    },
    /// No call will be started before this time.
    #[serde(rename = "held")]
    BackoffStarted {
        /// Until when, on the wall clock.
        until: jiff::Timestamp,
        /// [`Class::UsageLimit`] or [`Class::Outage`].
        class: Class,
        /// Which wait in a row.
        attempt: u32,
    },
    /// The wait is over.
    #[serde(rename = "released")]
    BackoffEnded,
    /// Somebody asked the run to stop. Repetitions escalate.
    StopRequested {
        /// Who.
        by: StopSource,
        /// The stage that this request leads to, 1 to 3.
        stage: u8,
    },
    /// The run cannot go on; what is running is ended, and then the run.
    Failing {
        /// What it will end with.
        stop_reason: StopReason,
        /// One sentence.
        detail: String,
        /// Whether what is being done is waited for.
        #[serde(default, skip_serializing_if = "UnderWay::is_seen_through")]
        under_way: UnderWay,
    },
    /// The run is continued by a new process. What was running then is lost.
    RunResumed {
        /// The plan, with limits that may have been raised.
        plan: Box<RunSpec>,
    },
    /// Something a person should know that changes no decision.
    Noticed {
        /// One sentence.
        text: String,
    },
    /// A notification has been accepted by a sink, or will not be. Changes no decision.
    NotificationSettled {
        /// Which.
        #[serde(flatten)]
        key: NotificationKey,
        /// Whom it was for.
        sink: SinkKind,
        /// What became of it.
        delivery: Delivery,
        /// The last answer's HTTP status, or the command's exit code; `None` without an answer.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        status: Option<i32>,
        /// Why it was not accepted: one line, without addresses or secrets.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        detail: String,
        /// How often it was tried; 0 = never.
        attempts: u32,
    },
    /// How the run ends is decided, and nothing of it is at work any more. Who has to be told is told before
    /// [`Fact::RunFinished`]; nothing else happens between the two.
    RunEnding {
        /// Why.
        stop_reason: StopReason,
        /// One sentence that says more, where there is more to say.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        detail: String,
        /// Iterations that ended.
        iterations: u32,
        /// All calls.
        #[serde(rename = "cost_usd")]
        cost: Cost,
        /// A part of the cost is an estimate.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        estimated: bool,
        /// That part.
        #[serde(rename = "estimated_usd", default, skip_serializing_if = "Cost::is_zero")]
        estimated_cost: Cost,
    },
    /// The run ended.
    RunFinished {
        /// Why.
        stop_reason: StopReason,
        /// One sentence that says more, where there is more to say.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        detail: String,
        /// Iterations that ended.
        iterations: u32,
        /// All calls.
        #[serde(rename = "cost_usd")]
        cost: Cost,
        /// A part of the cost is an estimate, since an agent died without reporting it, or reported what cannot be.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        estimated: bool,
        /// That part.
        #[serde(rename = "estimated_usd", default, skip_serializing_if = "Cost::is_zero")]
        estimated_cost: Cost,
        /// All calls.
        tokens: Tokens,
        /// Without waits for usage limits and without the time between a crash and its resume.
        #[serde(rename = "duration_ms", with = "millis")]
        duration: std::time::Duration,
        /// What the process ends with.
        exit_code: u8,
    },
}

/// For counts that are left out where there is nothing.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde gives a reference")]
const fn is_none(count: &u32) -> bool {
    *count == 0
}
