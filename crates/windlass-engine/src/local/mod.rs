//! The lanes of this machine: the first executor. Whatever a lane runs is a child of its keeper; what takes long (looking at
//! trees, snapshots, commits, landings) is done by a thread of the lane.

mod aftermath;
mod agents_file;
mod aside;
mod attempt_changes;
mod begin;
mod begun_commit;
mod beside;
mod boxes;
mod call;
mod carry_out;
mod check;
mod checked;
mod commit;
mod damage;
mod decisions;
mod deliver;
mod event;
mod filters;
mod gone_back;
mod guard;
mod guard_memory;
mod hook;
mod inputs;
mod issues;
mod keepers;
mod lane;
mod leftovers;
mod live_hook;
mod live_setup;
mod loan;
mod lookup;
mod lost_tasks;
mod made_of;
mod nested;
mod notes_file;
mod part;
mod prepare;
mod principles;
mod pulse;
mod recover;
mod refuse;
mod remote;
mod review;
mod sandboxes;
mod settle;
mod setup;
mod since_heard;
mod standing;
mod starters;
mod stray_trees;
mod survey;
mod task_states;
mod tasks;
mod tasks_as_read;
mod tasks_before;
mod timed;
mod unsettled;
mod updated;
mod work;
mod worker;
mod working_tree;
mod working_trees;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use windlass_core::report::{LanesClosed, Report};
use windlass_core::run::{Effect, Epoch, Order, OrderContext, Reported};
use windlass_core::spec::RunSpec;
use windlass_core::values::LaneId;
use windlass_host::process::{Keeper, ProcessError, RUN_VARIABLE, WORKSPACE_VARIABLE, reap_adopted};

use crate::executor::{Audience, Clock, EngineError, Executor, Waker};
use crate::sandbox::Sandbox;
use crate::store::{Project, RunFolder};
use windlass_git::git::Repository;
use windlass_git::inventory::{Place, Surveyor};
use windlass_git::snapshot::Store;

pub use aftermath::{
    put_back_after_kill, put_back_after_kills, put_back_before_a_run, take_repository_as_it_is,
};
pub use agents_file::agents_file_notice;
pub use boxes::vanished_boxes;
pub use leftovers::RemoteLeftovers;
pub use notes_file::notes_file_notice;
pub use prepare::{Preview, Wanted, preview};
pub use settle::{Abandoned, settle};
pub use unsettled::{Unsettled, unsettled};

use event::{Event, Events};
use lane::LiveLane;
use pulse::Pacemaker;
use sandboxes::Sandboxes;
use starters::Starters;
use work::WorkError;
use worker::Workers;
use working_tree::{Inside, WorkingTree};
use working_trees::WorkingTrees;

/// How often it is looked for processes that have come to the runner, and for threads that are gone.
const LOOK_AROUND: Duration = Duration::from_millis(500);

/// What the lanes of a session need.
pub struct Setting {
    /// The windlass program, absolute: keepers are started from it.
    pub program: PathBuf,
    /// The run's project.
    pub project: Project,
    /// The run's folder.
    pub folder: RunFolder,
    /// What each keeper holds for as long as it lives.
    pub lock: Vec<OwnedFd>,
    /// Looks at the tree.
    pub surveyor: Surveyor,
    /// Keeps it; `None` without a git repository.
    pub snapshots: Option<Store>,
    /// The run.
    pub plan: Arc<RunSpec>,
    /// The environment that agents and checks inherit.
    pub environment: Vec<(OsString, OsString)>,
    /// What locks in agents, checks and hooks; open.
    pub sandbox: Sandbox,
    /// Who watches.
    pub audience: Arc<dyn Audience>,
    /// The run's clocks.
    pub clock: Arc<Clock>,
    /// What workers of a fleet bring of their lanes; nothing is ever in it where the lanes are on this machine.
    pub leftovers: RemoteLeftovers,
    /// How long what runs in lanes goes on while this process stands still; `None` = on and on.
    pub standstill: Option<Duration>,
    /// What was checked out when the run had last committed, or began; `None` where that is not known.
    pub own_commit: Option<String>,
}

/// Lanes in threads of this process, with keepers below it.
pub struct LocalLanes {
    program: PathBuf,
    folder: RunFolder,
    lock: Vec<OwnedFd>,
    plan: Arc<RunSpec>,
    environment: Vec<(OsString, OsString)>,
    /// Whatever a lane's keeper starts passes through one of them.
    sandboxes: Sandboxes,
    audience: Arc<dyn Audience>,
    clock: Arc<Clock>,
    lanes: BTreeMap<LaneId, LiveLane>,
    /// Tells keepers that this process does not stand still, where they have to know.
    pacemaker: Option<Pacemaker>,
    /// The orders to open checkouts that are still waited for: what has been set up is opened again.
    opening: BTreeMap<LaneId, Order>,
    workers: Workers,
    events: Events,
    inbox: Receiver<Event>,
    /// What was not told yet.
    reports: Vec<Reported>,
    /// Checks, hooks and setup commands, counted.
    commands: u64,
    /// It was said that the job's own file cannot be watched.
    unwatched: bool,
    /// What the repository makes the agent start.
    starters: Starters,
    /// Counts commits for hooks.
    repository: Option<Repository>,
    looked: Instant,
}

