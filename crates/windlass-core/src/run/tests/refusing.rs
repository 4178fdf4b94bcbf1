//! In a lane of its own: a commit that a hook refused goes nowhere.

use super::waking::{at_work_with, two_lanes};
use super::world::{World, check, report};
use crate::report;
use crate::run::{Effect, Input, LaneState};
use crate::values::{
    CheckKind, CheckOutcome, CheckResult, CheckStage, Class, Evidence, JobStatus, LaneId, Named, StatusSource,
};

const LANE: LaneId = LaneId(1);

fn seen(tree: &str) -> Evidence {
    Evidence { head: Some("c0".to_owned()), tree: tree.to_owned(), work: None }
}

fn pass(world: &mut World, stage: CheckStage) {
    let outcome = CheckOutcome {
        check: 0,
        result: CheckResult::Passed,
        duration: std::time::Duration::ZERO,
        log: String::new(),
        last_line: String::new(),
        telling_line: String::new(),
    };
    world.input(Input::from(report::CheckFinished { lane: LANE, stage, outcome }));
}

// The hook had formatted a file as well, so that the gates were asked again, and said yes.
#[test]
fn what_a_hook_changed_and_refused_does_not_land() {
    let mut plan = two_lanes();
    plan.checks = vec![check(CheckKind::Gate, "make test")];
    let mut world = at_work_with(plan, &["T1"]);
    world.input(Input::from(report::LaneOpened {
        lane: LANE,
        base: "c0".to_owned(),
        evidence: seen("start"),
        snapshot: None,
    }));
    world.input(Input::from(report::Prepared { lane: LANE }));
    let call = world.run.lane(LANE).and_then(LaneState::call).map(|(_, call)| call.id).unwrap();
    world.input(Input::from(report::CallEnded {
        lane: LANE,
        call,
        report: Box::new(report(Class::Success)),
    }));
    let standing = JobStatus {
        complete: true,
        source: StatusSource::TaskFile,
        mark: "read".to_owned(),
        ..JobStatus::default()
    };
    world.input(Input::from(report::SnapshotTaken {
        lane: LANE,
        evidence: seen("done"),
        snapshot: None,
        changed: 1,
        forbidden_changes: 0,
        standing: Some(standing),
    }));
    pass(&mut world, CheckStage::Candidate);
    world.input(Input::from(report::Committed {
        lane: LANE,
        commit: None,
        evidence: seen("formatted"),
        altered: true,
        refused: Some("the hook says no".to_owned()),
        notes: crate::values::CommitNotes::default(),
    }));
    pass(&mut world, CheckStage::Committed);
    assert_eq!(world.run.lane(LANE).map(Named::name), Some("settling"));
    let nears_the_branch = |effect: &Effect| matches!(effect, Effect::Merge { .. } | Effect::Land { .. });
    assert!(!world.run.outstanding().iter().any(nears_the_branch));
}
