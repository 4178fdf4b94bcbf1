//! The words that everything else is said in: names, money, times, checks, verdicts, reasons.

mod assessment;
mod call;
mod check;
mod class;
mod commit;
mod evidence;
mod hook;
mod ids;
mod job_status;
mod landing;
mod money;
mod notified;
pub mod path_text;
mod stop;
mod suspicion;
mod task;
mod time;

pub use assessment::{Assessed, Assessment, Confidence, Finding};
pub use call::{Bill, CallClocks, CallReport, CallSummary, Cut, Denial, Ended, Purpose, UsageLimit};
pub use check::{Check, CheckKind, CheckOutcome, CheckResult, CheckStage};
pub use class::{Class, Verdict};
pub use commit::CommitNotes;
pub use evidence::Evidence;
pub use hook::{Hook, HookCommand, HookDecision, HookName, HookOutcome};
pub use ids::{CallId, LaneId, RunId, SnapshotId};
pub use job_status::{Items, JobStatus, StatusSource};
pub use landing::{LandOutcome, MergeOutcome, TaskEnd};
pub use money::{Cost, Spent, Tokens};
pub use notified::{Delivery, NotificationKey, SinkKind};
pub use stop::{ExitCodes, Grounds, StopReason, StopSource, UnderWay};
pub use suspicion::{Suspicion, SuspicionKind};
pub use task::{TaskId, TaskOutcome, TaskRow, TaskState};
pub use time::Now;
pub(crate) use time::millis;
