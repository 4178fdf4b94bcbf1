//! What has been decided but not yet seen done.

use serde::{Deserialize, Serialize};
use strum::VariantNames;

use crate::report::{DeliveryBasis, DeliveryTask, IssueTask};
use crate::values::{
    AgentIndex, CallId, CheckStage, Cost, Cut, HookName, LaneId, Purpose, SnapshotId, TaskEnd, TaskId,
};

/// Something for the shell to carry out. Its row in `docs/effects.md` names the fact that intends it, the fact that
/// ends it, its idempotency key, and how a crash between the two is settled.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, VariantNames)]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    /// Look at the world and keep it, before anything is done.
    Survey(Occasion),
    /// Run a check.
    RunCheck {
        /// On whose tree.
        lane: LaneId,
        /// When.
        stage: CheckStage,
        /// Which: an index into the plan's checks.
        check: u16,
        /// The turn it judges; `None` for the baseline.
        turn: Option<TurnKey>,
    },
    /// Write the prompt of an attempt.
    Prepare {
        /// Where.
        lane: LaneId,
        /// Which attempt of which iteration.
        turn: TurnKey,
        /// What the call is for.
        purpose: Purpose,
        /// How much of the notes goes in.
        notes: NotesShare,
        /// For whom.
        #[serde(default, skip_serializing_if = "AgentIndex::is_first")]
        agent: AgentIndex,
    },
    /// Start an agent and see it through to its end.
    Call {
        /// Where.
        lane: LaneId,
        /// The call.
        call: CallId,
        /// Which attempt of which iteration.
        turn: TurnKey,
        /// What it is for.
        purpose: Purpose,
        /// Whose it is.
        #[serde(default, skip_serializing_if = "AgentIndex::is_first")]
        agent: AgentIndex,
        /// What the agent may spend.
        budget: Option<Cost>,
    },
    /// Find out what became of a call whose runner died: end what is left of it and read what it printed.
    Recover {
        /// Where.
        lane: LaneId,
        /// The call.
        call: CallId,
        /// Which attempt of which iteration.
        turn: TurnKey,
        /// What it is for.
        purpose: Purpose,
        /// Whose it was.
        #[serde(default, skip_serializing_if = "AgentIndex::is_first")]
        agent: AgentIndex,
    },
    /// End a call.
    EndCall {
        /// Where.
        lane: LaneId,
        /// The call.
        call: CallId,
        /// How.
        how: EndCall,
        /// Why.
        cut: Cut,
    },
    /// Keep the tree that a call left.
    Keep {
        /// Where.
        lane: LaneId,
        /// Which attempt of which iteration.
        turn: TurnKey,
    },
    /// Undo what the mode does not let the agent change; it is kept.
    Refuse {
        /// Where.
        lane: LaneId,
        /// Which attempt of which iteration.
        turn: TurnKey,
    },
    /// Undo what the agent did to the repository beyond its work; what it left is kept.
    Undo {
        /// Where.
        lane: LaneId,
        /// Which attempt of which iteration.
        turn: TurnKey,
    },
    /// Call a hook.
    RunHook {
        /// Below whose keeper.
        lane: LaneId,
        /// Which.
        hook: HookName,
        /// Before the next iteration: its number. Otherwise how many have begun.
        iteration: u32,
        /// How often in a row it has skipped: asked at once about the same iteration, it is called again.
        skips: u32,
    },
    /// Commit what has changed since a snapshot.
    Commit {
        /// Where.
        lane: LaneId,
        /// Which attempt of which iteration; the commit's idempotency key.
        turn: TurnKey,
        /// The snapshot that the changes are counted from.
        since: Option<SnapshotId>,
        /// What the commit is to say of the task.
        what: CommitKind,
    },
    /// Bring a lane's own checkout to the tip of the branch, or make it again where the lane's task was left.
    Open {
        /// Which.
        lane: LaneId,
        /// Which attempt of which iteration.
        turn: TurnKey,
    },
    /// Merge a lane's work with the tip of the branch, in the lane.
    Merge {
        /// Which.
        lane: LaneId,
        /// Which attempt of which iteration.
        turn: TurnKey,
        /// The lane's commit; `None` where the task changed nothing.
        commit: Option<String>,
    },
    /// Bring a lane's merged work to the branch.
    Land {
        /// Which.
        lane: LaneId,
        /// Which attempt of which iteration; the landed commit's idempotency key.
        turn: TurnKey,
        /// The lane's commit on top of the tip; `None` where the task changed nothing.
        commit: Option<String>,
        /// The tip that it was merged with.
        tip: String,
        /// The task that is done with it.
        task: TaskId,
    },
    /// Write down how an iteration left its task, and put aside the work of one that is parked.
    CloseTask {
        /// Where.
        lane: LaneId,
        /// The iteration's last attempt.
        turn: TurnKey,
        /// The task.
        task: TaskId,
        /// How it stands.
        end: TaskEnd,
        /// The snapshot that its uncommitted changes are counted from.
        since: Option<SnapshotId>,
        /// Its attempts since then, in their order.
        attempts: Vec<TurnKey>,
    },
    /// Bring the run's work a step further on its way out.
    Deliver {
        /// Which step.
        task: DeliveryTask,
        /// The commit that it is about: the one that was gated, or that with the base merged into it.
        head: String,
        /// The pull request, once there is one.
        number: Option<u64>,
        /// What is pushed.
        #[serde(rename = "standing")]
        basis: DeliveryBasis,
        /// How many steps there were before: asked once more, it is another order, even where nothing came between.
        asked: u32,
        /// The part of the job that it is about; `None` where that is the whole.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        part: Option<DeliveryPart>,
    },
    /// Write what a council has decided into the project's log.
    LogDecision {
        /// Where.
        lane: LaneId,
        /// The council's attempt; with the run's name the line's idempotency key.
        turn: TurnKey,
    },
    /// Lease an issue, or tell what became of it.
    Issue {
        /// The issue.
        task: TaskId,
        /// What.
        what: IssueTask,
    },
    /// Tell of the end whoever has to be told, and let what else is on its way arrive.
    Announce,
    /// Look at what the checks wrote.
    Settle {
        /// Where.
        lane: LaneId,
        /// Which attempt of which iteration.
        turn: TurnKey,
    },
}

