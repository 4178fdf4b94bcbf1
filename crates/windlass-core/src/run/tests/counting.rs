//! What is counted, and what is not.

use std::time::Duration;

use super::sharing::{ends_with, open};
use super::verification::verified;
use super::waking::{at_work_with, two_lanes};
use super::world::{Act, World, check, plan};
use crate::damage::DamageCourse;
use crate::fact::Fact;
use crate::report;
use crate::run::{Effect, Input, LaneState};
use crate::spec::{CommitPolicy, RunSpec};
use crate::spec::{GuardAction, GuardSpec, TestsAction};
use crate::values::{
    CheckKind, Class, CommitNotes, Cost, JobStatus, LaneId, Named, StopReason, Suspicion, SuspicionKind,
    Verdict,
};

fn gated(gates: &[&str]) -> RunSpec {
    let mut plan = plan();
    plan.checks = gates.iter().map(|command| check(CheckKind::Gate, command)).collect();
    plan.limits.iterations = Some(8);
    plan.limits.stagnation = None;
    plan
}

#[test]
fn claims_that_other_checks_refuse_each_time_are_not_the_same_ones() {
    let claim = |call: u32, _| Act::claims(&format!("tree {call}"));
    let mut world = World::new(gated(&["one", "two"]), claim).checking(|_, _| false);
    assert_eq!(world.finish(), StopReason::GatesFailing);
    assert_eq!(world.run.counters().finished, 5);
    let turns = |check: u16, tree: &str| tree.ends_with(['1', '3', '5', '7']) != (check == 0);
    let mut world = World::new(gated(&["one", "two"]), claim).checking(turns);
    assert_eq!(world.finish(), StopReason::MaxIterations);
}

#[test]
fn a_claim_that_is_accepted_ends_the_row_of_those_that_checks_refused() {
    let mut plan = gated(&["test"]);
    plan.job.completion_threshold = 2;
    let red = |tree: &str| tree.ends_with(['1', '2', '3', '4', '6']);
    let mut world =
        World::new(plan, |call, _| Act::claims(&format!("tree {call}"))).checking(move |_, tree| !red(tree));
    assert_eq!(world.finish(), StopReason::Complete);
    assert_eq!(world.run.counters().finished, 8);
}

fn with_findings(calls: u32) -> Vec<(String, Suspicion)> {
    let found = |call| Suspicion::new(SuspicionKind::Tests, format!("tests/{call}.rs"), "1 test fewer");
    (1..=calls).map(|call| (format!("tree {call}"), found(call))).collect()
}

// Who claims with other findings each time is told of them each time.
#[test]
fn a_claim_that_findings_alone_refuse_is_none_that_checks_refuse() {
    for (green, ends) in [(true, StopReason::MaxIterations), (false, StopReason::GatesFailing)] {
        let mut plan = gated(&["test"]);
        plan.guard =
            GuardSpec { action: GuardAction::Refuse, tests: TestsAction::Hold, ..GuardSpec::default() };
        let mut world =
            World::new(plan, |call, _| Act::claims(&format!("tree {call}"))).checking(move |_, _| green);
        world.suspects = with_findings(8);
        assert_eq!(world.finish(), ends);
    }
}

#[test]
fn an_iteration_that_claimed_nothing_is_no_refused_verification() {
    let mut plan = verified();
    plan.limits.iterations = Some(2);
    let agent = |call: u32, _| if call == 1 { Act::of(Class::TaskFailure) } else { Act::works("further") };
    let mut world = World::new(plan, agent).with_status(JobStatus::default());
    assert_eq!(world.finish(), StopReason::MaxIterations);
    assert_eq!(world.run.counters().unverified, 0);
}

#[test]
fn of_what_until_said_only_what_fails_is_told() {
    let mut plan = plan();
    plan.checks = ["passes", "fails"].map(|command| check(CheckKind::Until, command)).to_vec();
    plan.checks.push(check(CheckKind::Gate, "a gate"));
    let mut world = World::new(plan, |_, _| Act::works("further")).checking(|check, _| check != 1);
    world.until(|effect| matches!(effect, Effect::Prepare { turn, .. } if turn.iteration == 2));
    assert_eq!(world.run.refused_by().iter().map(|one| one.check).collect::<Vec<_>>(), [1]);
}

