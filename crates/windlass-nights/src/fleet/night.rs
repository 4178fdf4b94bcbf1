//! A night of a fleet: everything that is there, and what happens one after another.

use std::collections::BTreeSet;

use windlass_core::fleet::leases::LeaseKey;
use windlass_core::fleet::names::WorkerName;
use windlass_core::values::{LaneId, Named as _, Now, StopReason};

use super::agenda::{Agenda, Event, Target};
use super::plant::FleetPlant;
use super::record::{Agent, FleetRecord, Moment, RunnerEnd, What};
use super::runner::{Runner, Stage};
use super::script::{FleetScript, Trouble};
use super::servers::Servers;
use super::worker::Worker;

/// How long a lease that is not renewed is respected.
pub(crate) const LEASE: u64 = 9_000;

/// More events than any night has that comes to an end.
const MOST_STEPS: u32 = 150_000;

/// What is still done so long after the end is done for ever.
const AFTERWARDS: u64 = 60_000;

/// So long after everything is well again a run has ended.
const PATIENCE: u64 = 45 * 60_000;

/// Two machines on which a person can run the run.
pub(crate) const MACHINES: usize = 2;

/// A machine on which a runner can be.
#[derive(Debug, Default)]
pub(crate) struct Machine {
    pub journal: Vec<std::sync::Arc<windlass_core::fact::Entry>>,
    /// What has landed there.
    pub branch: Vec<String>,
    /// Commits that are there.
    pub commits: BTreeSet<String>,
}

/// How it goes with what is sent.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Weather {
    pub away_until: u64,
    pub noise_until: u64,
    pub lost: u64,
    pub twice: u64,
    pub slow_until: u64,
    pub slowest: u64,
}

pub(crate) struct Night<'a> {
    pub script: &'a FleetScript,
    pub plant: Option<FleetPlant>,
    pub now: u64,
    pub dice: crate::dice::Dice,
    pub agenda: Agenda,
    pub servers: Servers,
    /// Of the leases: of the run, and of each lane by its number.
    pub keys: Vec<LeaseKey>,
    pub runners: Vec<Runner>,
    pub workers: Vec<Worker>,
    pub machines: [Machine; MACHINES],
    pub weather: Weather,
    pub agents: Vec<Agent>,
    pub moments: Vec<Moment>,
    pub steps: u32,
    /// Numbers that nothing else has.
    numbers: u64,
    healed: bool,
    /// When the last trouble is over.
    well_from: u64,
    /// When the run came to its end for good.
    over: Option<u64>,
    /// The last machine on which somebody ran the run.
    machine: usize,
    /// A person is about to resume the run.
    expects_resume: bool,
}

/// Plays a night of a fleet.
pub fn play_fleet(script: &FleetScript, plant: Option<FleetPlant>) -> FleetRecord {
    let mut night = Night::new(script, plant);
    night.begin();
    night.run();
    night.look_afterwards();
    FleetRecord {
        script: script.clone(),
        branch: std::mem::take(&mut night.machines[night.machine].branch),
        moments: night.moments,
        journal: night.servers.journal,
        agents: night.agents,
        steps: night.steps,
    }
}

