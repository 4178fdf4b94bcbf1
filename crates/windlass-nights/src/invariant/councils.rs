//! What councils decide: at most so many, each known to every later agent and logged, once.

use std::collections::{BTreeMap, BTreeSet};

use windlass_core::fact::Fact;
use windlass_core::values::{CallSummary, Class, Cut, LaneId, Purpose};

use super::{Breach, lane_of};
use crate::record::{Record, What};

/// In these nights two ways are offered each time.
const OFFERED: u32 = 2;

#[derive(Clone, Default)]
struct Seen {
    /// Councils that were called.
    called: u32,
    /// Iterations with a council.
    asked: BTreeSet<u32>,
    /// The lane's newest call is a council's.
    council: bool,
    /// What was decided, and whether what its council left is kept.
    decided: Option<(u32, u32)>,
    settled: Vec<(u32, u32)>,
    log: BTreeSet<(u32, u32)>,
    at: (u32, u32),
}

/// By what was said, and not by what the core made of it.
pub(super) fn check(record: &Record) -> Result<(), Breach> {
    let most = record.plan.council.as_ref().map_or(0, |council| council.per_run);
    let mut lanes: BTreeMap<LaneId, Seen> = BTreeMap::new();
    // As the runner saw them whose newest facts did not survive.
    let mut lost: Option<BTreeMap<LaneId, Seen>> = None;
    for (at, moment) in record.moments.iter().enumerate() {
        let wrong = |said: String| Err(Breach::at(at, said));
        match &moment.what {
            What::Fact(entry) => {
                let Some(lane) = lane_of(&entry.fact) else { continue };
                let seen = lanes.entry(lane).or_default();
                seen.fact(&entry.fact);
                if seen.called > most || seen.asked.len() < seen.called as usize {
                    return wrong(format!("a council too many is called: {} of {most}", seen.called));
                }
            }
            What::LostFact(entry) => {
                let Some(lane) = lane_of(&entry.fact) else { continue };
                lost.get_or_insert_with(|| lanes.clone()).entry(lane).or_default().fact(&entry.fact);
            }
            What::SessionBegan { .. } => lost = None,
            What::Prepared { decisions } => {
                let lanes = lost.as_ref().unwrap_or(&lanes);
                let known = lanes.values().map(|seen| seen.settled.len()).sum::<usize>();
                if *decisions != known {
                    return wrong(format!("a prompt has {decisions} decisions, and {known} were made"));
                }
            }
            What::Logged { lane, iteration, attempt } => {
                let seen = lanes.entry(*lane).or_default();
                if !seen.settled.contains(&(*iteration, *attempt)) {
                    return wrong(format!("what iteration {iteration} did not decide is logged"));
                }
                if !seen.log.insert((*iteration, *attempt)) {
                    return wrong(format!("what was decided in iteration {iteration} is logged twice"));
                }
            }
            _ => {}
        }
    }
    Ok(())
}

impl Seen {
    fn fact(&mut self, fact: &Fact) {
        match fact {
            Fact::FollowUpDue { purpose: Purpose::Council, iteration, .. } => {
                self.called += 1;
                self.asked.insert(*iteration);
            }
            Fact::CallReserved { iteration, attempt, purpose, .. } => {
                self.at = (*iteration, *attempt);
                self.council = *purpose == Purpose::Council;
            }
            Fact::CallFinished { summary, .. } if self.council => {
                self.decided = decides(summary).then_some(self.at);
            }
            Fact::SnapshotTaken(taken) if taken.forbidden_changes == 0 => {
                self.settled.extend(self.decided.take());
            }
            _ => {}
        }
    }
}

fn decides(summary: &CallSummary) -> bool {
    let choice = summary.decision.as_ref().and_then(|decision| decision.choice);
    // What the run's end in time cut short is asked anew, whatever it said.
    let is_whole = summary.class == Class::Success && !summary.cut.is_some_and(Cut::is_of_run);
    is_whole && choice.is_some_and(|choice| (1..=OFFERED).contains(&choice))
}
