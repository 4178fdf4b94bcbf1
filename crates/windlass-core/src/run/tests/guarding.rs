use super::world::{Act, World, check, plan};
use crate::fact::Fact;
use crate::run::{Effect, Input};
use crate::spec::{CommitPolicy, RunSpec};
use crate::spec::{GuardAction, GuardSpec, TestsAction};
use crate::values::{CheckKind, LaneId, StopReason, Suspicion, SuspicionKind, Verdict};

pub(super) fn guarded() -> RunSpec {
    let guard = GuardSpec { action: GuardAction::Refuse, tests: TestsAction::Hold, ..GuardSpec::default() };
    let mut plan = RunSpec { guard, checks: vec![check(CheckKind::Gate, "test")], ..plan() };
    plan.job.completion_threshold = 1;
    plan
}

fn suspect(tree: &str, kind: SuspicionKind) -> (String, Suspicion) {
    (tree.to_owned(), Suspicion::new(kind, "tests/a.rs", "1 test fewer"))
}

pub(super) fn verdicts(world: &World) -> Vec<Verdict> {
    let verdict = |fact: &Fact| match fact {
        Fact::IterationFinished { verdict, .. } => Some(*verdict),
        _ => None,
    };
    world.facts().filter_map(verdict).collect()
}

pub(super) fn detail(world: &World) -> String {
    let detail = |fact: &Fact| match fact {
        Fact::RunFinished { detail, .. } => Some(detail.clone()),
        _ => None,
    };
    world.facts().filter_map(detail).last().unwrap_or_default()
}

#[test]
fn a_claim_with_findings_is_refused_and_made_again_needs_a_person() {
    let mut world = World::new(guarded(), |_, _| Act::claims("fewer"));
    world.suspects = vec![suspect("fewer", SuspicionKind::Tests)];
    assert_eq!(world.finish(), StopReason::NeedsHuman);
    assert_eq!(verdicts(&world), [Verdict::ClaimRefused; 2]);
    let said = detail(&world);
    assert!(said.starts_with("held for review: tests/a.rs: 1 test fewer; `windlass resume"), "{said}");
    assert_eq!(world.count("suspected"), 1, "what is known already is not said again");
}

#[test]
fn other_findings_than_were_told_are_told_first_and_fewer_are_the_same() {
    let mut world =
        World::new(guarded(), |call, _| Act::claims(if call == 1 { "fewer" } else { "skipped too" }));
    world.suspects = vec![
        suspect("fewer", SuspicionKind::Tests),
        suspect("skipped too", SuspicionKind::Tests),
        suspect("skipped too", SuspicionKind::Skipped),
    ];
    assert_eq!(world.finish(), StopReason::NeedsHuman);
    assert_eq!(verdicts(&world), [Verdict::ClaimRefused; 3]);
    let mut world = World::new(guarded(), |call, _| Act::claims(if call == 1 { "both" } else { "one" }));
    let both = [SuspicionKind::Tests, SuspicionKind::Skipped].map(|kind| suspect("both", kind));
    world.suspects = both.into_iter().chain([suspect("one", SuspicionKind::Tests)]).collect();
    assert_eq!(world.finish(), StopReason::NeedsHuman);
    assert_eq!(verdicts(&world), [Verdict::ClaimRefused; 2]);
}

#[test]
fn what_is_put_right_counts_and_what_only_is_told_holds_nothing() {
    let mut world = World::new(guarded(), |call, _| Act::claims(if call == 1 { "fewer" } else { "right" }));
    world.suspects = vec![suspect("fewer", SuspicionKind::Tests)];
    assert_eq!(world.finish(), StopReason::Complete);
    assert_eq!(verdicts(&world), [Verdict::ClaimRefused, Verdict::ClaimAccepted]);
    assert_eq!(world.run.suspicions(LaneId(0)), Vec::<&Suspicion>::new());
    let mut flagged = guarded();
    flagged.guard.tests = TestsAction::Flag;
    let mut world = World::new(flagged, |_, _| Act::claims("fewer"));
    world.suspects =
        vec![suspect("fewer", SuspicionKind::Tests), suspect("fewer", SuspicionKind::Unexamined)];
    assert_eq!(world.finish(), StopReason::Complete);
    assert_eq!((world.run.suspicions(LaneId(0)).len(), world.run.held_for_review(LaneId(0))), (2, None));
}

#[test]
fn what_is_held_is_not_committed_by_the_runner() {
    let plan = RunSpec { commit: CommitPolicy::Runner, ..guarded() };
    let mut world = World::new(plan, |call, _| Act::works(if call == 1 { "fewer" } else { "right" }));
    world.suspects = vec![suspect("fewer", SuspicionKind::Tests)];
    world.until(|effect| matches!(effect, Effect::Prepare { turn, .. } if turn.iteration == 2));
    assert_eq!(world.commits, 0);
    let held = world.run.held_for_review(LaneId(0));
    assert_eq!(held.as_deref(), Some("tests/a.rs: 1 test fewer"));
    world.until(|effect| matches!(effect, Effect::Prepare { turn, .. } if turn.iteration == 3));
    assert_eq!(world.commits, 1, "with the next one that is right");
}

#[test]
fn protected_files_that_were_put_back_refuse_the_claim_of_that_attempt_alone() {
    let mut world = World::new(guarded(), |call, _| Act::claims(if call == 1 { "strayed" } else { "good" }));
    world.strays = vec![("strayed".to_owned(), "start".to_owned())];
    world.until(|effect| matches!(effect, Effect::Prepare { turn, .. } if turn.iteration == 2));
    assert_eq!(verdicts(&world), [Verdict::ClaimRefused]);
    assert_eq!(world.run.held_for_review(LaneId(0)), None, "the tree is free of it");
    assert_eq!(world.run.held(LaneId(0)).len(), 1, "and the agent is told");
    assert!(world.facts().any(|fact| matches!(fact, Fact::CheckFinished(_))), "the gate judged what is left");
    assert_eq!(world.finish(), StopReason::Complete);
    // Who does it again and again needs a person.
    let mut world = World::new(guarded(), |_, _| Act::claims("strayed"));
    world.strays = vec![("strayed".to_owned(), "start".to_owned())];
    assert_eq!(world.finish(), StopReason::NeedsHuman);
    assert!(detail(&world).contains("guard.protected"), "{}", detail(&world));
}

#[test]
fn a_resumed_run_takes_what_a_person_accepted() {
    let mut world = World::new(guarded(), |_, _| Act::claims("fewer"));
    world.suspects = vec![suspect("fewer", SuspicionKind::Tests)];
    assert_eq!(world.finish(), StopReason::NeedsHuman);
    let mut plan = guarded();
    plan.guard.accepted = world.run.suspicions(LaneId(0)).into_iter().cloned().collect();
    world.input(Input::Resume(Box::new(plan)));
    assert_eq!(world.finish(), StopReason::Complete);
}
