//! The vocabulary: what happened or was decided, one journalled line each.
//!
//! Terminal, `--json`, reports and replay are made from [`Entry`] values and [`Observation`](crate::observation)s and
//! nothing else.

mod lane;

use serde::{Deserialize, Serialize};
use strum::{IntoStaticStr, VariantNames};

use crate::principles::Principles;
use crate::report;
use crate::spec::RunSpec;
use crate::values::{
    AgentIndex, CallId, CallSummary, Class, Cost, Cut, LaneId, Now, Purpose, StopReason, StopSource, TaskId,
    TaskRow, Tokens, UnderWay, Verdict, millis,
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
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, IntoStaticStr, VariantNames)]
#[serde(tag = "fact", rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Fact {
    /// A run began; all that it needs to be continued is here.
    RunStarted {
        /// The run as it was resolved.
        plan: Box<RunSpec>,
    },
    /// The world before the first iteration was looked at and kept.
    #[serde(rename = "surveyed")]
    #[strum(serialize = "surveyed")]
    BaselineCaptured(report::BaselineCaptured),
    /// A check ended.
    CheckFinished(report::CheckFinished),
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
    LaneOpened(report::LaneOpened),
    /// A lane's work was merged with the tip of the branch, in the lane.
    Merged(report::Merged),
    /// A lane's work was to reach the branch.
    Landed(report::Landed),
    /// What an iteration means for its task is written down where people look for it.
    TaskClosed(report::TaskClosed),
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
        /// Whose it is.
        #[serde(default, skip_serializing_if = "AgentIndex::is_first")]
        agent: AgentIndex,
        /// What was set aside.
        #[serde(rename = "reserved_usd")]
        reserved: Cost,
        /// What the agent may spend; `None` = no limit.
        #[serde(rename = "budget_usd", default, skip_serializing_if = "Option::is_none")]
        budget: Option<Cost>,
    },
    /// The agent's process exists.
    CallSpawned(report::CallSpawned),
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
    /// A call that was charged as an estimate, since the worker that made it was lost, was heard of after all. What it did does not
    /// count; what it cost replaces the estimate.
    CallRecharged {
        /// Where it was made.
        lane: LaneId,
        /// The call.
        call: CallId,
        /// What it is charged now.
        #[serde(rename = "cost_usd")]
        cost: Cost,
        /// That is an estimate as well, of what its stream says.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        estimated: bool,
        /// What the list of prices says about it.
        #[serde(rename = "listed_usd", default, skip_serializing_if = "Cost::is_zero")]
        listed: Cost,
        /// What it used.
        tokens: Tokens,
        /// What it was charged before.
        #[serde(rename = "replaces_usd")]
        replaces: Cost,
        /// What it was thought to have used before.
        replaces_tokens: Tokens,
    },
    /// The job's own file says something else than before; seen while an agent worked, or after it.
    StatusChanged(report::StatusChanged),
    /// The tree that a call left is kept.
    #[serde(rename = "kept")]
    #[strum(serialize = "kept")]
    SnapshotTaken(report::SnapshotTaken),
    /// What speaks against the checks of a lane's tree is something else than before. The tree is being kept.
    Suspected(report::Suspected),
    /// What an agent proposed as principles was looked at. The tree is being kept.
    PrinciplesCollected {
        /// Where.
        lane: LaneId,
        /// What was taken, and holds from the next iteration; `None` = nothing.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        principles: Option<Principles>,
        /// Why nothing was: a sentence.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        refused: String,
        /// How often an agent is asked once more.
        #[serde(default)]
        left: u32,
    },
    /// What the agent may not change, since it is protected or by its mode, was undone; the kept tree still has it.
    #[serde(rename = "refused")]
    #[strum(serialize = "refused")]
    ForbiddenChangesReverted(report::ForbiddenChangesReverted),
    /// The agent did something to the repository beyond its work. Comes before the tree is [`Fact::SnapshotTaken`].
    Damaged(report::Damaged),
    /// That was undone, as far as it could be; the kept tree still has it.
    Undone(report::Undone),
    /// A hook is to be asked whether the next iteration may begin.
    HookDue {
        /// Where.
        lane: LaneId,
        /// The iteration's number.
        iteration: u32,
    },
    /// A hook ended.
    HookFinished(report::HookFinished),
    /// A commit was made of what the iteration changed, or there was nothing to commit.
    Committed(report::Committed),
    /// What the checks wrote was looked at, so that it is not taken for the agent's progress.
    #[serde(rename = "settled")]
    #[strum(serialize = "settled")]
    TreeRechecked(report::TreeRechecked),
    /// What an attempt left stands, and a follow-up call about it is made first, as a further attempt of the same iteration.
    #[serde(rename = "verification_due")]
    #[strum(serialize = "verification_due")]
    FollowUpDue {
        /// Where.
        lane: LaneId,
        /// The iteration.
        iteration: u32,
        /// The attempt that it is about.
        attempt: u32,
        /// What the call is for. Earlier journals know one purpose only, and do not name it.
        #[serde(default = "Purpose::verify", skip_serializing_if = "Purpose::is_verify")]
        purpose: Purpose,
    },
    /// Too little had changed for a reviewer to be asked: the work goes on as it is.
    ReviewSkipped(report::ReviewSkipped),
    /// What a council has decided stands in the project's log of decisions, or cannot.
    DecisionLogged(report::DecisionLogged),
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
    /// The work of the run came a step further on its way out: pushed, in a pull request, merged.
    Delivery(report::DeliveryStep),
    /// Something happened with an issue that the run works off: leased, taken by another run, told.
    Issue(report::IssueStep),
    /// No call will be started before this time.
    #[serde(rename = "held")]
    #[strum(serialize = "held")]
    BackoffStarted {
        /// Until when, on the wall clock.
        #[serde(with = "crate::values::wall_time")]
        until: jiff::Timestamp,
        /// [`Class::UsageLimit`] or [`Class::Outage`].
        class: Class,
        /// Which wait in a row.
        attempt: u32,
    },
    /// The wait is over.
    #[serde(rename = "released")]
    #[strum(serialize = "released")]
    BackoffEnded,
    /// One of several agents cannot work for now.
    AgentAway {
        /// Which.
        agent: AgentIndex,
        /// Why: [`Class::UsageLimit`], [`Class::Outage`], or a class that no repetition helps.
        class: Class,
        /// Until when, on the wall clock; `None` = until a person goes on with the run.
        #[serde(default, skip_serializing_if = "Option::is_none", with = "crate::values::some_wall_time")]
        until: Option<jiff::Timestamp>,
        /// Who takes over; `None` = nobody is left.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        by: Option<AgentIndex>,
        /// One sentence.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        detail: String,
    },
    /// It can again: the next call is its own, unless one before it in the chain can work.
    AgentBack {
        /// Which.
        agent: AgentIndex,
    },
    /// Somebody asked the run to stop. Repetitions escalate.
    StopRequested {
        /// Who.
        by: StopSource,
        /// The stage that this request leads to, 1 to 3.
        stage: u8,
    },
    /// Somebody asked the run to leave a task: one that is worked on is parked after its attempt, unless that does it.
    ParkRequested {
        /// Who.
        by: StopSource,
        /// Which.
        task: TaskId,
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
        /// The run as it was resolved, with limits that may have been raised.
        plan: Box<RunSpec>,
    },
    /// Somebody asked through a view for something to be done about the run. Changes no decision, and may come after its end.
    ActionAsked(report::ActionAsked),
    /// Something a person should know that changes no decision.
    Noticed(report::Noticed),
    /// A notification has been accepted by a sink, or will not be. Changes no decision.
    NotificationSettled(report::NotificationSettled),
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

impl Fact {
    /// The run cannot go on, and what is being done is waited for.
    pub(crate) fn failing(stop_reason: StopReason, detail: impl Into<String>) -> Fact {
        Fact::Failing { stop_reason, detail: detail.into(), under_way: UnderWay::SeenThrough }
    }
}

/// Makes the facts that hold a report as it is.
macro_rules! from_reports {
    ($($name:ident),+ $(,)?) => {
        $(impl From<report::$name> for Fact {
            fn from(report: report::$name) -> Fact {
                Fact::$name(report)
            }
        })+
    };
}

from_reports! {
    BaselineCaptured, LaneOpened, CallSpawned, StatusChanged, Suspected, Damaged, SnapshotTaken,
    ForbiddenChangesReverted, Undone, HookFinished, CheckFinished, Committed, TreeRechecked, Merged, Landed, TaskClosed,
    NotificationSettled, Noticed, ReviewSkipped, DecisionLogged, ActionAsked,
}

/// The run as it began, where these are its facts.
pub fn plan_of(facts: Vec<Entry>) -> Option<Box<RunSpec>> {
    facts.into_iter().find_map(|entry| match entry.fact {
        Fact::RunStarted { plan } => Some(plan),
        _ => None,
    })
}
