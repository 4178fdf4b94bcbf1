//! A runner's beginning: the run's lease, the journal of its machine, and who has which lane.

use std::time::Duration;

use windlass_core::fact::Fact;
use windlass_core::fleet::leases::{Silence, Tenure};
use windlass_core::fleet::placement::Placements;
use windlass_core::fleet::withheld::Progress;
use windlass_core::run::{Input, Orders, Phase, Run};

use super::{Runner, Stage, Waiting};
use crate::fleet::agenda::Event;
use crate::fleet::network::{Fate, Who};
use crate::fleet::night::{LEASE, Night, named};
use crate::fleet::plant::FleetPlant;
use crate::fleet::record::{RunnerEnd, What};
use crate::fleet::servers::{Appended, Held, Piece, Place, Written};

/// Between two looks at the run's lease.
const LOOK: u64 = 1_000;

/// Somebody waits for the run's lease.
#[derive(Debug)]
pub(crate) struct Claiming {
    silence: Silence,
    first: Option<u64>,
    /// Nobody had it.
    was_free: bool,
}

impl Default for Claiming {
    fn default() -> Claiming {
        Claiming { silence: silence(), first: None, was_free: true }
    }
}

pub(super) fn silence() -> Silence {
    Silence::longer_than(Duration::from_millis(LEASE))
}