impl LocalLanes {
    /// Starts the first thread.
    ///
    /// # Errors
    /// A thread cannot be started, or a file of the run cannot be read.
    pub fn start(mut setting: Setting, wake: Waker) -> Result<LocalLanes, EngineError> {
        if setting.plan.sandbox.is_on() {
            setting.surveyor.close_filters()?;
        }
        let (sender, inbox) = channel();
        let events = Events::new(sender, wake);
        let repository = setting.surveyor.place().repository.clone();
        let starters = Starters::at_beginning(&setting.plan, &setting.project, setting.surveyor.place());
        // Nobody else writes here: the session holds the directory.
        tasks::tidy(&setting.plan);
        setting.folder.remove_half_written();
        let sandbox = Arc::new(setting.sandbox);
        let filtering = setting.plan.sandbox.is_on() && setting.plan.lanes.is_none();
        let environment = || setting.environment.clone();
        let inside = filtering.then(|| Inside { sandbox: Arc::clone(&sandbox), environment: environment() });
        let (plan, folder) = (Arc::clone(&setting.plan), setting.folder.clone());
        let path = search_path(&setting.environment);
        let mut tree = WorkingTree::new(plan, folder, setting.surveyor, setting.snapshots, path);
        tree.loan = sandbox.loan().cloned();
        tree.inside = inside;
        tree.keep_steering()?;
        tree.uncommitted = crate::recovery::read(&setting.folder)?.unwrap_or_default();
        tree.uncommitted_base = crate::recovery::record::base(&setting.folder)?;
        tree.between = crate::recovery::between(&setting.folder)?;
        tree.own_commit = match setting.own_commit {
            Some(commit) => Some(commit),
            // What cannot be read is damage of another kind.
            None => tree.checked_out().unwrap_or_default(),
        };
        tree.remember_checks()?;
        tree.along = crate::recovery::record::along(&setting.folder)?.into_keys().collect();
        let workers =
            Workers::start(WorkingTrees::new(tree, setting.project, setting.leftovers), events.clone())?;
        Ok(LocalLanes {
            program: setting.program,
            folder: setting.folder,
            lock: setting.lock,
            environment: marked(setting.environment, &setting.plan),

            sandboxes: Sandboxes::new(sandbox),
            audience: setting.audience,
            clock: setting.clock,
            lanes: BTreeMap::new(),
            pacemaker: setting.standstill.map(Pacemaker::start).transpose()?,
            opening: BTreeMap::new(),
            workers,
            events,
            inbox,
            reports: Vec::new(),
            commands: 0,
            unwatched: false,
            starters,
            repository,
            plan: setting.plan,
            looked: Instant::now(),
        })
    }

    fn report(&mut self, order: Epoch, report: impl Into<Report>) {
        self.reports.push(Reported::of(order, report));
    }

    fn unasked(&mut self, report: impl Into<Report>) {
        self.reports.push(Reported::unasked(report));
    }

    fn notice(&mut self, text: impl Into<String>) {
        self.unasked(Report::notice(text));
    }

    fn broken(&mut self, order: Epoch, error: impl Into<WorkError>) {
        self.report(order, error.into());
    }

    /// The number of the next command, as keepers know it: calls have even ones, everything else odd ones.
    fn next_command(&mut self) -> u64 {
        self.commands += 1;
        self.commands * 2 + 1
    }

    /// Who watches.
    pub fn audience(&self) -> Arc<dyn Audience> {
        Arc::clone(&self.audience)
    }

    /// Ends what a lane runs, and forgets it: nobody waits for what comes of it.
    pub fn abandon(&mut self, lane: LaneId) {
        self.opening.remove(&lane);
        if let Some(keeper) = self.lanes.remove(&lane).and_then(|held| held.keeper) {
            keeper.close();
        }
    }

    /// What is to be tried again once the run goes on is called done by nobody until then.
    fn write_states_at_last(&mut self, context: &OrderContext) {
        if context.tasks.is_none() {
            return;
        }
        let place = Place::new(&self.plan.directory, self.repository.clone());
        let (plan, folder) = (&self.plan, &self.folder);
        match settle::write_states_as_known((plan, folder), &place, context, &|_| true) {
            Ok(said) => said.into_iter().for_each(|text| self.notice(text)),
            Err(error) => self.notice(format!("the statuses of tasks are not written: {error}")),
        }
    }

