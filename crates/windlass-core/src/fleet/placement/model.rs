//! A lane of a fleet as a model: workers that die, stand still and come back, messages that are lost, come twice and out of order,
//! leases that run out. Whatever happens, an order is answered once, and once the world has healed the lane's task is done.

use std::collections::BTreeSet;

use crate::fleet::leases::{Holder, Revision, Tenure};
use crate::report::{LaneLost, Prepared, Report};
use crate::run::{OrderContext, TurnKey, WireVersion};
use crate::values::{RunId, TaskId};
use proptest::prelude::*;

use super::*;

const LANE: LaneId = LaneId(1);

/// A task is begun, worked on so often, and closed.
const WORK: usize = 3;

/// What may happen next; a number chooses among those that are there.
#[derive(Clone, Copy, Debug)]
enum Step {
    /// The post tries to bring the newest order.
    Post,
    /// The watch looks at the lane's lease.
    Look,
    /// The lease has been silent for too long, if nobody renews it.
    Stale,
    /// A worker takes an order of the queue; the message may stay there, as one that was not acknowledged does.
    Take { worker: usize, again: bool },
    /// An order of the queue goes with whoever was given it.
    Vanish,
    /// A letter arrives, is lost, or arrives and stays to come again.
    Letter { which: usize, fate: Fate },
    /// The same with an outcome.
    Outcome { which: usize, fate: Fate },
    /// A worker dies, and is started again without what it knew.
    Kill(usize),
    /// A worker finds out that its lease is somebody else's.
    Renew(usize),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    Arrives,
    IsLost,
    ComesTwice,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let fate = || prop_oneof![4 => Just(Fate::Arrives), 1 => Just(Fate::IsLost), 1 => Just(Fate::ComesTwice)];
    let step = prop_oneof![
        6 => Just(Step::Post),
        4 => Just(Step::Look),
        1 => Just(Step::Stale),
        4 => (0..2_usize, any::<bool>()).prop_map(|(worker, again)| Step::Take { worker, again }),
        1 => Just(Step::Vanish),
        6 => (0..8_usize, fate()).prop_map(|(which, fate)| Step::Letter { which, fate }),
        6 => (0..8_usize, fate()).prop_map(|(which, fate)| Step::Outcome { which, fate }),
        1 => (0..2_usize).prop_map(Step::Kill),
        2 => (0..2_usize).prop_map(Step::Renew),
    ];
    proptest::collection::vec(step, 0..200)
}

#[derive(Clone, Debug)]
struct Message {
    worker: usize,
    lease: u64,
    order: Order,
}

#[derive(Clone, Debug)]
struct Sent {
    worker: usize,
    lease: u64,
    number: u64,
    reported: Reported,
}

/// What a worker knows.
#[derive(Clone, Debug, Default)]
struct Worker {
    /// The epoch of the lane's lease that it believes to hold.
    lease: Option<u64>,
    newest: Epoch,
    number: u64,
}

#[derive(Default)]
struct World {
    placements: Placements,
    revision: u64,
    /// Who has the lane's lease, and since when.
    lease: Option<(usize, u64)>,
    queue: Vec<Order>,
    letters: Vec<Message>,
    outcomes: Vec<Sent>,
    workers: [Worker; 2],
    /// How far the task is; [`WORK`] + 2 when it is closed.
    stage: usize,
    newest: u64,
    answered: BTreeSet<Epoch>,
}

fn name(worker: usize) -> WorkerName {
    format!("w{worker}").parse().unwrap()
}

impl World {
    fn new() -> World {
        let mut world = World::default();
        world.order();
        world
    }

    /// The run gives its next order.
    fn order(&mut self) {
        self.newest += 1;
        let turn = TurnKey { iteration: 1, attempt: 1 };
        let effect = match self.stage {
            0 => Effect::Open { lane: LANE, turn },
            stage if stage <= WORK => Effect::Keep { lane: LANE, turn },
            _ => {
                let (task, end) = (TaskId("T".to_owned()), TaskEnd::Done);
                Effect::CloseTask { lane: LANE, turn, task, end, since: None, attempts: Vec::new() }
            }
        };
        let run = RunId("r-00000001".to_owned());
        let context = OrderContext::default();
        let order = Order { version: WireVersion, run, epoch: Epoch(self.newest), effect, context };
        self.placements.ordered(LANE, &order);
        if gives_back(&order.effect) {
            self.placements.leaves(LANE);
        }
    }

