//! A small model of the engine's supervisor: the same loop, around the same core, with values for files and processes.
//!
//! Facts are appended before what follows from them is begun; the journal is synced before an effect that needs it and
//! before a wait; a worker does what has to do with the tree, one thing after another; an agent or a check runs in the
//! lane. Every smallest thing is a step, and at each step something may happen from outside.

mod agent;
mod bill;
mod boxes;
mod councils;
mod deliver;
mod hooks;
mod lane;
mod lanes;
mod live;
mod open;
mod people;
mod post;
mod principles;
mod survey;
mod tasks;
mod tell;
mod worker;

pub(crate) use agent::{TOKENS_PER_RESPONSE, model_of};
pub(crate) use boxes::accepted;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::Duration;

use windlass_agents::Digest;
use windlass_core::fact::{Entry, Fact};
use windlass_core::report;
use windlass_core::run::{Effect, Input, Phase, TurnKey};
use windlass_core::spec::RunSpec;
use windlass_core::values::{CallId, HookName, LaneId, Named as _, Purpose, StopReason};

use crate::core::Core;
use crate::plant::Plant;
use crate::record::{Moment, SessionEnd, What};
use crate::script::{Happening, Script};
use crate::world::{Tree, World};

use live::Live;
use post::Post;
use tell::NotificationModel;
use worker::{Job, Memory};

/// More steps than any night takes that comes to an end.
const MOST_STEPS: u32 = 60_000;

/// So many rounds of the loop without a millisecond going by are empty spinning.
const MOST_ROUNDS: u32 = 2_000;

/// How often a request to stop is looked for.
const LOOK_AROUND: Duration = Duration::from_millis(500);

/// Why a session is over before its run is.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Halt {
    Killed { torn: u8, agent_lives_ms: u32 },
    PowerCut { survives: u8, zeros: bool },
    Broken,
}

pub(crate) type Step = Result<(), Halt>;

/// What reaches the loop.
#[derive(Debug)]
pub(crate) enum Arrival {
    Worked(Input),
    WorkFailed(StopReason, String),
    LogFailed,
    Signal(Happening),
    Spawned(LaneId, CallId),
    KeeperDied,
}

pub(crate) struct Runner<'a> {
    pub script: &'a Script,
    plant: Option<Plant>,
    /// The plan of the newest session.
    plan: RunSpec,
    pub world: World,
    /// The lane that is dealt with.
    here: LaneId,
    /// What runs in the others, and what the worker remembers of them.
    elsewhere: BTreeMap<LaneId, (Live, Memory)>,
    pub moments: Vec<Moment>,
    pub steps: u32,
    next_event: usize,
    /// Agents started in the whole night.
    calls: usize,
    checks_run: u64,
    /// Calls of each hook in the whole night.
    hook_calls: BTreeMap<HookName, usize>,
    /// What is on the disk of what agents printed.
    streams: BTreeMap<CallId, Vec<Digest>>,
    /// Calls that were to judge.
    judgements: usize,
    reviews: usize,
    councils: usize,
    /// What stands in the project's log of decisions.
    decision_log: Vec<TurnKey>,
    /// What each check last said in a lane, and of which tree.
    judged: BTreeMap<(LaneId, u16), (bool, Tree)>,
    /// Iterations whose work has landed.
    landed: Vec<u32>,
    /// Calls that were to put work together.
    merges: usize,
    /// The status file's mark before the run.
    first_mark: u32,
    system_prompts: BTreeMap<Purpose, String>,
    // Of the session.
    core: Core,
    begun: BTreeSet<Effect>,
    live: Live,
    jobs: VecDeque<Job>,
    inbox: VecDeque<Arrival>,
    memory: Memory,
    notifications: NotificationModel,
    post: Post,
    /// The last fact that was synced, as the runner believes.
    synced: u64,
    writing: bool,
    disk_is_full: bool,
    terminal: bool,
    look_at: Option<Duration>,
    rounds: u32,
    late_lines: Vec<u8>,
}

