//! Tasks: each ends in one way, in its turn, and what is done is on the branch.

use std::collections::{BTreeMap, BTreeSet};

use windlass_core::fact::Fact;
use windlass_core::report;
use windlass_core::spec::CommitPolicy;
use windlass_core::values::{
    CallId, CheckStage, LaneId, MergeOutcome, Purpose, StopReason, TaskEnd, TaskId, TaskRow, TaskState,
    Verdict,
};

use super::{Breach, lane_of};
use crate::record::{Record, SessionEnd, What};

/// What is known of the tasks, from the facts alone.
#[derive(Default)]
struct TaskBooks {
    rows: BTreeMap<TaskId, TaskRow>,
    done: BTreeSet<TaskId>,
    /// Those that were, also where the file has lost them since.
    ever_done: BTreeSet<TaskId>,
    parked: BTreeSet<TaskId>,
    active: BTreeMap<LaneId, TaskId>,
    /// Lanes with an iteration under way.
    busy: BTreeSet<LaneId>,
    has_lanes: bool,
}

impl TaskBooks {
    fn fold(&mut self, fact: &Fact) {
        match fact {
            Fact::TasksRead { tasks } => {
                self.rows = tasks.iter().rev().map(|row| (row.id.clone(), row.clone())).collect();
                // Where an agent had the file in its hands, what it calls done is a claim.
                let trusted = self.has_lanes || self.busy.is_empty();
                let was_done = |row: &TaskRow| trusted || self.ever_done.contains(&row.id);
                let is_done = |row: &&TaskRow| row.state == TaskState::Done && was_done(row);
                self.done = self.rows.values().filter(is_done).map(|row| row.id.clone()).collect();
                self.ever_done.retain(|id| !self.rows.contains_key(id));
                self.ever_done.extend(self.done.iter().cloned());
                let open = |id: &TaskId| self.rows.contains_key(id) && !self.done.contains(id);
                self.parked.retain(open);
                // Whoever is at a task that is gone, that somebody else has finished, or that waits again, is free.
                let (busy, rows, done) = (&self.busy, &self.rows, &self.done);
                let met = |id: &TaskId| {
                    rows.get(id).is_some_and(|row| row.dependencies.iter().all(|need| done.contains(need)))
                };
                self.active.retain(|lane, task| busy.contains(lane) || (open(task) && met(task)));
            }
            Fact::IterationStarted { lane, task: Some(task), .. } => {
                self.active.insert(*lane, task.clone());
                self.busy.insert(*lane);
            }
            Fact::TaskClosed(report::TaskClosed { lane, task, end, .. }) => {
                self.busy.remove(lane);
                match end {
                    TaskEnd::Done => {
                        self.ever_done.insert(task.clone());
                        self.done.insert(task.clone())
                    }
                    TaskEnd::Parked { .. } => self.parked.insert(task.clone()),
                    TaskEnd::Again { .. } => return,
                };
                self.active.remove(lane);
            }
            _ => {}
        }
    }

    fn is_ready(&self, task: &TaskId) -> bool {
        let Some(row) = self.rows.get(task) else { return false };
        let taken = self.done.contains(task) || self.parked.contains(task);
        !taken && row.unclear.is_none() && row.dependencies.iter().all(|other| self.done.contains(other))
    }

    fn elsewhere(&self, lane: LaneId, task: &TaskId) -> bool {
        self.active.iter().any(|(other, held)| *other != lane && held == task)
    }
}

fn follow(
    record: &Record,
    mut each: impl FnMut(&TaskBooks, &What) -> Result<(), String>,
) -> Result<(), Breach> {
    if !record.plan.job.mode.has_tasks() {
        return Ok(());
    }
    let mut known = TaskBooks { has_lanes: record.plan.lanes.is_some(), ..TaskBooks::default() };
    for (at, moment) in record.moments.iter().enumerate() {
        each(&known, &moment.what).map_err(|said| Breach::at(at, said))?;
        if let What::Fact(entry) = &moment.what {
            known.fold(&entry.fact);
        }
    }
    Ok(())
}

