//! The runner's side: an executor whose lanes are on workers. What touches the user's directory, the branch or anything outside of
//! the run is carried out here, by the executor of this machine.
//!
//! - [`placement`] says which worker has which lane (pure).
//! - A lane's [`post`] is a thread that brings its orders to where they go.
//! - The [`watch`] renews the run's lease, and sees what becomes of the lanes' leases.
//! - The [`intake`] takes what came of orders; what comes [`late`] is kept.
//! - [`accounts`] are held back by their [`limits`], and not the run.
//! - [`listening`] passes on what agents say and do.
//! - [`serving`] says where nobody is there who could take an order.
//! - The [`publisher`] brings the run's journal to the fleet; orders that need it there are [`withheld`] until it is.

mod accounts;
mod intake;
mod landing;
mod late;
mod limits;
mod listening;
mod looks;
mod post;
mod publisher;
mod room;
mod serving;
mod watch;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use windlass_core::fact::{Entry, Fact};
use windlass_core::fleet::remote::RemoteUrl;
use windlass_core::fleet::{placement, withheld};
use windlass_core::report::{Broken, LaneLost, LateResult, Report};
use windlass_core::run::{Effect, EndCall, Order, Reported, Side};
use windlass_core::values::{CallId, LaneId, StopReason};
use windlass_engine::executor::{EngineError, Executor, Waker};
use windlass_engine::local::{LocalLanes, RemoteLeftovers};
use windlass_engine::store::RunFolder;
use windlass_engine::store::journal::lines;
use windlass_fleet::leases::{Before, LeaseEpoch, Leases};
use windlass_fleet::names::WorkerName;
use windlass_fleet::{Deadline, Fleet};
use windlass_git::git::Repository;

use crate::brief::Brief;
use crate::copy;
use placement::{Loss, gives_back};
use post::Post;
use publisher::LAST_FACTS;
use room::{CALL, Ending, Event, Room, take_run};
use withheld::Withheld;

pub use room::{RunLeft, StartError};

/// What a runner needs beyond what it needs without a fleet.
pub struct RunnerSetting {
    /// Connected as a runner.
    pub fleet: Fleet,
    /// How long a lease that is not renewed is respected.
    pub lease: Duration,
    /// How long a run goes on without its servers.
    pub patience: Duration,
    /// The name by which this runner holds leases.
    pub name: WorkerName,
    /// What workers have to know of the run.
    pub brief: Brief,
    /// The user's repository.
    pub main: Repository,
    /// The run's folder.
    pub folder: RunFolder,
    /// What was left in lanes elsewhere, as the executor of this machine learns it.
    pub leftovers: RemoteLeftovers,
    /// The git remote that is configured on this machine.
    pub remote: Option<RemoteUrl>,
    /// Hears what a person should know once nothing more is reported.
    pub told: Arc<dyn Fn(&str) + Send + Sync>,
}

/// Lanes on the workers of a fleet.
pub struct RemoteLanes {
    local: LocalLanes,
    room: Arc<Room>,
    posts: BTreeMap<LaneId, Post>,
    withheld: Withheld,
    /// Calls that are to end at once, and have not been heard to.
    killed: BTreeSet<CallId>,
    /// How calls of lost lanes have ended: where that is heard before they are charged as lost, it is said once more then.
    late: BTreeMap<CallId, LateResult>,
    events: Receiver<Event>,
    threads: Vec<JoinHandle<()>>,
    reports: Vec<Reported>,
    ending: Ending,
}

impl RemoteLanes {
    /// Takes the run's lease and begins to listen.
    ///
    /// # Errors
    /// Somebody else runs the run, or the servers cannot be used.
    pub fn start(local: LocalLanes, setting: RunnerSetting, wake: Waker) -> Result<RemoteLanes, StartError> {
        let leases = Leases::of(&setting.fleet);
        let (held, before) = take_run(&leases, &setting)?;
        match Self::open(local, setting, held.epoch(), wake) {
            Ok(mut lanes) => {
                lanes.threads.push(watch::begin(&lanes.room, held)?);
                Ok(lanes)
            }
            Err(error) => {
                // To workers a lease that is free says that the run is over: only one that was free is made so again.
                if before == Before::Free {
                    let _ = leases.release(held, Deadline::after(CALL));
                }
                Err(error)
            }
        }
    }

