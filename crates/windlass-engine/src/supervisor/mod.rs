//! The supervisor: the only select loop. It asks the core what follows, writes the facts down, and carries out what
//! they intend.

mod audience;
mod call;
mod check;
mod clock;
mod commit;
mod error;
mod event;
mod lane;
mod prepare;
mod recover;
mod worker;
mod world;

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::io::ErrorKind;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use windlass_core::agent::close_own_files;
use windlass_core::fact::{
    CallReport, Class, Cost, Cut, Ended, Entry, Fact, LaneId, StopReason, StopSource, Tokens,
};
use windlass_core::run::{Effect, EndCall, Input, LaneState, Phase, Run, RunPlan};

use crate::inventory::Surveyor;
use crate::process::signals::{self, Signal, SignalWatch};
use crate::process::{Keeper, KeeperEvent, RUN_VARIABLE, adopt_and_kill, reap_adopted};
use crate::snapshot::Store;
use crate::store::{Journal, Lock, Project, RunFolder, index};

pub use audience::{Audience, Place};
pub use error::EngineError;
pub use prepare::{Preview, preview};

use call::{CallError, CallSetting, LiveCall};
use check::{CheckSetting, LiveCheck};
use clock::Clock;
use event::{Event, WorkError};
use lane::{Ending, Live, LiveLane};
use worker::{Work, Worker};
use world::World;

/// How often a request to stop is looked for, and wall-clock times are compared again (a clock can jump).
const LOOK_AROUND: Duration = Duration::from_millis(500);

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
    pub plan: RunPlan,
    /// The environment that agents and checks inherit.
    pub environment: Vec<(OsString, OsString)>,
    /// Is there a terminal at which somebody can press Ctrl-C twice?
    pub terminal: bool,
    /// Who watches.
    pub audience: Arc<dyn Audience>,
    /// What a person should know before anything is done.
    pub notices: Vec<String>,
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
    let plan = Box::new(session.plan.clone());
    let first = if session.entries.is_empty() { Input::Start(plan) } else { Input::Resume(plan) };
    let notices = session.notices.clone();
    let mut supervisor = Supervisor::new(session)?;
    let result = supervisor.run(first, notices);
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
    terminal: bool,
    audience: Arc<dyn Audience>,
    run: Run,
    clock: Arc<Clock>,
    lanes: BTreeMap<LaneId, LiveLane>,
    begun: BTreeSet<Effect>,
    worker: Worker,
    events: Sender<Event>,
    inbox: Receiver<Event>,
    checks_run: u64,
    /// The reserve was released: the last facts are being written.
    disk_is_full: bool,
    _signals: SignalWatch,
}

impl Supervisor {
    fn new(session: Session) -> Result<Supervisor, EngineError> {
        let (events, inbox) = channel();
        let signal_events = events.clone();
        let signals = signals::watch(move |signal| {
            let _ = signal_events.send(Event::Signal(signal));
        })?;
        let mut run = Run::new();
        for entry in &session.entries {
            run.apply(entry)?;
        }
        let world = World {
            plan: Arc::new(session.plan),
            folder: session.folder.clone(),
            surveyor: session.surveyor,
            snapshots: session.snapshots,
            announced: Vec::new(),
            latest: None,
            said: BTreeSet::new(),
            by_checks: BTreeMap::new(),
        };
        let worker = Worker::start(world, events.clone())?;
        let mut environment = session.environment;
        environment.retain(|(name, _)| name != RUN_VARIABLE);
        environment.push((RUN_VARIABLE.into(), session.folder.run().0.clone().into()));
        Ok(Supervisor {
            program: session.program,
            project: session.project,
            folder: session.folder,
            journal: session.journal,
            lock: Some(session.lock),
            environment,
            terminal: session.terminal,
            audience: session.audience,
            run,
            clock: Arc::new(Clock::start()),
            lanes: BTreeMap::new(),
            begun: BTreeSet::new(),
            worker,
            events,
            inbox,
            checks_run: 0,
            disk_is_full: false,
            _signals: signals,
        })
    }

