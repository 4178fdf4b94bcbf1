//! The lanes of a worker: what is done there, and what comes of it.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use windlass_core::fleet::held_lanes::{HeldLanes, Todo};
use windlass_core::report::{
    CallEnded, CallSpawned, CheckFinished, Committed, LaneOpened, Merged, Prepared, Report, SnapshotTaken,
    TreeRechecked,
};
use windlass_core::run::{Effect, EndCall, Order, Reported, TurnKey};
use windlass_core::values::{
    CallId, CallReport, CheckOutcome, CheckResult, Class, CommitNotes, Cost, Cut, Ended, Evidence, JobStatus,
    LaneId, MergeOutcome, SnapshotId, StatusSource, Tokens,
};

use super::Work;
use super::outbox::{Outbox, Parcel};
use crate::fleet::agenda::Event;
use crate::fleet::night::Night;
use crate::fleet::plant::FleetPlant;
use crate::fleet::record::{Agent, AgentEnd, What};
use crate::fleet::script::Nature;
use crate::fleet::servers::Errand;

/// What a worker has of the run.
#[derive(Debug)]
pub(super) struct RunRoom {
    /// The epoch of the newest runner that it knows.
    pub runner: u64,
    pub held: HeldLanes,
    pub outbox: Outbox,
    checkouts: BTreeMap<LaneId, Checkout>,
}

/// A lane's checkout.
#[derive(Clone, Debug, Default)]
struct Checkout {
    /// The task that is worked on there, and how often it has failed.
    task: usize,
    failed: u32,
    base: String,
    /// So often something in it has changed.
    changes: u32,
    /// Its agent says that the task is done.
    claims: bool,
    commit: Option<String>,
}

impl RunRoom {
    pub fn new(runner: u64) -> RunRoom {
        RunRoom { runner, held: HeldLanes::default(), outbox: Outbox::default(), checkouts: BTreeMap::new() }
    }
}

