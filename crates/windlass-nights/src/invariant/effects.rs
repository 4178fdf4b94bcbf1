//! Iterations, attempts and effects: each once.

use std::collections::{BTreeMap, BTreeSet};

use windlass_core::fact::Fact;
use windlass_core::report;
use windlass_core::values::{Class, Cost, LaneId};

use super::{Breach, lane_of};
use crate::record::{Record, What};

pub(super) fn iterations(record: &Record) -> Result<(), Breach> {
    let (mut started, mut finished) = (0, 0);
    let mut lanes: BTreeMap<LaneId, Open> = BTreeMap::new();
    // What the fact before said to a person.
    let mut noticed = None;
    for (at, moment) in record.moments.iter().enumerate() {
        let wrong = |said: String| Err(Breach::at(at, said));
        let entry = match &moment.what {
            What::FactsLost { count, allowed: false } => {
                return wrong(format!("{count} facts are lost that were safe"));
            }
            What::Fact(entry) => entry,
            _ => continue,
        };
        let lane = lane_of(&entry.fact).unwrap_or_default();
        let open = lanes.entry(lane).or_default();
        open.is_lost = noticed.take().is_some_and(|text: &str| text.starts_with("the checkout of lane"));
        match &entry.fact {
            Fact::IterationStarted { iteration, .. } => {
                if *iteration != started + 1 || open.iteration != 0 {
                    return wrong(format!("iteration {iteration} begins after {started} began"));
                }
                started = *iteration;
                *open = Open { iteration: started, ..Open::default() };
            }
            Fact::IterationFinished { .. } => {
                open.fact(&entry.fact).map_err(|said| Breach::at(at, said))?;
                *open = Open::default();
                finished += 1;
            }
            Fact::Noticed(report::Noticed { text }) => noticed = Some(text),
            Fact::RunFinished { iterations, .. } if *iterations != finished => {
                return wrong(format!("the run says {iterations} iterations, and {finished} ended"));
            }
            fact => open.fact(fact).map_err(|said| Breach::at(at, said))?,
        }
    }
    Ok(())
}

/// The iteration that is under way in a lane; number 0 = none.
#[derive(Default)]
struct Open {
    iteration: u32,
    attempt: u32,
    cost: Cost,
    /// It was just said that the lane's checkout is gone.
    is_lost: bool,
}

impl Open {
    fn fact(&mut self, fact: &Fact) -> Result<(), String> {
        let Open { iteration: open, attempt: now, .. } = *self;
        match fact {
            Fact::CallReserved { iteration, attempt, .. } => {
                // An attempt whose prompt was never used is the next one's number as well.
                if *iteration != open || *attempt != now + 1 {
                    return Err(format!(
                        "attempt {attempt} of iteration {iteration} begins after attempt {now} of {open}"
                    ));
                }
                self.attempt = *attempt;
            }
            Fact::CallFinished { summary, .. } => self.cost += summary.cost,
            // The lane's checkout was gone before the attempt's agent was called, which was said just before.
            Fact::AttemptRepeats { iteration, attempt, class: Class::Interrupted, .. }
                if self.is_lost && (*iteration, *attempt) == (open, now + 1) =>
            {
                self.attempt = *attempt;
            }
            Fact::AttemptRepeats { iteration, attempt, .. } if (*iteration, *attempt) != (open, now) => {
                return Err(format!("attempt {attempt} of iteration {iteration} is not the one under way"));
            }
            Fact::IterationFinished { iteration, .. } if *iteration != open => {
                return Err(format!("iteration {iteration} ends, and {open} is under way"));
            }
            Fact::IterationFinished { iteration, cost, .. } if *cost != self.cost => {
                return Err(format!("iteration {iteration} says {cost}, and its calls cost {}", self.cost));
            }
            _ => {}
        }
        Ok(())
    }
}

pub(super) fn once(record: &Record) -> Result<(), Breach> {
    let mut calls = BTreeSet::new();
    let mut turns = BTreeSet::new();
    let mut commits = BTreeSet::new();
    for (at, moment) in record.moments.iter().enumerate() {
        let twice = match &moment.what {
            What::AgentStarted { call, turn, .. } => (!calls.insert(*call) || !turns.insert(*turn))
                .then(|| format!("attempt {} of iteration {} is paid twice", turn.attempt, turn.iteration)),
            What::Committed { iteration, .. } => {
                (!commits.insert(*iteration)).then(|| format!("iteration {iteration} is committed twice"))
            }
            _ => None,
        };
        if let Some(said) = twice {
            return Err(Breach::at(at, said));
        }
    }
    Ok(())
}