#[test]
fn the_checks_before_the_first_iteration_are_run_in_one_go() {
    let mut world = World::new(gated(&["one", "two", "three"]), |_, _| Act::idles());
    world.until(|effect| matches!(effect, Effect::Prepare { .. }));
    let names: Vec<&str> = world.facts().map(Fact::name).collect();
    let looked = ["run_started", "surveyed"];
    let checked = ["check_finished"; 3];
    assert_eq!(names, [&looked[..], &checked, &["surveyed", "iteration_started"]].concat());
}

// It was left by an iteration that failed, and the next one that ends well commits it.
#[test]
fn what_was_uncommitted_when_the_runner_died_is_still_to_be_committed() {
    let mut plan = RunSpec { commit: CommitPolicy::Runner, ..plan() };
    plan.limits.iterations = Some(2);
    let mut world = World::new(plan, |call, _| match call {
        1 => Act::of(Class::TaskFailure).leaves("half"),
        _ => Act::idles(),
    });
    world.until(|effect| matches!(effect, Effect::Prepare { turn, .. } if turn.iteration == 2));
    world.restart(world.journal.len());
    assert_eq!(world.finish(), StopReason::MaxIterations);
    assert_eq!(world.commits, 1);
}

#[test]
fn a_commit_that_no_hook_altered_is_not_checked_again() {
    let mut plan = RunSpec { commit: CommitPolicy::Runner, ..gated(&["test"]) };
    plan.limits.iterations = Some(1);
    let mut world = World::new(plan, |_, _| Act::works("tree"));
    assert_eq!(world.finish(), StopReason::MaxIterations);
    assert_eq!(
        (world.commits, world.count("check_finished")),
        (1, 2),
        "before the run, and what is committed"
    );
}

#[test]
fn what_a_hook_of_the_repository_said_is_known_until_a_commit_is_made() {
    let mut plan = RunSpec { commit: CommitPolicy::Runner, ..plan() };
    plan.limits.iterations = Some(2);
    let mut world = World::new(plan, |call, _| Act::works(&format!("tree {call}")));
    world.until(|effect| matches!(effect, Effect::Commit { .. }));
    let (lane, evidence) = (LaneId(0), world.evidence());
    let notes = CommitNotes { hook_output: Some("no tabs, please".to_owned()), ..CommitNotes::default() };
    let refused = Some("the hook refused".to_owned());
    world.input(Input::from(report::Committed {
        lane,
        commit: None,
        evidence,
        altered: false,
        refused,
        notes,
    }));
    world.until(|effect| matches!(effect, Effect::Prepare { turn, .. } if turn.iteration == 2));
    assert_eq!(world.run.hook_refusal(lane), Some("no tabs, please"));
    assert_eq!(world.finish(), StopReason::MaxIterations);
    assert_eq!((world.run.hook_refusal(lane), world.commits), (None, 1));
}

#[test]
fn what_only_a_person_can_have_committed_ends_the_run_at_once_called_done_or_not() {
    let mut plan = RunSpec { commit: CommitPolicy::Runner, ..plan() };
    plan.limits.iterations = Some(2);
    let mut world = World::new(plan, |call, _| Act::works(&format!("tree {call}")));
    world.until(|effect| matches!(effect, Effect::Commit { .. }));
    let (lane, evidence) = (LaneId(0), world.evidence());
    let notes = CommitNotes { needs_person: true, ..CommitNotes::default() };
    let refused = Some("the hook adds secrets".to_owned());
    world.input(Input::from(report::Committed {
        lane,
        commit: None,
        evidence,
        altered: false,
        refused,
        notes,
    }));
    assert_eq!(world.finish(), StopReason::NeedsHuman);
    assert!(world.run.needs_person_to_commit());
    // Once a person has done it, the next iteration commits all.
    world.restart(world.journal.len());
    assert_eq!(world.finish(), StopReason::MaxIterations);
    assert_eq!((world.run.needs_person_to_commit(), world.commits), (false, 1));
}