impl<'a> Night<'a> {
    fn new(script: &'a FleetScript, plant: Option<FleetPlant>) -> Night<'a> {
        let lanes = script.plan.lanes.as_ref().map_or(1, |lanes| lanes.count);
        let workers = script.workers.iter().enumerate();
        Night {
            script,
            plant,
            now: 0,
            dice: crate::dice::Dice::new(script.seed ^ 0x00f1_ee70_d1ce_0000),
            agenda: Agenda::default(),
            servers: Servers::new(lanes),
            keys: (0..=lanes).map(|lane| LeaseKey::Lane(script.plan.run.clone(), LaneId(lane))).collect(),
            runners: Vec::new(),
            workers: workers.map(|(number, slots)| Worker::new(number, *slots)).collect(),
            machines: [Machine::default(), Machine::default()],
            weather: Weather::default(),
            agents: Vec::new(),
            moments: Vec::new(),
            steps: 0,
            numbers: 0,
            healed: false,
            well_from: 0,
            over: None,
            machine: 0,
            expects_resume: false,
        }
    }

    fn begin(&mut self) {
        for (number, fault) in self.script.faults.iter().enumerate() {
            self.agenda.add(fault.at, Target::World, Event::Fault(number));
        }
        for worker in 0..self.workers.len() {
            self.start_worker(worker);
        }
        self.agenda.add(0, Target::World, Event::Resume { on: 0 });
        self.agenda.add(20_000, Target::World, Event::Person);
        let last = self.script.faults.iter().map(|fault| fault.at + fault.what.lasts()).max().unwrap_or(0);
        self.well_from = last;
        self.agenda.add(last + 1, Target::World, Event::Heal);
    }

    fn run(&mut self) {
        while let Some((at, target, event)) = self.agenda.next() {
            self.now = self.now.max(at);
            self.steps += 1;
            if self.steps > MOST_STEPS {
                return self.stuck("it is always something more");
            }
            if self.over.is_some_and(|over| self.now > over.max(self.well_from) + AFTERWARDS) {
                return;
            }
            match target {
                Target::World => self.happen(event),
                Target::Runner(runner) => self.reach_runner(runner, event),
                Target::Worker(worker, started) => self.reach_worker(worker, started, event),
            }
            if matches!(
                self.moments.last().map(|moment| &moment.what),
                Some(What::Stuck(_) | What::Illegal(_))
            ) {
                return;
            }
        }
    }

    pub fn stuck(&mut self, said: &str) {
        self.note(What::Stuck(said.to_owned()));
    }

    pub fn note(&mut self, what: What) {
        self.moments.push(Moment { at: self.now, what });
    }

    pub fn say(&mut self, said: impl Into<String>) {
        self.note(What::Said(said.into()));
    }

    pub fn is(&self, plant: FleetPlant) -> bool {
        self.plant == Some(plant)
    }

    /// A number that nothing else has.
    pub fn number(&mut self) -> u64 {
        self.numbers += 1;
        self.numbers
    }

    /// Between these, both included.
    pub fn between(&mut self, least: u64, most: u64) -> u64 {
        self.dice.between(least, most)
    }

    /// The time on the clocks of a session that began then.
    pub fn clock(&self, began: u64) -> Now {
        let wall = jiff::Timestamp::from_millisecond(1_790_000_000_000 + self.now.cast_signed());
        let monotonic = std::time::Duration::from_millis(self.now.saturating_sub(began));
        Now { wall: wall.unwrap_or_default(), monotonic }
    }

    #[expect(clippy::needless_pass_by_value, reason = "what happens does so once")]
    fn happen(&mut self, event: Event) {
        match event {
            Event::Fault(number) => self.fault(self.script.faults[number].what),
            Event::WorkerBack(worker) => self.start_worker(worker),
            Event::WorkerThaws(worker, started) => self.thaw_worker(worker, started),
            Event::RunnerThaws(runner) => self.thaw_runner(runner),
            Event::WorkerReaches(worker) => self.workers[worker].cut = false,
            Event::RunnerReaches(runner) => self.runners[runner].cut = false,
            Event::ServersBack => self.say("the servers are back"),
            Event::Calm => self.say("what is sent arrives again"),
            Event::Resume { on } => {
                self.expects_resume = false;
                self.resume(on);
            }
            Event::Person => self.look_in(),
            Event::Heal => {
                self.healed = true;
                self.weather = Weather::default();
                self.note(What::Healed);
            }
            _ => self.stuck("something happens to the world that does not"),
        }
    }

    fn fault(&mut self, what: Trouble) {
        if self.over.is_some() {
            return;
        }
        self.say(what.sentence());
        let now = self.now;
        match what {
            Trouble::KillWorker { worker, back_after } => {
                self.kill_worker(worker);
                self.agenda.add(now + back_after, Target::World, Event::WorkerBack(worker));
            }
            Trouble::FreezeWorker { worker, lasts } => self.freeze_worker(worker, lasts),
            Trouble::CutWorker { worker, lasts } => {
                self.workers[worker].cut = true;
                self.agenda.add(now + lasts, Target::World, Event::WorkerReaches(worker));
            }
            Trouble::Fails { worker } => self.workers[worker].fails_next = true,
            Trouble::Drain { worker } => self.drain_worker(worker),
            Trouble::KillRunner { resumed_after, on } => {
                if let Some(runner) = self.living_runner() {
                    self.end_runner(runner, RunnerEnd::Killed);
                    self.will_resume(resumed_after, on);
                }
            }
            Trouble::FreezeRunner { lasts, resumed } => {
                let Some(runner) = self.living_runner() else { return };
                self.runners[runner].frozen = true;
                self.agenda.add(now + lasts, Target::World, Event::RunnerThaws(runner));
                if let Some(resumed) = resumed {
                    self.will_resume(resumed.after, resumed.on);
                }
            }
            Trouble::CutRunner { lasts, resumed } => {
                let Some(runner) = self.living_runner() else { return };
                self.runners[runner].cut = true;
                self.agenda.add(now + lasts, Target::World, Event::RunnerReaches(runner));
                if let Some(resumed) = resumed {
                    self.will_resume(resumed.after, resumed.on);
                }
            }
            Trouble::ServersAway { lasts } => {
                self.weather.away_until = self.weather.away_until.max(now + lasts);
                self.agenda.add(now + lasts, Target::World, Event::ServersBack);
            }
            Trouble::Noise { lasts, lost, twice } => {
                (self.weather.noise_until, self.weather.lost, self.weather.twice) =
                    (now + lasts, lost, twice);
                self.agenda.add(now + lasts, Target::World, Event::Calm);
            }
            Trouble::Slow { lasts, most } => {
                (self.weather.slow_until, self.weather.slowest) = (now + lasts, most);
                self.agenda.add(now + lasts, Target::World, Event::Calm);
            }
            Trouble::Stop { least } => {
                if let Some(runner) = self.living_runner() {
                    self.runners[runner].stop = Some(least);
                    self.wake(runner);
                }
            }
        }
    }

    pub fn will_resume(&mut self, after: u64, on: usize) {
        self.expects_resume = true;
        self.agenda.add(self.now + after, Target::World, Event::Resume { on });
    }

    /// The runner that a person sees: it is alive, and has not stood aside.
    pub fn living_runner(&self) -> Option<usize> {
        let alive =
            |runner: &Runner| matches!(runner.stage, Stage::Runs | Stage::Closing | Stage::Leaving { .. });
        self.runners.iter().rposition(alive)
    }

    /// A person looks in now and then, and goes on with a run that nobody runs.
    fn look_in(&mut self) {
        if self.over.is_some() {
            return;
        }
        if self.healed && self.now > self.well_from + PATIENCE {
            let lanes: Vec<String> = self.describe_lanes();
            return self.stuck(&format!("the run does not end: {}", lanes.join("; ")));
        }
        self.agenda.add(self.now + 20_000, Target::World, Event::Person);
        let is_run = self.runners.iter().any(|runner| !runner.is_gone() && !runner.frozen);
        if !is_run && !self.expects_resume {
            let on = usize::try_from(self.dice.below(2)).unwrap_or(0);
            self.resume(on);
        }
    }

    fn describe_lanes(&self) -> Vec<String> {
        let Some(runner) = self.living_runner() else { return vec!["nobody runs it".to_owned()] };
        let runner = &self.runners[runner];
        runner.run.lanes().map(|(lane, state)| format!("lane {lane} is {}", state.name())).collect()
    }

    /// The run has ended here. Somebody who stopped it goes on with it later.
    pub fn run_ended(&mut self, runner: usize, reason: StopReason) {
        self.machine = self.runners[runner].machine;
        let is_for_good =
            !matches!(reason, StopReason::Interrupted | StopReason::StopRequested | StopReason::Terminated);
        if is_for_good {
            self.over = Some(self.now);
        } else {
            let after = self.between(1_000, 15_000);
            let on = usize::try_from(self.dice.below(2)).unwrap_or(0);
            self.will_resume(after, on);
        }
    }

    /// What is still done, long after the run has ended.
    fn look_afterwards(&mut self) {
        if self.over.is_none() {
            return;
        }
        let mut left = Vec::new();
        for worker in &self.workers {
            left.extend(worker.lanes.keys().map(|lane| format!("worker {} holds lane {lane}", worker.name)));
        }
        let alive = self.agents.iter().filter(|agent| agent.end == super::record::AgentEnd::Alive);
        left.extend(
            alive.map(|agent| format!("the agent of call {} works on worker {}", agent.call.0, agent.worker)),
        );
        for said in left {
            self.note(What::Left60(said));
        }
    }
}

/// The name of a worker.
pub(crate) fn worker_name(number: usize) -> WorkerName {
    named(&format!("w{number}"))
}

/// A name that is one.
#[expect(clippy::expect_used, reason = "letters and digits are a name")]
pub(crate) fn named(text: &str) -> WorkerName {
    text.parse().expect("letters and digits are a name")
}

impl Trouble {
    /// So long it is there.
    fn lasts(self) -> u64 {
        match self {
            Trouble::KillWorker { back_after, .. } => back_after,
            Trouble::FreezeWorker { lasts, .. }
            | Trouble::CutWorker { lasts, .. }
            | Trouble::FreezeRunner { lasts, .. }
            | Trouble::CutRunner { lasts, .. }
            | Trouble::ServersAway { lasts }
            | Trouble::Noise { lasts, .. }
            | Trouble::Slow { lasts, .. } => lasts,
            Trouble::KillRunner { resumed_after, .. } => resumed_after,
            Trouble::Fails { .. } | Trouble::Stop { .. } => 0,
            Trouble::Drain { .. } => super::worker::DRAINED_FOR,
        }
    }

