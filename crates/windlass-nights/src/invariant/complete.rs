//! Complete only when that was shown.

use std::collections::BTreeMap;

use windlass_core::fact::Fact;
use windlass_core::spec::RunSpec;
use windlass_core::values::{CheckKind, Class, Purpose, StopReason};

use super::Breach;
use super::tally::Tally;
use crate::record::{Record, What};

/// What the world knows about claims and checks.
#[derive(Default)]
struct Shown {
    /// What the newest call is for.
    purpose: Option<Purpose>,
    /// Did the newest call that works claim, and did it go well?
    claims: bool,
    class: Option<Class>,
    /// What the newest call that judges said, if it came after the newest that works.
    passes: Option<bool>,
    /// The status file claims, at the newest verdict.
    file_claims: bool,
    /// Iterations in a row that ended with a claim in a result of a call that went well.
    in_a_row: u32,
    /// The newest run of each check: did it pass, and on which tree?
    checks: BTreeMap<u16, (bool, u32)>,
    /// The tree at the newest verdict. What a person changes after that, while no runner lives, is not this run's.
    epoch: u32,
}

pub(super) fn check(record: &Record) -> Result<(), Breach> {
    let mut shown = Shown::default();
    let mut plan = &record.plan;
    for (at, moment) in record.moments.iter().enumerate() {
        match &moment.what {
            What::BadPrompt(said) => return Err(Breach::at(at, format!("a prompt is wrong: {said}"))),
            What::StreamRead { .. } if matches!(shown.purpose, Some(Purpose::Review | Purpose::Council)) => {}
            What::StreamRead { passes, .. } if shown.purpose.is_some_and(Purpose::judges) => {
                shown.passes = *passes;
            }
            What::StreamRead { claims, .. } => (shown.claims, shown.passes) = (*claims, None),
            What::CheckRan { check, passed, epoch, .. } => {
                shown.checks.insert(*check, (*passed, *epoch));
            }
            What::JudgedTree { epoch, file_claims, .. } => {
                (shown.epoch, shown.file_claims) = (*epoch, *file_claims);
            }
            What::Fact(entry) => match &entry.fact {
                Fact::RunStarted { plan: new } | Fact::RunResumed { plan: new } => plan = new,
                Fact::CallReserved { purpose, .. } => shown.purpose = Some(*purpose),
                Fact::CallFinished { summary, .. } if !shown.purpose.is_some_and(Purpose::judges) => {
                    shown.class = Some(summary.class);
                }
                Fact::IterationFinished { .. } => {
                    let claimed = shown.claims && shown.class == Some(Class::Success);
                    shown.in_a_row = if claimed { shown.in_a_row + 1 } else { 0 };
                }
                _ => {}
            },
            What::SessionEnded(_) if ended_complete(record, at) => {
                judge(&shown, plan).map_err(|said| Breach::at(at, said))?;
            }
            _ => {}
        }
    }
    Ok(())
}

fn ended_complete(record: &Record, at: usize) -> bool {
    let last = record.moments[..at].iter().rev().find_map(|moment| match &moment.what {
        What::Fact(entry) => Some(&entry.fact),
        _ => None,
    });
    matches!(last, Some(Fact::RunFinished { stop_reason: StopReason::Complete, .. }))
}

fn judge(shown: &Shown, plan: &RunSpec) -> Result<(), String> {
    if plan.job.mode.has_tasks() {
        // Each task was shown for itself, and what it looks like now is another's.
        return Ok(());
    }
    for (check, one) in (0_u16..).zip(&plan.checks) {
        match shown.checks.get(&check) {
            Some((true, epoch)) if *epoch == shown.epoch => {}
            Some((true, _)) => return Err(format!("{} did not judge the final tree", one.command)),
            _ => return Err(format!("{} did not pass", one.command)),
        }
    }
    let asked = plan.job.verification.is_some() || plan.job.mode.judges();
    if asked && shown.passes != Some(true) {
        return Err("no fresh agent said that the work is good".to_owned());
    }
    if plan.job.mode.judges() {
        return Ok(());
    }
    let by_check = plan.checks.iter().any(|check| check.kind == CheckKind::Until);
    if plan.job.mode.reads_file() && !by_check {
        let said = "the job's own file does not say that the job is done, in words of this run";
        return if shown.file_claims { Ok(()) } else { Err(said.to_owned()) };
    }
    let wanted = plan.job.completion_threshold.max(1);
    if by_check || shown.in_a_row >= wanted {
        Ok(())
    } else {
        Err(format!("the agent claimed {} times in a row, and {wanted} are needed", shown.in_a_row))
    }
}

/// What a run calls done is in a commit, where its runner commits. What tasks leave is for `done_is_landed` to say.
pub(super) fn committed(record: &Record) -> Result<(), Breach> {
    let mut tally = Tally::default();
    for (at, moment) in record.moments.iter().enumerate() {
        let What::Fact(entry) = &moment.what else { continue };
        // A wrong verdict is for another invariant to say.
        let _ = tally.fold(entry);
        if matches!(entry.fact, Fact::IterationFinished { .. }) && tally.is_done_uncommitted() {
            return Err(Breach::at(at, "the job is called done, and what was judged is in no commit"));
        }
    }
    Ok(())
}
