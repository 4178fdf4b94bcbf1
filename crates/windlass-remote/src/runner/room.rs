//! What the runner's threads share.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use windlass_core::report::LateResult;
use windlass_core::run::{Order, Reported};
use windlass_core::spec::RunSpec;
use windlass_core::values::{LaneId, RunId};
use windlass_engine::executor::Waker;
use windlass_engine::local::RemoteLeftovers;
use windlass_engine::store::RunFolder;
use windlass_fleet::layout::Store;
use windlass_fleet::leases::{Before, Claimed, Held, Holder, Lease, LeaseEpoch, LeaseKey, Leases, Taken};
use windlass_fleet::names::{Class, WorkerName};
use windlass_fleet::orders::{Fences, Letters, Queue};
use windlass_fleet::signals::Signals;
use windlass_fleet::store::{ContentId, Files};
use windlass_fleet::{Deadline, Fleet, FleetError};
use windlass_git::git::{GitError, ObjectId, Repository};
use windlass_git::lane::Target;
use windlass_host::file::{AtPath, FileError};
use windlass_host::process::ProcessError;

use super::RunnerSetting;
use super::accounts::Accounts;
use super::placement::{Loss, Placements, Seen};
use super::publisher::Publications;
use super::withheld::Progress;
use crate::brief::{Brief, LARGEST};
use crate::code::large::LargeFileExchange;
use crate::code::{self, CARRYING, CodeError, News, RunnerCode, RunnerParts, scratch_in, scratch_of};
use crate::threads;

/// How long a look or a renewal may take: less than a third of a lease.
pub(super) const GLANCE: Duration = Duration::from_secs(2);

/// How long a short call to the servers may take.
pub(super) const CALL: Duration = Duration::from_secs(10);

/// A run that cannot be begun with a fleet.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The servers.
    #[error(transparent)]
    Fleet(#[from] FleetError),
    /// A file, or code.
    #[error(transparent)]
    Code(#[from] CodeError),
    /// A thread.
    #[error(transparent)]
    Process(#[from] ProcessError),
    /// A file.
    #[error(transparent)]
    File(#[from] FileError),
    /// Somebody went on with it while this was beginning.
    #[error("the journal of {0} in the fleet has changed meanwhile: the run went on elsewhere")]
    JournalChanged(RunId),
    /// Somebody else has the run.
    #[error("{run} is run by {holder}, which is alive")]
    Held {
        /// The run.
        run: RunId,
        /// Who.
        holder: String,
    },
}

/// A run that its runner had to leave.
#[derive(Clone, Debug, thiserror::Error)]
pub enum RunLeft {
    /// Somebody else has it.
    #[error("{0} has taken this run over: it goes on there, and this runner does nothing more")]
    TakenOver(String),
    /// They have lost what they kept.
    #[error(
        "the fleet's servers have lost what they kept, and know nothing of this run any more; what it has landed is here"
    )]
    Forgotten,
    /// They do not keep its journal.
    #[error("the run's journal cannot be kept in the fleet: {0}")]
    NoJournal(String),
    /// They do not answer, and a person wants the run to end.
    #[error(
        "the fleet's servers do not answer, so the agents on workers cannot be ended: they go on, and what they do is kept"
    )]
    CutOff,
    /// The servers stay away.
    #[error("the fleet's servers have not answered for {} s; workers keep what they have until they do", .0.as_secs())]
    NoServers(Duration),
    /// The git remote stays away.
    #[error("the git remote has not answered for {} s; workers keep what they have until it does", .0.as_secs())]
    NoRemote(Duration),
}

/// What one thread has for the loop.
pub(super) enum Event {
    /// What came of orders.
    Reported(Vec<Reported>),
    /// How a call has ended whose lane its worker had lost meanwhile.
    Late(LateResult),
    /// What a person should know.
    Notice(String),
    /// To be carried out on this machine.
    Here(Box<Order>),
    /// A worker is gone.
    Lost(Box<Loss>),
    /// Nobody has the lane that an order is for.
    Unplaced(LaneId, Box<Order>),
    /// The run is to end, since something is not as it has to be.
    Failed(String),
    /// Nothing more can be said of the run here: it goes on elsewhere, or later. It is left as a killed runner leaves it, so that what
    /// its workers have done is found by whoever resumes it.
    Left(RunLeft),
}

