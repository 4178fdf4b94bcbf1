//! Complete only when that was shown.

use std::collections::BTreeMap;

use windlass_core::fact::{CheckKind, Class, Fact, StopReason};
use windlass_core::run::RunPlan;

use super::Breach;
use crate::record::{Record, What};

/// What the world knows about claims and checks.
#[derive(Default)]
struct Shown {
    /// Did the newest call claim?
    claims: bool,
    /// Iterations in a row that ended with a claim in a result of a call that went well.
    in_a_row: u32,
    /// The newest run of each check: did it pass, and on which tree?
    checks: BTreeMap<u16, (bool, u32)>,
    /// The tree at the session's end.
    epoch: u32,
}

pub(super) fn check(record: &Record) -> Result<(), Breach> {
    let mut shown = Shown::default();
    let mut plan = &record.plan;
    for (at, moment) in record.moments.iter().enumerate() {
        match &moment.what {
            What::BadPrompt(said) => return Err(Breach::at(at, format!("a prompt is wrong: {said}"))),
            What::StreamRead { claims, .. } => shown.claims = *claims,
            What::CheckRan { check, passed, epoch, .. } => {
                shown.checks.insert(*check, (*passed, *epoch));
            }
            What::FinalTree { epoch } => shown.epoch = *epoch,
            What::Fact(entry) => match &entry.fact {
                Fact::RunStarted { plan: new } | Fact::RunResumed { plan: new } => plan = new,
                Fact::IterationFinished { class, .. } => {
                    let claimed = shown.claims && *class == Class::Success;
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

fn judge(shown: &Shown, plan: &RunPlan) -> Result<(), String> {
    for (check, one) in (0_u16..).zip(&plan.checks) {
        match shown.checks.get(&check) {
            Some((true, epoch)) if *epoch == shown.epoch => {}
            Some((true, _)) => return Err(format!("{} did not judge the final tree", one.command)),
            _ => return Err(format!("{} did not pass", one.command)),
        }
    }
    let by_check = plan.checks.iter().any(|check| check.kind == CheckKind::Until);
    let wanted = plan.job.completion_threshold.max(1);
    if by_check || shown.in_a_row >= wanted {
        Ok(())
    } else {
        Err(format!("the agent claimed {} times in a row, and {wanted} are needed", shown.in_a_row))
    }
}