/// Who carries an effect out where the lanes of a run are on other machines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Whoever decides: what touches the user's directory, the branch, or anything outside of the run.
    Runner,
    /// The worker that has the lane.
    Worker,
}

/// A part of the job with a branch and a pull request of its own.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct DeliveryPart {
    /// Its branch.
    pub branch: String,
    /// The number that the next iteration has.
    pub iteration: u32,
    /// The branch of the part before and the commit that it began with, where that left nothing: it goes, if nothing is on it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left: Option<(String, String)>,
}

/// What a commit says of its work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CommitKind {
    /// It is what was asked for.
    #[default]
    Complete,
    /// It holds, and more is to come.
    Progress,
    /// It does not hold, and is kept all the same, where that is wanted.
    Attempted,
}

/// Why the world is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Occasion {
    /// The run begins.
    Start,
    /// It goes on: somebody may have changed something meanwhile.
    Resume,
    /// A hook was called, and may have changed something.
    Hook,
}

/// How a call is ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EndCall {
    /// SIGTERM to the agent.
    Ask,
    /// SIGKILL to everything it started.
    Kill,
}

/// An attempt of an iteration: the name of its folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct TurnKey {
    /// The iteration, from 1.
    pub iteration: u32,
    /// The attempt, from 1.
    pub attempt: u32,
}

/// How much of the notes goes into a prompt.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NotesShare {
    /// As much as usual.
    #[default]
    Usual,
    /// Little: the prompt was too long for the model's context.
    Little,
}

impl Effect {
    /// Where it takes place; `None` where that is the run as a whole.
    pub const fn lane(&self) -> Option<LaneId> {
        match self {
            Effect::Survey(_) | Effect::Deliver { .. } | Effect::Issue { .. } | Effect::Announce => None,
            Effect::RunCheck { lane, .. }
            | Effect::Prepare { lane, .. }
            | Effect::Call { lane, .. }
            | Effect::EndCall { lane, .. }
            | Effect::Recover { lane, .. }
            | Effect::Keep { lane, .. }
            | Effect::Undo { lane, .. }
            | Effect::Refuse { lane, .. }
            | Effect::Commit { lane, .. }
            | Effect::Settle { lane, .. }
            | Effect::Open { lane, .. }
            | Effect::Merge { lane, .. }
            | Effect::Land { lane, .. }
            | Effect::CloseTask { lane, .. }
            | Effect::LogDecision { lane, .. }
            | Effect::RunHook { lane, .. } => Some(*lane),
        }
    }

