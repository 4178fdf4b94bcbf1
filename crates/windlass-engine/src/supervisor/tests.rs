//! The loop with a scripted executor: no process, no git, no thread of its own. Orders and reports go over a wire, as text.

use std::collections::{BTreeSet, VecDeque};
use std::path::PathBuf;
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use windlass_agents::Detail;
use windlass_core::config::NotifySettings;
use windlass_core::fact::{Entry, Fact};
use windlass_core::observation::Observation;
use windlass_core::redact::Redactor;
use windlass_core::report::{
    BaselineCaptured, CallEnded, CallSpawned, LanesClosed, Prepared, Report, SnapshotTaken, Surveyed,
    TreeRechecked,
};
use windlass_core::run::{Effect, Epoch, Input, Order, Reported};
use windlass_core::values::{
    Bill, CallReport, Class, Cost, Ended, Evidence, LaneId, Named, SnapshotId, StopReason, Tokens,
};

use super::tell::NotificationQueue;
use super::{Finished, Orders, Run, Supervisor, Telling};
use crate::executor::{Audience, Clock, EngineError, Executor, Place};
use crate::notify::CommandRoom;
use crate::store::lock::Acquired;
use crate::store::tests::fixture::{Fixture, plan};
use crate::store::{Journal, Lock};

const LANE: LaneId = LaneId(0);

#[derive(Default)]
struct Listener(Mutex<Vec<Fact>>);

impl Audience for Listener {
    fn fact(&self, entry: &Entry) {
        self.0.lock().unwrap().push(entry.fact.clone());
    }
    fn observation(&self, _: Place, _: Observation) {}
    fn detail(&self) -> Detail {
        Detail::Everything
    }
}

type Script = Box<dyn FnMut(&Order) -> Vec<Reported>>;

/// Answers each order as its script says, with what came over the wire.
struct Scripted {
    script: Script,
    reports: VecDeque<String>,
    withdrawn: usize,
}

impl Executor for Scripted {
    fn carry_out(&mut self, order: Order) -> Result<(), EngineError> {
        let sent = serde_json::to_string(&order).unwrap();
        let order: Order = serde_json::from_str(&sent).unwrap();
        let reports = (self.script)(&order);
        self.reports.extend(reports.iter().map(|report| serde_json::to_string(report).unwrap()));
        Ok(())
    }
    fn withdraw(&mut self, _: &Effect) {
        self.withdrawn += 1;
    }
    fn poll(&mut self) -> Result<Vec<Reported>, EngineError> {
        Ok(self.reports.drain(..).map(|text| serde_json::from_str(&text).unwrap()).collect())
    }
    fn next_due(&self) -> Option<Duration> {
        (!self.reports.is_empty()).then_some(Duration::ZERO)
    }
    fn cut_hooks(&mut self) -> Result<bool, EngineError> {
        Ok(false)
    }
    fn pause(&mut self) -> Result<(), EngineError> {
        Ok(())
    }
    fn resume(&mut self) -> Result<(), EngineError> {
        Ok(())
    }
    fn close(&mut self) {}
}

fn seen(tree: u32) -> Evidence {
    Evidence { head: None, tree: format!("tree {tree}"), work: None }
}

fn kept(tree: u32) -> SnapshotTaken {
    let snapshot = Some(SnapshotId(format!("snapshot {tree}")));
    let evidence = seen(tree);
    SnapshotTaken { lane: LANE, evidence, snapshot, changed: 1, forbidden_changes: 0, standing: None }
}

fn claims() -> Box<CallReport> {
    Box::new(CallReport {
        class: Class::Success,
        detail: String::new(),
        ended: Ended::Exited(0),
        cut: None,
        cost: Some(Cost::from_micros(1_000)),
        tokens: Tokens::default(),
        bill: Bill::default(),
        results: vec!["All of it.\nDONE\n".to_owned()],
        assessment: None,
        review: None,
        decision: None,
        tool_uses: 1,
        denials: Vec::new(),
        limit: None,
        elsewhere: false,
        overage: false,
        model: String::new(),
        windows: Vec::new(),
        garbage_lines: 0,
        duration: Duration::ZERO,
    })
}

/// What a lane does when all goes well.
fn well(order: &Order) -> Vec<Report> {
    let evidence = seen(0);
    match &order.effect {
        Effect::Survey(_) => {
            let baseline = BaselineCaptured { evidence, snapshot: None, left_out: 0, standing: None };
            vec![Surveyed { baseline, tasks: None }.into()]
        }
        Effect::Prepare { lane, .. } => vec![Prepared { lane: *lane }.into()],
        Effect::Call { lane, call, .. } => {
            let (lane, call) = (*lane, *call);
            vec![CallSpawned { lane, call, pid: 7 }.into(), CallEnded { lane, call, report: claims() }.into()]
        }
        Effect::Keep { turn, .. } => vec![kept(turn.iteration).into()],
        Effect::Settle { lane, turn } => {
            vec![TreeRechecked { lane: *lane, evidence: seen(turn.iteration) }.into()]
        }
        Effect::Announce => vec![LanesClosed {}.into()],
        other => panic!("nobody was to order {other:?}"),
    }
}

