//! Findings over several claims, and plans that are lost.

use super::guarding::{self, detail, verdicts};
use super::world::{Act, World, check, plan, planned};
use crate::fact::Fact;
use crate::report;
use crate::run::{Effect, Input};
use crate::spec::{CommitPolicy, Mode, RunSpec};
use crate::values::{
    CheckKind, Items, JobStatus, LaneId, StatusSource, StopReason, Suspicion, SuspicionKind, Verdict,
};

/// Two claims complete the job; trees whose names begin with `fewer` have one test fewer.
fn guarded() -> RunSpec {
    let mut plan = guarding::guarded();
    plan.job.completion_threshold = 2;
    plan
}

fn claiming(plan: RunSpec, trees: &'static [&'static str]) -> World {
    let last = trees.len() - 1;
    let mut world =
        World::new(plan, move |call, _| Act::claims(trees[usize::try_from(call - 1).unwrap().min(last)]));
    let found = Suspicion::new(SuspicionKind::Tests, "tests/a.rs", "1 test fewer");
    let fewer = trees.iter().filter(|tree| tree.starts_with("fewer"));
    world.suspects = fewer.map(|tree| ((*tree).to_owned(), found.clone())).collect();
    world
}

#[test]
fn who_goes_on_without_accepting_what_was_found_gives_the_agent_another_two_claims() {
    let mut world = claiming(guarded(), &["fewer"]);
    assert_eq!(world.finish(), StopReason::NeedsHuman);
    assert_eq!(verdicts(&world).len(), 2);
    world.input(Input::Resume(Box::new(guarded())));
    assert_eq!(world.finish(), StopReason::NeedsHuman);
    assert_eq!(verdicts(&world), [Verdict::ClaimRefused; 4]);
}

#[test]
fn what_was_told_stays_told_over_a_claim_that_checks_alone_refuse() {
    let mut world = claiming(guarded(), &["fewer", "red", "fewer too"]).checking(|_, tree| tree != "red");
    assert_eq!(world.finish(), StopReason::NeedsHuman);
    assert_eq!(verdicts(&world).len(), 3);
}

#[test]
fn after_a_claim_that_was_accepted_the_same_finding_is_told_anew() {
    let mut world = claiming(guarded(), &["fewer", "right", "fewer too", "right again", "and again"]);
    assert_eq!(world.finish(), StopReason::Complete);
    let (refused, accepted) = (Verdict::ClaimRefused, Verdict::ClaimAccepted);
    assert_eq!(verdicts(&world), [refused, accepted, refused, accepted, accepted]);
}

#[test]
fn what_work_is_compared_with_is_the_tree_of_the_latest_commit() {
    let mut plan = RunSpec { commit: CommitPolicy::Runner, ..plan() };
    plan.limits.iterations = Some(2);
    let mut world = World::new(plan, |call, _| Act::works(&format!("tree {call}")));
    let last = |world: &World| world.run.last_commit(LaneId(0)).cloned().unwrap();
    assert_eq!(world.run.last_commit(LaneId(0)), None, "nothing was looked at");
    let mut seen = Vec::new();
    for iteration in [1, 2] {
        world.until(|effect| matches!(effect, Effect::Prepare { turn, .. } if turn.iteration == iteration));
        seen.push(last(&world));
    }
    assert_ne!(seen[0], seen[1]);
    let kept = world.facts().find_map(|fact| match fact {
        Fact::SnapshotTaken(report::SnapshotTaken { snapshot, .. }) => snapshot.clone(),
        _ => None,
    });
    assert_eq!(kept.as_ref(), Some(&seen[1]));
}

fn boxes(done: u64) -> JobStatus {
    JobStatus {
        source: StatusSource::PlanFile,
        mark: format!("{done} done"),
        items: Some(Items { done, total: 3 }),
        ..JobStatus::default()
    }
}

#[test]
fn restoring_a_plan_is_offered_where_a_snapshot_has_it() {
    let gone = || JobStatus { mark: "gone".to_owned(), ..JobStatus::default() };
    let offered = |git: bool, before: JobStatus| {
        let plan = RunSpec { git, ..planned(Mode::Build) };
        let mut world = World::new(plan, move |_, _| Act::works("tree").writes(gone())).with_status(before);
        assert_eq!(world.finish(), StopReason::Missing);
        detail(&world).contains("windlass restore")
    };
    assert!(offered(true, boxes(1)));
    assert!(!offered(false, boxes(1)), "without git there are no snapshots");
    assert!(!offered(true, gone()), "it was not there when the run began");
}

// The command may pass because nothing is left to be built.
#[test]
fn a_build_that_lost_its_plan_is_not_complete_whatever_until_says() {
    let plan = RunSpec { checks: vec![check(CheckKind::Until, "make test")], ..planned(Mode::Build) };
    let gone = JobStatus { mark: "gone".to_owned(), ..JobStatus::default() };
    let mut world = World::new(plan.clone(), move |_, _| Act::works("built").writes(gone.clone()))
        .with_status(boxes(1))
        .checking(|_, tree| tree == "built");
    assert_eq!(world.finish(), StopReason::Missing);
    // Nor is there nothing to do where it is not there at first.
    let mut world = World::new(plan, |_, _| Act::idles()).with_status(JobStatus::default());
    assert_eq!(world.finish(), StopReason::Missing);
}
