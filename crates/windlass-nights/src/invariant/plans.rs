//! Plans: what may be written where one is made, and what must be done where one is worked off.

use windlass_core::fact::Fact;
use windlass_core::spec::ClaimSource;
use windlass_core::values::{CheckKind, StopReason};

use super::Breach;
use crate::record::{Record, What};

/// Where a plan is made, what the agent wrote beside it is gone by the verdict.
pub(super) fn only_the_plan(record: &Record) -> Result<(), Breach> {
    if !record.plan.job.mode.writes_only_plan() || !record.plan.git {
        return Ok(());
    }
    super::find(record, |what| match what {
        What::JudgedTree { strayed: Some(file), .. } => Some(format!("{file} is as the agent left it")),
        _ => None,
    })
}

/// Where a plan is worked off, no box is gone at the end that was open when an agent began, unless a person accepted that.
pub(super) fn boxes_kept(record: &Record) -> Result<(), Breach> {
    let (mut owed, mut there, mut accepted) = (0, 0, 0);
    for (at, moment) in record.moments.iter().enumerate() {
        match &moment.what {
            What::BoxesBefore { open, done } => owed = (owed | open) & !done,
            What::JudgedTree { marks, .. } => {
                let (open, done) = marks.unwrap_or_default();
                (owed, there) = (owed & !done, open | done);
            }
            What::Fact(entry) => match &entry.fact {
                Fact::RunResumed { plan } => accepted = crate::runner::accepted(&plan.guard.accepted),
                Fact::RunEnding { stop_reason: StopReason::Complete, .. } => {
                    let gone = (owed & !there & !accepted).count_ones();
                    if gone > 0 {
                        return Err(Breach::at(
                            at,
                            format!("the build is complete, and {gone} open boxes are gone"),
                        ));
                    }
                }
                _ => {}
            },
            _ => {}
        }
    }
    Ok(())
}

/// Where a plan is worked off, it is there at the end, and no box of it is open unless a check says that it is done.
pub(super) fn boxes_closed(record: &Record) -> Result<(), Breach> {
    let by_check = record.plan.checks.iter().any(|check| check.kind == CheckKind::Until);
    if record.plan.job.mode.claim() != ClaimSource::Boxes {
        return Ok(());
    }
    let mut last = None;
    for (at, moment) in record.moments.iter().enumerate() {
        match &moment.what {
            What::JudgedTree { boxes, .. } => last = *boxes,
            What::Fact(entry) => {
                if let Fact::RunEnding { stop_reason: StopReason::Complete, .. } = &entry.fact {
                    match last {
                        None => return Err(Breach::at(at, "the build is complete without a plan")),
                        Some((0, _)) => {
                            return Err(Breach::at(at, "the build is complete, and had nothing to do"));
                        }
                        Some((_, 0)) => {}
                        Some(_) if by_check => {}
                        Some((_, open)) => {
                            return Err(Breach::at(
                                at,
                                format!("the build is complete, and {open} boxes are open"),
                            ));
                        }
                    }
                }
            }
            _ => {}
        }
    }
    Ok(())
}
