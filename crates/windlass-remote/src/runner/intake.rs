//! The intake: what came of orders, with the files and commits that belong to it. All of it is a stranger's until it was checked.

use std::path::Path;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use windlass_core::report::Report;
use windlass_core::values::LaneId;
use windlass_fleet::Deadline;
use windlass_fleet::journal::Attachment;
use windlass_fleet::leases::{LeaseEpoch, LeaseKey};
use windlass_fleet::orders::{Answer, Letter, MadeCode, Outcome};
use windlass_git::lane::{Lane, Leftover};
use windlass_git::remote::RemoteError;

use super::late::{self, Late};
use super::limits;
use super::placement::Hearing;
use super::room::{CALL, Event, Room, StartError, beside};
use crate::answers::is_answer;
use crate::code::{self, CodeError, commit};
use crate::{run_files, threads};

/// How long one look into the mailbox waits.
const GLANCE: Duration = Duration::from_millis(500);

pub(super) fn listen(room: &Arc<Room>) -> Result<JoinHandle<()>, StartError> {
    let mut mailbox = room.letters.mailbox_of_run(&room.run, Deadline::after(CALL))?;
    let listening = beside(room, "fleet-intake", move |room| {
        while !room.is_closing() {
            match mailbox.next(Deadline::after(GLANCE)) {
                Ok(Some(letter)) => {
                    let shared = Arc::clone(&room);
                    // Files of one lane do not keep the others waiting. A worker sends the next one when this is answered.
                    let lane = letter.content.lane;
                    let taking = move || take(&shared, &letter);
                    if let Err(error) = threads::start(format!("outcome-{lane}"), taking) {
                        room.tell(Event::Notice(error.to_string()));
                    }
                }
                Ok(None) => {}
                Err(error) => room.tell(Event::Notice(format!("what a worker sent is not taken: {error}"))),
            }
        }
    })?;
    Ok(listening)
}

fn take(room: &Room, letter: &Letter<Outcome>) {
    let outcome = &letter.content;
    // It is for whoever runs the run by now, and only they may say what becomes of it.
    if letter.fences.runner > room.fences(None).runner {
        return;
    }
    let refuse = |reason: &str| {
        let _ = letter.answer(&Answer::Refused { reason: reason.to_owned() });
    };
    let Some(epoch) = letter.fences.lane else { return refuse("it names no lease of its lane") };
    // Who leaves work behind has the lane no more, whatever its lease says yet.
    let is_late = outcome.late_work_on.is_some();
    let hearing = if is_late { Some(Hearing::Late) } else { hearing(room, outcome, epoch) };
    let answer = match hearing {
        // Where that cannot be known now it is sent again.
        None => return,
        Some(Hearing::Again) => Answer::Accepted,
        Some(Hearing::Late) => match late::take(room, outcome, epoch) {
            Ok(Late::Kept) => Answer::Accepted,
            Ok(Late::Nothing) => Answer::Refused { reason: "the lane is somebody else's".to_owned() },
            Err(Refusal::Again) => return,
            Err(Refusal::Said(reason)) => Answer::Refused { reason },
        },
        Some(Hearing::New) => match take_new(room, outcome, epoch) {
            Ok(()) => Answer::Accepted,
            // It is sent again.
            Err(Refusal::Again) => return,
            Err(Refusal::Said(reason)) => Answer::Refused { reason },
        },
    };
    let _ = letter.answer(&answer);
}

/// Whoever has just taken a lane may be heard before the watch has seen that. `None` where the servers do not say who has it.
fn hearing(room: &Room, outcome: &Outcome, epoch: LeaseEpoch) -> Option<Hearing> {
    let known = room.placements().hearing(outcome.lane, epoch, outcome.number);
    if known != Hearing::Late {
        return Some(known);
    }
    let key = LeaseKey::Lane(room.run.clone(), outcome.lane);
    let lease = room.leases.look(&key, Deadline::after(GLANCE)).ok()?;
    room.see(outcome.lane, lease.as_ref());
    Some(room.placements().hearing(outcome.lane, epoch, outcome.number))
}

/// Why an outcome is not taken.
pub(super) enum Refusal {
    /// The servers failed: it may be taken later.
    Again,
    /// It is not what it should be.
    Said(String),
}