    fn newest(&self) -> Option<Order> {
        self.placements.outstanding(LANE).cloned()
    }

    /// What an order came to.
    fn answer(&mut self, order: Epoch, lost: bool) {
        assert!(self.answered.insert(order), "{order:?} was answered twice");
        self.stage = if lost { 0 } else { self.stage + 1 };
        if self.stage <= WORK + 1 {
            self.order();
        }
    }

    fn is_done(&self) -> bool {
        self.stage > WORK + 1
    }

    fn post(&mut self) {
        let Some(order) = self.newest() else { return };
        match self.placements.route(LANE, &order) {
            Route::Offer => {
                self.placements.offered(LANE, order.epoch);
                self.queue.push(order);
            }
            Route::Send(tenant) => {
                let worker = usize::from(tenant.worker == name(1));
                self.letters.push(Message { worker, lease: tenant.epoch.0, order });
            }
            Route::Lost => {
                let given_up = self.placements.give_up(LANE, order.epoch).unwrap();
                self.answer(given_up.epoch, true);
            }
            // What is in no queue is offered anew, unless somebody has the lane.
            Route::Wait if self.queue.is_empty() => {
                self.look();
                self.placements.not_offered(LANE, order.epoch);
            }
            Route::Wait | Route::Nowhere => {}
        }
    }

    fn seen(&self) -> Lease {
        let tenure = match self.lease {
            Some((worker, _)) => Tenure::Held(Holder::of(name(worker))),
            None => Tenure::Free,
        };
        let epoch = LeaseEpoch(self.lease.map_or(self.revision, |(_, epoch)| epoch));
        Lease { revision: Revision(self.revision), epoch, tenure }
    }

    fn look(&mut self) {
        let (lease, own) = (self.seen(), "runner".parse().unwrap());
        if let Seen::Lost(loss) = self.placements.saw(LANE, Some(&lease), &own) {
            self.lost(*loss);
        }
    }

    fn lost(&mut self, loss: Loss) {
        match loss.outstanding {
            // It is closed here, whatever became of its worker.
            Some(order) if gives_back(&order.effect) => self.answer(order.epoch, false),
            Some(order) => self.answer(order.epoch, true),
            None => {}
        }
    }

    fn stale(&mut self) {
        self.look();
        let is_known = self
            .placements
            .tenant(LANE)
            .is_some_and(|tenant| Some(tenant.epoch.0) == self.lease.map(|lease| lease.1));
        // Nobody loses a lease who renews it.
        let renews = self.lease.is_some_and(|(worker, epoch)| self.workers[worker].lease == Some(epoch));
        if is_known && !renews {
            self.revision += 1;
            self.lease = None;
            if let Some(loss) = self.placements.lose(LANE, "is gone") {
                self.lost(loss);
            }
        }
    }

    fn take(&mut self, worker: usize, again: bool) {
        let Some(order) = self.queue.first().cloned() else { return };
        if !again {
            self.queue.remove(0);
        }
        if self.lease.is_some() {
            return;
        }
        self.revision += 1;
        self.lease = Some((worker, self.revision));
        self.workers[worker] = Worker { lease: Some(self.revision), ..Worker::default() };
        self.carry_out(worker, &order);
    }

    fn letter(&mut self, message: &Message) {
        let Message { worker, lease, order } = message;
        if self.workers[*worker].lease != Some(*lease) {
            // Refused: the one who holds it is somebody else.
            if gives_back(&order.effect) {
                self.placements.left(LANE, LeaseEpoch(*lease));
            } else {
                self.placements.refused(LANE, LeaseEpoch(*lease));
            }
            return;
        }
        if gives_back(&order.effect) {
            self.workers[*worker].lease = None;
            if self.lease == Some((*worker, *lease)) {
                self.revision += 1;
                self.lease = None;
            }
            self.placements.left(LANE, LeaseEpoch(*lease));
            if self.placements.give_up(LANE, order.epoch).is_some() {
                self.answer(order.epoch, false);
            }
            return;
        }
        self.carry_out(*worker, order);
    }