fn fact(what: &What) -> Option<&Fact> {
    match what {
        What::Fact(entry) => Some(&entry.fact),
        _ => None,
    }
}

/// A limit, an outage and a refusal that nobody knows are nothing that a task did.
pub(super) fn spared(record: &Record) -> Result<(), Breach> {
    let mut calls: BTreeMap<CallId, bool> = BTreeMap::new();
    let mut reviewers: BTreeSet<CallId> = BTreeSet::new();
    let mut refused: BTreeMap<LaneId, bool> = BTreeMap::new();
    let mut failed: BTreeMap<LaneId, bool> = BTreeMap::new();
    for (at, moment) in record.moments.iter().enumerate() {
        if let What::StreamRead { call, bill, .. } = &moment.what {
            calls.insert(*call, bill.refused);
        }
        match fact(&moment.what) {
            Some(Fact::CallReserved { call, purpose: Purpose::Review, .. }) => {
                reviewers.insert(*call);
            }
            // How its reviewer's call went is nothing that the work did.
            Some(Fact::CallFinished { lane, call, .. }) if !reviewers.contains(call) => {
                refused.insert(*lane, calls.get(call).copied().unwrap_or(false));
            }
            Some(Fact::IterationFinished { lane, verdict, .. }) => {
                let by_api = refused.get(lane).copied().unwrap_or(false);
                failed.insert(*lane, *verdict == Verdict::Failed && by_api);
            }
            Some(Fact::TaskClosed(report::TaskClosed {
                lane,
                task,
                end: TaskEnd::Parked { reason },
                ..
            })) if failed.get(lane).copied().unwrap_or(false) => {
                return Err(Breach::at(at, format!("{task} is put aside, and the API had failed: {reason}")));
            }
            _ => {}
        }
    }
    Ok(())
}

/// A task that others wait for is done before they begin; nobody begins what is done, put aside or at work elsewhere.
pub(super) fn in_turn(record: &Record) -> Result<(), Breach> {
    follow(record, |known, what| match fact(what) {
        Some(Fact::IterationStarted { task: None, .. }) => {
            Err("an iteration begins without a task".to_owned())
        }
        Some(Fact::IterationStarted { lane, task: Some(task), .. }) => {
            if known.elsewhere(*lane, task) {
                return Err(format!("{task} is begun in lane {lane}, and another lane is at it"));
            }
            match known.active.get(lane) {
                Some(own) if own != task => Err(format!("lane {lane} begins {task}, and is at {own}")),
                Some(_) => Ok(()),
                None if known.is_ready(task) => Ok(()),
                None => Err(format!("{task} begins, and it is not its turn")),
            }
        }
        _ => Ok(()),
    })
}

/// Each task ends in one way, and the file says so.
pub(super) fn one_end(record: &Record) -> Result<(), Breach> {
    let mut finished = false;
    follow(record, |known, what| match what {
        What::SessionBegan { .. } => {
            finished = false;
            Ok(())
        }
        // What an agent made of the file is put right at the end of its iteration, and not before.
        What::Branch { .. } if !known.has_lanes && !known.busy.is_empty() => Ok(()),
        What::Branch { marks, .. } if finished => marks.iter().try_for_each(|(task, done)| {
            let held = known.active.values().any(|held| held == task);
            match known.done.contains(task) {
                true if !done && known.rows.contains_key(task) => {
                    Err(format!("{task} is done, and its file says that it is not"))
                }
                false if *done && !held && known.rows.contains_key(task) => {
                    Err(format!("{task} is not done, and its file says that it is"))
                }
                _ => Ok(()),
            }
        }),
        what => match fact(what) {
            Some(Fact::RunFinished { .. }) => {
                finished = true;
                let both = known.done.intersection(&known.parked).next();
                both.map_or(Ok(()), |task| Err(format!("{task} is done and put aside")))
            }
            Some(Fact::TaskClosed(report::TaskClosed { lane, task, .. }))
                if known.active.get(lane) != Some(task) =>
            {
                Err(format!("{task} is closed, and lane {lane} was not at it"))
            }
            // While its work is on its way out, a person may write down more: that is for another run.
            Some(Fact::RunEnding { stop_reason: StopReason::Complete, .. })
                if record.plan.delivery.is_none() =>
            {
                let open = known.rows.keys().find(|task| !known.done.contains(*task));
                open.map_or(Ok(()), |task| Err(format!("the run is complete, and {task} is not done")))
            }
            _ => Ok(()),
        },
    })
}

