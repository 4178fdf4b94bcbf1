//! The supervisor: the only select loop. It asks the core what follows, writes the facts down, and carries out what
//! they intend.

mod aftermath;
mod agents_file;
mod aside;
mod audience;
mod begin;
mod boxes;
mod call;
mod check;
mod clock;
mod commit;
mod damage;
mod error;
mod event;
mod filters;
mod guard;
mod hook;
mod inputs;
mod lane;
mod lanes;
mod loan;
mod lost_tasks;
mod prepare;
mod react;
mod recover;
mod refuse;
mod setup;
mod standing;
mod starters;
mod stray_trees;
mod tasks;
mod tell;
mod walls;
mod worker;
mod world;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use windlass_core::fact::{Entry, Fact};
use windlass_core::report;
use windlass_core::run::{Input, Orders, Phase, Run};
use windlass_core::spec::RunSpec;
use windlass_core::values::{LaneId, StopReason, StopSource};

use crate::notify::CommandRoom;
use crate::sandbox::Sandbox;
use crate::store::{Journal, Lock, Project, RunFolder, index};
use windlass_git::git::Repository;
use windlass_git::inventory::Surveyor;
use windlass_git::snapshot::Store;
use windlass_host::process::signals;
use windlass_host::process::signals::SignalWatch;
use windlass_host::process::{
    CommandSignal, RUN_VARIABLE, WORKSPACE_VARIABLE, adopt_and_kill, reap_adopted, signal_commands,
};
use windlass_host::tree;

pub use aftermath::{put_back_after_kill, put_back_after_kills, put_back_before_a_run};
pub use agents_file::agents_file_notice;
pub use audience::{Audience, Place};
pub use error::EngineError;
pub use prepare::{Preview, Wanted, preview};
pub use tasks::is_own_file;
pub use tell::Telling;

use clock::Clock;
use event::{Event, WorkError};
use filters::Inside;
use lane::LiveLane;
use lanes::Worlds;
use starters::Starters;
use tell::Herald;
use walls::Walls;
use worker::Worker;
use world::World;

/// How often a request to stop is looked for, and wall-clock times are compared again (a clock can jump).
const LOOK_AROUND: Duration = Duration::from_millis(500);

/// So long what is being done may take to end once somebody wants that: a snapshot, a commit, a landing. Its agents are ended
/// by then.
const HANGING: Duration = Duration::from_secs(20);

/// The same once somebody wants it at once.
const HANGING_AT_LAST: Duration = Duration::from_secs(5);