    fn carry_out(&mut self, worker: usize, order: &Order) {
        let known = &mut self.workers[worker];
        let Some(lease) = known.lease.filter(|_| order.epoch > known.newest) else { return };
        known.newest = order.epoch;
        known.number += 1;
        let reported = Reported::of(order.epoch, Report::from(Prepared { lane: LANE }));
        self.outcomes.push(Sent { worker, lease, number: known.number, reported });
    }

    fn outcome(&mut self, sent: &Sent) {
        let mut hearing = self.placements.hearing(LANE, LeaseEpoch(sent.lease), sent.number);
        if hearing == Hearing::Late {
            self.look();
            hearing = self.placements.hearing(LANE, LeaseEpoch(sent.lease), sent.number);
        }
        if hearing != Hearing::New {
            return;
        }
        assert_eq!(self.placements.tenant(LANE).unwrap().worker, name(sent.worker));
        let awaited = self.newest().map(|order| order.epoch);
        self.placements.heard(
            LANE,
            LeaseEpoch(sent.lease),
            sent.number,
            std::slice::from_ref(&sent.reported),
        );
        let order = sent.reported.order.unwrap();
        // What the run does not wait for any more is late for it as well.
        if awaited == Some(order) {
            self.answer(order, false);
        }
    }

    fn step(&mut self, step: Step) {
        match step {
            Step::Post => self.post(),
            Step::Look => self.look(),
            Step::Stale => self.stale(),
            Step::Vanish => drop(self.queue.pop()),
            Step::Take { worker, again } => self.take(worker, again),
            Step::Letter { which, fate } => {
                if let Some(message) = taken(&mut self.letters, which, fate) {
                    self.letter(&message);
                }
            }
            // It is sent until it is answered: lost, it comes again.
            Step::Outcome { fate: Fate::IsLost, .. } => {}
            Step::Outcome { which, fate } => {
                if let Some(sent) = taken(&mut self.outcomes, which, fate) {
                    self.outcome(&sent);
                }
            }
            Step::Kill(worker) => {
                self.workers[worker] = Worker::default();
                // What it had not brought goes with it.
                self.outcomes.retain(|sent| sent.worker != worker);
            }
            Step::Renew(worker) => {
                let lease = self.workers[worker].lease;
                if lease.is_some() && self.lease != lease.map(|epoch| (worker, epoch)) {
                    self.workers[worker] = Worker::default();
                }
            }
        }
    }
}

/// One of what is on its way, as its fate has it.
fn taken<T: Clone>(messages: &mut Vec<T>, which: usize, fate: Fate) -> Option<T> {
    let index = which.checked_rem(messages.len())?;
    match fate {
        Fate::Arrives => Some(messages.remove(index)),
        Fate::IsLost => {
            messages.remove(index);
            None
        }
        Fate::ComesTwice => messages.get(index).cloned(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    #[test]
    fn an_order_is_answered_once_and_a_healed_world_does_the_task(steps in steps()) {
        let mut world = World::new();
        for step in steps {
            if world.is_done() {
                break;
            }
            world.step(step);
        }
        // From now on nothing is lost, and everybody is there.
        for round in 0..200 {
            if world.is_done() {
                break;
            }
            for step in [
                Step::Post,
                Step::Take { worker: round % 2, again: false },
                Step::Letter { which: 0, fate: Fate::Arrives },
                Step::Outcome { which: 0, fate: Fate::Arrives },
                Step::Renew(0),
                Step::Renew(1),
                Step::Stale,
                Step::Look,
            ] {
                if !world.is_done() {
                    world.step(step);
                }
            }
        }
        prop_assert!(world.is_done(), "stage {} of {}", world.stage, WORK + 2);
        let lost = Report::from(LaneLost::removed(LANE));
        prop_assert!(is_answer(&lost));
    }
}