/// A run that is complete has asked with its last task whether what showed the others holds still.
pub(super) fn shown_to_the_end(record: &Record) -> Result<(), Breach> {
    let criteria = (0_u16..).zip(&record.plan.checks).filter(|(_, check)| check.criterion.is_some());
    let criteria: Vec<_> = criteria.collect();
    let mut moment = 0_usize;
    let mut began: BTreeMap<LaneId, usize> = BTreeMap::new();
    let mut asked: BTreeMap<u16, (usize, bool)> = BTreeMap::new();
    let mut shown: BTreeSet<TaskId> = BTreeSet::new();
    // Where the file said something else meanwhile, another task may have been the last.
    let mut last: Option<usize> = None;
    follow(record, |_, what| {
        moment += 1;
        match fact(what) {
            Some(Fact::TasksRead { tasks }) => {
                last = None;
                let is_done =
                    |id: &TaskId| tasks.iter().any(|row| row.id == *id && row.state == TaskState::Done);
                shown.retain(is_done);
            }
            Some(Fact::IterationStarted { lane, .. }) => drop(began.insert(*lane, moment)),
            Some(Fact::CheckFinished(report::CheckFinished { outcome, .. })) => {
                asked.insert(outcome.check, (moment, outcome.passed()));
            }
            Some(Fact::TaskClosed(report::TaskClosed { lane, task, end: TaskEnd::Done, .. })) => {
                last = began.get(lane).copied();
                shown.insert(task.clone());
            }
            Some(Fact::RunEnding { stop_reason: StopReason::Complete, .. }) => {
                let Some(last) = last else { return Ok(()) };
                let holds = |check: &u16| asked.get(check).is_some_and(|(when, held)| *when > last && *held);
                let of_shown = criteria
                    .iter()
                    .filter(|(_, check)| check.criterion.as_ref().is_some_and(|of| shown.contains(&of.task)));
                let broken = of_shown.map(|(check, _)| check).find(|check| !holds(check));
                return broken.map_or(Ok(()), |check| {
                    Err(format!("the run is complete, and criterion {check} was not seen to hold at its end"))
                });
            }
            _ => {}
        }
        Ok(())
    })
}

/// What has another one's id is open, whatever that one is.
pub(super) fn twins_open(record: &Record) -> Result<(), Breach> {
    let mut complete = false;
    follow(record, |_, what| match what {
        What::SessionBegan { .. } => {
            complete = false;
            Ok(())
        }
        What::Branch { open_twin: Some(task), .. } if complete => {
            Err(format!("the run is complete, and one of two tasks {task} is open"))
        }
        what => {
            complete |=
                matches!(fact(what), Some(Fact::RunFinished { stop_reason: StopReason::Complete, .. }));
            Ok(())
        }
    })
}

/// Blocked is what a run is in which no task is ready and none at work.
pub(super) fn blocked_rightly(record: &Record) -> Result<(), Breach> {
    follow(record, |known, what| match fact(what) {
        Some(Fact::RunEnding { stop_reason: StopReason::Blocked, .. }) => {
            let at_work = known.active.values().find(|task| !known.parked.contains(*task));
            let ready = known.rows.keys().find(|task| known.is_ready(task));
            match at_work.or(ready) {
                Some(task) => Err(format!("the run is blocked, and {task} can be worked on")),
                None => Ok(()),
            }
        }
        _ => Ok(()),
    })
}

