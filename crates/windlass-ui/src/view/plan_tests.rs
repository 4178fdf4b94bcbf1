//! How plans are shown: written, and worked off.

use windlass_core::fact::Fact;
use windlass_core::report;
use windlass_core::spec::{JobPlan, Mode};
use windlass_core::values::{Class, Evidence, Items, JobStatus, LaneId, StatusSource, StopReason, Verdict};

use super::*;
use crate::testing::{Night, columns, plan, shown};

const LANE: LaneId = LaneId(0);

fn started(mode: Mode) -> Night {
    let mut plan = plan();
    plan.job.mode = mode;
    plan.job.plan = Some(JobPlan {
        file: "IMPLEMENTATION_PLAN.md".into(),
        folder: Some("plan".into()),
        specs: Some("specs".into()),
        smart_termination: true,
        archives_finished: false,
    });
    let mut night = Night::new();
    night.fact(Fact::RunStarted { plan: Box::new(plan) });
    night
}

fn boxes(done: u64, next: &str) -> JobStatus {
    JobStatus {
        source: StatusSource::PlanFile,
        items: Some(Items { done, total: 2 }),
        summary: next.to_owned(),
        complete: done == 2,
        ..JobStatus::default()
    }
}

fn told(night: &Night) -> String {
    let (results, notes) = shown(ProgressView::new, &columns(80), &night.events);
    // Where lines are broken is another matter.
    (notes + &results).split_whitespace().collect::<Vec<_>>().join(" ")
}

// rows: 5, 111
#[test]
fn a_build_says_what_it_works_on_and_what_comes_next() {
    let mut night = started(Mode::Build);
    let surveyed = Fact::BaselineCaptured(report::BaselineCaptured {
        evidence: Evidence::default(),
        snapshot: None,
        left_out: 0,
        standing: Some(boxes(0, "Read numbers")),
    });
    night.fact(surveyed).iteration(1).call(1, 1);
    night.fact(Fact::StatusChanged(report::StatusChanged {
        lane: LANE,
        standing: boxes(1, "Write the manual"),
    }));
    night.called(|_| {}).kept(2).finished(1, Verdict::Worked, Class::Success, 0.42, 60);
    night.end(StopReason::NoChanges, "neither commits nor files nor the plan have changed");
    let told = told(&night);
    for words in [
        "plan IMPLEMENTATION_PLAN.md, or plan/ where it is there · from specs/",
        "done when no box of the plan is open and every gate passes",
        "before this run: 0/2 tasks - next: Read numbers",
        "Running iteration 1: Read numbers",
        "1/2 tasks (+1) - next: Write the manual",
        "(1 task remaining)",
        "windlass build",
    ] {
        assert!(told.contains(words), "{words:?} is not in\n{told}");
    }
}

// rows: 4
#[test]
fn planning_says_what_it_undid_and_what_comes_after_it() {
    let mut night = started(Mode::Plan);
    night.iteration(1).call(1, 1).called(|_| {}).kept(9);
    let refused = |undone| {
        Fact::ForbiddenChangesReverted(report::ForbiddenChangesReverted {
            lane: LANE,
            count: 7,
            files: vec!["src/main.rs".to_owned(), "a\u{1b}[31mb".to_owned()],
            undone,
            evidence: Evidence::default(),
        })
    };
    night.fact(refused(true)).fact(refused(false));
    night.fact(Fact::StatusChanged(report::StatusChanged { lane: LANE, standing: boxes(2, "") }));
    night.finished(1, Verdict::ClaimAccepted, Class::Success, 0.42, 60).end(StopReason::Complete, "");
    let told = told(&night);
    for words in [
        "the plan is valid and a further pass leaves it as it is and every gate",
        "undone: 7 files beyond the plan: src/main.rs, a",
        "and 5 more; kept: windlass restore r-k3v9x2aa 1",
        "the agent changed 7 files beyond the plan, and not all of it can be undone",
        "2/2 tasks",
        "The plan is valid",
        "windlass verify --plan",
    ] {
        assert!(told.contains(words), "{words:?} is not in\n{told}");
    }
    assert!(!told.contains('\u{1b}'), "{told}");
}
