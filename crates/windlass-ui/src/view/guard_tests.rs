//! What is shown of the guard's findings, and of what it undid.

use windlass_core::fact::Fact;
use windlass_core::report;
use windlass_core::spec::{GuardAction, TestsAction};
use windlass_core::values::{Class, Evidence, LaneId, StopReason, Suspicion, SuspicionKind, Verdict};

use super::*;
use crate::testing::{Night, columns, plan, shown};

const LANE: LaneId = LaneId(0);

fn suspected(suspicions: Vec<Suspicion>) -> Fact {
    Fact::Suspected(report::Suspected { lane: LANE, suspicions })
}

fn cheated() -> Night {
    let mut plan = plan();
    plan.guard.action = GuardAction::Refuse;
    plan.guard.tests = TestsAction::Hold;
    let mut night = Night::new();
    night.fact(Fact::RunStarted { plan: Box::new(plan) }).iteration(1).call(1, 1).called(|_| {});
    let deleted = "deleted; 4 tests fewer in Rust than before (12, now 8)";
    night.fact(suspected(vec![
        Suspicion::new(
            SuspicionKind::Unexamined,
            "tests/huge.rs",
            "not looked at for tests: too large, or no text",
        ),
        Suspicion::new(SuspicionKind::Tests, "tests/a\u{1b}[31m.rs", deleted),
    ]));
    night.kept(2).fact(Fact::ForbiddenChangesReverted(report::ForbiddenChangesReverted {
        lane: LANE,
        count: 1,
        files: vec!["check.sh".to_owned()],
        undone: true,
        evidence: Evidence::default(),
    }));
    night.finished(1, Verdict::ClaimRefused, Class::Success, 0.42, 60);
    night
}

#[test]
fn findings_are_told_within_eighty_columns_and_those_that_hold_first() {
    let mut night = cheated();
    night.iteration(2).call(2, 2).called(|_| {}).fact(suspected(Vec::new())).kept(0);
    night.finished(2, Verdict::ClaimAccepted, Class::Success, 0.42, 60).end(StopReason::Complete, "");
    let (results, notes) = shown(ProgressView::new, &columns(80), &night.events);
    assert!(notes.lines().chain(results.lines()).all(|line| line.chars().count() <= 80), "{notes}{results}");
    let told = (notes + &results).split_whitespace().collect::<Vec<_>>().join(" ");
    let held = told.find("held: tests/a").unwrap();
    assert!(held < told.find("tests/huge.rs: not looked at").unwrap(), "{told}");
    for words in [
        "4 tests fewer in Rust than before (12, now 8)",
        "undone: 1 protected file: check.sh; kept: windlass restore r-k3v9x2aa 1-1-after",
        "claims to be done, held for review",
        "the guard finds nothing any more",
    ] {
        assert!(told.contains(words), "{words:?} is not in\n{told}");
    }
    assert!(!told.contains('\u{1b}'), "{told}");
}

#[test]
fn many_findings_are_cut() {
    let mut night = cheated();
    let many =
        (0..20).map(|index| Suspicion::new(SuspicionKind::Tests, format!("tests/{index}.rs"), "fewer"));
    night.fact(suspected(many.collect()));
    let (results, notes) = shown(ProgressView::new, &columns(80), &night.events);
    assert!((notes.clone() + &results).contains("and 12 more findings: windlass status"), "{notes}");
}
