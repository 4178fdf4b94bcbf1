//! Iterations, attempts and effects: each once.

use std::collections::BTreeSet;

use windlass_core::fact::{Cost, Fact};

use super::Breach;
use crate::record::{Record, What};

pub(super) fn iterations(record: &Record) -> Result<(), Breach> {
    let (mut started, mut finished, mut attempt) = (0, 0, 0);
    let mut cost = Cost::ZERO;
    for (at, moment) in record.moments.iter().enumerate() {
        let wrong = |said: String| Err(Breach::at(at, said));
        let entry = match &moment.what {
            What::FactsLost { count, allowed: false } => {
                return wrong(format!("{count} facts are lost that were safe"));
            }
            What::Fact(entry) => entry,
            _ => continue,
        };
        match &entry.fact {
            Fact::IterationStarted { iteration, .. } => {
                if *iteration != started + 1 || finished != started {
                    return wrong(format!(
                        "iteration {iteration} begins after {started} began and {finished} ended"
                    ));
                }
                (started, attempt, cost) = (*iteration, 0, Cost::ZERO);
            }
            Fact::CallReserved { iteration, attempt: this, .. } => {
                // An attempt whose prompt was never used is the next one's number as well.
                if *iteration != started || *this != attempt + 1 {
                    return wrong(format!(
                        "attempt {this} of iteration {iteration} begins after attempt {attempt} of {started}"
                    ));
                }
                attempt = *this;
            }
            Fact::CallFinished { summary, .. } => cost += summary.cost,
            Fact::AttemptRepeats { iteration, attempt: this, .. }
                if (*iteration, *this) != (started, attempt) =>
            {
                return wrong(format!("attempt {this} of iteration {iteration} is not the one under way"));
            }
            Fact::IterationFinished { iteration, cost: said, .. } => {
                if *iteration != started || finished + 1 != started {
                    return wrong(format!("iteration {iteration} ends, and {started} is under way"));
                }
                if *said != cost {
                    return wrong(format!("iteration {iteration} says {said}, and its calls cost {cost}"));
                }
                finished = *iteration;
            }
            Fact::RunFinished { iterations, .. } if *iterations != finished => {
                return wrong(format!("the run says {iterations} iterations, and {finished} ended"));
            }
            _ => {}
        }
    }
    Ok(())
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