impl<'a> Runner<'a> {
    pub fn new(script: &'a Script, plant: Option<Plant>) -> Runner<'a> {
        let mut world = World::new(script);
        let first_mark = world.status.map_or(0, |status| status.mark);
        world.disk.ignores_syncs = plant == Some(Plant::DroppedSync);
        Runner {
            script,
            plant,
            plan: script.plan.clone(),
            world,
            here: LaneId::default(),
            elsewhere: BTreeMap::new(),
            moments: Vec::new(),
            steps: 0,
            next_event: 0,
            calls: 0,
            checks_run: 0,
            hook_calls: BTreeMap::new(),
            streams: BTreeMap::new(),
            judgements: 0,
            reviews: 0,
            councils: 0,
            decision_log: Vec::new(),
            judged: BTreeMap::new(),
            landed: Vec::new(),
            merges: 0,
            first_mark,
            system_prompts: BTreeMap::new(),
            core: Core::new(plant),
            begun: BTreeSet::new(),
            live: Live::Nothing,
            jobs: VecDeque::new(),
            inbox: VecDeque::new(),
            memory: Memory::default(),
            notifications: NotificationModel::default(),
            post: Post::new(script.seed),
            synced: 0,
            writing: false,
            disk_is_full: false,
            terminal: true,
            look_at: None,
            rounds: 0,
            late_lines: Vec::new(),
        }
    }

    /// One session, from its beginning to its end, whatever that is.
    pub fn session(&mut self) -> SessionEnd {
        let end = match self.drive() {
            Ok(()) => SessionEnd::Finished,
            Err(Halt::Killed { torn, agent_lives_ms }) => {
                if self.writing {
                    self.world.disk.tear_last_write(torn);
                }
                self.outlive(Duration::from_millis(agent_lives_ms.into()));
                SessionEnd::Killed
            }
            Err(Halt::PowerCut { survives, zeros }) => {
                self.power_cut(survives, zeros);
                SessionEnd::PowerCut
            }
            Err(Halt::Broken) => SessionEnd::Broken,
        };
        self.note_branch();
        self.note(What::SessionEnded(end));
        end
    }

    fn drive(&mut self) -> Step {
        let first = self.open()?;
        self.take(first)?;
        loop {
            if let Phase::Ended(_) = self.core.phase() {
                return self.close();
            }
            self.begin_outstanding()?;
            if self.look_at_post()? {
                continue;
            }
            if self.core.run.backoff().is_some() {
                self.sync()?;
            }
            self.wait()?;
            self.poll_lanes()?;
            self.look_at_mail()?;
            self.look_around()?;
            self.take(Input::Tick)?;
        }
    }

    fn close(&mut self) -> Step {
        let late = std::mem::take(&mut self.late_lines);
        let _ = self.world.disk.append(&late);
        self.sync()?;
        self.compare_with_journal();
        Ok(())
    }

    /// One smallest thing; whatever is to happen by now happens.
    pub(crate) fn step(&mut self) -> Step {
        self.steps += 1;
        if self.steps > MOST_STEPS {
            return self.stuck("the night does not come to an end");
        }
        while let Some(event) = self.script.events.get(self.next_event)
            && event.step <= self.steps
        {
            self.next_event += 1;
            self.happen(event.what.clone())?;
        }
        Ok(())
    }

    fn happen(&mut self, what: Happening) -> Step {
        match what {
            Happening::Kill { torn, agent_lives_ms } => return Err(Halt::Killed { torn, agent_lives_ms }),
            Happening::PowerCut { survives, zeros } => return Err(Halt::PowerCut { survives, zeros }),
            Happening::CtrlC | Happening::Terminate | Happening::HangUp => {
                self.inbox.push_back(Arrival::Signal(what));
            }
            Happening::StopFile => {
                self.note(What::Happened("somebody says `windlass stop`"));
                self.world.stop_file = true;
                self.look_at.get_or_insert(self.world.clock.monotonic() + LOOK_AROUND);
            }
            Happening::KeeperDies => self.inbox.push_back(Arrival::KeeperDied),
            Happening::DiskFills => {
                self.note(What::Happened("the disk is full"));
                self.world.disk.fill();
                if self.lives().any(|(_, live)| matches!(live, Live::Call(_))) {
                    self.inbox.push_back(Arrival::LogFailed);
                }
            }
            Happening::DiskFrees => {
                if self.world.disk.is_full() {
                    self.note(What::Happened("there is room on the disk again"));
                    self.world.disk.free();
                }
            }
            Happening::TipMoves(file) => self.person_writes(file, true),
            Happening::Dirties(file) => self.person_writes(file, false),
            Happening::LaneGoes(lane) => self.lane_goes(LaneId(lane.into())),
            Happening::Locks(landings) => self.checkout_is_locked(landings),
            Happening::Jump(seconds) => self.move_clock(i64::from(seconds)),
            Happening::Sleep(seconds) => self.move_clock(i64::from(seconds)),
        }
        Ok(())
    }

    pub(crate) fn note(&mut self, what: What) {
        let wall = self.world.clock.now().wall;
        self.moments.push(Moment { wall, what });
    }

    /// Waits for what comes next, and deals with it.
    fn wait(&mut self) -> Step {
        self.rounds += 1;
        if self.rounds > MOST_ROUNDS {
            return self.stuck("the runner spins without time going by");
        }
        if let Some(arrival) = self.inbox.pop_front() {
            return self.arrived(arrival);
        }
        let now = self.world.clock.monotonic();
        let Some(due) = self.next_due(now) else {
            let states: Vec<_> = self.core.run.lanes().map(|(_, state)| state.name()).collect();
            return self.stuck(&format!("the runner waits for nothing: {states:?}"));
        };
        // To a whole millisecond: the clock's resolution.
        let span = due.saturating_sub(now).as_nanos().div_ceil(1_000_000).max(1);
        let span = Duration::from_millis(u64::try_from(span).unwrap_or(u64::MAX));
        let disturbed = self.script.events.get(self.next_event).filter(|event| event.step <= self.steps + 1);
        if let Some(event) = disturbed {
            let part = span * u32::from(event.part) / 256;
            self.pass(Duration::from_millis(u64::try_from(part.as_millis()).unwrap_or(u64::MAX)));
            return self.step();
        }
        self.pass(span);
        self.step()?;
        if self.inbox.is_empty() { self.deliver() } else { Ok(()) }
    }

    fn stuck(&mut self, said: &str) -> Step {
        self.note(What::Stuck(said.to_owned()));
        Err(Halt::Broken)
    }

    fn pass(&mut self, time: Duration) {
        if !time.is_zero() {
            self.rounds = 0;
        }
        self.world.clock.pass(time);
    }

    fn next_due(&self, now: Duration) -> Option<Duration> {
        let by_core = self.core.run.next_due(self.world.clock.now()).map(|due| now + due);
        let job = self.jobs.front().map(|job| job.due);
        let lanes = self.lives().filter_map(|(_, live)| live.next_due()).min();
        let mail = self.notifications.next_due(self.script.receiver);
        [by_core, job, lanes, mail, self.look_at].into_iter().flatten().min()
    }

    /// What is due by now, of the things that run.
    fn deliver(&mut self) -> Step {
        let now = self.world.clock.monotonic();
        if self.jobs.front().is_some_and(|job| job.due <= now)
            && let Some(job) = self.jobs.pop_front()
        {
            return self.carry_out(job);
        }
        let due = self.lives().filter_map(|(lane, live)| Some((live.next_due()?, lane))).min();
        if let Some((_, lane)) = due {
            self.enter(lane);
        }
        self.run_lane(now)
    }

    fn arrived(&mut self, arrival: Arrival) -> Step {
        match arrival {
            Arrival::Worked(input) => self.take(input),
            Arrival::WorkFailed(stop_reason, detail) => {
                if stop_reason == StopReason::DiskFull {
                    self.release_reserve();
                }
                self.take(Input::from(report::Broken { stop_reason, detail }))
            }
            Arrival::LogFailed => {
                self.release_reserve();
                let detail = "the disk is full: what the agent prints cannot be kept".to_owned();
                self.take(Input::from(report::Failed { stop_reason: StopReason::DiskFull, detail }))
            }
            Arrival::Spawned(lane, call) => {
                self.take(Input::from(report::CallSpawned { lane, call, pid: 1 }))
            }
            Arrival::KeeperDied => self.keeper_died(),
            Arrival::Signal(signal) => self.signal(&signal),
        }
    }

    /// Asks the core what an input means, and writes that down, until nothing more follows.
    pub(crate) fn take(&mut self, input: Input) -> Step {
        let mut facts = self.core.decide(self.world.clock.now(), input);
        let mut batches = 0;
        while !facts.is_empty() {
            batches += 1;
            if batches > MOST_ROUNDS {
                return self.stuck("facts follow from facts without end");
            }
            self.write(facts)?;
            facts = self.core.decide(self.world.clock.now(), Input::Tick);
        }
        Ok(())
    }

    /// Writes facts into the journal, then folds them into the state.
    fn write(&mut self, facts: Vec<Fact>) -> Step {
        let at = self.world.clock.now();
        let numbered = (self.core.run.next_seq()..).zip(facts);
        let mut entries: Vec<Entry> = numbered.map(|(seq, fact)| Entry { seq, at, fact }).collect();
        let lines = open::lines_of(&entries);
        if entries.iter().any(|entry| matches!(entry.fact, Fact::IterationFinished { .. })) {
            let epoch = self.world.epoch;
            let file_claims = self.world.file_claims(&self.plan.job, self.first_mark);
            let (strayed, boxes) = (self.world.strayed(), self.world.boxes());
            let marks = self.world.box_marks();
            self.note(What::JudgedTree { epoch, file_claims, strayed, boxes, marks });
        }
        self.step()?;
        self.append(lines)?;
        self.writing = true;
        self.step()?;
        self.writing = false;
        for entry in &mut entries {
            self.note(What::Fact(Box::new(entry.clone())));
            self.core.drifts(entry);
            if let Err(illegal) = self.core.apply(entry) {
                self.note(What::Illegal(illegal.to_string()));
                return Err(Halt::Broken);
            }
        }
        self.tell(&entries)
    }

    fn append(&mut self, lines: Vec<u8>) -> Step {
        let lines = if self.plant == Some(Plant::EffectBeforeFact) {
            std::mem::replace(&mut self.late_lines, lines)
        } else {
            lines
        };
        if self.world.disk.append(&lines).is_err() {
            self.release_reserve();
            self.world.disk.append(&lines).map_err(|_| Halt::Broken)?;
        }
        Ok(())
    }

    pub(crate) fn release_reserve(&mut self) {
        if !self.disk_is_full {
            self.disk_is_full = true;
            self.world.disk.release_reserve();
            self.inbox.push_back(Arrival::WorkFailed(StopReason::DiskFull, "the disk is full".to_owned()));
        }
    }

    pub(crate) fn sync(&mut self) -> Step {
        let last = self.core.run.next_seq() - 1;
        if self.synced < last {
            self.step()?;
            self.world.disk.sync();
            self.synced = last;
            self.step()?;
        }
        Ok(())
    }

    /// Facts first, then their effects: what leaves a trace waits until the journal is on the disk.
    fn begin_outstanding(&mut self) -> Step {
        let outstanding = self.core.outstanding();
        self.give_orders();
        self.begun.retain(|effect| outstanding.contains(effect));
        for lane in self.busy() {
            self.enter(lane);
            self.end_hook_unless(&outstanding);
        }
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

    fn begin(&mut self, effect: Effect) -> Step {
        if let Some(lane) = effect.lane() {
            self.enter(lane);
        }
        match effect {
            Effect::Call { call, turn, purpose, budget, .. } => self.begin_call(call, turn, purpose, budget),
            Effect::RunCheck { lane, stage, check, .. } => self.begin_check(lane, stage, check),
            Effect::RunHook { lane, hook, .. } => self.begin_hook(lane, hook, effect),
            Effect::EndCall { how, .. } => {
                self.end_call(how);
                Ok(())
            }
            Effect::Announce if self.script.receiver.is_some() => {
                self.announce();
                Ok(())
            }
            effect => {
                self.add_job(effect);
                Ok(())
            }
        }
    }

    pub(crate) fn plan_mut(&mut self) -> &mut RunSpec {
        &mut self.plan
    }
}
