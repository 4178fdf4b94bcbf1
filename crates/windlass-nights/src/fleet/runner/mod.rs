//! A runner: the core, and around it the model of the executor whose lanes are on workers. Who has which lane, which orders wait for
//! facts and when a lease is stale is decided by the program's own code.

mod begin;
mod intake;
mod local;
mod post;
mod publisher;
mod session;
mod watch;

pub(super) use local::task_of;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use windlass_core::fact::Entry;
use windlass_core::fleet::leases::Silence;
use windlass_core::fleet::names::WorkerName;
use windlass_core::fleet::placement::{Loss, Placements};
use windlass_core::fleet::withheld::{Progress, Withheld};
use windlass_core::report::LateResult;
use windlass_core::run::{Order, Orders, Reported, Run};
use windlass_core::values::{CallId, LaneId};

use super::agenda::{Event, Target};
use super::network::Who;
use super::night::Night;
use super::record::{RunnerEnd, What};
use super::servers::{Held, Written};
use begin::Claiming;
use post::Post;

/// After so long without servers a runner leaves its run.
pub(crate) const PATIENCE: u64 = 60_000;

/// Where a runner stands.
#[derive(Debug)]
pub(crate) enum Stage {
    /// It waits for the run's lease.
    Claims(Claiming),
    Runs,
    /// The run has ended, and its last facts are brought.
    Closing,
    /// Nothing more is brought. It tries to give the run's lease back until then.
    Leaving {
        until: u64,
    },
    Gone,
}

/// What a thread has for the loop.
#[derive(Debug)]
pub(super) enum Told {
    Reported(Vec<Reported>),
    Here(Box<Order>),
    Lost(Box<Loss>),
    Unplaced(LaneId, Box<Order>),
    Late(LateResult),
    Left,
}

/// A piece that is to be brought to the servers.
pub(super) type Waiting = Written;

/// A runner, from its start to its end.
#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "independent things that are true or not")]
pub(crate) struct Runner {
    pub machine: usize,
    pub name: WorkerName,
    pub stage: Stage,
    pub frozen: bool,
    pub cut: bool,
    /// Somebody wants it to stop.
    pub stop: Option<u8>,
    /// What happens to it while it stands still.
    deferred: Vec<Event>,
    began: u64,
    // The loop.
    pub run: Run,
    orders: Orders,
    reports: VecDeque<Reported>,
    told: VecDeque<Told>,
    loop_is_due: bool,
    next_tick: u64,
    // The executor.
    withheld: Withheld,
    killed: BTreeSet<CallId>,
    /// How calls of lost lanes have ended.
    late: BTreeMap<CallId, LateResult>,
    placements: Placements,
    posts: BTreeMap<LaneId, Post>,
    // The watch.
    held: Option<Held>,
    silence: Silence,
    renewed: Option<u64>,
    /// Since when a renewal is under way.
    renewing: Option<u64>,
    without_contact: Option<u64>,
    is_cut_off: bool,
    /// When the last renewal of the run's lease began that was answered.
    counts_from: Option<u64>,
    // The publisher.
    waiting: VecDeque<Waiting>,
    progress: Progress,
    at: usize,
    appending: Option<u64>,
    tried: Option<Written>,
    is_closed: bool,
    pub ended_at: Option<u64>,
}

impl Runner {
    pub fn is_gone(&self) -> bool {
        matches!(self.stage, Stage::Gone)
    }

    pub fn epoch(&self) -> u64 {
        self.held.as_ref().map_or(0, |held| held.epoch)
    }

    fn new(machine: usize, name: WorkerName, began: u64) -> Runner {
        Runner {
            machine,
            name,
            stage: Stage::Claims(Claiming::default()),
            frozen: false,
            cut: false,
            stop: None,
            deferred: Vec::new(),
            began,
            run: Run::new(),
            orders: Orders::default(),
            reports: VecDeque::new(),
            told: VecDeque::new(),
            loop_is_due: false,
            next_tick: u64::MAX,
            withheld: Withheld::default(),
            killed: BTreeSet::new(),
            late: BTreeMap::new(),
            placements: Placements::default(),
            posts: BTreeMap::new(),
            held: None,
            silence: begin::silence(),
            renewed: None,
            renewing: None,
            without_contact: None,
            is_cut_off: false,
            counts_from: None,
            waiting: VecDeque::new(),
            progress: Progress::default(),
            at: 0,
            appending: None,
            tried: None,
            is_closed: false,
            ended_at: None,
        }
    }
}

