use super::world::{Act, World, check, plan};
use crate::fact::Fact;
use crate::report;
use crate::spec::{CommitPolicy, RunSpec};
use crate::values::{CheckKind, Class, StopReason, Verdict};

fn gated() -> RunSpec {
    RunSpec { checks: vec![check(CheckKind::Gate, "test")], ..plan() }
}

fn until() -> RunSpec {
    RunSpec { checks: vec![check(CheckKind::Until, "until"), check(CheckKind::Gate, "gate")], ..plan() }
}

fn verdicts(world: &World) -> Vec<Verdict> {
    let verdict = |fact: &Fact| match fact {
        Fact::IterationFinished { verdict, .. } => Some(*verdict),
        _ => None,
    };
    world.facts().filter_map(verdict).collect()
}

// rows: 1, 50
#[test]
fn the_phrase_completes_after_three_iterations_in_a_row() {
    let mut world = World::new(plan(), |_, _| Act::claims("done"));
    assert_eq!(world.finish(), StopReason::Complete);
    assert_eq!(verdicts(&world), [Verdict::ClaimAccepted; 3]);
}

// rows: 50
#[test]
fn an_iteration_without_the_phrase_starts_the_count_anew() {
    let mut world = World::new(plan(), |call, _| match call {
        3 => Act::works("more"),
        _ => Act::claims(&format!("done {call}")),
    });
    assert_eq!(world.finish(), StopReason::Complete);
    assert_eq!(verdicts(&world).len(), 6);
}

// rows: 51
#[test]
fn the_phrase_counts_only_as_the_last_line_of_the_last_result_which_is_no_error() {
    let never = [
        Act::idles().says("I will print WINDLASS_JOB_COMPLETE when done"),
        Act::idles().says("WINDLASS_JOB_COMPLETE\nonce the tests pass"),
        Act::of(Class::TaskFailure).says("WINDLASS_JOB_COMPLETE"),
        Act::of(Class::Interrupted).says("WINDLASS_JOB_COMPLETE"),
    ];
    for act in never {
        assert!(!crate::claim::claims(&plan().job, &act.report), "{:?}", act.report.results);
    }
    assert!(crate::claim::claims(
        &plan().job,
        &Act::idles().says("ok\r\n  WINDLASS_JOB_COMPLETE \r\n").report
    ));
    let mut taken_back = Act::idles().says("`WINDLASS_JOB_COMPLETE`").report;
    assert!(crate::claim::claims(&plan().job, &taken_back));
    taken_back.results.push("Sorry, one test still fails.".to_owned());
    assert!(!crate::claim::claims(&plan().job, &taken_back), "the last result decides");
}

// rows: 51, 62
#[test]
fn a_claim_without_evidence_is_no_progress_and_completes_nothing() {
    let mut world = World::new(plan(), |_, _| Act::claims("start"));
    assert_eq!(world.finish(), StopReason::Stagnated);
    assert_eq!(verdicts(&world), [Verdict::ClaimUnsupported; 3]);
}

#[test]
fn work_that_was_undone_supports_no_claim() {
    let mut world = World::new(plan(), |call, _| match call {
        1 => Act::works("changed"),
        _ => Act::claims("start"),
    });
    assert_eq!(world.finish(), StopReason::Stagnated);
    assert!(verdicts(&world).iter().all(|verdict| *verdict != Verdict::ClaimAccepted));
}

#[test]
fn a_red_gate_refuses_the_claim_and_a_green_one_lets_it_count() {
    let mut world = World::new(gated(), |call, _| match call {
        1 => Act::claims("half"),
        _ => Act::claims("whole"),
    })
    .checking(|_, tree| tree == "whole");
    assert_eq!(world.finish(), StopReason::Complete);
    assert_eq!(
        verdicts(&world),
        [Verdict::ClaimRefused, Verdict::ClaimAccepted, Verdict::ClaimAccepted, Verdict::ClaimAccepted]
    );
    assert!(
        !world.run.baseline()[0].passed(),
        "the gate was red before the first iteration, and that is known"
    );
}

