//! Tasks, and what has landed of them.

use std::collections::BTreeMap;

use windlass_core::fact::Fact;
use windlass_core::report;
use windlass_core::values::{LandOutcome, StopReason, TaskEnd};

use super::Breach;
use crate::fleet::record::{FleetRecord, What};
use crate::fleet::runner::task_of;
use crate::fleet::script::Nature;

fn wrong(record: &FleetRecord, said: String) -> Result<(), Breach> {
    Err(Breach::at(record.moments.len(), said))
}

pub(super) fn landed_once(record: &FleetRecord) -> Result<(), Breach> {
    let landed = record.entries().filter_map(|entry| match &entry.fact {
        Fact::Landed(report::Landed { outcome: LandOutcome::Landed { commit }, .. }) => Some(commit),
        _ => None,
    });
    let landed: Vec<&String> = landed.collect();
    if reason(record).is_none() {
        return Ok(());
    }
    if !record.branch.iter().eq(landed.iter().copied()) {
        return wrong(
            record,
            format!("the facts say that {landed:?} has landed, and the branch has {:?}", record.branch),
        );
    }
    let mut tasks = BTreeMap::new();
    for commit in &record.branch {
        if let Some(before) = tasks.insert(task_of(commit), commit) {
            return wrong(record, format!("{} has landed as {before} and as {commit}", task_of(commit)));
        }
    }
    Ok(())
}

/// Why the run ended, where it did so for good.
fn reason(record: &FleetRecord) -> Option<StopReason> {
    let stuck = record.moments.iter().any(|moment| matches!(moment.what, What::Stuck(_)));
    let last = record.entries().last().filter(|_| !stuck)?;
    match &last.fact {
        Fact::RunFinished { stop_reason, .. } => Some(*stop_reason),
        _ => None,
    }
}

pub(super) fn every_task_done(record: &FleetRecord) -> Result<(), Breach> {
    let Some(reason) = reason(record) else { return Ok(()) };
    let hopeless = |id: &str| {
        let task = record.script.tasks.iter().find(|task| task.row.id.0 == id);
        task.is_some_and(|task| task.nature == Nature::Hopeless)
    };
    let all_done = !record.script.tasks.iter().any(|task| task.nature == Nature::Hopeless);
    let expected: &[StopReason] =
        if all_done { &[StopReason::Complete] } else { &[StopReason::Blocked, StopReason::Complete] };
    if !expected.contains(&reason) {
        return wrong(record, format!("the run ended as {reason:?}"));
    }
    let mut ends: BTreeMap<&str, Vec<&TaskEnd>> = BTreeMap::new();
    for entry in record.entries() {
        if let Fact::TaskClosed(report::TaskClosed { task, end, .. }) = &entry.fact {
            ends.entry(&task.0).or_default().push(end);
        }
    }
    for task in &record.script.tasks {
        let id = task.row.id.0.as_str();
        let waits = task.row.dependencies.iter().any(|before| !is_done(&ends, &before.0));
        let done = ends.get(id).map_or(0, |ends| ends.iter().filter(|end| ***end == TaskEnd::Done).count());
        let is_right = if hopeless(id) || waits { done == 0 } else { done == 1 };
        if !is_right {
            return wrong(record, format!("{id} was done {done} times"));
        }
    }
    Ok(())
}

fn is_done(ends: &BTreeMap<&str, Vec<&TaskEnd>>, id: &str) -> bool {
    ends.get(id).is_some_and(|ends| ends.contains(&&TaskEnd::Done))
}