impl Night<'_> {
    /// The branch of the runner's machine.
    fn tip(&self, runner: usize) -> String {
        let branch = &self.machines[self.runners[runner].machine].branch;
        branch.last().cloned().unwrap_or_else(|| "base".to_owned())
    }

    pub fn wake(&mut self, runner: usize) {
        if !std::mem::replace(&mut self.runners[runner].loop_is_due, true) {
            self.agenda.add(self.now + 1, Target::Runner(runner), Event::Loop);
        }
    }

    fn tell(&mut self, runner: usize, told: Told) {
        self.runners[runner].told.push_back(told);
        self.wake(runner);
    }

    fn later(&mut self, runner: usize, after: u64, event: Event) {
        self.agenda.add(self.now + after, Target::Runner(runner), event);
    }

    pub fn reach_runner(&mut self, runner: usize, event: Event) {
        if self.runners[runner].is_gone() {
            return;
        }
        if self.runners[runner].frozen {
            self.runners[runner].deferred.push(event);
            return;
        }
        let from_outside = matches!(
            &event,
            Event::Arrived(_)
                | Event::Answered {
                    answer: super::agenda::Answer::Accepted | super::agenda::Answer::Refused,
                    ..
                }
        );
        if from_outside && !self.reaches(Who::Runner(runner)) {
            return;
        }
        match event {
            Event::Claim => self.claim(runner),
            Event::Open(held) => self.open_run(runner, *held),
            Event::Loop => self.turn(runner),
            Event::Post { lane, token } => self.post_is_due(runner, lane, token),
            Event::Answered { lane, token, answer } => self.answered(runner, lane, token, answer),
            Event::Watch => self.watch(runner),
            Event::Renewed(revision) => self.renewed(runner, revision),
            Event::RenewalFailed { began } => self.renewal_failed(runner, began),
            Event::Appended { token, appended } => self.appended(runner, token, appended),
            Event::Arrived(letter) => self.arrived(runner, &letter),
            Event::BroughtIn(letter) => self.brought_in(runner, &letter),
            Event::LocalDone(order) => self.local_done(runner, &order),
            Event::Stored(reported) => self.stored(runner, *reported),
            Event::Closed => self.closed(runner),
            Event::Leaves => self.give_run_back(runner),
            _ => self.stuck("something happens to a runner that does not"),
        }
    }

    pub fn thaw_runner(&mut self, runner: usize) {
        let deferred = std::mem::take(&mut self.runners[runner].deferred);
        self.runners[runner].frozen = false;
        if self.runners[runner].is_gone() {
            return;
        }
        self.say(format!("runner {runner} goes on"));
        for event in deferred {
            self.agenda.add(self.now, Target::Runner(runner), event);
        }
    }

    pub fn end_runner(&mut self, runner: usize, how: RunnerEnd) {
        self.note(What::RunnerEnded { runner, how });
        let gone = &mut self.runners[runner];
        gone.stage = Stage::Gone;
        gone.ended_at = Some(self.now);
        gone.deferred.clear();
        gone.posts.clear();
    }

    /// The run is left as a killed runner leaves it.
    fn leave(&mut self, runner: usize) {
        self.end_runner(runner, RunnerEnd::Left);
        let after = self.between(3_000, 20_000);
        if self.living_runner().is_none() {
            let on = usize::try_from(self.dice.below(2)).unwrap_or(0);
            self.will_resume(after, on);
        }
    }

    /// What of the journal counts. Whoever stood still for as long as a lease may have lost the run.
    fn progress(&self, runner: usize) -> Progress {
        let known = &self.runners[runner];
        let stands =
            known.counts_from.is_some_and(|began| self.now.saturating_sub(began) < super::night::LEASE);
        if stands || self.is(super::plant::FleetPlant::StoodStill) {
            known.progress
        } else {
            Progress { published: 0, ..known.progress }
        }
    }

    fn machine_journal(&mut self, runner: usize) -> &mut Vec<Arc<Entry>> {
        let machine = self.runners[runner].machine;
        &mut self.machines[machine].journal
    }
}
