//! A session of a run: what there is of it on this machine, put together and driven.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::os::fd::BorrowedFd;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::channel;

use windlass_core::fact::Entry;
use windlass_core::run::{Input, Orders, Run};
use windlass_core::spec::RunSpec;
use windlass_core::values::{LaneId, StopReason, StopSource};
use windlass_host::process::{ProcessError, signals};
use windlass_host::tree;

use super::event::Event;
use super::tell::NotificationQueue;
use super::{Supervisor, Telling};
use crate::executor::{Audience, Clock, EngineError, Executor, Waker};
use crate::local::{self, LocalLanes, RemoteLeftovers, marked};
use crate::notify::CommandRoom;
use crate::sandbox::Sandbox;
use crate::store::{Journal, Lock, Project, RunFolder};
use windlass_git::inventory::Surveyor;
use windlass_git::snapshot::Store;

/// What there is of a run once a session of it may begin.
pub struct Begun {
    /// The run's folder, with the goal in it.
    pub folder: RunFolder,
    /// The run's journal, open.
    pub journal: Journal,
    /// What the journal holds; empty for a new run.
    pub entries: Vec<Entry>,
    /// The working directory's lock.
    pub lock: Lock,
    /// The plan: of a new run, or with what `resume` changed.
    pub plan: RunSpec,
    /// What locks in agents, checks and hooks; open.
    pub sandbox: Sandbox,
    /// What a person should know before anything is done.
    pub notices: Vec<String>,
    /// What becomes of a wait that the session before was in.
    pub wait: OpenWait,
    /// Who else is told what happens.
    pub telling: Telling,
}

/// What becomes of a wait for a usage limit or an outage that was under way when the session before ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OpenWait {
    /// It goes on.
    #[default]
    GoesOn,
    /// It is over: what refused is tried at once.
    IsOver,
}

/// A session of a run: all that it needs.
pub struct Session {
    /// The windlass program, absolute: keepers are started from it.
    pub program: PathBuf,
    /// The run's project.
    pub project: Project,
    /// The run.
    pub begun: Begun,
    /// Looks at the tree.
    pub surveyor: Surveyor,
    /// Keeps it; `None` without a git repository.
    pub snapshots: Option<Store>,
    /// The environment that agents and checks inherit.
    pub environment: Vec<(OsString, OsString)>,
    /// Is there a terminal at which somebody can press Ctrl-C twice?
    pub terminal: bool,
    /// Who watches.
    pub audience: Arc<dyn Audience>,
    /// Lanes on other machines; `None` = on this one.
    pub remote: Option<RemoteSession>,
}

/// Makes an executor whose lanes are elsewhere from that of this machine.
pub type BeginRemote = dyn FnOnce(LocalLanes, Waker) -> Result<Box<dyn Executor>, EngineError>;

/// Lanes on other machines.
pub struct RemoteSession {
    /// What their workers bring.
    pub leftovers: RemoteLeftovers,
    /// Begins with them.
    pub begin: Box<BeginRemote>,
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Finished {
    /// Why.
    pub stop_reason: StopReason,
    /// What the process ends with.
    pub exit_code: u8,
    /// Who asked it to stop, if only when it had come to its end: nothing that would follow is begun.
    pub asked: Option<StopSource>,
}

/// Drives a run to its end, from its beginning or from where its journal ends, in lanes of this machine.
///
/// # Errors
/// Only what cannot be journalled: a broken store, a keeper that does not start, a defect. All processes of the run
/// have been ended then as well.
pub fn drive(session: Session) -> Result<Finished, EngineError> {
    let begun = session.begun;
    tree::follow(&begun.plan.links_out);
    let first = Box::new(begun.plan.clone());
    let first = match begun.wait {
        _ if begun.entries.is_empty() => Input::Start(first),
        OpenWait::GoesOn => Input::Resume(first),
        OpenWait::IsOver => Input::ResumeNow(first),
    };
    let (events, inbox) = channel();
    let signal_events = events.clone();
    let _signals = signals::watch(move |signal| {
        let _ = signal_events.send(Event::Signal(signal));
    })?;
    let wake: Waker = Arc::new(move || drop(events.send(Event::Stirred)));
    let (plan, clock) = (Arc::new(begun.plan), Arc::new(Clock::start()));
    let owned = |descriptor: &BorrowedFd<'_>| descriptor.try_clone_to_owned();
    let lock = begun.lock.descriptors().iter().map(owned).collect::<Result<_, _>>();
    let run = Run::folded(&begun.entries)?;
    let place = session.surveyor.place().clone();
    let setting = local::Setting {
        program: session.program.clone(),
        project: session.project.clone(),
        folder: begun.folder.clone(),
        lock: lock.map_err(ProcessError::system("hand on the lock"))?,
        surveyor: session.surveyor,
        snapshots: session.snapshots,
        plan: Arc::clone(&plan),
        environment: session.environment.clone(),
        sandbox: begun.sandbox,
        audience: Arc::clone(&session.audience),
        clock: Arc::clone(&clock),
        leftovers: session.remote.as_ref().map(|remote| remote.leftovers.clone()).unwrap_or_default(),
        standstill: None,
        own_commit: run.head_of_last_commit(LaneId::default()).map(str::to_owned),
    };
    let lanes = LocalLanes::start(setting, Arc::clone(&wake))?;
    let executor: Box<dyn Executor> = match session.remote {
        None => Box::new(lanes),
        Some(remote) => (remote.begin)(lanes, Arc::clone(&wake))?,
    };
    let room = CommandRoom {
        program: session.program,
        environment: marked(session.environment, &plan),
        directory: plan.directory.clone(),
        project: Some(place),
    };
    let notifications = NotificationQueue::new(begun.telling, &room, &begun.entries, wake)?;
    let mut supervisor = Supervisor {
        project: session.project,
        folder: begun.folder,
        journal: begun.journal,
        lock: Some(begun.lock),
        terminal: session.terminal,
        audience: session.audience,
        orders: Orders::of_session(&run),
        run,
        clock,
        executor,
        inbox,
        reports: VecDeque::new(),
        notifications,
        told_to_end: None,
        asked: None,
        disk_is_full: false,
    };
    let wait = (begun.wait == OpenWait::IsOver).then_some(Input::TryNow);
    supervisor.drive(first, wait.into_iter().chain(begun.notices.into_iter().map(Input::notice)))
}