    fn sentence(self) -> String {
        match self {
            Trouble::KillWorker { worker, back_after } => {
                format!("worker w{worker} is killed, and is back in {} s", back_after / 1_000)
            }
            Trouble::FreezeWorker { worker, lasts } => {
                format!("worker w{worker} stands still for {} s", lasts / 1_000)
            }
            Trouble::CutWorker { worker, lasts } => {
                format!("worker w{worker} is cut off for {} s", lasts / 1_000)
            }
            Trouble::Fails { worker } => format!("what worker w{worker} is told next cannot be done there"),
            Trouble::Drain { worker } => format!("worker w{worker} is drained"),
            Trouble::KillRunner { on, .. } => format!("the runner is killed; machine {on} will go on"),
            Trouble::FreezeRunner { lasts, resumed } => {
                format!("the runner stands still for {} s{}", lasts / 1_000, resumed_said(resumed))
            }
            Trouble::CutRunner { lasts, resumed } => {
                format!("the runner is cut off for {} s{}", lasts / 1_000, resumed_said(resumed))
            }
            Trouble::ServersAway { lasts } => format!("the servers are away for {} s", lasts / 1_000),
            Trouble::Noise { lasts, lost, twice } => {
                format!(
                    "for {} s, {lost} % of what is sent is lost, and {twice} % comes twice",
                    lasts / 1_000
                )
            }
            Trouble::Slow { lasts, most } => {
                format!("for {} s what is sent takes up to {most} ms", lasts / 1_000)
            }
            Trouble::Stop { least } => format!("a person stops the run, at stage {least}"),
        }
    }
}

fn resumed_said(resumed: Option<super::script::Resumption>) -> String {
    resumed.map_or_else(String::new, |resumed| format!("; somebody resumes it on machine {}", resumed.on))
}