/// How it ends with a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ending {
    /// It has ended, and all that is at work for it ends.
    Here,
    /// It is left.
    Elsewhere,
}

/// What the runner's threads share.
pub(super) struct Room {
    pub fleet: Fleet,
    pub letters: Letters,
    pub leases: Leases,
    pub queue: Queue,
    pub run: RunId,
    pub name: WorkerName,
    pub main: Repository,
    pub folder: RunFolder,
    pub leftovers: RemoteLeftovers,
    pub lease: Duration,
    pub patience: Duration,
    /// The run's own file in the store of code.
    pub brief: ContentId,
    /// Where lanes are kept.
    pub lanes: PathBuf,
    pub branch: Option<String>,
    /// How commits get to workers and back.
    pub code: Box<dyn RunnerCode>,
    /// And their large files.
    pub large: LargeFileExchange,
    /// Hears what a person should know once nothing more is reported.
    pub told: Arc<dyn Fn(&str) + Send + Sync>,
    /// What of the journal is on its way to the fleet.
    pub publications: Publications,
    epoch: LeaseEpoch,
    placements: Mutex<Placements>,
    /// Something in the placements has changed, or the end has come.
    changed: Condvar,
    /// Whom usage limits hold back.
    accounts: Mutex<Accounts>,
    /// Those that workers can be asked for.
    classes: Mutex<BTreeSet<Class>>,
    events: Mutex<Sender<Event>>,
    wake: Waker,
    closing: Arc<AtomicBool>,
    /// The run has not ended here: it goes on elsewhere, or later.
    left: AtomicBool,
    /// The servers do not answer at the moment.
    cut_off: AtomicBool,
    /// When its last renewal began that arrived; `None` before the first one.
    renewed: Mutex<Option<Instant>>,
    /// How often unfinished work of lost lanes was kept.
    pub late_work: AtomicU32,
}

impl Room {
    /// Stores what workers have to know; the run's lease is held, under this epoch.
    pub fn open(
        setting: RunnerSetting,
        epoch: LeaseEpoch,
        events: Sender<Event>,
        wake: Waker,
    ) -> Result<Room, StartError> {
        let RunnerSetting { fleet, lease, patience, name, brief, main, folder, leftovers, remote, told } =
            setting;
        let run = brief.spec.run.clone();
        let leases = Leases::of(&fleet);
        let queue = Queue::of(&fleet);
        queue.open_class(&Class::default(), Deadline::after(CALL))?;
        let placements = placed(&leases, &brief.spec, &name)?;
        let lanes = brief.spec.lanes.as_ref();
        let branch = lanes.and_then(|lanes| lanes.branch.clone());
        let lanes = lanes.map(|lanes| lanes.folder.clone()).unwrap_or_default();
        let closing = Arc::new(AtomicBool::new(false));
        let parts = RunnerParts {
            fleet: fleet.clone(),
            main: main.clone(),
            remote,
            patience,
            scratch: scratch_of(&folder),
            closing: Arc::clone(&closing),
            told: teller(events.clone(), Arc::clone(&wake)),
        };
        let code = code::of_runner(&brief.spec, parts)?;
        let brief = store(&fleet, &brief, &scratch_of(&folder))?;
        Ok(Room {
            letters: Letters::of(&fleet),
            epoch,
            placements: Mutex::new(placements),
            changed: Condvar::new(),
            code,
            large: LargeFileExchange::of_runner(&fleet, &main),
            told,
            accounts: Mutex::default(),
            classes: Mutex::new(BTreeSet::from([Class::default()])),
            publications: Publications::default(),
            events: Mutex::new(events),
            closing,
            left: AtomicBool::new(false),
            cut_off: AtomicBool::new(false),
            renewed: Mutex::default(),
            late_work: AtomicU32::new(0),
            fleet,
            leases,
            queue,
            run,
            name,
            main,
            folder,
            leftovers,
            lease,
            patience,
            brief,
            lanes,
            branch,
            wake,
        })
    }