    /// Begins all but what renews the run's lease, which is held under this epoch.
    fn open(
        local: LocalLanes,
        setting: RunnerSetting,
        epoch: LeaseEpoch,
        wake: Waker,
    ) -> Result<RemoteLanes, StartError> {
        let (sender, events) = channel();
        let room = Arc::new(Room::open(setting, epoch, sender, wake)?);
        let mut threads =
            vec![publisher::begin(&room)?, intake::listen(&room)?, watch::look_after_code(&room)?];
        threads.push(listening::begin(&room, local.audience())?);
        threads.push(serving::begin(&room)?);
        Ok(RemoteLanes {
            local,
            room,
            posts: BTreeMap::new(),
            withheld: Withheld::default(),
            killed: BTreeSet::new(),
            late: BTreeMap::new(),
            events,
            threads,
            reports: Vec::new(),
            ending: Ending::Here,
        })
    }

    /// Brings an order of a lane to its worker.
    fn send(&mut self, lane: LaneId, order: Order) -> Result<(), EngineError> {
        self.room.placements().ordered(lane, &order);
        let post = match self.posts.entry(lane) {
            std::collections::btree_map::Entry::Occupied(there) => there.into_mut(),
            std::collections::btree_map::Entry::Vacant(place) => {
                let post = Post::open(&self.room, lane).map_err(|_| EngineError::Broken)?;
                place.insert(post)
            }
        };
        post.carry(order)
    }

    fn event(&mut self, event: Event) -> Result<(), EngineError> {
        match event {
            Event::Reported(reported) => {
                for reported in &reported {
                    if let Report::CallEnded(ended) = &reported.report {
                        self.killed.remove(&ended.call);
                    }
                }
                self.reports.extend(reported);
            }
            Event::Late(late) => {
                self.reports.push(Reported::unasked(late.clone()));
                self.late.insert(late.call, late);
            }
            Event::Notice(text) => self.reports.push(Reported::unasked(Report::notice(text))),
            Event::Here(order) => self.local.carry_out(*order)?,
            Event::Lost(loss) => self.lane_lost(*loss)?,
            Event::Unplaced(lane, order) => {
                let worker = self.room.placements().lost_by(lane);
                let worker = worker.map_or_else(|| "unknown".to_owned(), |worker| worker.to_string());
                self.answer_lost(lane, &worker, *order)?;
            }
            Event::Left(why) => return self.leave(why),
            Event::Failed(detail) => {
                let broken = Broken { stop_reason: StopReason::NeedsHuman, detail };
                self.reports.push(Reported::unasked(broken));
            }
        }
        Ok(())
    }

    /// The run is left as a killed runner leaves it.
    fn leave<T>(&mut self, why: RunLeft) -> Result<T, EngineError> {
        self.ending = Ending::Elsewhere;
        Err(EngineError::Remote(Box::new(why)))
    }

    fn lane_lost(&mut self, loss: Loss) -> Result<(), EngineError> {
        let Loss { lane, worker, why, outstanding } = loss;
        let text = format!("lane {lane}: worker {worker} {why}");
        self.reports.push(Reported::unasked(Report::notice(text)));
        match outstanding {
            Some(order) => self.answer_lost(lane, worker.as_str(), order),
            None => Ok(()),
        }
    }

    /// What comes of an order whose lane is gone: a call is charged as what is known of it says, and its task begins again.
    fn answer_lost(&mut self, lane: LaneId, worker: &str, mut order: Order) -> Result<(), EngineError> {
        if let Some(recovery) = order.effect.recovery() {
            order.effect = recovery;
            return self.local.carry_out(order);
        }
        match order.effect {
            // Its work is in no place any more: this is said when it is closed. What is not parked is being closed.
            Effect::CloseTask { .. } if order.effect.parks() => self.local.carry_out(order),
            Effect::CloseTask { .. } => Ok(()),
            _ => {
                let lost = LaneLost::with_worker(lane, worker.to_owned());
                self.reports.push(Reported::of(order.epoch, lost));
                Ok(())
            }
        }
    }

