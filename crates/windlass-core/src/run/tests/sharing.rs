//! Several lanes share one budget.

use super::waking::{at_work_with, two_lanes};
use super::world::{DOLLAR, World, closed, report};
use crate::report;
use crate::run::{Effect, Input, LaneState};
use crate::spec::LanesSpec;
use crate::values::{
    CallReport, Class, CommitNotes, Cost, Evidence, JobStatus, LandOutcome, LaneId, MergeOutcome,
};

fn seen(tree: &str) -> Evidence {
    Evidence { head: Some("c0".to_owned()), tree: tree.to_owned(), work: None }
}

pub(super) fn open(world: &mut World, lane: LaneId) {
    world.input(Input::from(report::LaneOpened {
        lane,
        base: "c0".to_owned(),
        evidence: seen("start"),
        snapshot: None,
    }));
}

fn ends(world: &mut World, lane: LaneId, class: Class, cost: Cost) {
    ends_with(world, lane, class, cost, None);
}

/// A call ends, and the tree is as it was.
pub(super) fn ends_with(
    world: &mut World,
    lane: LaneId,
    class: Class,
    cost: Cost,
    standing: Option<JobStatus>,
) {
    ended(world, lane, CallReport { cost: Some(cost), ..report(class) }, standing);
}

/// A call ends like this, and the tree is as it was.
pub(super) fn ended(world: &mut World, lane: LaneId, report: CallReport, standing: Option<JobStatus>) {
    let call = world.run.lane(lane).and_then(LaneState::call).map(|(_, call)| call.id).unwrap();
    world.input(Input::from(report::CallEnded { lane, call, report: Box::new(report) }));
    let evidence = seen("start");
    world.input(Input::from(report::SnapshotTaken {
        lane,
        evidence,
        snapshot: None,
        changed: 0,
        forbidden_changes: 0,
        standing,
    }));
}

fn prepares(world: &World, wanted: LaneId) -> bool {
    let is_it = |effect: &Effect| matches!(effect, Effect::Prepare { lane, .. } if *lane == wanted);
    world.run.outstanding().iter().any(is_it)
}

// Its agent would have been called with nothing to spend.
#[test]
fn an_attempt_that_nothing_is_left_for_waits_for_the_other_lane() {
    let (one, two) = (LaneId(1), LaneId(2));
    let mut plan = two_lanes();
    plan.limits.cost = Some(DOLLAR);
    let mut world = at_work_with(plan, &["T1", "T2"]);
    for lane in [one, two] {
        open(&mut world, lane);
    }
    for lane in [one, two] {
        world.input(Input::from(report::Prepared { lane }));
    }
    ends(&mut world, two, Class::ContextTooLong, Cost::from_micros(500_000));
    assert!(matches!(world.run.lane(two), Some(LaneState::Preparing(turn)) if turn.attempt == 2));
    assert!(!prepares(&world, two));
    world.input(Input::from(report::Prepared { lane: two }));
    assert!(world.run.lane(two).and_then(LaneState::call).is_none());
    ends(&mut world, one, Class::TaskFailure, Cost::from_micros(100_000));
    assert!(prepares(&world, two));
}

// What was prepared when the run had to end was taken for begun, and nothing brought it on any more.
#[test]
fn a_reason_to_end_that_passes_holds_up_nothing_for_ever() {
    let (works, fails, waits) = (LaneId(1), LaneId(2), LaneId(3));
    let mut plan = two_lanes();
    plan.lanes = plan.lanes.map(|lanes| LanesSpec { count: 3, ..lanes });
    plan.limits.failures = 1;
    plan.job.tasks.as_mut().unwrap().attempts = 1;
    plan.checks.clear();
    let mut world = at_work_with(plan, &["T1", "T2", "T3"]);
    for lane in [works, fails, waits] {
        open(&mut world, lane);
    }
    for lane in [works, fails] {
        world.input(Input::from(report::Prepared { lane }));
    }
    assert!(prepares(&world, waits));
    ends(&mut world, fails, Class::TaskFailure, Cost::ZERO);
    let input = closes(&world, fails, seen("start"));
    world.input(input);
    assert_eq!(world.run.counters().parked, 1);
    assert!(!prepares(&world, waits), "the run has to end, once the other lane is done");
    world.input(Input::from(report::Prepared { lane: waits }));
    lands(&mut world, works);
    assert_eq!((world.run.counters().failures, world.run.counters().parked), (0, 0));
    assert!(prepares(&world, waits), "what was done shows that tasks can be");
}

/// A lane's agent ends its task, and that reaches the branch.
fn lands(world: &mut World, lane: LaneId) {
    let call = world.run.lane(lane).and_then(LaneState::call).map(|(_, call)| call.id).unwrap();
    let evidence = || seen("further");
    let standing = Some(JobStatus { complete: true, ..JobStatus::default() });
    let notes = CommitNotes::default();
    let made = || Some("c1".to_owned());
    let clean = MergeOutcome::Clean { commit: made(), retest: false };
    let landed = LandOutcome::Landed { commit: "c1".to_owned() };
    for input in [
        Input::from(report::CallEnded { lane, call, report: Box::new(report(Class::Success)) }),
        Input::from(report::SnapshotTaken {
            lane,
            evidence: evidence(),
            snapshot: None,
            changed: 1,
            forbidden_changes: 0,
            standing,
        }),
        Input::from(report::Committed {
            lane,
            commit: made(),
            evidence: evidence(),
            altered: false,
            refused: None,
            notes,
        }),
        Input::from(report::Merged { lane, tip: "c0".to_owned(), outcome: clean, evidence: evidence() }),
        Input::from(report::Landed { lane, outcome: landed }),
    ] {
        world.input(input);
    }
    let input = closes(world, lane, evidence());
    world.input(input);
}

/// What is due for a lane's task is done.
fn closes(world: &World, lane: LaneId, evidence: Evidence) -> Input {
    let closing = |effect| match effect {
        Effect::CloseTask { lane: at, turn, task, end, .. } if at == lane => Some((turn, task, end)),
        _ => None,
    };
    let (turn, task, end) = world.run.outstanding().into_iter().find_map(closing).unwrap();
    closed(lane, turn, &task, &end, evidence)
}