    pub fn placements(&self) -> MutexGuard<'_, Placements> {
        self.placements.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Where the branch is; `None` where it is gone.
    pub fn tip(&self) -> Result<Option<ObjectId>, GitError> {
        Ok(Target::named(self.branch.as_deref()).tip(&self.main)?.ok())
    }

    pub fn accounts(&self) -> MutexGuard<'_, Accounts> {
        self.accounts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// From now on workers can be asked for what a class names.
    pub fn open_class(&self, class: &Class) -> Result<(), FleetError> {
        let mut classes = self.classes.lock().unwrap_or_else(PoisonError::into_inner);
        if !classes.contains(class) {
            self.queue.open_class(class, Deadline::after(CALL))?;
            classes.insert(class.clone());
        }
        Ok(())
    }

    /// Whoever waits for the placements looks again.
    pub fn changed(&self) {
        self.changed.notify_all();
    }

    /// Waits until the placements have changed, or so long.
    pub fn wait(&self, patience: Duration) {
        let _ = self.changed.wait_timeout(self.placements(), patience);
    }

    pub fn tell(&self, event: Event) {
        let events = self.events.lock().unwrap_or_else(PoisonError::into_inner);
        if events.send(event).is_ok() {
            self.wake();
        }
    }

    /// The loop looks at what has come.
    pub fn wake(&self) {
        (self.wake)();
    }

    /// How a lane's lease was seen, and what follows from it.
    pub fn see(&self, lane: LaneId, lease: Option<&Lease>) {
        let seen = self.placements().saw(lane, lease, &self.name);
        match seen {
            Seen::Same => {}
            Seen::Taken => self.changed(),
            Seen::Lost(loss) => {
                self.changed();
                self.tell(Event::Lost(loss));
            }
            // Where this does not arrive, the worker's next outcome has it tried again.
            Seen::Stray => self.free(lane, lease),
        }
    }

    /// Makes a lane free that nobody is to have: its lease is this runner's own, or of a worker of whom nothing is wanted there.
    pub fn free(&self, lane: LaneId, lease: Option<&Lease>) {
        if let Some(held) = self.take(lane, lease) {
            self.release(held);
        }
    }

    /// Takes a lane's lease, as it was seen; `None` where somebody renewed it after all, or nothing can be written now.
    pub fn take(&self, lane: LaneId, lease: Option<&Lease>) -> Option<Held> {
        let key = LeaseKey::Lane(self.run.clone(), lane);
        match self.leases.take(&key, lease, &holder(&self.name), Deadline::after(GLANCE)) {
            Ok(Taken::Won(held)) => Some(held),
            Ok(Taken::Lost(_)) | Err(_) => None,
        }
    }

    /// Gives one back that was taken so. Where that does not arrive, the next look finds it so.
    pub fn release(&self, held: Held) {
        let _ = self.leases.release(held, Deadline::after(GLANCE));
    }

    /// Under which leases something is sent.
    pub fn fences(&self, lane: Option<LeaseEpoch>) -> Fences {
        Fences { runner: self.epoch, lane }
    }

    /// The run's lease was renewed by a call that began then. Whoever waits for the lease may have seen it at once, however long its
    /// answer took.
    pub fn renewed(&self, began: Instant) {
        *self.renewed.lock().unwrap_or_else(PoisonError::into_inner) = Some(began);
        self.wake();
    }

    /// What of the journal counts. Whoever stood still for as long as a lease may have lost the run: nothing counts until they know.
    pub fn progress(&self) -> Progress {
        let progress = self.publications.progress();
        let renewed = *self.renewed.lock().unwrap_or_else(PoisonError::into_inner);
        let holds = renewed.is_some_and(|renewed| renewed.elapsed() < self.lease);
        if holds { progress } else { Progress { published: 0, ..progress } }
    }

