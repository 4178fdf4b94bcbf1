//! A run on a worker: a thread with the run's repository, folder and executor.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::time::Duration;

use windlass_core::fleet::held_lanes::{HeldLanes, Todo};
use windlass_core::report::{Noticed, Report};
use windlass_core::run::{Effect, Epoch, Order, Reported, TurnKey};
use windlass_core::values::{LaneId, RunId};
use windlass_engine::executor::{EngineError, Executor, Waker};
use windlass_engine::local::LocalLanes;
use windlass_engine::store::RunFolder;
use windlass_fleet::Fleet;
use windlass_fleet::leases::LeaseEpoch;
use windlass_fleet::names::WorkerName;
use windlass_fleet::orders::{Errand, OfferedCode};
use windlass_git::git::{ObjectId, Repository};
use windlass_git::lane::{Lane, Leftover, Replica, park_leftover};
use windlass_git::large_files::are_supported;

use super::desk::Event;
use super::outbox::{Asked, Outbox, Parcel, Place};
use super::spending::Books;
use super::workshop::{Ready, Workshop};
use crate::answers::is_answer;
use crate::brief::Brief;
use crate::code::large::LargeFileExchange;
use crate::code::{CodeError, WorkerCode, commit};
use crate::live::Speaker;
use crate::run_files;

/// The longest that nothing is looked at.
const LOOK: Duration = Duration::from_millis(500);

/// The folder of what is on its way, in that of the run.
pub(super) const INCOMING: &str = "incoming";

/// What the thread of a run is told.
pub(super) enum Job {
    /// A lane was taken, with its first order.
    Begin { lane: LaneId, epoch: LeaseEpoch, errand: Box<Errand> },
    /// A later order of a lane that is held.
    Order(Box<Errand>),
    /// A lane is somebody else's.
    Abandon(LaneId),
    /// A lane is given back: its task is over.
    Leave(LaneId),
    /// Something in the executor stirs.
    Stirred,
    /// All of it ends.
    Close,
}

/// What the thread of a run begins with.
pub(super) struct RunRoom {
    pub fleet: Fleet,
    pub name: WorkerName,
    pub workshop: Arc<dyn Workshop>,
    pub told: Arc<dyn Fn(&str) + Send + Sync>,
    pub home: PathBuf,
    pub brief: Brief,
    pub code: Arc<dyn WorkerCode>,
    pub runner: Arc<AtomicU64>,
    pub books: Arc<Books>,
    pub events: Sender<Event>,
    pub jobs: Sender<Job>,
}

/// What is made in a lane.
#[derive(Default)]
struct Made {
    /// The task that is worked on, and the commit of its work once there is one.
    task: Option<(String, Option<ObjectId>)>,
    /// Where the lane began.
    base: Option<ObjectId>,
}

/// What is open once the first order came.
struct Open {
    main: Repository,
    lanes: LocalLanes,
    /// Where lanes are.
    below: PathBuf,
    /// The folder of its snapshots, and that of the run.
    snapshots: PathBuf,
    folder: RunFolder,
    replica: Replica,
    large: Arc<LargeFileExchange>,
    outbox: Outbox,
    _lock: Box<dyn Send>,
}

pub(super) struct Running {
    room: RunRoom,
    open: Option<Open>,
    held: HeldLanes,
    made: BTreeMap<LaneId, Made>,
    /// Calls that were ended with their lanes, by the order that began them: their streams are being read.
    lost: BTreeMap<Epoch, Lost>,
}

/// A call of a lane that this worker has not got any more.
struct Lost {
    lane: LaneId,
    lease: LeaseEpoch,
    turn: Option<TurnKey>,
}

impl Running {
    pub fn new(room: RunRoom) -> Running {
        let (held, made) = (HeldLanes::default(), BTreeMap::new());
        Running { room, open: None, held, made, lost: BTreeMap::new() }
    }