/// A session of a run: all that the supervisor needs.
pub struct Session {
    /// The windlass program, absolute: keepers are started from it.
    pub program: PathBuf,
    /// The run's project.
    pub project: Project,
    /// The run's folder, with the goal in it.
    pub folder: RunFolder,
    /// The run's journal, open.
    pub journal: Journal,
    /// What the journal holds; empty for a new run.
    pub entries: Vec<Entry>,
    /// The working directory's lock.
    pub lock: Lock,
    /// Looks at the tree.
    pub surveyor: Surveyor,
    /// Keeps it; `None` without a git repository.
    pub snapshots: Option<Store>,
    /// The plan: of a new run, or with what `resume` changed.
    pub plan: RunSpec,
    /// The environment that agents and checks inherit.
    pub environment: Vec<(OsString, OsString)>,
    /// What locks in agents, checks and hooks; open.
    pub sandbox: Sandbox,
    /// Is there a terminal at which somebody can press Ctrl-C twice?
    pub terminal: bool,
    /// Who watches.
    pub audience: Arc<dyn Audience>,
    /// What a person should know before anything is done.
    pub notices: Vec<String>,
    /// Who else is told what happens.
    pub telling: Telling,
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Finished {
    /// Why.
    pub stop_reason: StopReason,
    /// What the process ends with.
    pub exit_code: u8,
}

/// Drives a run to its end, from its beginning or from where its journal ends.
///
/// # Errors
/// Only what cannot be journalled: a broken store, a keeper that does not start, a defect. All processes of the run
/// have been ended then as well.
pub fn drive(session: Session) -> Result<Finished, EngineError> {
    tree::follow(&session.plan.links_out);
    let plan = Box::new(session.plan.clone());
    let first = if session.entries.is_empty() { Input::Start(plan) } else { Input::Resume(plan) };
    let notices = session.notices.clone();
    let mut supervisor = Supervisor::new(session)?;
    let result = supervisor.run(first, notices);
    let result = result.map_err(|error| supervisor.explained(error));
    supervisor.close();
    result
}

struct Supervisor {
    program: PathBuf,
    project: Project,
    folder: RunFolder,
    journal: Journal,
    lock: Option<Lock>,
    environment: Vec<(OsString, OsString)>,
    /// Whatever a lane's keeper starts passes through one of them.
    walls: Walls,
    terminal: bool,
    audience: Arc<dyn Audience>,
    run: Run,
    clock: Arc<Clock>,
    lanes: BTreeMap<LaneId, LiveLane>,
    orders: Orders,
    worker: Worker,
    events: Sender<Event>,
    inbox: Receiver<Event>,
    checks_run: u64,
    /// It was said that the job's own file cannot be watched.
    unwatched: bool,
    herald: Herald,
    /// When somebody last wanted that what runs is ended.
    told_to_end: Option<Instant>,
    /// The reserve was released: the last facts are being written.
    disk_is_full: bool,
    /// What the repository makes the agent start.
    starters: Starters,
    /// Counts commits for hooks.
    repository: Option<Repository>,
    _signals: SignalWatch,
}

impl Supervisor {
    fn new(mut session: Session) -> Result<Supervisor, EngineError> {
        if session.plan.sandbox.is_on() {
            session.surveyor.close_filters()?;
        }
        let (events, inbox) = channel();
        let signal_events = events.clone();
        let signals = signals::watch(move |signal| {
            let _ = signal_events.send(Event::Signal(signal));
        })?;
        let mut run = Run::new();
        for entry in &session.entries {
            run.apply(entry)?;
        }
        let workspace = session.plan.job.workspace.as_ref();
        let workspace_folder = workspace.map(|at| (WORKSPACE_VARIABLE.into(), at.folder.clone().into()));
        let directory = session.plan.directory.clone();
        let repository = session.surveyor.place().repository.clone();
        let starters = Starters::at_beginning(&session.plan, &session.project, session.surveyor.place());
        // Nobody else writes here: the session holds the directory.
        tasks::tidy(&session.plan);
        let mut environment = session.environment;
        let sandbox = Arc::new(session.sandbox);
        let filtering = session.plan.sandbox.is_on() && session.plan.lanes.is_none();
        let inside =
            filtering.then(|| Inside { sandbox: Arc::clone(&sandbox), environment: environment.clone() });
        let mut world =
            World::new(Arc::new(session.plan), session.folder.clone(), session.surveyor, session.snapshots)
                .guarding(search_path(&environment))
                .lending(sandbox.loan().cloned())
                .filtering(inside);
        world.keep_steering()?;
        world.uncommitted = crate::recovery::read(&session.folder)?.unwrap_or_default();
        world.along = crate::recovery::record::along(&session.folder)?.into_keys().collect();
        let world = Worlds::new(world, session.project.clone());
        let worker = Worker::start(world, events.clone())?;
        environment.retain(|(name, _)| name != RUN_VARIABLE);
        environment.push((RUN_VARIABLE.into(), session.folder.run().0.clone().into()));
        environment.retain(|(name, _)| name != WORKSPACE_VARIABLE);
        environment.extend(workspace_folder);
        let room =
            CommandRoom { program: session.program.clone(), environment: environment.clone(), directory };
        let herald = Herald::new(session.telling, &room, &session.entries, &events)?;
        Ok(Supervisor {
            program: session.program,
            project: session.project,
            folder: session.folder,
            journal: session.journal,
            lock: Some(session.lock),
            environment,
            walls: Walls::new(sandbox),
            terminal: session.terminal,
            audience: session.audience,
            run,
            clock: Arc::new(Clock::start()),
            lanes: BTreeMap::new(),
            orders: Orders::default(),
            worker,
            events,
            inbox,
            checks_run: 0,
            unwatched: false,
            herald,
            told_to_end: None,
            disk_is_full: false,
            starters,
            repository,
            _signals: signals,
        })
    }