fn answered(order: &Order) -> Vec<Reported> {
    well(order).into_iter().map(|report| Reported::of(order.epoch, report)).collect()
}

/// Drives a run whose agent claims to be done; it is when it has said so twice.
fn drive(script: impl FnMut(&Order) -> Vec<Reported> + 'static) -> (Finished, Vec<Fact>) {
    let fixture = Fixture::new();
    let folder = fixture.run();
    let mut plan = plan(folder.run(), &fixture.directory);
    (plan.clocks.delay, plan.job.completion_threshold) = (Duration::ZERO, 2);
    let Acquired::Taken(lock) =
        Lock::acquire(&fixture.project, &fixture.directory, folder.run(), Duration::ZERO).unwrap()
    else {
        panic!("nobody else has it")
    };
    let listener = Arc::new(Listener::default());
    let settings = NotifySettings {
        url: None,
        webhook: None,
        command: None,
        events: BTreeSet::new(),
        milestone: None,
        timeout: Duration::from_secs(1),
        retries: 0,
        secret: None,
        page: None,
    };
    let telling = Telling { settings, redactor: Redactor::new() };
    let room = CommandRoom {
        program: PathBuf::from("/bin/false"),
        environment: Vec::new(),
        directory: fixture.directory.clone(),
        project: None,
    };
    let notifications = NotificationQueue::new(telling, &room, &[], Arc::new(|| {})).unwrap();
    let executor = Box::new(Scripted { script: Box::new(script), reports: VecDeque::new(), withdrawn: 0 });
    let (_events, inbox) = channel();
    let run = Run::new();
    let mut supervisor = Supervisor {
        project: fixture.project.clone(),
        journal: Journal::create(&folder).unwrap(),
        folder,
        lock: Some(lock),
        terminal: false,
        audience: Arc::clone(&listener) as Arc<dyn Audience>,
        clock: Arc::new(Clock::start()),
        orders: Orders::of_session(&run),
        run,
        executor,
        inbox,
        reports: VecDeque::new(),
        notifications,
        told_to_end: None,
        asked: None,
        disk_is_full: false,
    };
    let finished = supervisor.drive(Input::Start(Box::new(plan)), Vec::new()).unwrap();
    let facts = listener.0.lock().unwrap().clone();
    (finished, facts)
}

#[test]
fn a_run_is_driven_to_its_end_without_a_process() {
    let (finished, facts) = drive(answered);
    assert_eq!(finished.stop_reason, StopReason::Complete);
    let names: Vec<&str> = facts.iter().map(Fact::name).collect();
    let iteration = ["iteration_started", "call_reserved", "call_spawned", "call_finished", "kept"];
    assert_eq!(names[..2], ["run_started", "surveyed"]);
    assert_eq!(names[2..7], iteration);
    assert_eq!(names.iter().filter(|name| **name == "iteration_finished").count(), 2);
    assert_eq!(names[names.len() - 2..], ["run_ending", "run_finished"]);
}

// A worker that was thought dead comes back with what it has: another one has done it since.
#[test]
fn what_answers_an_earlier_order_of_a_lane_is_not_counted() {
    let mut first: Option<Epoch> = None;
    let (finished, facts) = drive(move |order| {
        let mut reports = answered(order);
        if matches!(order.effect, Effect::Keep { .. }) {
            match first {
                None => first = Some(order.epoch),
                Some(earlier) => reports.insert(0, Reported::of(earlier, kept(99))),
            }
        }
        reports
    });
    assert_eq!(finished.stop_reason, StopReason::Complete);
    let kept = facts.iter().filter_map(|fact| match fact {
        Fact::SnapshotTaken(taken) => taken.snapshot.as_ref().map(|id| id.0.as_str()),
        _ => None,
    });
    assert_eq!(kept.collect::<Vec<_>>(), ["snapshot 1", "snapshot 2"]);
}

#[test]
fn a_run_ends_when_what_was_ordered_cannot_be_done() {
    let broken = windlass_core::report::Broken {
        stop_reason: StopReason::NeedsHuman,
        detail: "the branch is gone".to_owned(),
    };
    let (finished, facts) = drive(move |order| match order.effect {
        Effect::Keep { .. } => vec![Reported::of(order.epoch, broken.clone())],
        _ => answered(order),
    });
    assert_eq!(finished.stop_reason, StopReason::NeedsHuman);
    assert!(!facts.iter().any(|fact| matches!(fact, Fact::SnapshotTaken(_))));
}