impl Night<'_> {
    /// A person runs the run on a machine, for the first time or again.
    pub fn resume(&mut self, on: usize) {
        if self.runners.iter().any(|runner| runner.machine == on && !runner.is_gone()) {
            // It is locked there: the one that is there is still there.
            return;
        }
        if !self.bring_journal(on) {
            return;
        }
        let number = self.runners.len();
        self.runners.push(Runner::new(on, named(&format!("runner-{number}")), self.now));
        self.later(number, 10, Event::Claim);
    }

    /// What the servers have counts; what a machine says otherwise is put aside.
    fn bring_journal(&mut self, on: usize) -> bool {
        if self.weather.away_until > self.now {
            return false;
        }
        let there = self.servers.entries();
        let code = self.servers.code.clone();
        let (keeps, uncounted) = (self.is(FleetPlant::KeptTail), self.is(FleetPlant::UncountedLanding));
        let machine = &mut self.machines[on];
        let went_on_elsewhere = !machine.journal.starts_with(&there);
        if went_on_elsewhere && !keeps {
            machine.journal = there;
        }
        if !machine.branch.starts_with(&code) {
            machine.commits.extend(code.iter().cloned());
            machine.branch = code;
        } else if went_on_elsewhere && !uncounted {
            // What a runner landed here that was cut off in that moment, a person takes off: the run went on without.
            machine.branch.truncate(code.len());
        }
        true
    }

    pub(super) fn claim(&mut self, runner: usize) {
        let began = self.runners[runner].began;
        let now = Duration::from_millis(self.now - began);
        if self.asks(Who::Runner(runner)) != Fate::Answered {
            return self.end_runner(runner, RunnerEnd::Refused);
        }
        let key = Place::Run.key(&self.script.plan.run);
        let seen = self.servers.look(Place::Run);
        let Stage::Claims(claiming) = &mut self.runners[runner].stage else { return };
        if let Some(lease) = seen.as_ref().filter(|lease| lease.tenure != Tenure::Free) {
            claiming.silence.wrote(now);
            claiming.silence.saw(&key, lease.revision, now);
            if *claiming.first.get_or_insert(lease.revision.0) != lease.revision.0 {
                return self.end_runner(runner, RunnerEnd::Refused);
            }
            if !claiming.silence.is_stale(&key) {
                return self.later(runner, LOOK, Event::Claim);
            }
            claiming.was_free = false;
        }
        let (nonce, name) = (self.number(), self.runners[runner].name.clone());
        let seen = seen.map(|lease| lease.revision.0);
        match self.servers.take(self.now, Place::Run, seen, &name, nonce) {
            Some(held) => {
                self.say(format!("runner {runner} takes the run's lease"));
                let pause = self.between(20, 400);
                self.later(runner, pause, Event::Open(Box::new(held)));
            }
            None => self.later(runner, LOOK, Event::Claim),
        }
    }

    /// The run's lease is won: the journal of this machine goes on where the servers' ends.
    pub(super) fn open_run(&mut self, runner: usize, held: Held) {
        let (epoch, machine) = (held.epoch, self.runners[runner].machine);
        if self.asks(Who::Runner(runner)) != Fate::Answered {
            return self.refuse(runner, &held);
        }
        let there = self.servers.entries();
        let here = &self.machines[machine].journal;
        if !here.starts_with(&there) && !self.is(FleetPlant::KeptTail) {
            return self.refuse(runner, &held);
        }
        let common = there.len().min(here.len());
        let lacking = here[common..].to_vec();
        let at = self.servers.journal.len();
        let first = Piece { writer: epoch, what: Written::Brief };
        let Appended::Written(at) = self.servers.append(first, at) else {
            return self.refuse(runner, &held);
        };
        let placements = self.placed(runner);
        let begun = &mut self.runners[runner];
        begun.placements = placements;
        (begun.held, begun.at, begun.stage) = (Some(held), at, Stage::Runs);
        let published = common as u64;
        begun.progress = Progress { recorded: published, published };
        self.note(What::Runs { runner, epoch, machine });
        // What has landed is with the servers before its fact.
        if lacking.iter().any(|entry| matches!(entry.fact, Fact::Landed(_))) {
            let branch = self.machines[machine].branch.clone();
            self.runners[runner].waiting.push_back(Waiting::Code(branch));
        }
        self.publish(runner, &lacking);
        self.later(runner, 1, Event::Watch);
        self.begin_session(runner);
    }

    /// Its beginning fails. To workers a lease that is free says that the run is over: only one that was free is made so again.
    fn refuse(&mut self, runner: usize, held: &Held) {
        let was_free = matches!(&self.runners[runner].stage, Stage::Claims(claiming) if claiming.was_free);
        if was_free && self.asks(Who::Runner(runner)) != Fate::Lost {
            self.servers.release(self.now, Place::Run, held);
        }
        self.end_runner(runner, RunnerEnd::Refused);
    }

    /// Who has the run's lanes: workers go on without a runner.
    fn placed(&self, runner: usize) -> Placements {
        let mut placements = Placements::default();
        for lane in self.script.plan.lane_ids() {
            let lease = self.servers.look(Place::Lane(lane));
            placements.found(lane, lease.as_ref(), &self.runners[runner].name);
        }
        placements
    }

    fn begin_session(&mut self, runner: usize) {
        let journal = self.machine_journal(runner).clone();
        let mut run = Run::new();
        for entry in &journal {
            if let Err(illegal) = run.apply(entry) {
                self.note(What::Illegal(format!("at recovery: {illegal}")));
                return;
            }
        }
        let plan = Box::new(self.script.plan.clone());
        let is_over = matches!(run.phase(), Phase::Ended(_));
        let first = if journal.is_empty() { Input::Start(plan) } else { Input::Resume(plan) };
        let orders = Orders::of_session(&run);
        let begun = &mut self.runners[runner];
        (begun.run, begun.orders) = (run, orders);
        if let (true, Phase::Ended(reason)) = (is_over, self.runners[runner].run.phase())
            && reason.kind_is_final()
        {
            return self.finish(runner);
        }
        self.take(runner, first);
        self.wake(runner);
    }
}

/// Whether an ended run is gone on with.
trait Finality {
    fn kind_is_final(&self) -> bool;
}

impl Finality for windlass_core::values::StopReason {
    fn kind_is_final(&self) -> bool {
        use windlass_core::values::StopReason::{Interrupted, StopRequested, Terminated};
        !matches!(self, Interrupted | StopRequested | Terminated)
    }
}
