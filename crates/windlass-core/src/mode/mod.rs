//! Modes: how an iteration is prompted and how progress is read. One file per mode, where there is something to say.

mod build;
mod goal;
mod workspace;

use crate::spec::{Job, Mode};
use crate::values::{CallReport, CallSummary, Class, Purpose, Standing};

pub use goal::is_signal;
pub use workspace::Standings;

/// What an iteration's first call is for.
pub const fn purpose(mode: Mode) -> Purpose {
    match mode {
        Mode::Goal | Mode::Loop | Mode::Iterative | Mode::Build | Mode::Tasks => Purpose::Work,
        Mode::Plan => Purpose::Plan,
        Mode::Verify | Mode::Validate => Purpose::Verify,
    }
}

/// Does this call claim that the job is done? Each mode has one source of claims; those of a workspace are read from
/// its status file ([`Standings`]), and a judgement is its own claim.
pub fn claims(job: &Job, report: &CallReport) -> bool {
    match job.mode {
        Mode::Goal => goal::claims(&job.completion_signal, report),
        Mode::Loop | Mode::Iterative | Mode::Plan | Mode::Build | Mode::Tasks => false,
        Mode::Verify | Mode::Validate => {
            report.assessment.as_ref().is_some_and(crate::values::Assessment::passes)
        }
    }
}

/// Are claims read from the job's own file?
pub const fn reads_file(mode: Mode) -> bool {
    matches!(mode, Mode::Loop | Mode::Iterative | Mode::Plan | Mode::Build | Mode::Tasks)
}

/// Is the agent asked for a judgement, and for nothing else?
pub const fn judges(mode: Mode) -> bool {
    matches!(mode, Mode::Verify | Mode::Validate)
}

/// Is work compared with what was committed before it, and not with what the run began with? So it is where each commit
/// is a piece of work of its own.
pub const fn is_judged_by_commit(mode: Mode) -> bool {
    match mode {
        // Each task's work stands for itself.
        Mode::Tasks => true,
        Mode::Goal
        | Mode::Loop
        | Mode::Iterative
        | Mode::Plan
        | Mode::Build
        | Mode::Verify
        | Mode::Validate => false,
    }
}

/// In how many iterations in a row a claim must be made. What stands in a file, or was judged, is said once.
pub fn claims_needed(job: &Job) -> u32 {
    match job.mode {
        Mode::Goal => job.completion_threshold.max(1),
        Mode::Loop
        | Mode::Iterative
        | Mode::Plan
        | Mode::Build
        | Mode::Tasks
        | Mode::Verify
        | Mode::Validate => 1,
    }
}

/// Does the job end when its claim stands, or when nothing changes any more? A build can be told not to.
pub fn ends_by_itself(job: &Job) -> bool {
    job.mode != Mode::Build || job.plan.as_ref().is_none_or(|plan| plan.smart_termination)
}

/// Why a job that works off a plan has none; `None` where it has, and in other modes.
pub fn missing_plan(job: &Job, standing: &Standing) -> Option<String> {
    (job.mode == Mode::Build).then(|| build::missing(job, standing)).flatten()
}

/// May a call that went like this claim by the job's own file? A plan that a pass did not change is finished only if
/// there was a pass.
pub fn may_claim(mode: Mode, call: &CallSummary) -> bool {
    let worked = call.class == Class::Success && (call.tool_uses > 0 || !call.empty);
    match mode {
        Mode::Plan => worked,
        // What was cut off is not finished, whatever it wrote before.
        Mode::Tasks => matches!(call.class, Class::Success | Class::MaxTurns | Class::BudgetExhausted),
        _ => true,
    }
}