/// Nothing is done that is not on the branch, with gates green on what is there.
pub(super) fn done_is_landed(record: &Record) -> Result<(), Breach> {
    let has_lanes = record.plan.lanes.is_some();
    let commits = record.plan.commit == CommitPolicy::Runner && record.plan.git;
    let mut landed = BTreeSet::new();
    let mut committed = BTreeSet::new();
    follow(record, |_, what| match what {
        What::Landed { iteration, task, ungated, .. } => {
            landed.insert((*iteration, task.clone()));
            ungated.map_or(Ok(()), |check| Err(format!("check {check} did not pass on what lands of {task}")))
        }
        what => match fact(what) {
            Some(Fact::Committed(report::Committed { lane, refused, .. })) => {
                committed.remove(lane);
                if refused.is_none() {
                    committed.insert(*lane);
                }
                Ok(())
            }
            Some(Fact::IterationStarted { lane, .. }) => {
                committed.remove(lane);
                Ok(())
            }
            Some(Fact::TaskClosed(report::TaskClosed {
                lane, iteration, task, end: TaskEnd::Done, ..
            })) => {
                if has_lanes && !landed.contains(&(*iteration, task.clone())) {
                    return Err(format!("{task} is done, and its work is not on the branch"));
                }
                if commits && !committed.contains(lane) {
                    return Err(format!("{task} is done, and nothing was committed"));
                }
                Ok(())
            }
            _ => Ok(()),
        },
    })
}

/// What has landed stays, and lands once.
pub(super) fn landed_once(record: &Record) -> Result<(), Breach> {
    let mut landed = BTreeSet::new();
    follow(record, |known, what| match what {
        What::Branch { lost, .. } => match lost.first() {
            Some(iteration) => Err(format!("the branch has lost what iteration {iteration} landed")),
            None => Ok(()),
        },
        What::Landed { iteration, task, .. } => {
            if known.done.contains(task) {
                return Err(format!("{task} lands, and it is done"));
            }
            if landed.insert(*iteration) { Ok(()) } else { Err(format!("iteration {iteration} lands twice")) }
        }
        _ => Ok(()),
    })
}

/// From a merge to the end of its landing, no other lane merges.
pub(super) fn one_at_the_branch(record: &Record) -> Result<(), Breach> {
    let mut bringing: Option<LaneId> = None;
    follow(record, |_, what| {
        let Some(fact) = fact(what) else {
            if matches!(
                what,
                What::SessionEnded(SessionEnd::Killed | SessionEnd::PowerCut | SessionEnd::Broken)
            ) {
                bringing = None;
            }
            return Ok(());
        };
        let lane = lane_of(fact);
        match fact {
            Fact::Merged(report::Merged { lane, outcome, .. }) => {
                if let Some(other) = bringing.filter(|other| other != lane) {
                    return Err(format!(
                        "lane {lane} is merged while lane {other} is on its way to the branch"
                    ));
                }
                bringing = matches!(outcome, MergeOutcome::Clean { .. }).then_some(*lane);
            }
            Fact::Landed(report::Landed { lane, .. }) => {
                if let Some(other) = bringing.filter(|other| other != lane) {
                    return Err(format!("lane {lane} lands while lane {other} is on its way to the branch"));
                }
                bringing = None;
            }
            Fact::RunResumed { .. } => bringing = None,
            // Its checkout is gone, and with it what it was bringing.
            Fact::AttemptRepeats { .. }
            | Fact::CallReserved { purpose: Purpose::Merge, .. }
            | Fact::IterationFinished { .. }
                if lane == bringing =>
            {
                bringing = None;
            }
            Fact::CheckFinished(report::CheckFinished { stage: CheckStage::Merged, outcome, .. })
                if lane == bringing && !outcome.passed() =>
            {
                bringing = None;
            }
            _ => {}
        }
        Ok(())
    })
}

pub(super) fn lanes_commute(record: &Record) -> Result<(), Breach> {
    super::find(record, |what| match what {
        What::OtherThanOneLane(said) => Some(said.clone()),
        _ => None,
    })
}
