//! The worker's loop: what orders, letters, signals and leases mean for it.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use windlass_core::run::{Effect, Order};
use windlass_core::values::RunId;
use windlass_fleet::leases::LeaseEpoch;
use windlass_fleet::orders::{Answer, Errand, Letter, Letters, TakenOrder};
use windlass_fleet::signals::{Signal, Signals};
use windlass_fleet::{Deadline, FleetError};
use windlass_host::process::signals;

use super::holds::{Beat, GLANCE, Holds, Place};
use super::limits::Limits;
use super::run::Job;
use super::run_desk::RunDesk;
use super::spending::{Books, Room};
use super::taking::{Slots, take_all};
use super::{WorkerError, WorkerSetting};
use crate::live::LeftOrder;
use crate::requirements::class_of;
use crate::threads;

/// How long a call that opens something may take.
const CALL: Duration = Duration::from_secs(10);

/// How long one look into a mailbox waits.
const LISTEN: Duration = Duration::from_millis(500);

/// How often the health file is written.
const HEALTH: Duration = Duration::from_secs(5);

/// An order that is for somebody else is put back for so long.
const PAUSE: Duration = Duration::from_secs(1);

/// Whoever has put one back takes none for so long: much longer than the pause, so that it comes to everybody else first.
const REST: Duration = Duration::from_secs(10);

/// So long a run is left to others that could not be worked on here: what is missing may be there by then.
const AVOIDED: Duration = Duration::from_mins(1);

/// So often an order is put back, until it is thought to be for nobody.
const MOST_DELIVERIES: i64 = 1000;

/// How a worker ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WorkerEnd {
    /// It was drained, and all its lanes were given back.
    Drained,
    /// It was told to end at once.
    Stopped,
}

/// What happens to a worker.
pub(super) enum Event {
    /// An order of the queue, with its place.
    Taken(Box<TakenOrder>),
    /// What came was none, or could not be taken.
    Trouble(FleetError),
    /// An order of a lane that is held.
    Letter(Box<Letter<Errand>>),
    /// Somebody wants it drained.
    Drain,
    /// The runner of a run has ended it.
    Cancelled(RunId, LeaseEpoch),
    /// What became of leases.
    Beat(Beat),
    /// A signal to this process.
    Process(signals::Signal),
    /// A run has given a lane back.
    Left(Place),
    /// The same, since it cannot be worked on here, and why.
    GivenUp(Place, String),
    /// A run's thread has ended.
    Closed(RunId),
    /// What a person should know.
    Said(String),
}

/// Works until it is drained or stopped.
///
/// # Errors
/// The servers cannot be used, or somebody else has its name.
pub fn work(setting: &WorkerSetting) -> Result<WorkerEnd, WorkerError> {
    let (events, inbox) = channel();
    let holds = Arc::new(Holds::begin(setting)?);
    // Nobody else has its name, and so nobody else writes there.
    let books = Books::open(&setting.home, &setting.name).inspect_err(|_| holds.close())?;
    let slots = Arc::new(Slots::of(setting.lanes.max(1)));
    let of_process = events.clone();
    let _signals = signals::watch(move |signal| drop(of_process.send(Event::Process(signal))))?;
    listen(setting, &events)?;
    begin_beating(&holds, &events)?;
    let desk = Desk {
        setting,
        holds,
        slots,
        events,
        runs: BTreeMap::new(),
        avoided: BTreeMap::new(),
        left: BTreeMap::new(),
        books: Arc::new(books),
        limits: Limits::default(),
        began: Instant::now(),
        drained_by: None,
    };
    desk.begin_taking()?;
    let WorkerSetting { name, lanes, .. } = setting;
    let fleet = &setting.fleet.settings().fleet;
    desk.say(&format!("worker {name} of the fleet {fleet} takes orders: {lanes} lanes"));
    desk.work(&inbox)
}

/// Letters and signals that it should drain. The threads end with the process.
fn listen(setting: &WorkerSetting, events: &Sender<Event>) -> Result<(), WorkerError> {
    let deadline = Deadline::after(CALL);
    let mut mailbox = Letters::of(&setting.fleet).mailbox_of_worker(&setting.name, deadline)?;
    let told = events.clone();
    threads::start("fleet-letters", move || {
        loop {
            let event = match mailbox.next(Deadline::after(LISTEN)) {
                Ok(None) => continue,
                Ok(Some(letter)) => Event::Letter(Box::new(letter)),
                Err(error) => Event::Trouble(error),
            };
            if told.send(event).is_err() {
                return;
            }
        }
    })?;
    let mut ear = Signals::of(&setting.fleet).hear_drain(&setting.name, deadline)?;
    let told = events.clone();
    threads::start("fleet-drain", move || {
        loop {
            if let Ok(Some(Signal::Drain)) = ear.next(Deadline::after(LISTEN))
                && told.send(Event::Drain).is_err()
            {
                return;
            }
        }
    })?;
    Ok(())
}