/// What an agent that damages the repository leaves, with a gate that is green whatever is there.
fn damaging(course: DamageCourse, act: Act) -> World {
    let mut plan = gated(&["green"]);
    plan.limits.iterations = Some(1);
    let mut world = World::new(plan, move |_, _| act.clone());
    world.damaged = vec![("damage".to_owned(), course, "mended".to_owned())];
    world
}

#[test]
fn undoing_damage_makes_no_claim_and_takes_one_back_only_with_the_work() {
    for (course, act, claims) in [
        (DamageCourse::UndoParts, Act::claims("damage"), 1),
        (DamageCourse::UndoParts, Act::works("damage"), 0),
        (DamageCourse::UndoAll, Act::claims("damage"), 0),
        (DamageCourse::UndoAll, Act::works("damage"), 0),
    ] {
        let mut world = damaging(course, act);
        assert_eq!(world.finish(), StopReason::MaxIterations);
        assert_eq!(world.run.counters().claims, claims, "{course:?}");
    }
}

#[test]
fn who_changed_what_is_forbidden_and_damaged_the_repository_claims_nothing() {
    let mut world = damaging(DamageCourse::UndoParts, Act::claims("damage"));
    world.strays = vec![("damage".to_owned(), "damage".to_owned())];
    assert_eq!(world.finish(), StopReason::MaxIterations);
    let verdict = world.facts().find_map(|fact| match fact {
        Fact::IterationFinished { verdict, .. } => Some(*verdict),
        _ => None,
    });
    assert_eq!(verdict, Some(Verdict::Worked));
}

fn calls(world: &World, lane: LaneId) -> crate::values::CallId {
    world.run.lane(lane).and_then(LaneState::call).map(|(_, call)| call.id).unwrap()
}

// Its answer shows that the API can be reached.
#[test]
fn an_answer_in_one_lane_ends_the_count_of_the_outages_of_another() {
    let (fails, works) = (LaneId(1), LaneId(2));
    let mut world = at_work_with(two_lanes(), &["T1", "T2"]);
    for lane in [fails, works] {
        open(&mut world, lane);
        world.input(Input::from(report::Prepared { lane }));
    }
    ends_with(&mut world, fails, Class::Outage, Cost::ZERO, None);
    ends_with(&mut world, works, Class::Success, Cost::from_micros(100), None);
    let until = world.run.backoff().unwrap().until;
    let left = Duration::try_from(until.duration_since(world.now.wall)).unwrap();
    world.pass(left);
    world.input(Input::Tick);
    world.input(Input::from(report::Prepared { lane: fails }));
    assert_eq!(calls(&world, fails).0, 3);
    ends_with(&mut world, fails, Class::Outage, Cost::ZERO, None);
    let attempts: Vec<u32> = world
        .facts()
        .filter_map(|fact| match fact {
            Fact::BackoffStarted { attempt, .. } => Some(*attempt),
            _ => None,
        })
        .collect();
    assert_eq!(attempts, [1, 1]);
}

#[test]
fn the_first_failure_of_the_runner_counts_unless_a_worse_one_follows() {
    let mut world = World::new(plan(), |_, _| Act::idles());
    world.until(|effect| matches!(effect, Effect::Call { .. }));
    let failed = |stop_reason| Input::from(report::Failed { stop_reason, detail: "why".to_owned() });
    world.input(failed(StopReason::NeedsHuman));
    let follows = |world: &World, reason| world.run.decide(world.now, failed(reason)).len();
    assert_eq!(follows(&world, StopReason::AgentUnavailable), 0);
    assert_eq!(follows(&world, StopReason::DiskFull), 1);
    let broken = |stop_reason| Input::from(report::Broken { stop_reason, detail: "why".to_owned() });
    assert_eq!(
        world.run.decide(world.now, broken(StopReason::NeedsHuman)).len(),
        1,
        "nobody answers any more"
    );
    world.input(failed(StopReason::DiskFull));
    assert_eq!(follows(&world, StopReason::Internal), 0);
    assert_eq!(world.run.decide(world.now, broken(StopReason::NeedsHuman)), []);
}
