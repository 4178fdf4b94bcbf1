//! Nothing is committed, done or complete that its reviewer did not let stand.

use std::collections::BTreeMap;

use windlass_core::fact::Fact;
use windlass_core::report;
use windlass_core::values::{CallId, LandOutcome, LaneId, Purpose, StopReason, TaskEnd};

use super::tally::Tally;
use super::{Breach, lane_of};
use crate::record::{Record, What};

/// What every reason for putting a task aside begins with, where its reviewer is one.
const REJECTED: &str = "a reviewer rejected it 3 times";

/// What the newest reviewers themselves said.
#[derive(Default)]
struct Said {
    calls: BTreeMap<CallId, (LaneId, Purpose)>,
    /// Lanes whose newest reviewer did not let the work stand.
    rejected: BTreeMap<LaneId, bool>,
    /// What does not hold is committed as an attempt.
    keeps_attempts: bool,
}

pub(super) fn check(record: &Record) -> Result<(), Breach> {
    if record.plan.review.is_none() {
        return Ok(());
    }
    let attempts = record.plan.job.tasks.as_ref().is_some_and(|tasks| tasks.commits_attempts);
    let keeps_attempts = attempts && record.plan.lanes.is_none();
    let mut said = Said { keeps_attempts, ..Said::default() };
    let mut tally = Tally::default();
    for (at, moment) in record.moments.iter().enumerate() {
        match &moment.what {
            What::StreamRead { call, lets_stand, .. } => said.answered(*call, *lets_stand),
            What::Fact(entry) => {
                let wrong = said.fold(&entry.fact).or_else(|| put_aside(&tally, &entry.fact));
                wrong.map_or(Ok(()), |said| Err(Breach::at(at, said)))?;
                // A wrong verdict is for another invariant to say.
                let _ = tally.fold(entry);
            }
            _ => {}
        }
    }
    Ok(())
}

impl Said {
    fn answered(&mut self, call: CallId, lets_stand: bool) {
        if let Some((lane, Purpose::Review)) = self.calls.get(&call) {
            self.rejected.insert(*lane, !lets_stand);
        }
    }

    /// What is wrong with a fact.
    fn fold(&mut self, fact: &Fact) -> Option<String> {
        let is_rejected = |lane: &LaneId| self.rejected.get(lane).copied().unwrap_or(false);
        let came = match fact {
            Fact::CallReserved { lane, call, purpose, .. } => {
                self.calls.insert(*call, (*lane, *purpose));
                // What an agent has worked on since is looked at anew, or not at all.
                let stands = is_rejected(lane) && matches!(*purpose, Purpose::Verify | Purpose::Council);
                self.rejected.insert(*lane, stands);
                return None;
            }
            Fact::Committed(report::Committed { lane, commit: Some(_), .. })
                if is_rejected(lane) && !self.keeps_attempts =>
            {
                "committed"
            }
            Fact::Merged(report::Merged { lane, .. }) if is_rejected(lane) => "merged",
            Fact::Landed(report::Landed { lane, outcome: LandOutcome::Landed { .. } })
                if is_rejected(lane) =>
            {
                "landed"
            }
            Fact::TaskClosed(report::TaskClosed { lane, end, .. }) => {
                let done = is_rejected(lane) && *end == TaskEnd::Done;
                self.rejected.remove(lane);
                if !done {
                    return None;
                }
                "done"
            }
            Fact::RunFinished { stop_reason: StopReason::Complete, .. }
                if self.rejected.values().any(|rejected| *rejected) =>
            {
                "complete"
            }
            _ => return None,
        };
        Some(format!("what its reviewer did not let stand is {came}"))
    }
}

/// A task is put aside for its reviewer once that has rejected it often enough for the same, and not before.
fn put_aside(tally: &Tally, fact: &Fact) -> Option<String> {
    let Fact::TaskClosed(report::TaskClosed { task, end, .. }) = fact else { return None };
    let for_good = lane_of(fact).is_some_and(|lane| tally.is_rejected_for_good(lane));
    match end {
        TaskEnd::Parked { reason } if reason.starts_with(REJECTED) && !for_good => {
            Some(format!("{task} is put aside too early: {reason}"))
        }
        TaskEnd::Again { .. } if for_good => {
            Some(format!("{task} was rejected for the same again and again, and is begun once more"))
        }
        _ => None,
    }
}
