//! What comes in from the world.

use crate::damage::{Damage, DamageCourse};
use crate::spec::RunSpec;
use crate::values::{
    CallId, CallReport, CheckOutcome, CheckStage, CommitNotes, Cut, Delivery, Evidence, HookName,
    HookOutcome, LandOutcome, LaneId, MergeOutcome, NotificationKey, SinkKind, SnapshotId, Standing,
    StopReason, StopSource, Suspicion, TaskRow,
};

/// Something that happened, as the shell saw it.
#[derive(Clone, Debug, PartialEq)]
pub enum Input {
    /// A run is to begin.
    Start(Box<RunSpec>),
    /// A run is to be continued by this process.
    Resume(Box<RunSpec>),
    /// The world was looked at, and kept where that is possible.
    BaselineCaptured {
        /// What was seen.
        evidence: Evidence,
        /// Where it is kept.
        snapshot: Option<SnapshotId>,
        /// Files that the snapshot left out.
        left_out: u32,
        /// What the job's own file says; `None` where the mode reads none.
        standing: Option<Standing>,
        /// The job's tasks; `None` where they were not read.
        tasks: Option<Vec<TaskRow>>,
    },
    /// A lane's own checkout is ready.
    Opened {
        /// Which.
        lane: LaneId,
        /// The commit that it is counted from.
        base: String,
        /// What was seen there.
        evidence: Evidence,
        /// Where it is kept.
        snapshot: Option<SnapshotId>,
    },
    /// A lane's work was merged with the tip of the branch, in the lane.
    Merged {
        /// Which.
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
        /// Which.
        lane: LaneId,
        /// What came of it.
        outcome: LandOutcome,
    },
    /// A lane's own checkout is gone, or is another one: somebody removed it.
    LaneLost {
        /// Which.
        lane: LaneId,
    },
    /// How an iteration left its task is written down.
    TaskClosed {
        /// Where.
        lane: LaneId,
        /// The branch that holds the work of a parked task.
        branch: Option<String>,
        /// What is in the lane now.
        evidence: Evidence,
        /// Where it is kept, where the lane was put back to what was last committed.
        snapshot: Option<SnapshotId>,
    },
    /// The prompt of a lane's attempt is written.
    Prepared {
        /// Where.
        lane: LaneId,
    },
    /// An agent's process exists.
    Spawned {
        /// Where.
        lane: LaneId,
        /// The call.
        call: CallId,
        /// Its process id.
        pid: u32,
    },
    /// One of a call's clocks ran out, or it cannot heal.
    CallDue {
        /// Where.
        lane: LaneId,
        /// The call.
        call: CallId,
        /// Which clock.
        cut: Cut,
    },
    /// A call is over: process gone, output read, nothing left of what it started.
    CallEnded {
        /// Where.
        lane: LaneId,
        /// The call.
        call: CallId,
        /// What there is to say about it.
        report: Box<CallReport>,
    },
    /// The job's own file was read while an agent worked.
    StatusSeen {
        /// Where.
        lane: LaneId,
        /// What it says.
        standing: Standing,
    },
    /// What a call left was compared with what was there before; said before it is kept.
    Examined {
        /// Where.
        lane: LaneId,
        /// All that is suspicious.
        suspicions: Vec<Suspicion>,
    },
    /// The tree that a call left is kept.
    SnapshotTaken {
        /// Where.
        lane: LaneId,
        /// What was seen.
        evidence: Evidence,
        /// Where it is kept.
        snapshot: Option<SnapshotId>,
        /// Files that differ from the iteration's beginning.
        changed: u32,
        /// Those that the agent may not change: they are protected, or its mode does not let it.
        strayed: u32,
        /// What the job's own file says; `None` where the mode reads none.
        standing: Option<Standing>,
    },
    /// The agent did something to the repository beyond its work.
    Damaged {
        /// Where.
        lane: LaneId,
        /// What, the worst first.
        found: Vec<Damage>,
        /// What follows.
        course: DamageCourse,
    },
    /// What the agent did to the repository was undone, as far as it could be.
    Undone {
        /// Where.
        lane: LaneId,
        /// What is there now.
        evidence: Evidence,
        /// What the job's own file says; `None` where the mode reads none.
        standing: Option<Standing>,
    },
    /// What the agent may not change was undone.
    ForbiddenChangesReverted {
        /// Where.
        lane: LaneId,
        /// How many files.
        count: u32,
        /// The first of them.
        files: Vec<String>,
        /// They are as before.
        undone: bool,
        /// What is there now.
        evidence: Evidence,
    },
    /// A hook ended.
    HookEnded {
        /// Below whose keeper it ran.
        lane: LaneId,
        /// Which.
        hook: HookName,
        /// How it went.
        outcome: HookOutcome,
    },
    /// A check ended.
    CheckEnded {
        /// Where.
        lane: LaneId,
        /// When it was run.
        stage: CheckStage,
        /// How it ended.
        outcome: CheckOutcome,
    },
    /// The runner's commit was made, or was not.
    CommitEnded {
        /// Where.
        lane: LaneId,
        /// The commit.
        commit: Option<String>,
        /// What is there now.
        evidence: Evidence,
        /// The commit's hooks changed what the checks had judged.
        altered: bool,
        /// Why there is none although there were changes.
        refused: Option<String>,
        /// What else there is to say.
        notes: CommitNotes,
    },
    /// What the checks wrote was looked at.
    TreeRechecked {
        /// Where.
        lane: LaneId,
        /// What was seen.
        evidence: Evidence,
    },
    /// A notification was accepted by a sink, or is given up.
    NotificationSettled {
        /// Which.
        key: NotificationKey,
        /// Whom it was for.
        sink: SinkKind,
        /// What became of it.
        delivery: Delivery,
        /// The last answer's HTTP status, or the command's exit code.
        status: Option<i32>,
        /// Why it was not accepted.
        detail: String,
        /// How often it was tried.
        attempts: u32,
    },
    /// Whoever has to be told of the end was told, or is not waited for any longer.
    Announced,
    /// Somebody asks the run to stop.
    Stop {
        /// Who.
        by: StopSource,
        /// The least stage that this leads to: 2 for SIGTERM, and for Ctrl-C without a terminal.
        least: u8,
    },
    /// The run is to end, since something is not as it has to be; what was asked for is answered all the same.
    Failed {
        /// What the run ends with.
        stop_reason: StopReason,
        /// One sentence.
        detail: String,
    },
    /// The run's own folder was removed, and its journal with it: nothing of it can be resumed.
    RecordLost {
        /// One sentence.
        detail: String,
    },
    /// What was asked for failed, and will never be answered: the disk is full, the store or git is broken.
    Broken {
        /// What the run ends with.
        stop_reason: StopReason,
        /// One sentence.
        detail: String,
    },
    /// Something a person should know.
    Notice(String),
    /// Time has passed, or a fact was applied: is anything due?
    Tick,
}
