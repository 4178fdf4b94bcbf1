//! Money.

use std::collections::BTreeMap;

use windlass_core::fact::Fact;
use windlass_core::values::{CallId, Cost, StopReason};

use super::Breach;
use crate::record::{Record, Said, What};

/// What is known of a call beside its facts.
#[derive(Clone, Copy, Default)]
struct CallBooks {
    started: bool,
    reserved: Cost,
    budget: Option<Cost>,
    response: Cost,
    bill: Said,
    only_refused: bool,
}

fn follow(
    record: &Record,
    mut each: impl FnMut(&Fact, &BTreeMap<CallId, CallBooks>) -> Result<(), String>,
) -> Result<(), Breach> {
    let mut calls: BTreeMap<CallId, CallBooks> = BTreeMap::new();
    for (at, moment) in record.moments.iter().enumerate() {
        match &moment.what {
            What::AgentStarted { call, response, budget, .. } => {
                let known = calls.entry(*call).or_default();
                (known.started, known.response, known.budget) = (true, *response, *budget);
            }
            What::StreamRead { call, bill, only_refused, .. } => {
                let known = calls.entry(*call).or_default();
                (known.bill, known.only_refused) = (*bill, *only_refused);
            }
            What::Fact(entry) => {
                if let Fact::CallReserved { call, reserved, .. } = &entry.fact {
                    calls.insert(*call, CallBooks { reserved: *reserved, ..CallBooks::default() });
                }
                each(&entry.fact, &calls).map_err(|said| Breach::at(at, said))?;
            }
            _ => {}
        }
    }
    Ok(())
}

pub(super) fn within_budget(record: &Record) -> Result<(), Breach> {
    let mut spent = Cost::ZERO;
    let lanes = record.plan.lanes.is_some();
    let mut granted: BTreeMap<CallId, Cost> = BTreeMap::new();
    let mut limit = record.plan.limits.budget();
    follow(record, |fact, calls| match fact {
        Fact::RunStarted { plan } | Fact::RunResumed { plan } => {
            limit = plan.limits.budget();
            Ok(())
        }
        Fact::CallReserved { call, budget, .. } => match limit {
            Some(limit) if lanes => {
                let left = limit.minus(spent).minus(granted.values().copied().sum());
                granted.insert(*call, budget.unwrap_or(Cost::ZERO));
                if left == Cost::ZERO || budget.is_none_or(|budget| budget > left || budget == Cost::ZERO) {
                    return Err(format!("{left} can be spent, and the agent is given {budget:?}"));
                }
                Ok(())
            }
            Some(limit) if spent >= limit => Err(format!("a call begins where {spent} of {limit} is spent")),
            Some(limit) if *budget != Some(limit.minus(spent)) => {
                Err(format!("of {limit}, {spent} is spent, and the agent is given {budget:?}"))
            }
            _ => Ok(()),
        },
        Fact::CallFinished { call, summary, .. } => {
            spent += summary.cost;
            granted.remove(call);
            let Some(known) = calls.get(call) else { return Ok(()) };
            let most = known.budget.map(|budget| budget + known.response);
            let estimate = summary.estimated && summary.cost <= known.reserved;
            match most {
                Some(most) if summary.cost > most && !estimate => {
                    Err(format!("call {call} cost {}, {most} is the most that it may", summary.cost))
                }
                _ => Ok(()),
            }
        }
        _ => Ok(()),
    })
}

pub(super) fn true_charges(record: &Record) -> Result<(), Breach> {
    let mut spent = Cost::ZERO;
    let (mut estimated, mut tokens) = (Cost::ZERO, 0);
    let mut charged = Vec::new();
    let (mut failing, mut broken) = (false, false);
    follow(record, |fact, calls| match fact {
        Fact::CallFinished { call, summary, .. } => {
            spent += summary.cost;
            charged.push(*call);
            let known = calls.get(call).copied().unwrap_or_default();
            let bill = known.bill;
            let used = bill.worth + bill.since;
            tokens += summary.tokens.total();
            estimated += if summary.estimated { summary.cost } else { Cost::ZERO };
            if known.started && summary.tokens.total() != bill.tokens + bill.tokens_since {
                return Err(format!(
                    "call {call} counts {} tokens, and its stream has {}",
                    summary.tokens.total(),
                    bill.tokens + bill.tokens_since
                ));
            }
            let right = match bill.reported {
                // It was about to start when the runner died: whether it did, nobody can know.
                _ if !known.started && summary.estimated => (known.reserved, true),
                _ if !known.started => (Cost::ZERO, false),
                Some(reported) if bill.wrong => (reported.max(used), true),
                Some(reported) => (reported + bill.since, bill.since > Cost::ZERO),
                None if known.only_refused => (Cost::ZERO, false),
                None => (known.reserved.max(used), true),
            };
            if right == (summary.cost, summary.estimated) {
                Ok(())
            } else {
                let estimate = if right.1 { ", an estimate" } else { "" };
                Err(format!("call {call} is charged {}, and {}{estimate} is right", summary.cost, right.0))
            }
        }
        Fact::RunResumed { .. } => {
            failing = false;
            Ok(())
        }
        // The runner could not even find out what became of the call; whoever resumes finds out.
        Fact::Failing { stop_reason, .. } => {
            failing = matches!(
                stop_reason,
                StopReason::DiskFull | StopReason::Internal | StopReason::DestructiveChange
            );
            Ok(())
        }
        Fact::RunFinished { cost, estimated_cost, tokens: counted, .. } => {
            broken = failing;
            let (said, right) = ((*cost, *estimated_cost, counted.total()), (spent, estimated, tokens));
            if said == right { Ok(()) } else { Err(format!("the run says {said:?}, and {right:?} is right")) }
        }
        _ => Ok(()),
    })?;
    let uncharged = record.moments.iter().enumerate().find_map(|(at, moment)| match &moment.what {
        What::AgentStarted { call, .. } if !charged.contains(call) => Some((at, *call)),
        _ => None,
    });
    match uncharged {
        Some((at, call)) if !broken => Err(Breach::at(at, format!("call {call} is never charged"))),
        _ => Ok(()),
    }
}