impl Night<'_> {
    pub(super) fn order(&mut self, worker: usize, lane: LaneId, errand: &Arc<Errand>) {
        let repeats = self.is(FleetPlant::RepeatedOrder);
        let forgets = self.is(FleetPlant::ForgottenEnd);
        let known = &mut self.workers[worker];
        let Some(room) = &mut known.room else { return };
        let order = &errand.order;
        if !room.held.is_new(lane, order) && !repeats {
            return;
        }
        if std::mem::take(&mut known.fails_next) {
            return self.give_up(worker, lane);
        }
        let Some(lease) = room.held.lease(lane).map(|lease| lease.0) else { return };
        let parcel = |reported, made, leaves| Parcel { lane, lease, reported, made, leaves, given_up: false };
        match room.held.take(lane, order) {
            Todo::Nothing | Todo::Await => {}
            Todo::Answer(_) if forgets => {
                let lost = CallEnded { lane, call: call_of(&order.effect), report: Box::new(lost_call()) };
                let reported = vec![Reported::of(order.epoch, lost)];
                room.outbox.queue.push_back(parcel(reported, None, false));
                self.send_next(worker);
            }
            Todo::Answer(reported) => {
                room.outbox.queue.push_back(parcel(vec![reported], None, false));
                self.send_next(worker);
            }
            Todo::Leave => {
                let made = room.checkouts.get(&lane).map(|checkout| checkout.base.clone());
                room.outbox.queue.push_back(parcel(Vec::new(), Some(made.unwrap_or_default()), true));
                self.send_next(worker);
            }
            Todo::CarryOut { withdrawn } => {
                if let Some(effect) = withdrawn {
                    known.works.retain(|_, work| work.lane != lane || work.order.effect != effect);
                }
                self.carry_out(worker, lane, lease, order.clone(), errand.tip.clone());
            }
        }
    }

    fn carry_out(&mut self, worker: usize, lane: LaneId, lease: u64, order: Order, tip: String) {
        self.note_task(worker, lane, &order);
        let mut agent = None;
        let takes = match &order.effect {
            Effect::EndCall { call, how, .. } => return self.end_call(worker, lane, *call, *how),
            Effect::Call { call, .. } => {
                agent = Some(self.start_agent(worker, lane, lease, *call));
                let length = self.script.tasks[self.task_in(worker, lane)].length;
                length * self.between(80, 120) / 100
            }
            Effect::Open { .. } => self.between(100, 1_500),
            Effect::Merge { .. } => self.between(100, 900),
            _ => self.between(10, 250),
        };
        let number = self.number();
        self.workers[worker].works.insert(number, Work { lane, order, tip, agent });
        self.soon(worker, takes, Event::WorkDone(number));
    }

    fn start_agent(&mut self, worker: usize, lane: LaneId, lease: u64, call: CallId) -> usize {
        let cost = Cost::from_micros(self.between(10_000, 900_000));
        let agent = self.agents.len();
        self.agents.push(Agent { call, worker, lane, lease, cost, end: AgentEnd::Alive });
        self.note(What::Started(agent));
        let after = self.between(50, 300);
        self.soon(worker, after, Event::Spawned(agent));
        agent
    }

    pub(super) fn spawned(&mut self, worker: usize, agent: usize) {
        let Agent { call, lane, lease, end, .. } = self.agents[agent];
        let work = self.workers[worker].works.values().find(|work| work.agent == Some(agent));
        let Some(order) = work.map(|work| work.order.epoch).filter(|_| end == AgentEnd::Alive) else {
            return;
        };
        let _ = lease;
        self.report(worker, lane, Reported::of(order, CallSpawned { lane, call, pid: 1 }), None);
    }

    /// Ends the agents of a lane, or all of a worker.
    pub(super) fn end_agents(&mut self, worker: usize, lane: Option<LaneId>) {
        for agent in 0..self.agents.len() {
            let known = &self.agents[agent];
            let is_meant = known.worker == worker && lane.is_none_or(|lane| known.lane == lane);
            if is_meant && known.end == AgentEnd::Alive {
                self.agents[agent].end = AgentEnd::Killed;
                self.note(What::Ended(agent));
            }
        }
    }

    fn end_call(&mut self, worker: usize, lane: LaneId, call: CallId, how: EndCall) {
        let works = &self.workers[worker].works;
        let work = works.iter().find(|(_, work)| work.lane == lane && call_of(&work.order.effect) == call);
        let Some((number, agent)) = work.map(|(number, work)| (*number, work.agent)) else { return };
        let Some(agent) = agent.filter(|agent| self.agents[*agent].end == AgentEnd::Alive) else { return };
        self.agents[agent].end = AgentEnd::Killed;
        self.note(What::Ended(agent));
        let takes = if how == EndCall::Kill { 50 } else { self.between(100, 2_000) };
        self.soon(worker, takes, Event::WorkDone(number));
    }

    /// This worker cannot do what it was asked: somebody else may.
    fn give_up(&mut self, worker: usize, lane: LaneId) {
        self.end_agents(worker, Some(lane));
        let known = &mut self.workers[worker];
        known.works.retain(|_, work| work.lane != lane);
        let Some(room) = &mut known.room else { return };
        let Some(lease) = room.held.lease(lane).map(|lease| lease.0) else { return };
        room.held.leave(lane);
        let parcel = Parcel { lane, lease, reported: Vec::new(), made: None, leaves: true, given_up: true };
        room.outbox.queue.push_back(parcel);
        self.send_next(worker);
    }

    /// Whoever has the lane now begins its task anew. What its call has cost that was ended here is said.
    pub(super) fn abandon(&mut self, worker: usize, lane: LaneId) {
        self.end_agents(worker, Some(lane));
        let known = &mut self.workers[worker];
        known.works.retain(|_, work| work.lane != lane);
        let Some(room) = &mut known.room else { return };
        room.outbox.forget(lane);
        let billed = room.held.lease(lane).zip(room.held.call(lane).cloned());
        room.held.leave(lane);
        let Some((lease, order)) = billed else { return };
        let call = call_of(&order.effect);
        let agent = self.agents.iter().find(|agent| agent.call == call && agent.worker == worker);
        // Its stream says what it had cost until it was ended.
        let cost = agent.map(|agent| agent.cost);
        let report = Box::new(CallReport { cost, ..lost_call() });
        let reported = vec![Reported::of(order.epoch, CallEnded { lane, call, report })];
        let (lease, made) = (lease.0, None);
        if let Some(room) = &mut self.workers[worker].room {
            room.outbox.queue.push_back(Parcel {
                lane,
                lease,
                reported,
                made,
                leaves: false,
                given_up: false,
            });
        }
        self.send_next(worker);
    }

    /// Some orders say which task they are about; those after them are about the same.
    fn note_task(&mut self, worker: usize, lane: LaneId, order: &Order) {
        let Some(at) = order.context.task() else { return };
        let Some(task) = self.script.tasks.iter().position(|task| task.row.id == at.row.id) else { return };
        if let Some(room) = &mut self.workers[worker].room {
            let checkout = room.checkouts.entry(lane).or_default();
            (checkout.task, checkout.failed) = (task, at.failed);
        }
    }

    fn task_in(&self, worker: usize, lane: LaneId) -> usize {
        let room = self.workers[worker].room.as_ref();
        room.and_then(|room| room.checkouts.get(&lane)).map_or(0, |checkout| checkout.task)
    }

    pub(super) fn work_done(&mut self, worker: usize, number: u64) {
        let Some(work) = self.workers[worker].works.remove(&number) else { return };
        let Some(turn) = work.order.effect.turn() else { return };
        let (report, made) = self.outcome_of(worker, &work, turn);
        self.report(worker, work.lane, Reported::of(work.order.epoch, report), made);
    }

    fn outcome_of(&mut self, worker: usize, work: &Work, turn: TurnKey) -> (Report, Option<String>) {
        let lane = work.lane;
        let report = match &work.order.effect {
            Effect::Call { call, .. } | Effect::Recover { call, .. } => {
                let report = Box::new(self.end_of(worker, work));
                CallEnded { lane, call: *call, report }.into()
            }
            _ => {
                let task = self.script.tasks[self.task_in(worker, lane)].row.id.0.clone();
                let Some(room) = &mut self.workers[worker].room else {
                    return (Prepared { lane }.into(), None);
                };
                let checkout = room.checkouts.entry(lane).or_default();
                return worked(checkout, work, turn, &task);
            }
        };
        (report, None)
    }

    /// How a call ended.
    fn end_of(&mut self, worker: usize, work: &Work) -> CallReport {
        let Some(agent) = work.agent else { return lost_call() };
        let nature = self.script.tasks[self.task_in(worker, work.lane)].nature;
        let known = &mut self.agents[agent];
        if known.end == AgentEnd::Killed {
            let ended = Ended::Exited(143);
            return CallReport { cut: Some(Cut::Stop), ended, ..lost_call() };
        }
        known.end = AgentEnd::Finished;
        let cost = known.cost;
        self.note(What::Ended(agent));
        let mut fails = nature == Nature::Hopeless;
        if let Some(room) = &mut self.workers[worker].room {
            let checkout = room.checkouts.entry(work.lane).or_default();
            fails |= nature == Nature::FailsOnce && checkout.failed == 0;
            checkout.changes += 1;
            checkout.claims = !fails;
        }
        CallReport {
            class: if fails { Class::TaskFailure } else { Class::Success },
            ended: Ended::Exited(0),
            cost: Some(cost),
            tokens: Tokens { input: 100, output: 20, ..Tokens::default() },
            tool_uses: 1,
            duration: Duration::from_secs(10),
            ..CallReport::default()
        }
    }

    /// What came of an order goes to the runner, where the lane is still held.
    fn report(&mut self, worker: usize, lane: LaneId, reported: Reported, made: Option<String>) {
        let Some(room) = &mut self.workers[worker].room else { return };
        let Some(lease) = room.held.lease(lane).map(|lease| lease.0) else { return };
        let Some(heard) = room.held.hear(lane, reported) else { return };
        let parcel = Parcel { lane, lease, reported: vec![heard], made, leaves: false, given_up: false };
        room.outbox.queue.push_back(parcel);
        self.send_next(worker);
    }
}

