//! What comes of an order: the payloads that reports and facts share, each in one place, with the names that journals have.
//!
//! A [`Report`] is what an executor saw; a [`Fact`](crate::fact::Fact) is what the run has made of it. Most facts hold a
//! report as it is.

mod call;
mod delivery;
mod issue;
mod lane;
mod told;
mod tree;

use serde::{Deserialize, Serialize};

pub use call::{CallDue, CallEnded, CallSpawned, LateResult};
pub use delivery::{
    DeliveryBasis, DeliveryMove, DeliveryOutcome, DeliveryReport, DeliveryStep, DeliveryTask, ForgeFinding,
    PullRequestSeen, Returned, WaitsFor,
};
pub use issue::{IssueMove, IssueReport, IssueStep, IssueTask};
pub use lane::{Landed, LaneLost, LaneOpened, Merged, TaskClosed};
pub use told::{
    ActionAsked, Broken, CheckFinished, DecisionLogged, Failed, HookFinished, LanesClosed, Noticed,
    NotificationSettled, Prepared, ReviewSkipped,
};
pub use tree::{
    BaselineCaptured, Committed, Damaged, ForbiddenChangesReverted, PrinciplesProposed, SnapshotTaken,
    StatusChanged, Surveyed, Suspected, TreeRechecked, Undone,
};

use crate::values::LaneId;

/// Makes the closed list of reports, what goes into it, and says which belong to a lane.
macro_rules! reports {
    ($($(#[doc = $doc:literal])+ $name:ident $(in $lane:ident)?),+ $(,)?) => {
        /// Something that came of an order, as whoever carried it out saw it.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        #[serde(tag = "what", rename_all = "snake_case")]
        pub enum Report {
            $($(#[doc = $doc])+ $name($name),)+
        }

        impl Report {
            /// Where it happened; `None` where that is the run as a whole.
            pub const fn lane(&self) -> Option<LaneId> {
                match self {
                    $(Report::$name(_report) => reports!(@place _report $($lane)?),)+
                }
            }
        }

        $(impl From<$name> for Report {
            fn from(report: $name) -> Report {
                Report::$name(report)
            }
        })+
    };
    (@place $report:ident) => { None };
    (@place $report:ident $lane:ident) => { Some($report.$lane) };
}

reports! {
    /// The world was looked at, and kept where that is possible.
    Surveyed,
    /// A lane's own checkout is ready.
    LaneOpened in lane,
    /// A lane's own checkout is gone, or is another one: somebody removed it.
    LaneLost in lane,
    /// The prompt of a lane's attempt is written.
    Prepared in lane,
    /// Too little had changed for a reviewer to be asked.
    ReviewSkipped in lane,
    /// What a council has decided stands in the project's log of decisions, or cannot.
    DecisionLogged in lane,
    /// An agent's process exists.
    CallSpawned in lane,
    /// One of a call's clocks ran out, or it cannot heal.
    CallDue in lane,
    /// A call is over: process gone, output read, nothing left of what it started.
    CallEnded in lane,
    /// A call that was charged as lost was heard of after all: what it did does not count, and what it cost does.
    LateResult in lane,
    /// The job's own file was read while an agent worked.
    StatusChanged in lane,
    /// What a call left was compared with what was there before; said before it is kept.
    Suspected in lane,
    /// What an agent proposes as principles was looked at; said before its work is kept.
    PrinciplesProposed in lane,
    /// The agent did something to the repository beyond its work; said before it is kept.
    Damaged in lane,
    /// The tree that a call left is kept.
    SnapshotTaken in lane,
    /// What the agent may not change was undone.
    ForbiddenChangesReverted in lane,
    /// What the agent did to the repository was undone, as far as it could be.
    Undone in lane,
    /// A hook ended.
    HookFinished in lane,
    /// A check ended.
    CheckFinished in lane,
    /// The runner's commit was made, or was not.
    Committed in lane,
    /// What the checks wrote was looked at.
    TreeRechecked in lane,
    /// A lane's work was merged with the tip of the branch, in the lane.
    Merged in lane,
    /// A lane's work was to reach the branch.
    Landed in lane,
    /// How an iteration left its task is written down.
    TaskClosed in lane,
    /// Something came of a push, or of a question or an order to the forge.
    DeliveryReport,
    /// Something came of a question or an order about an issue.
    IssueReport,
    /// The end is decided, and nothing runs in any lane any more: whoever has to be told can be told.
    LanesClosed,
    /// A notification was accepted by a sink, or is given up.
    NotificationSettled,
    /// Something a person should know.
    Noticed,
    /// The run is to end, since something is not as it has to be; what was asked for is answered all the same.
    Failed,
    /// What was asked for failed, and will never be answered: the disk is full, the store or git is broken.
    Broken,
}

impl Report {
    /// Something a person should know.
    pub fn notice(text: impl Into<String>) -> Report {
        Noticed { text: text.into() }.into()
    }
}