    pub fn is_cut_off(&self) -> bool {
        self.cut_off.load(Ordering::Relaxed)
    }

    pub fn set_cut_off(&self, cut_off: bool) {
        self.cut_off.store(cut_off, Ordering::Relaxed);
    }

    pub fn is_closing(&self) -> bool {
        self.closing.load(Ordering::Acquire)
    }

    /// All workers are told that the run needs them no longer.
    pub fn dismiss(&self) {
        // What is lost is made up for by the run's lease, which is given back.
        let _ = Signals::of(&self.fleet).cancel(&self.run, self.fences(None), Deadline::after(CALL));
    }

    pub fn is_left(&self) -> bool {
        self.left.load(Ordering::Relaxed)
    }

    /// All threads come to their end. Workers of a run that is left go on.
    pub fn close(&self, ending: Ending) {
        self.left.store(ending == Ending::Elsewhere, Ordering::Relaxed);
        self.closing.store(true, Ordering::Release);
        if ending == Ending::Here {
            self.dismiss();
        }
        self.changed();
    }
}

/// Tells the loop what becomes of the git remote that commits travel through.
fn teller(events: Sender<Event>, wake: Waker) -> Box<dyn Fn(News) + Send + Sync> {
    let events = Mutex::new(events);
    Box::new(move |news| {
        let event = match news {
            News::Away(said) => {
                Event::Notice(format!("{said}; lanes go on with what they have, and nothing new begins"))
            }
            News::Back(after) => {
                Event::Notice(format!("the git remote answers again, after {} s", after.as_secs()))
            }
            News::TooLong(patience) => Event::Left(RunLeft::NoRemote(patience)),
        };
        if events.lock().unwrap_or_else(PoisonError::into_inner).send(event).is_ok() {
            wake();
        }
    })
}

/// Stores what workers have to know of the run.
fn store(fleet: &Fleet, brief: &Brief, scratch: &Path) -> Result<ContentId, CodeError> {
    let folder = scratch_in(scratch)?;
    let file = folder.path().join("brief");
    // outside: the state folder.
    std::fs::write(&file, brief.bytes()).at("write", &file)?;
    Ok(Files::of(fleet, Store::Code).put(&file, LARGEST, Deadline::after(CARRYING))?)
}

/// Who has the run's lanes: workers go on without a runner.
fn placed(leases: &Leases, spec: &RunSpec, own: &WorkerName) -> Result<Placements, FleetError> {
    let mut placements = Placements::default();
    for lane in spec.lane_ids() {
        let lease = leases.look(&LeaseKey::Lane(spec.run.clone(), lane), Deadline::after(CALL))?;
        placements.found(lane, lease.as_ref(), own);
    }
    Ok(placements)
}

/// A runner, as it holds leases: it has no account.
fn holder(name: &WorkerName) -> Holder {
    Holder::of(name.clone())
}

/// Takes the run's lease: one that is held is waited for until it is stale, and respected when it is not.
pub(super) fn take_run(leases: &Leases, setting: &RunnerSetting) -> Result<(Held, Before), StartError> {
    let run = &setting.brief.spec.run;
    match leases.claim(&LeaseKey::Run(run.clone()), &holder(&setting.name), setting.lease, CALL)? {
        Claimed::Won(held, before) => Ok((held, before)),
        Claimed::Alive(by) => {
            let holder = by.map_or_else(|| "somebody unknown".to_owned(), |by| by.name.to_string());
            Err(StartError::Held { run: run.clone(), holder })
        }
    }
}

/// Begins a thread that shares the room.
pub(super) fn beside(
    room: &Arc<Room>,
    name: &str,
    work: impl FnOnce(Arc<Room>) + Send + 'static,
) -> Result<std::thread::JoinHandle<()>, ProcessError> {
    let room = Arc::clone(room);
    threads::start(name, move || work(room))
}