    /// Works until it is told to close. Gives the folders of what was sent to the runner.
    pub fn work(mut self, inbox: &Receiver<Job>) -> Vec<PathBuf> {
        loop {
            let patience = self.open.as_ref().and_then(|open| open.lanes.next_due()).unwrap_or(LOOK);
            let job = match inbox.recv_timeout(patience.min(LOOK)) {
                Ok(job) => job,
                Err(RecvTimeoutError::Timeout) => Job::Stirred,
                Err(RecvTimeoutError::Disconnected) => Job::Close,
            };
            match job {
                Job::Close => break,
                Job::Stirred => {}
                Job::Begin { lane, epoch, errand } => {
                    self.made.remove(&lane);
                    self.held.begin(lane, epoch, &errand.order);
                    self.order(lane, *errand);
                }
                Job::Order(errand) => {
                    if let Some(lane) = errand.order.effect.lane() {
                        self.order(lane, *errand);
                    }
                }
                Job::Abandon(lane) => self.abandon(lane),
                Job::Leave(lane) => self.leave(lane),
            }
            if let Err(error) = self.poll() {
                self.give_up_all(&error.to_string());
            }
        }
        let Some(mut open) = self.open.take() else { return Vec::new() };
        open.lanes.close();
        open.outbox.close();
        let mut sent = vec![open.snapshots];
        if run_files::travel(&open.folder) {
            sent.extend([open.folder.iterations(), open.folder.snapshots()]);
        }
        sent
    }

    fn leave(&mut self, lane: LaneId) {
        self.held.leave(lane);
        self.made.remove(&lane);
    }

    /// Whoever has it now begins its task anew: what is at work for it here is ended. What it came to does not count; it is kept, and
    /// what it cost is said.
    fn abandon(&mut self, lane: LaneId) {
        if let Some(open) = &mut self.open {
            open.lanes.abandon(lane);
            open.outbox.forget(lane);
        }
        self.bill(lane);
        if let (Some(lease), Some(made), Some(open)) =
            (self.held.lease(lane), self.made.get(&lane), &self.open)
            && let Some(asked) = open.late_work(&self.room.brief.spec.run, lane, made)
        {
            open.outbox.send(Parcel { asked, ..Parcel::of(lane, lease) });
        }
        self.leave(lane);
    }

    /// What a lane's call has cost that was ended here: its stream says. Nobody waits for it.
    fn bill(&mut self, lane: LaneId) {
        let (Some(lease), Some(call)) = (self.held.lease(lane), self.held.call(lane)) else { return };
        let (Some(effect), Some(open)) = (call.effect.recovery(), &mut self.open) else { return };
        let order = Order { effect, ..call.clone() };
        let (begun_by, turn) = (order.epoch, order.effect.turn());
        if open.lanes.carry_out(order).is_ok() {
            self.lost.insert(begun_by, Lost { lane, lease, turn });
        }
    }

    /// Where it is how a call of a lost lane has ended, it goes on its way.
    fn take_lost(&mut self, reported: &Reported) -> bool {
        let Some(lost) = reported.order.filter(|_| matches!(reported.report, Report::CallEnded(_))) else {
            return false;
        };
        let (Some(lost), Some(open)) = (self.lost.remove(&lost), &self.open) else { return false };
        let Lost { lane, lease, turn } = lost;
        open.outbox.send(Parcel { reported: vec![reported.clone()], turn, ..Parcel::of(lane, lease) });
        true
    }

    /// This worker cannot do what it was asked: somebody else may.
    fn give_up(&mut self, lane: LaneId, why: &str) {
        let Some(lease) = self.held.lease(lane) else { return };
        (self.room.told)(&format!("lane {lane} of {} is given up: {why}", self.room.brief.spec.run));
        let parcel = Parcel { given_up: Some(why.to_owned()), ..Parcel::of(lane, lease) };
        match &mut self.open {
            Some(open) => {
                open.lanes.abandon(lane);
                open.outbox.send(parcel);
            }
            None => self.room.outbox(None).send_last(parcel),
        }
        self.bill(lane);
        self.leave(lane);
    }

    fn give_up_all(&mut self, why: &str) {
        let lanes: Vec<LaneId> = self.held.lanes().collect();
        for lane in lanes {
            self.give_up(lane, why);
        }
    }

    fn order(&mut self, lane: LaneId, errand: Errand) {
        // One that came before is not carried out again: its answer was lost.
        if self.held.is_new(lane, &errand.order)
            && let Err(error) = self.carry_out(lane, errand)
        {
            self.give_up(lane, &error);
        }
    }