fn take_new(room: &Room, outcome: &Outcome, epoch: LeaseEpoch) -> Result<(), Refusal> {
    let lane = outcome.lane;
    if !outcome.reported.iter().all(|reported| belongs(lane, &reported.report)) {
        return Err(Refusal::Said(format!("it reports of something else than lane {lane}")));
    }
    let taken = run_files::take_in(&room.fleet, &room.folder, &outcome.files)
        .and_then(|()| outcome.made.as_ref().map_or(Ok(()), |made| take_code(room, lane, made)));
    let given_up = match taken {
        Ok(()) => {
            if !outcome.files.is_empty() {
                room.publications.attach(Attachment::Files(outcome.files.clone()));
            }
            outcome.given_up.clone()
        }
        Err(error) if error.may_pass() => return Err(Refusal::Again),
        // It is this side's to mend: what was made waits for that.
        Err(CodeError::Remote(error @ RemoteError::Denied { .. })) => {
            room.tell(Event::Failed(format!("the fleet cannot be used: {error}")));
            return Err(Refusal::Again);
        }
        Err(error) => Some(format!("what it made is not taken: {error}")),
    };
    if let Some(why) = given_up {
        let loss = room.placements().given_up(lane, epoch, &format!("gives it up: {why}"));
        if let Some(loss) = loss {
            room.tell(Event::Lost(Box::new(loss)));
        }
        return Ok(());
    }
    let mut reported = outcome.reported.clone();
    limits::weigh(room, lane, &mut reported);
    // While it was brought it may have come once more and have been taken, or the lane may have been lost: then it is sent again,
    // and comes late.
    match room.placements().heard(lane, epoch, outcome.number, &reported) {
        Hearing::New => {}
        Hearing::Again => return Ok(()),
        Hearing::Late => return Err(Refusal::Again),
    }
    let is_leftover = outcome.made.is_some() && reported.is_empty();
    let waiting = is_leftover.then(|| room.placements().left_behind(lane)).flatten();
    if !reported.is_empty() {
        room.tell(Event::Reported(reported));
    }
    if let Some(order) = waiting {
        room.tell(Event::Here(Box::new(order)));
    }
    Ok(())
}

/// Is it something that a worker can say of its lane?
fn belongs(lane: LaneId, report: &Report) -> bool {
    match report {
        Report::Noticed(_) => true,
        report if is_answer(report) => report.lane() == Some(lane),
        Report::CallSpawned(_)
        | Report::CallDue(_)
        | Report::StatusChanged(_)
        | Report::Suspected(_)
        | Report::PrinciplesProposed(_)
        | Report::Damaged(_) => report.lane() == Some(lane),
        _ => false,
    }
}

/// Brings a lane's commits here, to where a lane of this machine would have them.
fn take_code(room: &Room, lane: LaneId, made: &MadeCode) -> Result<(), CodeError> {
    if mirror(room, lane, &room.lanes.join(lane.to_string()), made)?.is_some() {
        room.leftovers.put(lane, left_of(made));
    }
    Ok(())
}

/// A lane's commits as a lane of this machine has them, in a folder of their own; `None` where they are none.
pub(super) fn mirror(
    room: &Room,
    lane: LaneId,
    home: &Path,
    made: &MadeCode,
) -> Result<Option<Lane>, CodeError> {
    let named = [Some(&made.stands_at), made.work.as_ref(), made.merging.as_ref()];
    let commits: Vec<_> = named.into_iter().flatten().filter_map(|name| commit(name)).collect();
    let Some(stands_at) = commits.first().copied() else { return Ok(None) };
    let brought = room.code.take(lane, made, &commits)?;
    let pack = brought.as_ref().map(|brought| (brought.file(), code::limits()));
    let pack = pack.as_ref().map(|(file, limits)| (file.as_path(), commits.as_slice(), limits));
    let lane = Lane::mirror(&room.main, home, stands_at, pack)?;
    for commit in commits {
        room.large.bring(lane.repository(), commit)?;
    }
    Ok(Some(lane))
}

/// What is left of a task there.
pub(super) fn left_of(made: &MadeCode) -> Leftover {
    Leftover {
        work: made.work.as_deref().and_then(commit),
        merging: made.merging.as_deref().and_then(commit),
    }
}