    fn run(&mut self, first: Input, notices: Vec<String>) -> Result<Finished, EngineError> {
        if !matches!(first, Input::Start(_)) {
            index::record_resumption(&self.project, self.folder.run(), self.clock.now().wall)?;
        }
        self.take(first)?;
        for notice in notices {
            self.take(Input::notice(notice))?;
        }
        let mut looked = Instant::now();
        loop {
            if let Phase::Ended(stop_reason) = self.run.phase() {
                self.journal.sync()?;
                let codes = self.run.plan().map(|plan| plan.exit_codes).unwrap_or_default();
                return Ok(Finished { stop_reason, exit_code: stop_reason.exit_code(codes) });
            }
            self.begin_outstanding()?;
            if let Phase::Ended(_) = self.run.phase() {
                // Nobody had to be told.
                continue;
            }
            if self.run.hold().is_some() {
                // A wait can take hours: it is on the disk before it is waited for.
                self.sync()?;
            }
            match self.inbox.recv_timeout(self.patience()) {
                Ok(event) => {
                    self.tell_of_sandbox()?;
                    self.event(event)?;
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Err(EngineError::Broken),
            }
            self.poll_lanes()?;
            self.look_at_notifications()?;
            if looked.elapsed() >= LOOK_AROUND {
                looked = Instant::now();
                self.look_around()?;
            }
            self.take(Input::Tick)?;
        }
    }

    /// Where the run's folder is gone, that is the reason, whatever failed first.
    fn explained(&self, error: EngineError) -> EngineError {
        if self.journal.is_in_place() { error } else { self.lost_record() }
    }

    fn lost_record(&self) -> EngineError {
        EngineError::RecordLost(self.folder.path().to_path_buf())
    }

    /// How long to wait for an event.
    fn patience(&self) -> Duration {
        let now = self.clock.now();
        let lanes = self.lanes.values().filter_map(|lane| lane.next_due(now.monotonic));
        // Rounded up to a whole millisecond: the clock's resolution.
        let due = lanes.chain(self.run.next_due(now)).min().unwrap_or(LOOK_AROUND);
        due.min(LOOK_AROUND) + Duration::from_millis(1)
    }

    fn look_around(&mut self) -> Result<(), EngineError> {
        if self.run.stop().is_none() && self.folder.stop_requested() {
            self.take(Input::Stop { by: StopSource::Command, least: 1 })?;
        }
        while let Some(trouble) = self.audience.trouble() {
            self.take(Input::notice(trouble))?;
        }
        if !self.journal.is_in_place() {
            self.record_lost()?;
        }
        self.give_up_what_hangs()?;
        self.tell_of_sandbox()?;
        reap_adopted();
        if self.worker.is_gone() {
            // What it was asked for will never be answered.
            return Err(EngineError::Broken);
        }
        Ok(())
    }

    /// Asks the core what an input means, and writes that down, until nothing more follows.
    fn take(&mut self, input: Input) -> Result<(), EngineError> {
        let mut facts = self.run.decide(self.clock.now(), input);
        while !facts.is_empty() {
            self.record(facts)?;
            facts = self.run.decide(self.clock.now(), Input::Tick);
        }
        Ok(())
    }

    fn record(&mut self, facts: Vec<Fact>) -> Result<(), EngineError> {
        let at = self.clock.now();
        let numbered = (self.run.next_seq()..).zip(facts);
        let entries: Vec<Entry> = numbered.map(|(seq, fact)| Entry { seq, at, fact }).collect();
        match self.journal.append(&entries) {
            Err(error) if error.is_disk_full() => {
                self.release_reserve()?;
                self.journal.append(&entries)?;
            }
            appended => appended?,
        }
        for entry in &entries {
            self.run.apply(entry)?;
            self.audience.fact(entry);
        }
        self.tell(&entries)
    }

    /// Whoever wants the run to end gets that: what does not come to its end is taken up by a resumed run.
    fn give_up_what_hangs(&mut self) -> Result<(), EngineError> {
        let patience = match self.run.stop().map(|stop| stop.stage) {
            Some(2) => HANGING,
            Some(3..) => HANGING_AT_LAST,
            _ => return Ok(()),
        };
        if self.told_to_end.is_none_or(|told| told.elapsed() < patience) {
            return Ok(());
        }
        let detail = "what was being done did not come to its end in time".to_owned();
        self.take(Input::from(report::Broken { stop_reason: StopReason::NeedsHuman, detail }))
    }

    fn record_lost(&mut self) -> Result<(), EngineError> {
        let detail = self.lost_record().to_string();
        self.take(Input::RecordLost { detail })
    }

    fn release_reserve(&mut self) -> Result<(), EngineError> {
        if !self.disk_is_full {
            self.disk_is_full = true;
            self.journal.release_reserve()?;
            self.fail(true, "the disk is full");
        }
        Ok(())
    }

    fn fail(&self, disk_full: bool, detail: &str) {
        let _ = self.events.send(Event::WorkFailed(WorkError::new(disk_full, &detail)));
    }

    fn sync(&mut self) -> Result<(), EngineError> {
        match self.journal.sync() {
            Err(error) if error.is_disk_full() => {
                self.release_reserve()?;
                Ok(self.journal.sync()?)
            }
            synced => Ok(synced?),
        }
    }

    /// Ends everything that lanes run.
    fn close_lanes(&mut self) {
        for (_, held) in std::mem::take(&mut self.lanes) {
            if let Some(keeper) = held.keeper {
                keeper.close();
            }
        }
        self.walls.end_all();
    }

    /// Once all is done nobody goes on in the lanes' checkouts: what they made has landed. Those of another ending stay for
    /// whoever resumes the run.
    fn remove_checkouts(&self) {
        let is_complete = self.run.phase() == Phase::Ended(StopReason::Complete);
        if let Some(lanes) = self.run.plan().and_then(|plan| plan.lanes.as_ref()).filter(|_| is_complete) {
            // What cannot be removed takes room and does no harm.
            let _ = tree::at(&lanes.folder).remove_folder();
        }
    }

    /// Ends every process of the run, gives the directory back and notes the ending.
    fn close(&mut self) {
        self.close_lanes();
        self.herald.close();
        self.worker.close();
        signal_commands(CommandSignal::KILL);
        let _ = adopt_and_kill();
        self.remove_checkouts();
        // The index is rebuilt from journals when a line is missing.
        if let Ok(summary) = index::summarize(&self.folder) {
            let _ = index::record_ending(&self.project, &summary);
        }
        if let Some(lock) = self.lock.take() {
            let _ = lock.release();
        }
    }
}

/// Where what a run starts finds its programs.
fn search_path(environment: &[(OsString, OsString)]) -> OsString {
    let found = environment.iter().find(|(name, _)| name == "PATH");
    found.map(|(_, path)| path.clone()).unwrap_or_default()
}

/// A keeper that is gone says so itself, by its death; that is where it is dealt with.
fn keeper_gone(
    error: windlass_host::process::ProcessError,
) -> Result<(), windlass_host::process::ProcessError> {
    match error {
        windlass_host::process::ProcessError::KeeperGone => Ok(()),
        other => Err(other),
    }
}