    fn carry_out(&mut self, lane: LaneId, errand: Errand) -> Result<(), String> {
        let said = |error: CodeError| error.to_string();
        match &self.open {
            Some(open) => open.bring(&self.room, &errand.code).map_err(said)?,
            None => self.open = Some(self.room.open(&errand.code)?),
        }
        let (Some(open), Some(lease)) = (&mut self.open, self.held.lease(lane)) else { return Ok(()) };
        let order = errand.order;
        let work = order.context.task().and_then(|at| at.work.as_deref().and_then(commit));
        if let Some(at) = order.context.task() {
            self.made.entry(lane).or_default().task = Some((at.row.id.0.clone(), work));
        }
        match self.held.take(lane, &order) {
            Todo::Nothing | Todo::Await => Ok(()),
            Todo::Answer(reported) => {
                let (reported, turn) = (vec![reported], order.effect.turn());
                open.outbox.send(Parcel { reported, turn, ..Parcel::of(lane, lease) });
                Ok(())
            }
            Todo::Leave => {
                let asked = Asked::Leftover { work, task: task_of(&order.effect) };
                open.outbox.send(Parcel { asked, ..Parcel::of(lane, lease) });
                self.leave(lane);
                Ok(())
            }
            Todo::CarryOut { withdrawn } => {
                if let Some(effect) = withdrawn {
                    open.lanes.withdraw(&effect);
                }
                if let Effect::Call { call, .. } = &order.effect {
                    let begun = self.room.books.begin((order.run.clone(), *call));
                    begun.map_err(|error| format!("what it costs cannot be kept: {error}"))?;
                }
                open.lanes.carry_out(order).map_err(|error| error.to_string())
            }
        }
    }

    /// Sends what has come of orders.
    fn poll(&mut self) -> Result<(), EngineError> {
        let Some(open) = &mut self.open else { return Ok(()) };
        let reports = open.lanes.poll()?;
        let mut by_lane: BTreeMap<LaneId, Vec<Reported>> = BTreeMap::new();
        let mut broken = Vec::new();
        for reported in reports {
            self.room.charge(&reported.report);
            if self.take_lost(&reported) {
                continue;
            }
            let lane = reported.report.lane().or_else(|| self.held.lane_of(reported.order?));
            match (&reported.report, lane) {
                (Report::Broken(_) | Report::Failed(_), lane) => {
                    broken.push((lane, detail_of(&reported.report)));
                }
                // What is about no lane is said here, and to the runner with one that is worked on.
                (Report::Noticed(Noticed { text }), None) => {
                    (self.room.told)(text);
                    let text = format!("worker {}: {text}", self.room.name);
                    if let Some(lane) = self.held.lanes().next() {
                        by_lane.entry(lane).or_default().push(Reported::unasked(Report::notice(text)));
                    }
                }
                (_, None) => {}
                (_, Some(lane)) => {
                    let heard = self.hear(lane, reported);
                    by_lane.entry(lane).or_default().extend(heard);
                }
            }
        }
        for (lane, reported) in by_lane {
            self.send(lane, reported);
        }
        for (lane, why) in broken {
            match lane {
                Some(lane) => self.give_up(lane, &why),
                None => self.give_up_all(&why),
            }
        }
        Ok(())
    }

    /// What is reported of a lane, as the runner waits for it; `None` where the lane is not held any more.
    fn hear(&mut self, lane: LaneId, reported: Reported) -> Option<Reported> {
        let heard = self.held.hear(lane, reported)?;
        if let Report::LaneOpened(opened) = &heard.report {
            self.made.entry(lane).or_default().base = commit(&opened.base);
        }
        Some(heard)
    }

    fn send(&self, lane: LaneId, reported: Vec<Reported>) {
        let (Some(lease), Some(open)) = (self.held.lease(lane), &self.open) else { return };
        if reported.is_empty() {
            return;
        }
        let answers = reported.iter().any(|reported| is_answer(&reported.report));
        let turn = self.held.order(lane).and_then(|order| order.effect.turn()).filter(|_| answers);
        let asked = asked_of(&reported);
        open.outbox.send(Parcel { reported, turn, asked, ..Parcel::of(lane, lease) });
    }
}

