//! The words that everything else is said in: names, money, times, checks, verdicts, reasons.

mod assessment;
mod call;
mod check;
mod class;
mod commit;
mod council;
pub(crate) mod dollars;
mod evidence;
mod extent;
mod hook;
mod ids;
mod job_status;
mod landing;
mod money;
mod named;
mod notified;
pub mod path_text;
mod review;
mod stop;
mod suspicion;
mod task;
mod time;

pub use assessment::{Assessed, Assessment, Confidence, Finding, MetRequirement};
pub use call::{
    AnswerForm, Bill, CallClocks, CallReport, CallSummary, Cut, Denial, Ended, Listed, Purpose, UsageLimit,
    WindowShare,
};
pub use check::{Check, CheckKind, CheckOutcome, CheckResult, CheckStage, CriterionOf, Lookup};
pub use class::{Class, Verdict};
pub use commit::CommitNotes;
pub use council::{Conflict, Decision, SettledConflict};
pub use dollars::{MoneyError, parse_money};
pub use evidence::Evidence;
pub use extent::Extent;
pub use hook::{Hook, HookCommand, HookDecision, HookName, HookOutcome};
pub use ids::{AgentIndex, CallId, LaneId, RunId, SnapshotId};
pub use job_status::{Items, JobStatus, StatusSource};
pub use landing::{LandOutcome, MergeOutcome, TaskEnd};
pub use money::{Cost, Spent, Tokens};
pub use named::Named;
pub use notified::{Delivery, NotificationKey, NotifyEvent, SinkKind};
pub use review::{CriterionJudged, Review, ReviewFinding, ReviewVerdict, Reviewed, Severity};
pub use stop::{CountedAnew, ExitCodes, Grounds, Needs, StopReason, StopSource, UnderWay};
pub use suspicion::{Suspicion, SuspicionKind};
pub use task::{TaskId, TaskRow, TaskState};
pub(crate) use time::millis;
pub use time::{Now, between, later, some_wall_time, wall_time, written};
