//! What came of a run's orders, on its way to the runner: files and commits first, then what is reported of them. What does not
//! arrive is kept and sent again, until the runner has it or the lane is somebody else's.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use windlass_core::report::{Merged, Report};
use windlass_core::run::{Reported, TurnKey};
use windlass_core::values::{LaneId, MergeOutcome, RunId};
use windlass_engine::store::RunFolder;
use windlass_fleet::leases::LeaseEpoch;
use windlass_fleet::names::WorkerName;
use windlass_fleet::orders::{Answer, Delivered, Fences, Letters, MadeCode, Outcome};
use windlass_fleet::{Deadline, Fleet, FleetError};
use windlass_git::git::{ObjectId, Repository};
use windlass_git::lane::{Lane, Leftover};

use super::desk::Event;
use super::snapshots::PackedSnapshots;
use crate::code::large::LargeFileExchange;
use crate::code::{CodeError, WorkerCode, commit};
use crate::run_files::SentFiles;
use crate::threads;

/// Between two tries.
const PAUSE: Duration = Duration::from_millis(500);

/// How long one try may take.
const TRY: Duration = Duration::from_secs(5);

/// What a run makes, and where.
pub(super) struct Place {
    pub main: Repository,
    pub folder: RunFolder,
    /// Where its lanes are.
    pub lanes: PathBuf,
    /// Below which folder the snapshots of them are.
    pub snapshots: PathBuf,
    /// How commits get to the runner.
    pub code: Arc<dyn WorkerCode>,
    /// And their large files.
    pub large: Arc<LargeFileExchange>,
}

/// Which commits go with what is reported.
pub(super) enum Asked {
    /// None.
    Nothing,
    /// The lane stands there; the runner has it.
    Opened(String),
    /// Its work, merged with the tip.
    Merged(Box<Merged>),
    /// What is left of a task that is put aside; with this the lane is given back.
    Leftover { work: Option<ObjectId>, task: String },
    /// What was left of a task when the lane was lost; the run's repository has it.
    Late { left: Leftover, task: String },
}

/// Something to be sent.
pub(super) struct Parcel {
    pub lane: LaneId,
    pub lease: LeaseEpoch,
    pub reported: Vec<Reported>,
    /// The attempt whose files go with it.
    pub turn: Option<TurnKey>,
    pub asked: Asked,
    pub given_up: Option<String>,
}

impl Parcel {
    /// An empty one of a lane under a lease.
    pub const fn of(lane: LaneId, lease: LeaseEpoch) -> Parcel {
        Parcel { lane, lease, reported: Vec::new(), turn: None, asked: Asked::Nothing, given_up: None }
    }
}

/// The handle of a run's outbox.
pub(super) struct Outbox {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

struct Shared {
    queue: Mutex<VecDeque<Parcel>>,
    more: Condvar,
    /// Commits of the branch that both sides have.
    tips: Mutex<BTreeSet<ObjectId>>,
    closing: AtomicBool,
}

impl Shared {
    fn queue(&self) -> MutexGuard<'_, VecDeque<Parcel>> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Outbox {
    /// Begins its thread; where that cannot be, nothing is sent, and the lanes' leases end by themselves.
    pub fn open(
        fleet: &Fleet,
        name: &WorkerName,
        run: &RunId,
        runner: &Arc<AtomicU64>,
        place: Option<Place>,
        events: &Sender<Event>,
    ) -> Outbox {
        let shared = Arc::new(Shared {
            queue: Mutex::default(),
            more: Condvar::new(),
            tips: Mutex::default(),
            closing: AtomicBool::new(false),
        });
        let sending = Sending {
            letters: Letters::of(fleet),
            fleet: fleet.clone(),
            name: name.clone(),
            run: run.clone(),
            runner: Arc::clone(runner),
            place,
            events: events.clone(),
            shared: Arc::clone(&shared),
            sent: SentFiles::default(),
            snapshots: PackedSnapshots::default(),
            numbers: BTreeMap::new(),
        };
        let thread = threads::start(format!("outbox-{run}"), move || sending.work()).ok();
        Outbox { shared, thread }
    }