#[test]
fn five_refused_claims_with_the_same_failures_end_the_run() {
    let mut world = World::new(gated(), |call, _| Act::claims(&format!("try {call}"))).checking(|_, _| false);
    assert_eq!(world.finish(), StopReason::GatesFailing);
    assert_eq!(verdicts(&world), [Verdict::ClaimRefused; 5]);
}

#[test]
fn gates_are_not_run_without_a_claim() {
    let mut world = World::new(gated(), |_, _| Act::idles());
    assert_eq!(world.finish(), StopReason::Stagnated);
    assert_eq!(world.count("check_finished"), 1, "the baseline only");
}

#[test]
fn until_replaces_the_claim_and_is_run_after_every_iteration() {
    let mut world = World::new(until(), |call, _| match call {
        3 => Act::of(Class::TaskFailure).leaves("whole"),
        _ => Act::claims(&format!("part {call}")),
    })
    .checking(|check, tree| check == 1 || tree == "whole");
    assert_eq!(world.finish(), StopReason::Complete);
    assert_eq!(verdicts(&world), [Verdict::Worked, Verdict::Worked, Verdict::ClaimAccepted]);
}

#[test]
fn what_until_said_is_told_to_the_agent_from_the_first_prompt_on() {
    let mut world =
        World::new(until(), |call, _| Act::works(&format!("part {call}"))).checking(|check, _| check == 1);
    world.until(|effect| matches!(effect, crate::run::Effect::Prepare { turn, .. } if turn.iteration == 1));
    let told = |world: &World| world.run.refused_by().iter().map(|outcome| outcome.check).collect::<Vec<_>>();
    assert_eq!(told(&world), [0], "the baseline's");
    world.until(|effect| matches!(effect, crate::run::Effect::Prepare { turn, .. } if turn.iteration == 2));
    assert_eq!(told(&world), [0], "the first iteration's");
}

#[test]
fn until_needs_its_gates_green_as_well() {
    let mut world = World::new(until(), |call, _| Act::works(&format!("part {call}")))
        .checking(|check, tree| if check == 0 { tree != "start" } else { tree == "part 4" });
    assert_eq!(world.finish(), StopReason::Complete);
    assert_eq!(verdicts(&world)[..3], [Verdict::ClaimRefused; 3]);
}

#[test]
fn until_that_passes_at_once_leaves_nothing_to_do() {
    let mut world = World::new(until(), |_, _| Act::works("x"));
    assert_eq!(world.finish(), StopReason::NothingToDo);
    assert_eq!(world.count("iteration_started"), 0);
}

#[test]
fn the_runner_commits_only_what_its_gates_let_pass_and_checks_again_what_a_hook_changed() {
    let plan = RunSpec { commit: CommitPolicy::Runner, ..gated() };
    let mut world = World::new(plan, |call, _| match call {
        1 => Act::works("broken"),
        2 => Act::claims("whole"),
        _ => Act::claims(&format!("whole {call}")),
    })
    .checking(|_, tree| tree.starts_with("whole"));
    world.hook = Some("formatted by a hook".to_owned());
    assert_eq!(world.finish(), StopReason::Complete);
    let committed: Vec<bool> = world
        .facts()
        .filter_map(|fact| match fact {
            Fact::Committed(report::Committed { altered, .. }) => Some(*altered),
            _ => None,
        })
        .collect();
    assert_eq!(committed, [true, false, false, false], "the broken tree was not committed");
    assert_eq!(verdicts(&world)[1], Verdict::ClaimRefused, "what the hook left did not pass");
}

#[test]
fn what_a_check_writes_is_no_progress() {
    let mut world = World::new(gated(), |_, _| Act::idles().says("WINDLASS_JOB_COMPLETE"));
    // A gate that touches a file: the next iteration begins with what the gate left.
    world = world.checking(|_, _| false);
    world.until(|effect| matches!(effect, crate::run::Effect::Settle { .. }));
    world.tree = "a gate wrote this".to_owned();
    assert_eq!(world.finish(), StopReason::Stagnated);
    assert_eq!(verdicts(&world), [Verdict::ClaimRefused; 3]);
}