    /// Ends everything that lanes run.
    fn close_lanes(&mut self) {
        for (_, held) in std::mem::take(&mut self.lanes) {
            if let Some(keeper) = held.keeper {
                keeper.close();
            }
        }
        self.sandboxes.end_all();
    }

    /// Before what else happened: with that, the run may end.
    fn tell_of_sandbox(&mut self) {
        while let Some(news) = self.sandboxes.news() {
            self.notice(news);
        }
    }

    fn look_around(&mut self) -> Result<(), EngineError> {
        if self.looked.elapsed() < LOOK_AROUND {
            return Ok(());
        }
        self.looked = Instant::now();
        self.tell_of_sandbox();
        reap_adopted();
        self.lanes.values().filter_map(|held| held.keeper.as_ref()).for_each(Keeper::wake);
        // What a thread that is gone was asked for will never be answered.
        if self.workers.is_gone() { Err(EngineError::Broken) } else { Ok(()) }
    }
}

impl Executor for LocalLanes {
    fn carry_out(&mut self, order: Order) -> Result<(), EngineError> {
        match order.effect {
            Effect::Call { .. } => self.begin_call(&order),
            Effect::EndCall { lane, how, cut, .. } => self.end_call(lane, how, cut),
            Effect::RunCheck { .. } => self.begin_check(&order),
            Effect::RunHook { .. } => self.begin_hook(&order),
            Effect::Announce => {
                self.close_lanes();
                self.take_over_at_last();
                self.write_states_at_last(&order.context);
                self.report(order.epoch, LanesClosed {});
                Ok(())
            }
            Effect::Open { lane, .. } => {
                self.opening.insert(lane, order.clone());
                self.workers.carry_out(order)
            }
            Effect::Survey(_)
            | Effect::Prepare { .. }
            | Effect::Recover { .. }
            | Effect::Keep { .. }
            | Effect::Refuse { .. }
            | Effect::Undo { .. }
            | Effect::Commit { .. }
            | Effect::Merge { .. }
            | Effect::Land { .. }
            | Effect::CloseTask { .. }
            | Effect::Deliver { .. }
            | Effect::LogDecision { .. }
            | Effect::Issue { .. }
            | Effect::Settle { .. } => self.workers.carry_out(order),
        }
    }

    fn withdraw(&mut self, effect: &Effect) {
        if let Effect::Open { lane, .. } = effect {
            self.opening.remove(lane);
        }
    }

    fn poll(&mut self) -> Result<Vec<Reported>, EngineError> {
        while let Ok(event) = self.inbox.try_recv() {
            self.tell_of_sandbox();
            self.event(event)?;
        }
        self.poll_lanes()?;
        self.look_around()?;
        Ok(std::mem::take(&mut self.reports))
    }

    fn next_due(&self) -> Option<Duration> {
        let now = self.clock.monotonic();
        let told = (!self.reports.is_empty()).then_some(Duration::ZERO);
        self.lanes.values().filter_map(|lane| lane.next_due(now)).chain(told).min()
    }

    fn cut_hooks(&mut self) -> Result<bool, EngineError> {
        self.cut_live_hooks()
    }

    fn pause(&mut self) -> Result<(), EngineError> {
        self.each_keeper(Keeper::pause)
    }

    fn resume(&mut self) -> Result<(), EngineError> {
        self.each_keeper(Keeper::resume)
    }

    fn close(&mut self) {
        self.close_lanes();
        self.workers.close();
    }
}

/// What the run starts carries its mark, whatever the runner itself was started with.
pub(crate) fn marked(
    mut environment: Vec<(OsString, OsString)>,
    plan: &RunSpec,
) -> Vec<(OsString, OsString)> {
    environment.retain(|(name, _)| name != RUN_VARIABLE && name != WORKSPACE_VARIABLE);
    environment.push((RUN_VARIABLE.into(), plan.mark().0.into()));
    let workspace = plan.job.workspace.as_ref();
    environment.extend(workspace.map(|at| (WORKSPACE_VARIABLE.into(), at.folder.clone().into())));
    environment
}

/// Where what a run starts finds its programs.
fn search_path(environment: &[(OsString, OsString)]) -> OsString {
    let found = environment.iter().find(|(name, _)| name == "PATH");
    found.map(|(_, path)| path.clone()).unwrap_or_default()
}

/// A keeper that is gone says so itself, by its death; that is where it is dealt with.
fn keeper_gone(error: ProcessError) -> Result<(), ProcessError> {
    match error {
        ProcessError::KeeperGone => Ok(()),
        other => Err(other),
    }
}