    pub fn send(&self, parcel: Parcel) {
        self.shared.queue().push_back(parcel);
        self.shared.more.notify_all();
    }

    /// The same, and nothing after it.
    pub fn send_last(self, parcel: Parcel) {
        self.send(parcel);
        let mut queue = self.shared.queue();
        while !queue.is_empty() {
            let waited = self.shared.more.wait_timeout(queue, TRY).unwrap_or_else(PoisonError::into_inner);
            queue = waited.0;
            if waited.1.timed_out() {
                break;
            }
        }
        drop(queue);
        self.close();
    }

    /// What a lane has made does not count any more. How its calls have ended is still said: they are to be paid.
    pub fn forget(&self, lane: LaneId) {
        let is_bill = |parcel: &Parcel| {
            parcel.reported.iter().any(|reported| matches!(reported.report, Report::CallEnded(_)))
        };
        self.shared.queue().retain(|parcel| parcel.lane != lane || is_bill(parcel));
    }

    /// A commit that the runner has.
    pub fn knows(&self, tip: ObjectId) {
        self.shared.tips.lock().unwrap_or_else(PoisonError::into_inner).insert(tip);
    }

    /// Sends nothing more.
    pub fn close(mut self) {
        self.shared.closing.store(true, Ordering::Relaxed);
        self.shared.more.notify_all();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

struct Sending {
    letters: Letters,
    fleet: Fleet,
    name: WorkerName,
    run: RunId,
    runner: Arc<AtomicU64>,
    place: Option<Place>,
    events: Sender<Event>,
    shared: Arc<Shared>,
    sent: SentFiles,
    snapshots: PackedSnapshots,
    /// The number of the last outcome of each holding of a lane.
    numbers: BTreeMap<(LaneId, LeaseEpoch), u64>,
}

/// What became of a parcel.
enum Sent {
    /// It is where it belongs, or nobody wants it.
    Done,
    /// It has to be sent again.
    Again,
}

impl Sending {
    fn work(mut self) {
        while !self.shared.closing.load(Ordering::Relaxed) {
            // What is forgotten while it is sent is refused by the runner.
            let Some(parcel) = self.next() else { continue };
            let outcome = match self.outcome(&parcel) {
                Ok(outcome) => outcome,
                Err(error) => self.failed(&parcel, &error),
            };
            self.deliver(&parcel, &outcome);
            let place = (self.run.clone(), parcel.lane);
            if let Some(why) = &parcel.given_up {
                let _ = self.events.send(Event::GivenUp(place, why.clone()));
            } else if matches!(parcel.asked, Asked::Leftover { .. }) {
                let _ = self.events.send(Event::Left(place));
            }
            self.shared.more.notify_all();
        }
    }

    fn next(&self) -> Option<Parcel> {
        let mut queue = self.shared.queue();
        if queue.is_empty() {
            queue = self.shared.more.wait_timeout(queue, PAUSE).unwrap_or_else(PoisonError::into_inner).0;
        }
        queue.pop_front()
    }

    fn outcome(&mut self, parcel: &Parcel) -> Result<Outcome, CodeError> {
        let files = match (&self.place, parcel.turn) {
            (Some(place), Some(turn)) => {
                // Nothing else depends on them.
                if let Err(error) = self.snapshots.pack(place, &self.run, turn, &self.tips()) {
                    let text = format!("lane {}: a snapshot cannot be sent: {error}", parcel.lane);
                    let _ = self.events.send(Event::Said(text));
                }
                self.sent.send(&self.fleet, &place.folder, turn)?
            }
            _ => Vec::new(),
        };
        let made = self.made(parcel)?;
        Ok(Outcome {
            reported: parcel.reported.clone(),
            files,
            made,
            given_up: parcel.given_up.clone(),
            late_work_on: match &parcel.asked {
                Asked::Late { task, .. } => Some(task.clone()),
                _ => None,
            },
            ..self.empty(parcel)
        })
    }

    /// Without what belongs to it a report is worth nothing: the lane is given up.
    fn failed(&mut self, parcel: &Parcel, error: &CodeError) -> Outcome {
        Outcome { given_up: Some(error.to_string()), ..self.empty(parcel) }
    }

    /// The next outcome of the parcel's lane, with nothing in it.
    fn empty(&mut self, parcel: &Parcel) -> Outcome {
        let number = self.numbers.entry((parcel.lane, parcel.lease)).or_default();
        *number += 1;
        Outcome {
            worker: self.name.clone(),
            lane: parcel.lane,
            number: *number,
            reported: Vec::new(),
            files: Vec::new(),
            made: None,
            given_up: None,
            late_work_on: None,
        }
    }

    /// The commits that the runner needs.
    fn made(&self, parcel: &Parcel) -> Result<Option<MadeCode>, CodeError> {
        let Some(place) = &self.place else { return Ok(None) };
        let home = place.lanes.join(parcel.lane.to_string());
        let lane = Lane::expected_at(&place.main, &home);
        let mut repository = lane.repository();
        let (stands_at, work, merging) = match &parcel.asked {
            Asked::Nothing => return Ok(None),
            Asked::Opened(base) => (base.clone(), None, None),
            Asked::Merged(merged) => match &merged.outcome {
                MergeOutcome::Clean { commit: Some(made), .. } => (made.clone(), commit(made), None),
                _ => (merged.tip.clone(), None, None),
            },
            Asked::Leftover { work, task } => {
                let left = lane.leftover(*work, task)?;
                let Some(stands_at) = lane.stands_at() else { return Ok(None) };
                (stands_at.to_string(), left.work, left.merging)
            }
            Asked::Late { left, .. } => {
                let Some(stands_at) = left.work.or(left.merging) else { return Ok(None) };
                // Another task may be in the lane by now.
                repository = &place.main;
                (stands_at.to_string(), left.work, left.merging)
            }
        };
        let mut wanted: Vec<ObjectId> = [work, merging].into_iter().flatten().collect();
        let tips = self.tips();
        wanted.extend(commit(&stands_at).filter(|at| !tips.contains(at)));
        wanted.retain(|commit| !tips.contains(commit));
        let pack = match wanted.as_slice() {
            [] => None,
            wanted => {
                for commit in wanted {
                    place.large.send(repository, *commit)?;
                }
                place.code.hand_in(repository, parcel.lane, (wanted, &tips))?
            }
        };
        let name = |commit: ObjectId| commit.to_string();
        Ok(Some(MadeCode { stands_at, work: work.map(name), merging: merging.map(name), pack }))
    }

    /// What both sides have of the branch.
    fn tips(&self) -> Vec<ObjectId> {
        self.shared.tips.lock().unwrap_or_else(PoisonError::into_inner).iter().copied().collect()
    }

    fn deliver(&self, parcel: &Parcel, outcome: &Outcome) {
        while !self.shared.closing.load(Ordering::Relaxed) {
            match self.send(parcel, outcome) {
                Sent::Done => return,
                Sent::Again => std::thread::sleep(PAUSE),
            }
        }
    }

    fn send(&self, parcel: &Parcel, outcome: &Outcome) -> Sent {
        let runner = LeaseEpoch(self.runner.load(Ordering::Relaxed));
        let fences = Fences { runner, lane: Some(parcel.lease) };
        match self.letters.report(&self.run, outcome, fences, Deadline::after(TRY)) {
            Ok(Delivered::Answered(Answer::Accepted)) => Sent::Done,
            Ok(Delivered::Answered(Answer::Refused { reason })) => {
                let text =
                    format!("lane {}: the runner does not take what came of it: {reason}", parcel.lane);
                let _ = self.events.send(Event::Said(text));
                Sent::Done
            }
            Err(error @ FleetError::TooLarge { .. }) => {
                let _ = self.events.send(Event::Said(error.to_string()));
                Sent::Done
            }
            Ok(Delivered::Nobody) | Err(_) => Sent::Again,
        }
    }
}