    /// Who carries it out where the lanes of a run are on other machines.
    pub fn side(&self) -> Side {
        match self {
            Effect::RunCheck { lane, .. }
            | Effect::Prepare { lane, .. }
            | Effect::Call { lane, .. }
            | Effect::Recover { lane, .. }
            | Effect::EndCall { lane, .. }
            | Effect::Keep { lane, .. }
            | Effect::Refuse { lane, .. }
            | Effect::Undo { lane, .. }
            | Effect::Commit { lane, .. }
            | Effect::Open { lane, .. }
            | Effect::Merge { lane, .. }
            | Effect::Settle { lane, .. } => {
                // Lane 0 is the user's directory.
                if *lane == LaneId::default() { Side::Runner } else { Side::Worker }
            }
            Effect::Survey(_)
            | Effect::RunHook { .. }
            | Effect::Land { .. }
            | Effect::CloseTask { .. }
            | Effect::Deliver { .. }
            | Effect::LogDecision { .. }
            | Effect::Issue { .. }
            | Effect::Announce => Side::Runner,
        }
    }

    /// What finds out what became of a call whose end nobody saw; `None` where it is none.
    pub const fn recovery(&self) -> Option<Effect> {
        match *self {
            Effect::Call { lane, call, turn, purpose, agent, .. }
            | Effect::Recover { lane, call, turn, purpose, agent } => {
                Some(Effect::Recover { lane, call, turn, purpose, agent })
            }
            _ => None,
        }
    }

    /// The attempt that it is about; `None` where it is about none.
    pub const fn turn(&self) -> Option<TurnKey> {
        match self {
            Effect::RunCheck { turn, .. } => *turn,
            Effect::Prepare { turn, .. }
            | Effect::Call { turn, .. }
            | Effect::Recover { turn, .. }
            | Effect::Keep { turn, .. }
            | Effect::Refuse { turn, .. }
            | Effect::Undo { turn, .. }
            | Effect::Commit { turn, .. }
            | Effect::Open { turn, .. }
            | Effect::Merge { turn, .. }
            | Effect::Land { turn, .. }
            | Effect::CloseTask { turn, .. }
            | Effect::LogDecision { turn, .. }
            | Effect::Settle { turn, .. } => Some(*turn),
            Effect::Survey(_)
            | Effect::EndCall { .. }
            | Effect::RunHook { .. }
            | Effect::Deliver { .. }
            | Effect::Issue { .. }
            | Effect::Announce => None,
        }
    }

    /// Does it put a task aside whose work is kept?
    pub const fn parks(&self) -> bool {
        matches!(self, Effect::CloseTask { end: TaskEnd::Parked { .. }, .. })
    }

    /// Must all facts be on disk before this is begun? True for whatever leaves a trace outside the run's folder or
    /// costs money, and for what follows the end of a call, since what that cost is to be known after a power cut as well.
    /// Looking, and writing what is written again after a crash, can wait for the next such effect.
    pub const fn needs_journal(&self) -> bool {
        match self {
            Effect::Call { .. }
            | Effect::Keep { .. }
            | Effect::Commit { .. }
            | Effect::Refuse { .. }
            | Effect::Open { .. }
            | Effect::Merge { .. }
            | Effect::Land { .. }
            | Effect::CloseTask { .. }
            | Effect::LogDecision { .. }
            | Effect::Undo { .. }
            | Effect::RunHook { .. }
            | Effect::RunCheck { .. }
            | Effect::Issue { .. }
            | Effect::Announce => true,
            Effect::Deliver { task, .. } => task.changes_something(),
            Effect::Survey(_)
            | Effect::Prepare { .. }
            | Effect::Recover { .. }
            | Effect::EndCall { .. }
            | Effect::Settle { .. } => false,
        }
    }
}