    /// Carries out what waited for facts that the fleet has by now.
    fn go_on(&mut self) -> Result<(), EngineError> {
        while let Some(order) = self.withheld.next(self.room.progress()) {
            self.begin(order)?;
        }
        Ok(())
    }

    fn begin(&mut self, order: Order) -> Result<(), EngineError> {
        let lane = order.effect.lane().unwrap_or_default();
        if order.effect.side() == Side::Worker {
            if let Effect::EndCall { how: EndCall::Kill, call, .. } = order.effect {
                self.killed.insert(call);
            }
            return self.send(lane, order);
        }
        if gives_back(&order.effect) && lane != LaneId::default() {
            // Its worker gives the lane back. What is left of a parked task is there, and is asked for first.
            let asks_first = order.effect.parks();
            self.send(lane, order.clone())?;
            if asks_first {
                return Ok(());
            }
        }
        if order.effect == Effect::Announce {
            self.room.dismiss();
        }
        self.local.carry_out(order)
    }
}

impl Executor for RemoteLanes {
    fn carry_out(&mut self, order: Order) -> Result<(), EngineError> {
        match self.withheld.take(order, self.room.progress()) {
            Some(order) => self.begin(order),
            None => Ok(()),
        }
    }

    fn recorded(&mut self, entries: &[Entry]) -> Result<(), EngineError> {
        let lines = lines(entries).map_err(|error| EngineError::Remote(Box::new(error)))?;
        self.room.publications.recorded(&lines);
        for entry in entries {
            if let Fact::CallFinished { call, .. } = &entry.fact {
                self.reports.extend(self.late.remove(call).map(Reported::unasked));
            }
        }
        if entries.iter().any(|entry| matches!(entry.fact, Fact::RunResumed { .. })) {
            // With this fact the run says that it works here.
            copy::adopt(&self.room.folder);
        }
        Ok(())
    }

    fn withdraw(&mut self, effect: &Effect) {
        self.withheld.withdraw(effect);
        self.local.withdraw(effect);
    }

    fn poll(&mut self) -> Result<Vec<Reported>, EngineError> {
        while let Ok(event) = self.events.try_recv() {
            self.event(event)?;
        }
        if !self.killed.is_empty() && self.room.is_cut_off() {
            return self.leave(RunLeft::CutOff);
        }
        self.go_on()?;
        let mut reports = std::mem::take(&mut self.reports);
        let (landed, others): (Vec<_>, Vec<_>) =
            self.local.poll()?.into_iter().partition(landing::is_landing);
        for landed in landed {
            landing::store(&self.room, landed)?;
        }
        reports.extend(others);
        Ok(reports)
    }

    fn next_due(&self) -> Option<Duration> {
        if self.reports.is_empty() { self.local.next_due() } else { Some(Duration::ZERO) }
    }

    fn cut_hooks(&mut self) -> Result<bool, EngineError> {
        self.local.cut_hooks()
    }

    fn pause(&mut self) -> Result<(), EngineError> {
        self.local.pause()
    }

    fn resume(&mut self) -> Result<(), EngineError> {
        self.local.resume()
    }

    fn close(&mut self) {
        self.local.close();
        self.room.publications.close(match self.ending {
            Ending::Here => LAST_FACTS,
            Ending::Elsewhere => Duration::ZERO,
        });
        self.room.close(self.ending);
        self.posts.clear();
        for thread in std::mem::take(&mut self.threads) {
            let _ = thread.join();
        }
        if self.ending == Ending::Here
            && let Err(error) = self.room.code.clear()
        {
            (self.room.told)(&format!("what {} has left on its way stays there: {error}", self.room.run));
        }
    }
}