impl RunRoom {
    /// Makes the run's repository, and what its orders need.
    fn open(&self, code: &OfferedCode) -> Result<Open, String> {
        let folder = self.home.join("code").join(&self.brief.project);
        let replica = Replica::begin(
            &folder,
            self.brief.object_format(),
            self.branch().as_deref(),
            &self.brief.settings,
        )
        .map_err(|error| error.to_string())?;
        let large = Arc::new(LargeFileExchange::of_worker(&self.fleet, replica.repository()));
        let tip = bring(self, &replica, &large, code).map_err(|error| error.to_string())?;
        let lanes = self.home.join("lanes");
        let audience = Arc::new(Speaker::of(&self.fleet, &self.brief.spec.run));
        let Ready { setting, main, lock } = self.workshop.open(&self.brief, &folder, &lanes, audience)?;
        let jobs = self.jobs.clone();
        let wake: Waker = Arc::new(move || drop(jobs.send(Job::Stirred)));
        let (below, snapshots) = (lanes.clone(), setting.project.snapshots());
        let run_folder = setting.folder.clone();
        let place = Place {
            main: main.clone(),
            folder: run_folder.clone(),
            lanes,
            snapshots: setting.project.path().to_owned(),
            code: Arc::clone(&self.code),
            large: Arc::clone(&large),
        };
        let lanes = LocalLanes::start(setting, wake).map_err(|error| error.to_string())?;
        let outbox = self.outbox(Some(place));
        if let Some(tip) = tip {
            outbox.knows(tip);
        }
        Ok(Open { main, lanes, below, snapshots, folder: run_folder, replica, large, outbox, _lock: lock })
    }

    fn outbox(&self, place: Option<Place>) -> Outbox {
        let run = &self.brief.spec.run;
        Outbox::open(&self.fleet, &self.name, run, &self.runner, place, &self.events)
    }

    /// What a call has cost is this worker's, whoever has its lane by now.
    fn charge(&self, report: &Report) {
        let Report::CallEnded(ended) = report else { return };
        let call = (self.brief.spec.run.clone(), ended.call);
        if let Err(error) = self.books.end(&call, &ended.report) {
            (self.told)(&format!("what {} has spent is known until this worker ends: {error}", self.name));
        }
    }

    fn branch(&self) -> Option<String> {
        self.brief.spec.lanes.as_ref()?.branch.clone()
    }
}

impl Open {
    /// What is there of the task of a lane that was lost, kept as a branch of the run's repository here; `None` where nothing is.
    fn late_work(&self, run: &RunId, lane: LaneId, made: &Made) -> Option<Asked> {
        let (task, work) = made.task.as_ref()?;
        let lane = Lane::expected_at(&self.main, &self.below.join(lane.to_string()));
        // A checkout that is broken holds nothing that could be kept.
        let mut left = lane.leftover(*work, task).ok()?;
        if left == Leftover::default() {
            // What is committed there is no file that differs.
            left.work = lane.stands_at().filter(|at| Some(*at) != made.base);
        }
        left.work.or(left.merging)?;
        park_leftover(&self.main, &lane, &left, &run.0, task).ok()?;
        Some(Asked::Late { left, task: task.clone() })
    }

    fn bring(&self, room: &RunRoom, code: &OfferedCode) -> Result<(), CodeError> {
        if let Some(tip) = bring(room, &self.replica, &self.large, code)? {
            self.outbox.knows(tip);
        }
        Ok(())
    }
}

/// Brings what is missing of the branch, and the branch to its tip, which it gives.
fn bring(
    room: &RunRoom,
    replica: &Replica,
    large: &LargeFileExchange,
    code: &OfferedCode,
) -> Result<Option<ObjectId>, CodeError> {
    if let Some(tip) = code.tip().and_then(commit).filter(|tip| replica.stands_at(*tip)) {
        return Ok(Some(tip));
    }
    let tip = room.code.bring(replica.repository(), code)?;
    if let Some(tip) = tip {
        let named = large.bring(replica.repository(), tip)?;
        if !named.is_empty() && !are_supported(replica.repository())? {
            return Err(CodeError::NoLargeFiles);
        }
        for name in &room.brief.filters {
            if !replica.repository().has_filter(name)? {
                return Err(CodeError::NoFilter(name.clone()));
            }
        }
        replica.advance(tip)?;
    }
    Ok(tip)
}

fn task_of(effect: &Effect) -> String {
    match effect {
        Effect::CloseTask { task, .. } => task.0.clone(),
        _ => String::new(),
    }
}

/// Does the runner need commits with this?
fn asked_of(reported: &[Reported]) -> Asked {
    let asked = reported.iter().rev().find_map(|reported| match &reported.report {
        Report::Merged(merged) => Some(Asked::Merged(Box::new(merged.clone()))),
        Report::LaneOpened(opened) => Some(Asked::Opened(opened.base.clone())),
        _ => None,
    });
    asked.unwrap_or(Asked::Nothing)
}

fn detail_of(report: &Report) -> String {
    match report {
        Report::Broken(broken) => broken.detail.clone(),
        Report::Failed(failed) => failed.detail.clone(),
        _ => String::new(),
    }
}