    fn run(&mut self, first: Input, notices: Vec<String>) -> Result<Finished, EngineError> {
        if !matches!(first, Input::Start(_)) {
            index::record_resumption(&self.project, self.folder.run(), self.clock.now().wall)?;
        }
        self.take(first)?;
        for notice in notices {
            self.take(Input::Notice(notice))?;
        }
        let mut looked = Instant::now();
        loop {
            if let Phase::Ended(stop_reason) = self.run.phase() {
                self.journal.sync()?;
                let codes = self.run.plan().map(|plan| plan.exit_codes).unwrap_or_default();
                return Ok(Finished { stop_reason, exit_code: stop_reason.exit_code(codes) });
            }
            self.begin_outstanding()?;
            match self.inbox.recv_timeout(self.patience()) {
                Ok(event) => self.event(event)?,
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Err(EngineError::Broken),
            }
            self.poll_lanes()?;
            if looked.elapsed() >= LOOK_AROUND {
                looked = Instant::now();
                self.look_around()?;
            }
            self.take(Input::Tick)?;
        }
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
        reap_adopted();
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
        Ok(())
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

    /// Facts first, then their effects: what leaves a trace waits until the journal is on the disk.
    fn begin_outstanding(&mut self) -> Result<(), EngineError> {
        let outstanding = self.run.outstanding();
        self.begun.retain(|effect| outstanding.contains(effect));
        for effect in outstanding {
            if self.begun.contains(&effect) {
                continue;
            }
            if effect.needs_journal() {
                self.sync()?;
            }
            self.begun.insert(effect.clone());
            self.begin(effect)?;
        }
        Ok(())
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

    fn begin(&mut self, effect: Effect) -> Result<(), EngineError> {
        match &effect {
            Effect::Call { lane, call, turn, purpose, budget } => {
                let folder = self.folder.call(turn.iteration, turn.attempt, *purpose);
                self.begin_call(*lane, *call, folder, *budget)
            }
            Effect::RunCheck { lane, stage, check, turn } => self.begin_check(*lane, *stage, *check, *turn),
            Effect::EndCall { lane, how, .. } => self.end_call(*lane, *how),
            _ => {
                let refused = self.run.refused_by().to_vec();
                let baseline = self.run.baseline().to_vec();
                self.worker.carry_out(Work { effect, refused, baseline })
            }
        }
    }

    fn begin_call(
        &mut self,
        lane: LaneId,
        call: windlass_core::fact::CallId,
        folder: crate::store::CallFolder,
        budget: Option<Cost>,
    ) -> Result<(), EngineError> {
        let now = self.clock.now();
        let (Some(plan), Some(clocks)) = (self.run.plan().cloned(), self.run.call_clocks(now)) else {
            return Err(EngineError::Broken);
        };
        let setting = CallSetting {
            plan: &plan,
            folder,
            settings: self.folder.settings(),
            lane,
            call,
            budget,
            clocks,
            environment: &self.environment,
            clock: Arc::clone(&self.clock),
            audience: Arc::clone(&self.audience),
            events: self.events.clone(),
        };
        let (live, request) = match LiveCall::set_up(setting) {
            Ok(set_up) => set_up,
            Err(CallError::Store(error)) => {
                self.fail(error.is_disk_full(), &error.to_string());
                return Ok(());
            }
            Err(CallError::Process(error)) => return Err(error.into()),
        };
        let id = request.id;
        let held = self.lane(lane)?;
        held.live = Live::Call(live);
        held.id = Some(id);
        held.keeper.as_ref().map_or(Ok(()), |keeper| keeper.spawn(request)).or_else(keeper_gone)?;
        Ok(())
    }

    fn begin_check(
        &mut self,
        lane: LaneId,
        stage: windlass_core::fact::CheckStage,
        check: u16,
        turn: Option<windlass_core::run::TurnKey>,
    ) -> Result<(), EngineError> {
        let Some(plan) = self.run.plan().cloned() else {
            return Err(EngineError::Broken);
        };
        self.checks_run += 1;
        let id = self.checks_run * 2 + 1;
        let setting = CheckSetting {
            plan: &plan,
            folder: &self.folder,
            stage,
            check,
            turn,
            environment: &self.environment,
            id,
            began: self.clock.monotonic(),
        };
        let (live, request) = match LiveCheck::set_up(setting) {
            Ok(Some(set_up)) => set_up,
            Ok(None) => return Err(EngineError::Broken),
            Err(error) => {
                self.fail(error.is_disk_full(), &error.to_string());
                return Ok(());
            }
        };
        let held = self.lane(lane)?;
        held.live = Live::Check(live);
        held.id = Some(id);
        held.keeper.as_ref().map_or(Ok(()), |keeper| keeper.spawn(request)).or_else(keeper_gone)?;
        Ok(())
    }

    fn end_call(&mut self, lane: LaneId, how: EndCall) -> Result<(), EngineError> {
        let cut = match self.run.lane(lane) {
            Some(LaneState::Terminating(_, _, termination)) => termination.cut,
            _ => Cut::Stop,
        };
        let Some(held) = self.lanes.get(&lane) else {
            return Ok(());
        };
        if let Live::Call(live) = &held.live {
            live.cut(cut);
        }
        let (Some(keeper), Some(id)) = (&held.keeper, held.id) else {
            return Ok(());
        };
        let sent = match how {
            EndCall::Ask => keeper.terminate(id),
            EndCall::Kill => keeper.kill_tree(),
        };
        Ok(sent.or_else(keeper_gone)?)
    }

    /// A lane with a living keeper, which keeps the run's lock for as long as it lives.
    fn lane(&mut self, lane: LaneId) -> Result<&mut LiveLane, EngineError> {
        let held = self.lanes.entry(lane).or_default();
        if held.keeper.is_none() {
            let events = self.events.clone();
            let keeper = Keeper::start(&self.program, move |event| {
                let _ = events.send(Event::Keeper(lane, event));
            })?;
            if let Some(lock) = &self.lock {
                use std::os::fd::AsFd;
                keeper.hold(&[lock.as_fd()])?;
            }
            held.keeper = Some(keeper);
        }
        Ok(held)
    }

    fn event(&mut self, event: Event) -> Result<(), EngineError> {
        match event {
            Event::Stirred => Ok(()),
            Event::Worked(input) => self.take(input),
            Event::WorkFailed(WorkError { stop_reason, detail }) => {
                if stop_reason == StopReason::DiskFull {
                    self.release_reserve()?;
                }
                self.take(Input::Failed { stop_reason, detail })
            }
            Event::LogFailed(error) if error.kind() == ErrorKind::StorageFull => {
                self.release_reserve()?;
                let detail = "the disk is full: what the agent prints cannot be kept".to_owned();
                self.take(Input::Failed { stop_reason: StopReason::DiskFull, detail })
            }
            Event::LogFailed(error) => {
                self.take(Input::Notice(format!("the agent's output is not kept: {error}")))
            }
            Event::Signal(signal) => self.signal(signal),
            Event::Keeper(lane, event) => self.keeper_event(lane, event),
        }
    }

    fn keeper_event(&mut self, lane: LaneId, event: KeeperEvent) -> Result<(), EngineError> {
        let now = self.clock.monotonic();
        let Some(held) = self.lanes.get_mut(&lane) else {
            return Ok(());
        };
        match event {
            KeeperEvent::Spawned { id, pid } if held.id == Some(id) => {
                if let Live::Call(live) = &held.live {
                    let call = live.call;
                    return self.take(Input::Spawned { lane, call, pid: pid.unsigned_abs() });
                }
                Ok(())
            }
            KeeperEvent::SpawnFailed { id, fault } if held.id == Some(id) => {
                let detail = fault.to_string();
                match std::mem::take(&mut held.live) {
                    Live::Call(live) => {
                        let call = live.call;
                        let report = Box::new(never_started(detail));
                        drop(live);
                        self.take(Input::CallEnded { lane, call, report })
                    }
                    Live::Check(mut check) => {
                        check.exited(Ended::Lost);
                        let stage = check.stage;
                        let outcome = check.outcome(now);
                        self.take(Input::CheckEnded { lane, stage, outcome })
                    }
                    Live::Nothing => Ok(()),
                }
            }
            KeeperEvent::Exited { id, ended } => {
                if held.id == Some(id) {
                    held.exited(ended);
                }
                Ok(())
            }
            KeeperEvent::TreeGone { left } => {
                if !left.is_empty() {
                    let text = format!("{} processes could not be killed: {left:?}", left.len());
                    self.take(Input::Notice(text))?;
                }
                self.swept(lane, None)
            }
            KeeperEvent::Died => {
                held.keeper_died();
                let _ = adopt_and_kill();
                self.swept(lane, Some("the process that keeps watch over the agent was killed"))
            }
            KeeperEvent::Spawned { .. } | KeeperEvent::SpawnFailed { .. } => Ok(()),
        }
    }

    /// What ran in a lane is over, and nothing of it is left.
    fn swept(&mut self, lane: LaneId, lost: Option<&str>) -> Result<(), EngineError> {
        let now = self.clock.monotonic();
        let ending = self.lanes.get_mut(&lane).and_then(|held| held.swept(now));
        match ending {
            None => Ok(()),
            Some(Ending::Check(stage, outcome)) => self.take(Input::CheckEnded { lane, stage, outcome }),
            Some(Ending::Call(call, mut report)) => {
                if let Some(plan) = self.run.plan() {
                    close_own_files(&mut report.denials, plan, self.folder.state());
                }
                if let (Some(why), None) = (lost, report.cut) {
                    // Without a bound, an agent that kills its keeper again and again would be repeated for ever.
                    report.class = Class::TaskFailure;
                    why.clone_into(&mut report.detail);
                }
                self.take(Input::CallEnded { lane, call, report })
            }
        }
    }

    fn poll_lanes(&mut self) -> Result<(), EngineError> {
        let now = self.clock.monotonic();
        let mut due = Vec::new();
        for (lane, held) in &mut self.lanes {
            match held.poll(now) {
                Ok(Some(cut)) => due.push((*lane, cut)),
                Ok(None) => {}
                Err(error) => keeper_gone(error)?,
            }
        }
        for (lane, cut) in due {
            if let Some((_, call)) = self.run.lane(lane).and_then(LaneState::call) {
                self.take(Input::CallDue { lane, call: call.id, cut })?;
            }
        }
        Ok(())
    }

    fn signal(&mut self, signal: Signal) -> Result<(), EngineError> {
        match signal {
            Signal::Interrupt => {
                let least = if self.terminal { 1 } else { 2 };
                self.take(Input::Stop { by: StopSource::Interrupt, least })
            }
            Signal::Terminate => self.take(Input::Stop { by: StopSource::Terminate, least: 2 }),
            Signal::HangUp => {
                self.terminal = false;
                self.take(Input::Notice("the terminal is gone; the run goes on without it".to_owned()))
            }
            Signal::Suspend => self.suspend(),
            Signal::Resumed | Signal::WindowChanged => Ok(()),
        }
    }

    /// Ctrl-Z: everything stops, clocks too, until the run is continued.
    fn suspend(&mut self) -> Result<(), EngineError> {
        let keepers = || self.lanes.values().filter_map(|held| held.keeper.as_ref());
        for keeper in keepers() {
            keeper.pause().or_else(keeper_gone)?;
        }
        let stopped = Instant::now();
        signals::suspend_self()?;
        self.clock.was_stopped(stopped.elapsed());
        for keeper in keepers() {
            keeper.resume().or_else(keeper_gone)?;
        }
        Ok(())
    }

    /// Ends every process of the run, gives the directory back and notes the ending.
    fn close(&mut self) {
        for (_, held) in std::mem::take(&mut self.lanes) {
            if let Some(keeper) = held.keeper {
                keeper.close();
            }
        }
        self.worker.close();
        let _ = adopt_and_kill();
        // The index is rebuilt from journals when a line is missing.
        if let Ok(summary) = index::summarize(&self.folder) {
            let _ = index::record_ending(&self.project, &summary);
        }
        if let Some(lock) = self.lock.take() {
            let _ = lock.release();
        }
    }
}

/// A keeper that is gone says so itself, by its death; that is where it is dealt with.
fn keeper_gone(error: crate::process::ProcessError) -> Result<(), crate::process::ProcessError> {
    match error {
        crate::process::ProcessError::KeeperGone => Ok(()),
        other => Err(other),
    }
}

/// The report of an agent that could not be started. It cost nothing.
fn never_started(detail: String) -> CallReport {
    CallReport {
        class: Class::Config,
        detail,
        ended: Ended::Lost,
        cut: None,
        cost: Some(Cost::ZERO),
        tokens: Tokens::default(),
        results: Vec::new(),
        tool_uses: 0,
        denials: Vec::new(),
        limit: None,
        overage: false,
        garbage_lines: 0,
        duration: Duration::ZERO,
    }
}
