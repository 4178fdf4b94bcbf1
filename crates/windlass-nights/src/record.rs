//! What happened in a night, in order: facts, and what the world knows beside them.

use jiff::Timestamp;
use windlass_core::fact::Entry;
use windlass_core::report::PullRequestSeen;
use windlass_core::run::TurnKey;
use windlass_core::spec::RunSpec;
use windlass_core::values::{
    CallId, CheckStage, Cost, HookDecision, HookName, LaneId, NotificationKey, StopSource, TaskId,
};

use crate::world::Tree;

/// A whole night.
#[derive(Clone, Debug)]
pub struct Record {
    pub(crate) plan: RunSpec,
    pub(crate) moments: Vec<Moment>,
    /// What is in the user's directory at the end.
    pub(crate) tree: Tree,
    /// The journal's bytes at the end.
    pub(crate) journal: Vec<u8>,
    pub(crate) steps: u32,
    /// Is somebody to be told?
    pub(crate) is_told: bool,
}

/// One thing that happened.
#[derive(Clone, Debug)]
pub(crate) struct Moment {
    pub wall: Timestamp,
    pub what: What,
}

/// What an agent has said of its money and its tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Said {
    /// The greatest total.
    pub reported: Option<Cost>,
    /// What the tokens of its last totals cost.
    pub worth: Cost,
    /// Those tokens.
    pub tokens: u64,
    /// What was spent after them.
    pub since: Cost,
    /// The tokens of that.
    pub tokens_since: u64,
    /// Its totals cannot be: negative, shrinking, or a tenth of what its tokens cost.
    pub wrong: bool,
    /// The API refused it, for a while or for a reason that nobody knows.
    pub refused: bool,
}

#[derive(Clone, Debug)]
pub(crate) enum What {
    /// The runner wrote a fact.
    Fact(Box<Entry>),
    /// It was written and did not survive.
    LostFact(Box<Entry>),
    FactsLost {
        count: u32,
        allowed: bool,
    },
    /// A session began, with so many facts on the disk.
    SessionBegan {
        facts: u64,
    },
    SessionEnded(SessionEnd),
    /// An agent's process exists.
    AgentStarted {
        character: &'static str,
        call: CallId,
        turn: TurnKey,
        budget: Option<Cost>,
        response: Cost,
    },
    /// It did something that changes the world.
    AgentDid(String),
    /// What the agent had reported in all that could be read of its stream when that was read.
    StreamRead {
        call: CallId,
        bill: Said,
        only_refused: bool,
        claims: bool,
        /// A structured answer was among it, and this is whether it says that the work is good.
        passes: Option<bool>,
        /// A structured answer was among it, and lets work stand, with nothing that must be mended.
        lets_stand: bool,
    },
    /// The prompt of an agent that is to work is written, with so many decisions of councils.
    Prepared {
        decisions: usize,
    },
    /// What a council has decided was added to the project's log.
    Logged {
        lane: LaneId,
        iteration: u32,
        attempt: u32,
    },
    CheckRan {
        check: u16,
        stage: CheckStage,
        passed: bool,
        epoch: u32,
    },
    /// Something happened to the run's branch at the forge, or to its pull request.
    Out(Out),
    /// An agent that was asked for principles proposed some, or nothing that can be taken.
    Proposed {
        lane: LaneId,
        turn: TurnKey,
        sound: bool,
    },
    /// A lane's work reached the branch, and not twice for the same commit.
    Landed {
        lane: LaneId,
        iteration: u32,
        task: TaskId,
        /// A gate that did not pass on what landed.
        ungated: Option<u16>,
    },
    /// How the branch is left at the end of a session: iterations whose landing it does not hold, and what its file says.
    Branch {
        lost: Vec<u32>,
        marks: Vec<(TaskId, bool)>,
        /// One that is open and has another one's id.
        open_twin: Option<TaskId>,
    },
    /// One lane gives something else.
    OtherThanOneLane(String),
    /// Somebody has received this.
    Told {
        key: NotificationKey,
        repeated: bool,
    },
    /// A commit of the runner's.
    Committed {
        iteration: u32,
        commit: String,
    },
    /// The hook of a commit.
    HookRan(&'static str),
    /// A hook of the run was called.
    HookBegan {
        hook: HookName,
    },
    /// It ended, and this is what it said.
    HookSaid {
        decision: HookDecision,
    },
    PersonDid(String),
    /// Somebody asked the run to stop, and the runner was told.
    Stopped {
        by: StopSource,
    },
    /// The wall clock jumped, or the machine slept.
    ClockMoved(i64),
    Happened(&'static str),
    /// Something could have been lost that nothing protects.
    Unprotected {
        file: &'static str,
        before: &'static str,
    },
    /// The name of a snapshot that is not there, or not what its fact says.
    BadSnapshot(String),
    /// The runner waits for nothing, or does not come to an end.
    Stuck(String),
    /// A fact that cannot follow, in the runner's own hands or at recovery.
    Illegal(String),
    /// The journal does not fold to the state that the runner had.
    Differs,
    BadPrompt(&'static str),
    /// The tree that was there when a verdict was written, by epoch.
    JudgedTree {
        epoch: u32,
        file_claims: bool,
        /// A file that the agent changed and that is not for it to change in this mode.
        strayed: Option<&'static str>,
        /// The plan's boxes, and how many of them are open; `None` where there is no plan.
        boxes: Option<(u32, u32)>,
        /// Which of them are open, and which are ticked, one bit each.
        marks: Option<(u32, u32)>,
    },
    /// The plan's boxes when an agent began: which were open, and which were ticked, one bit each.
    BoxesBefore {
        open: u32,
        done: u32,
    },
}

/// What happened at the forge.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Out {
    /// The run's commit is at the tip of the branch.
    Pushed {
        head: String,
        /// A gate that has never passed on what is in it.
        ungated: Option<u16>,
        /// What was there is not below it.
        overwrites: bool,
    },
    /// The run has opened a pull request where so many were open.
    Opened {
        number: u64,
        others: usize,
    },
    MarkedReady,
    /// The run had the base merged into the branch.
    Updated {
        from: String,
        head: String,
    },
    /// The run has merged it.
    Merged {
        head: String,
    },
    /// The runner was shown this, and is to decide what follows.
    Looked(Box<PullRequestSeen>),
    PersonMerged,
    PersonClosed,
    PersonPushed,
}

/// How a session ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SessionEnd {
    /// By a stop reason.
    Finished,
    Killed,
    PowerCut,
    /// The runner itself could not go on.
    Broken,
}

impl Record {
    /// The journal's bytes at the night's end.
    pub fn journal(&self) -> &[u8] {
        &self.journal
    }

    pub(crate) fn facts(&self) -> impl Iterator<Item = &Entry> {
        self.moments.iter().filter_map(|moment| match &moment.what {
            What::Fact(entry) => Some(&**entry),
            _ => None,
        })
    }
}
