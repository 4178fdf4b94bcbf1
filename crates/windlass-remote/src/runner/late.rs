//! What comes late: of a worker that had lost the lane before. It does not count. What calls have cost is charged, what agents said
//! and what checks printed stays with the run, and unfinished work is kept as a branch.

use std::sync::atomic::Ordering;

use windlass_core::report::{LateResult, Report};
use windlass_fleet::leases::LeaseEpoch;
use windlass_fleet::orders::{MadeCode, Outcome};
use windlass_git::lane::{Parked, park_leftover};
use windlass_host::tree::at;

use super::intake::{Refusal, left_of, mirror};
use super::room::{Event, Room};
use crate::code::CodeError;
use crate::run_files;

/// So often unfinished work is kept in a session: a worker that means harm makes no more branches than that.
const MOST: u32 = 200;

/// What became of it.
pub(super) enum Late {
    /// Something of it is kept.
    Kept,
    /// There was nothing to keep.
    Nothing,
}

/// Takes what is worth keeping of an outcome.
pub(super) fn take(room: &Room, outcome: &Outcome, epoch: LeaseEpoch) -> Result<Late, Refusal> {
    let (worker, lane) = (&outcome.worker, outcome.lane);
    let bills: Vec<LateResult> = bills(outcome).collect();
    let work = outcome.made.as_ref().zip(outcome.late_work_on.as_deref());
    if work.is_some() && room.late_work.fetch_add(1, Ordering::Relaxed) >= MOST {
        room.late_work.fetch_sub(1, Ordering::Relaxed);
        return Err(Refusal::Said(format!("unfinished work was kept {MOST} times, and is kept no more")));
    }
    if bills.is_empty() && work.is_none() {
        room.tell(Event::Notice(format!(
            "lane {lane}: what worker {worker} reports is of before it lost the lane, and does not count"
        )));
        return Ok(Late::Nothing);
    }
    let kept = run_files::take_in(&room.fleet, &room.folder, &outcome.files)
        .and_then(|()| work.map(|(made, task)| park(room, outcome, epoch, (made, task))).transpose());
    let parked = kept.map_err(|error| {
        if work.is_some() {
            // It was not kept: what comes again is not counted twice.
            room.late_work.fetch_sub(1, Ordering::Relaxed);
        }
        if error.may_pass() { Refusal::Again } else { Refusal::Said(format!("it cannot be kept: {error}")) }
    })?;
    for branch in parked.into_iter().flat_map(|parked| [parked.branch, parked.merging]).flatten() {
        room.tell(Event::Notice(format!(
            "lane {lane}: what worker {worker} did before it lost the lane does not count; it is kept as the branch {branch}"
        )));
    }
    for bill in bills {
        room.tell(Event::Late(bill));
    }
    Ok(Late::Kept)
}

/// How calls have ended, by their own lane only.
fn bills(outcome: &Outcome) -> impl Iterator<Item = LateResult> + '_ {
    outcome.reported.iter().filter_map(|reported| match &reported.report {
        Report::CallEnded(ended) if ended.lane == outcome.lane => {
            Some(LateResult { lane: ended.lane, call: ended.call, report: ended.report.clone() })
        }
        _ => None,
    })
}

/// Keeps unfinished work as a branch: once, however often it comes.
fn park(
    room: &Room,
    outcome: &Outcome,
    epoch: LeaseEpoch,
    (made, task): (&MadeCode, &str),
) -> Result<Parked, CodeError> {
    let home = room.lanes.join(format!("late-{}-{}", outcome.lane, epoch.0));
    let parked = match mirror(room, outcome.lane, &home, made) {
        Ok(Some(lane)) => {
            park_leftover(&room.main, &lane, &left_of(made), &room.run.0, task).map_err(CodeError::from)
        }
        Ok(None) => Ok(Parked::default()),
        Err(error) => Err(error),
    };
    // What cannot be removed takes room and does no harm.
    let _ = at(&home).remove_folder();
    parked
}