fn begin_beating(holds: &Arc<Holds>, events: &Sender<Event>) -> Result<(), WorkerError> {
    let (holds, told) = (Arc::clone(holds), events.clone());
    threads::start("fleet-leases", move || holds.keep(|beat| drop(told.send(Event::Beat(beat)))))?;
    Ok(())
}

struct Desk<'a> {
    setting: &'a WorkerSetting,
    holds: Arc<Holds>,
    slots: Arc<Slots>,
    events: Sender<Event>,
    runs: BTreeMap<RunId, RunDesk>,
    /// Runs that could not be worked on here, and when that was seen.
    avoided: BTreeMap<RunId, (Instant, String)>,
    /// Why orders of runs were left to others last.
    left: BTreeMap<RunId, String>,
    books: Arc<Books>,
    limits: Limits,
    began: Instant,
    /// It takes nothing more, and ends when its lanes are given back.
    drained_by: Option<&'static str>,
}

impl Desk<'_> {
    fn begin_taking(&self) -> Result<(), WorkerError> {
        let (fleet, labels) = (self.setting.fleet.clone(), self.setting.labels.clone());
        let (slots, told) = (Arc::clone(&self.slots), self.events.clone());
        threads::start("fleet-classes", move || {
            take_all(&fleet, &labels, &slots, &move |taken| {
                let event = match taken {
                    Ok(order) => Event::Taken(Box::new(order)),
                    Err(error) => Event::Trouble(error),
                };
                drop(told.send(event));
            });
        })?;
        Ok(())
    }

    fn say(&self, text: &str) {
        (self.setting.told)(text);
    }

    fn work(mut self, inbox: &Receiver<Event>) -> Result<WorkerEnd, WorkerError> {
        let mut healthy = None;
        let ended = loop {
            if healthy.is_none_or(|at: Instant| at.elapsed() >= HEALTH) {
                healthy = Some(Instant::now());
                self.write_health();
            }
            if self.drained_by.is_some() && self.holds.count() == 0 {
                break Ok(WorkerEnd::Drained);
            }
            match inbox.recv_timeout(HEALTH) {
                Ok(event) => match self.event(event) {
                    Ok(None) => {}
                    Ok(Some(end)) => break Ok(end),
                    Err(error) => break Err(error),
                },
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break Ok(WorkerEnd::Stopped),
            }
        };
        self.slots.close();
        // Agents first: then nothing of theirs is left when somebody else takes the lanes.
        for desk in std::mem::take(&mut self.runs).into_values() {
            desk.close();
        }
        self.holds.close();
        ended
    }

    fn event(&mut self, event: Event) -> Result<Option<WorkerEnd>, WorkerError> {
        match event {
            Event::Taken(taken) => self.taken(&taken),
            Event::Trouble(error) => self.say(&error.to_string()),
            Event::Letter(letter) => self.letter(&letter),
            Event::Drain => self.drain("`windlass fleet drain`"),
            Event::Cancelled(run, epoch) => {
                // An older runner, whose run is somebody else's by now, ends nothing.
                if self.runs.get(&run).is_some_and(|desk| epoch >= desk.runner()) {
                    self.over(&run);
                }
            }
            Event::Beat(Beat::Gone(place)) => self.lost(&place),
            Event::Beat(Beat::NameGone) => {
                return Err(WorkerError::NameLost(self.setting.name.clone()));
            }
            Event::Beat(Beat::Forgotten) => {
                return Err(WorkerError::Forgotten(self.setting.name.clone()));
            }
            Event::Beat(Beat::Over(run)) => self.over(&run),
            Event::Beat(Beat::Unreachable(why)) => {
                self.say(&format!("{why}; what is at work goes on, and nothing new begins"));
            }
            Event::Beat(Beat::Reached) => self.say("the fleet's servers answer again"),
            Event::Process(signals::Signal::Interrupt | signals::Signal::Terminate) => {
                if self.drained_by.is_some() {
                    return Ok(Some(WorkerEnd::Stopped));
                }
                self.drain("a signal; a second one ends it at once");
            }
            Event::Process(_) => {}
            Event::Left(place) => self.left(&place),
            Event::GivenUp(place, why) => {
                self.avoided.insert(place.0.clone(), (Instant::now(), why));
                self.left(&place);
            }
            Event::Closed(run) => self.closed(&run),
            Event::Said(text) => self.say(&text),
        }
        Ok(None)
    }

    fn drain(&mut self, by: &'static str) {
        if self.drained_by.replace(by).is_none() {
            self.slots.close();
            let lanes = self.holds.count();
            self.say(&format!(
                "drained by {by}: {lanes} lanes end their tasks, and no further ones are taken"
            ));
        }
    }

    /// A lane is given back, and its place is free.
    fn left(&mut self, place: &Place) {
        if self.holds.epoch(place).is_some() {
            self.holds.release(place);
            self.slots.leave();
        }
    }

    fn lost(&mut self, place: &Place) {
        self.slots.leave();
        let (run, lane) = place;
        self.say(&format!("lane {lane} of {run} is somebody else's: its agent is ended"));
        if let Some(desk) = self.runs.get(run) {
            desk.tell(Job::Abandon(*lane));
        }
    }

    /// Nobody needs what this worker does for a run.
    fn over(&mut self, run: &RunId) {
        let Some(desk) = self.runs.remove(run) else { return };
        // Its agents are ended meanwhile; nobody else waits for that.
        let (run, events) = (run.clone(), self.events.clone());
        let closing = move || {
            desk.close_and_remove();
            let _ = events.send(Event::Closed(run));
        };
        if let Err(error) = threads::start("fleet-closing", closing) {
            self.say(&error.to_string());
        }
    }

    /// Nothing of a run is at work here any more.
    fn closed(&mut self, run: &RunId) {
        for place in self.holds.end_run(run) {
            self.left(&place);
        }
        if let Err(error) = self.books.lose(run) {
            self.say(&error.to_string());
        }
        if !self.runs.contains_key(run) {
            self.say(&format!("{run} has ended"));
        }
    }

    /// An order of the queue: its slot is taken.
    fn taken(&mut self, taken: &TakenOrder) {
        match self.take(taken) {
            Ok(None) => drop(self.left.remove(&taken.errand.order.run)),
            Ok(Some(refusal)) => {
                self.slots.leave();
                let _ = match refusal {
                    Refusal::ForAnother(why) if taken.deliveries() < MOST_DELIVERIES => {
                        self.tell_why(&taken.errand, why);
                        self.slots.rest(REST);
                        taken.put_back(PAUSE, Deadline::after(GLANCE))
                    }
                    Refusal::ForNobody | Refusal::ForAnother(_) => taken.discard(Deadline::after(GLANCE)),
                };
            }
            Err(error) => {
                self.slots.leave();
                self.say(&error.to_string());
            }
        }
    }

    /// Says why an order is left to others, here and to the run: once for as long as the reason is the same.
    fn tell_why(&mut self, errand: &Errand, why: String) {
        let (run, lane) = (&errand.order.run, errand.order.effect.lane());
        if self.left.get(run) == Some(&why) {
            return;
        }
        self.say(&format!("an order of {run} is left to others: {why}"));
        if let Some(lane) = lane {
            let worker = self.setting.name.to_string();
            LeftOrder { worker, why: why.clone() }.say(&self.setting.fleet, run, lane);
        }
        self.left.insert(run.clone(), why);
    }

    fn take(&mut self, taken: &TakenOrder) -> Result<Option<Refusal>, FleetError> {
        let Errand { order, .. } = &taken.errand;
        let Some(lane) = order.effect.lane() else { return Ok(Some(Refusal::ForNobody)) };
        let place = (order.run.clone(), lane);
        if self.drained_by.is_some() {
            return Ok(Some(Refusal::ForAnother("this worker is drained".to_owned())));
        }
        let avoided = self.avoided.get(&order.run).filter(|(seen, _)| seen.elapsed() < AVOIDED);
        if let Some((_, why)) = avoided {
            return Ok(Some(Refusal::ForAnother(format!("{why}; it is tried here again in a minute"))));
        }
        if let Some(why) = self.spent().or_else(|| self.held_back(&taken.errand)) {
            return Ok(Some(Refusal::ForAnother(why)));
        }
        // Of a runner that is gone, or of one that was.
        if self.holds.runner_of(&order.run)? != Some(taken.fences.runner) {
            return Ok(Some(Refusal::ForNobody));
        }
        if !self.runs.contains_key(&order.run) {
            match RunDesk::open(self.setting, &taken.errand, taken.fences.runner, &self.books, &self.events) {
                Ok(desk) => {
                    self.holds.begin_run(&order.run);
                    self.runs.insert(order.run.clone(), desk);
                }
                Err(why) => return Ok(Some(Refusal::ForAnother(why))),
            }
        }
        let Some(epoch) = self.holds.take(&place)? else {
            // Somebody has the lane: the order has come to them.
            return Ok(Some(Refusal::ForNobody));
        };
        // Where this does not arrive, whoever is given it finds the lane taken.
        let _ = taken.acknowledge(Deadline::after(GLANCE));
        if let Some(desk) = self.runs.get(&order.run) {
            desk.tell(Job::Begin { lane, epoch, errand: Box::new(taken.errand.clone()) });
        }
        Ok(None)
    }

    fn tell(&self, run: &RunId, job: Job) {
        if let Some(desk) = self.runs.get(run) {
            desk.tell(job);
        }
    }

    /// Why there is no money for a further task.
    fn spent(&self) -> Option<String> {
        let why = match self.books.room(self.setting.most_cost_per_hour, self.holds.count()) {
            Room::Free => return None,
            Room::Spent => "what its policy allows in an hour is spent",
            Room::SetAside => "what its policy allows in an hour is set aside for what is at work",
        };
        Some(why.to_owned())
    }

    /// Why a task that begins is somebody else's, where a usage limit holds this worker back.
    fn held_back(&mut self, errand: &Errand) -> Option<String> {
        let payer = self.setting.holder().payer();
        let is_held_back = self.limits.hold_back(&errand.held_back, &payer, self.began.elapsed());
        is_held_back.then(|| format!("a usage limit holds {payer} back"))
    }

    fn letter(&mut self, letter: &Letter<Errand>) {
        let order = &letter.content.order;
        let answer = match self.accept(letter, order) {
            Ok(()) => Answer::Accepted,
            Err(reason) => Answer::Refused { reason },
        };
        if let Err(error) = letter.answer(&answer) {
            self.say(&error.to_string());
        }
    }

    fn accept(&mut self, letter: &Letter<Errand>, order: &Order) -> Result<(), String> {
        let Some(lane) = order.effect.lane() else { return Err("it is for no lane".to_owned()) };
        let place = (order.run.clone(), lane);
        let epoch = self.holds.epoch(&place);
        if epoch.is_none() || epoch != letter.fences.lane {
            return Err(format!("lane {lane} is not held under that lease"));
        }
        let Some(desk) = self.runs.get(&order.run) else { return Err("the run is over here".to_owned()) };
        desk.follow(letter.fences.runner)?;
        let class = class_of(order);
        let is_unfit =
            matches!(order.effect, Effect::Open { .. }) && !class.is_served_with(&self.setting.labels);
        // The lane was taken by an older order, of another task.
        let unfit = is_unfit.then(|| format!("its task requires {class}"));
        if let Some(why) = unfit.or_else(|| self.held_back(&letter.content)) {
            self.tell(&order.run, Job::Abandon(lane));
            self.left(&place);
            return Err(why);
        }
        let Some(desk) = self.runs.get(&order.run) else { return Err("the run is over here".to_owned()) };
        // What is left of a parked task is still to be sent.
        if matches!(order.effect, Effect::CloseTask { .. }) && !order.effect.parks() {
            desk.tell(Job::Leave(lane));
            self.left(&place);
            return Ok(());
        }
        desk.tell(Job::Order(Box::new(letter.content.clone())));
        Ok(())
    }

    /// For whoever watches over it: that it lives, and what it does.
    fn write_health(&self) {
        let Some(path) = &self.setting.health else { return };
        let state = if self.drained_by.is_some() { "draining" } else { "working" };
        let text = format!("{state} lanes={} of={}\n", self.holds.count(), self.setting.lanes);
        if let Err(error) = windlass_host::file::replace(path, text.as_bytes(), 0o600) {
            self.say(&format!("the health file cannot be written: {error}"));
        }
    }
}

/// Why an order is not taken.
enum Refusal {
    /// Nobody needs it.
    ForNobody,
    /// Somebody else may take it.
    ForAnother(String),
}
