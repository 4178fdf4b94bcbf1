//! Calls, and what they cost.

use std::collections::{BTreeMap, BTreeSet};

use windlass_core::fact::Fact;
use windlass_core::values::{CallId, CallSummary, Cost};

use super::Breach;
use crate::fleet::record::{Agent, AgentEnd, FleetRecord, What};

fn wrong(record: &FleetRecord, said: String) -> Result<(), Breach> {
    Err(Breach::at(record.moments.len(), said))
}

pub(super) fn one_agent(record: &FleetRecord) -> Result<(), Breach> {
    let mut calls = BTreeMap::new();
    super::find(record, |what| {
        let What::Started(agent) = what else { return None };
        let Agent { call, worker, .. } = record.agents[*agent];
        // A call that was reserved by a runner whose facts do not count is none.
        let before = calls.insert(call, worker)?;
        let counts = record
            .entries()
            .any(|entry| matches!(&entry.fact, Fact::CallReserved { call: known, .. } if *known == call));
        counts.then(|| {
            format!("call {} has an agent on worker w{before}, and another one on worker w{worker}", call.0)
        })
    })
}

/// What the journal says of calls.
fn books(record: &FleetRecord) -> Result<BTreeMap<CallId, (Cost, Vec<&CallSummary>)>, Breach> {
    let mut books: BTreeMap<CallId, (Cost, Vec<&CallSummary>)> = BTreeMap::new();
    for entry in record.entries() {
        match &entry.fact {
            Fact::CallReserved { call, reserved, .. }
                if books.insert(*call, (*reserved, Vec::new())).is_some() =>
            {
                return Err(Breach::at(record.moments.len(), format!("call {} is reserved twice", call.0)));
            }
            Fact::CallFinished { call, summary, .. } => {
                if let Some((_, charges)) = books.get_mut(call) {
                    charges.push(summary);
                }
            }
            _ => {}
        }
    }
    Ok(books)
}

pub(super) fn charged_once(record: &FleetRecord) -> Result<(), Breach> {
    for (call, (reserved, charges)) in books(record)? {
        let [charge] = charges.as_slice() else {
            return wrong(record, format!("call {} is charged {} times", call.0, charges.len()));
        };
        let said = record.agents.iter().any(|agent| agent.call == call && agent.cost == charge.cost);
        if charge.estimated && charge.cost < reserved {
            return wrong(
                record,
                format!("call {} is charged {}, and {reserved} was reserved", call.0, charge.cost),
            );
        }
        if !charge.estimated && !said {
            return wrong(record, format!("call {} is charged {}, which no agent said", call.0, charge.cost));
        }
    }
    recharged(record)?;
    let mut spent = Cost::ZERO;
    for entry in record.entries() {
        match &entry.fact {
            Fact::CallFinished { summary, .. } => spent += summary.cost,
            Fact::CallRecharged { cost, replaces, .. } => spent = spent.minus(*replaces) + *cost,
            Fact::RunFinished { cost, .. } if *cost != spent => {
                return wrong(
                    record,
                    format!("the run is said to have cost {cost}, and its calls cost {spent}"),
                );
            }
            _ => {}
        }
    }
    Ok(())
}

/// What replaces an estimate does so once, and is what the agent of that call has cost.
fn recharged(record: &FleetRecord) -> Result<(), Breach> {
    let mut calls = BTreeSet::new();
    for entry in record.entries() {
        let Fact::CallRecharged { call, cost, estimated, .. } = &entry.fact else { continue };
        if !calls.insert(*call) {
            return wrong(record, format!("the estimate of call {} is replaced twice", call.0));
        }
        let said = record.agents.iter().any(|agent| agent.call == *call && agent.cost == *cost);
        if !said && !estimated {
            return wrong(record, format!("call {} is charged {cost} late, which no agent said", call.0));
        }
    }
    Ok(())
}

pub(super) fn work_kept(record: &FleetRecord) -> Result<(), Breach> {
    let books = books(record)?;
    let mut lost = BTreeSet::new();
    for moment in &record.moments {
        match &moment.what {
            What::Lost { lane, lease, .. } => drop(lost.insert((*lane, *lease))),
            What::Left { lane, lease, .. } => {
                // It may have been taken away.
                let taken = record.moments.iter().any(|other| {
                    matches!(&other.what, What::TakenOver { lane: over, .. } if over == lane)
                        && other.at <= moment.at
                });
                if taken {
                    lost.insert((*lane, *lease));
                }
            }
            _ => {}
        }
    }
    for agent in record.agents.iter().filter(|agent| agent.end == AgentEnd::Finished) {
        let Some((_, charges)) = books.get(&agent.call) else { continue };
        let estimated = charges.iter().any(|charge| charge.estimated);
        if estimated && !lost.contains(&(agent.lane, agent.lease)) && !died(record, agent) {
            let said = format!(
                "the agent of call {} came to its end on worker w{}, which kept the lane, and what it said does not count",
                agent.call.0, agent.worker
            );
            return wrong(record, said);
        }
    }
    Ok(())
}

/// Has its worker died with what it had not brought?
fn died(record: &FleetRecord, agent: &Agent) -> bool {
    record
        .moments
        .iter()
        .any(|moment| matches!(&moment.what, What::WorkerEnded { worker } if *worker == agent.worker))
}
