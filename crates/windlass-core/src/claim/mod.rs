//! Claims that a job is done: where they are read, how often they must be made, and whether they may be. Each mode has one
//! source of them ([`ClaimSource`]).

mod phrase;
mod progress;

use crate::spec::{ClaimSource, Job, Mode};
use crate::values::{Assessment, CallReport, CallSummary, Class, JobStatus, StatusSource};

pub use phrase::is_signal;
pub use progress::Progress;

/// Does this call itself claim that the job is done? What is claimed in a file is read there ([`Progress`]), and a
/// judgement is its own claim.
pub fn claims(job: &Job, report: &CallReport) -> bool {
    match job.mode.claim() {
        ClaimSource::Phrase => phrase::claims(&job.completion_signal, report),
        ClaimSource::StatusFile
        | ClaimSource::UnchangedPlan
        | ClaimSource::Document
        | ClaimSource::Boxes
        | ClaimSource::Tasks => false,
        ClaimSource::Judgement => report.assessment.as_ref().is_some_and(Assessment::passes),
    }
}

/// In how many iterations in a row a claim must be made. What stands in a file, or was judged, is said once.
pub fn claims_needed(job: &Job) -> u32 {
    match job.mode.claim() {
        ClaimSource::Phrase => job.completion_threshold.max(1),
        ClaimSource::StatusFile
        | ClaimSource::UnchangedPlan
        | ClaimSource::Document
        | ClaimSource::Boxes
        | ClaimSource::Tasks
        | ClaimSource::Judgement => 1,
    }
}

/// Does the job end when its claim stands, or when nothing changes any more? A plan's boxes can be told not to end it.
pub fn ends_by_itself(job: &Job) -> bool {
    let by_boxes = job.mode.claim() == ClaimSource::Boxes;
    !by_boxes || job.plan.as_ref().is_none_or(|plan| plan.smart_termination)
}

/// Why a job that works off a plan has none (it is gone, empty, or cannot be read); `None` where it has, and in other modes.
pub fn missing_plan(job: &Job, standing: &JobStatus) -> Option<String> {
    if job.mode.claim() != ClaimSource::Boxes {
        return None;
    }
    if let Some(problem) = &standing.problem {
        return Some(problem.clone());
    }
    let tasks = standing.items.is_some_and(|items| items.total > 0);
    if standing.source == StatusSource::PlanFile && tasks {
        return None;
    }
    let file =
        job.plan.as_ref().map_or_else(|| "the plan".to_owned(), |plan| plan.file.display().to_string());
    Some(match standing.source {
        StatusSource::PlanFile => format!("{file} has no task"),
        _ => format!("{file} is missing"),
    })
}

/// May a call that went like this claim by the job's own file? A plan that a pass did not change is finished only if
/// there was a pass, and so is a document.
pub fn may_claim(mode: Mode, call: &CallSummary) -> bool {
    let worked = call.class == Class::Success && (call.tool_uses > 0 || !call.empty);
    match mode.claim() {
        ClaimSource::UnchangedPlan | ClaimSource::Document => worked,
        // What was cut off is not finished, whatever it wrote before.
        ClaimSource::Tasks => {
            matches!(call.class, Class::Success | Class::MaxTurns | Class::BudgetExhausted)
        }
        ClaimSource::Phrase | ClaimSource::StatusFile | ClaimSource::Boxes | ClaimSource::Judgement => true,
    }
}