/// What comes of an order that is about a checkout.
fn worked(checkout: &mut Checkout, work: &Work, turn: TurnKey, task: &str) -> (Report, Option<String>) {
    let lane = work.lane;
    let snapshot = Some(SnapshotId(format!("s{}", work.order.epoch.0)));
    let report = match &work.order.effect {
        Effect::Open { .. } => {
            if work.order.context.task().is_none_or(|at| at.fresh) {
                let (task, failed, base) = (checkout.task, checkout.failed, work.tip.clone());
                *checkout = Checkout { task, failed, base, ..Checkout::default() };
            }
            let base = checkout.base.clone();
            let opened =
                LaneOpened { lane, base: base.clone(), evidence: evidence(checkout, task), snapshot };
            return (opened.into(), Some(base));
        }
        Effect::Prepare { .. } => Prepared { lane }.into(),
        Effect::Keep { .. } => {
            let source = StatusSource::TaskFile;
            let standing =
                JobStatus { source, mark: "m".to_owned(), complete: checkout.claims, ..JobStatus::default() };
            SnapshotTaken {
                lane,
                evidence: evidence(checkout, task),
                snapshot,
                changed: 1,
                forbidden_changes: 0,
                standing: Some(standing),
            }
            .into()
        }
        Effect::RunCheck { stage, check, .. } => {
            CheckFinished { lane, stage: *stage, outcome: passed(*check) }.into()
        }
        Effect::Commit { .. } => {
            checkout.commit = Some(format!("{task}.{}.{}/work", turn.iteration, turn.attempt));
            Committed {
                lane,
                commit: checkout.commit.clone(),
                evidence: evidence(checkout, task),
                altered: false,
                refused: None,
                notes: CommitNotes::default(),
            }
            .into()
        }
        Effect::Merge { .. } => {
            let merged = format!("{task}.{}.{}/{}", turn.iteration, turn.attempt, work.order.epoch.0);
            let retest = work.tip != checkout.base;
            checkout.base.clone_from(&work.tip);
            let outcome = MergeOutcome::Clean { commit: Some(merged.clone()), retest };
            let merged_with =
                Merged { lane, tip: work.tip.clone(), outcome, evidence: evidence(checkout, task) };
            return (merged_with.into(), Some(merged));
        }
        // Of the rest nothing comes but what is seen.
        _ => TreeRechecked { lane, evidence: evidence(checkout, task) }.into(),
    };
    (report, None)
}

fn evidence(checkout: &Checkout, task: &str) -> Evidence {
    Evidence { head: Some(checkout.base.clone()), tree: format!("{task} {}", checkout.changes), work: None }
}

fn call_of(effect: &Effect) -> CallId {
    match effect {
        Effect::Call { call, .. } | Effect::Recover { call, .. } => *call,
        _ => CallId(u32::MAX),
    }
}

/// A check that passed.
pub(in crate::fleet) fn passed(check: u16) -> CheckOutcome {
    CheckOutcome {
        check,
        result: CheckResult::Passed,
        duration: Duration::from_millis(20),
        log: String::new(),
        last_line: String::new(),
        telling_line: String::new(),
    }
}

/// A call of which nobody knows how it went.
pub(in crate::fleet) fn lost_call() -> CallReport {
    CallReport { class: Class::Interrupted, ended: Ended::Lost, ..CallReport::default() }
}
