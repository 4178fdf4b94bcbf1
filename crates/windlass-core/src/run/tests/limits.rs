use std::time::Duration;

use super::lanes_world::{AgentCall, World as LanesWorld, row, tasks_plan};
use super::world::{Act, DOLLAR, World, plan};
use crate::fact::Fact;
use crate::run::{Effect, LEAST_RESERVATION};
use crate::spec::{Limits, RunSpec};
use crate::values::{Class, Cost, Cut, Evidence, StopReason, TaskId, Verdict};

fn limited(change: impl FnOnce(&mut Limits)) -> RunSpec {
    let mut plan = plan();
    change(&mut plan.limits);
    plan
}

fn works(call: u32) -> Act {
    Act::works(&format!("step {call}"))
}

// rows: 53, 55, 56, 57
#[test]
fn each_limit_ends_the_run_with_its_own_reason() {
    let cases: [(RunSpec, StopReason, u32); 4] = [
        (limited(|limits| limits.iterations = Some(4)), StopReason::MaxIterations, 4),
        (limited(|limits| limits.cost = Some(Cost::from_dollars(0.35))), StopReason::MaxCost, 4),
        (limited(|limits| limits.tokens = Some(300)), StopReason::MaxTokens, 3),
        (limited(|limits| limits.duration = Some(Duration::from_secs(130))), StopReason::MaxDuration, 3),
    ];
    for (plan, reason, iterations) in cases {
        let mut world = World::new(plan, |call, _| works(call));
        assert_eq!(world.finish(), reason);
        assert_eq!(world.run.counters().started, iterations, "{reason:?}");
    }
}

/// The iterations of all calls, in their order.
fn called(facts: impl Iterator<Item = Fact>) -> Vec<u32> {
    let iteration = |fact| match fact {
        Fact::CallReserved { iteration, .. } => Some(iteration),
        _ => None,
    };
    facts.filter_map(iteration).collect()
}

// rows: 53
#[test]
fn nobody_is_called_in_an_iteration_beyond_a_limit_that_was_lowered() {
    for state in ["preparing", "calling", "keeping"] {
        let mut world = World::new(plan(), |call, _| works(call));
        let second = |effect: &Effect| effect.turn().is_some_and(|turn| turn.iteration == 2);
        world.until(|effect| {
            second(effect)
                && match state {
                    "preparing" => matches!(effect, Effect::Prepare { .. }),
                    "calling" => matches!(effect, Effect::Call { .. }),
                    _ => matches!(effect, Effect::Keep { .. }),
                }
        });
        let before = called(world.facts().cloned());
        world.restart_with(world.journal.len(), |plan| plan.limits.iterations = Some(1));
        assert_eq!(world.finish(), StopReason::MaxIterations, "{state}");
        assert_eq!(called(world.facts().cloned()), before, "{state}");
        // What it left is kept, and it goes on where the limit allows it.
        let kept = world.facts().filter(|fact| matches!(fact, Fact::SnapshotTaken(_))).count();
        assert!(kept >= before.len(), "{state}: {kept}");
        world.restart_with(world.journal.len(), |plan| plan.limits.iterations = Some(2));
        assert_eq!(world.finish(), StopReason::MaxIterations, "{state}");
        assert_eq!(world.run.counters().finished, 2, "{state}");
    }
}

// rows: 53
#[test]
fn lanes_whose_iterations_the_lowered_limit_allows_go_on() {
    let rows = vec![row("a", &[]), row("b", &[]), row("c", &[])];
    let agent = |task: &TaskId, _, _| AgentCall::done(if task.0 == "a" { "a" } else { "b" }, "x");
    let mut world = LanesWorld::new(tasks_plan(2), rows, agent);
    let calls = |world: &LanesWorld| called(world.journal.iter().map(|entry| entry.fact.clone()));
    while calls(&world).len() < 2 {
        let due = world.run.outstanding().into_iter().filter(|effect| !world.begun.contains(effect));
        // No call ends before both lanes have begun theirs.
        let pick = due.collect::<Vec<_>>().iter().position(|effect| !matches!(effect, Effect::Call { .. }));
        assert!(world.step(pick.unwrap_or_default()), "both lanes call somebody");
    }
    let kept = world.journal.iter().position(|entry| matches!(entry.fact, Fact::CallFinished { .. }));
    let kept = kept.unwrap_or(world.journal.len());
    world.restart_with(kept, |plan| plan.limits.iterations = Some(1));
    assert_eq!(world.finish(), StopReason::MaxIterations);
    assert_eq!(calls(&world).iter().filter(|iteration| **iteration == 2).count(), 1, "{:?}", calls(&world));
    assert!(calls(&world).iter().filter(|iteration| **iteration == 1).count() >= 2, "{:?}", calls(&world));
    world.restart_with(world.journal.len(), |plan| plan.limits.iterations = Some(9));
    assert_eq!(world.finish(), StopReason::Complete);
}

// rows: 54
#[test]
fn without_limits_only_stagnation_ends_a_run() {
    let mut plan = limited(|limits| limits.iterations = None);
    plan.limits.duration = None;
    let mut world = World::new(plan, |call, _| if call > 200 { Act::idles() } else { works(call) });
    assert_eq!(world.finish(), StopReason::Stagnated);
    assert_eq!(world.run.counters().finished, 203);
}

// rows: 55
// Seed defect D3, core/loop.ts:244-256: a call knew no limit.
#[test]
fn the_agent_gets_what_is_left_and_a_call_without_a_result_is_charged_its_reservation() {
    let plan = limited(|limits| limits.cost = Some(Cost::from_dollars(5.0)));
    let mut world = World::new(plan, |call, _| match call {
        1 => works(1).costs(Cost::from_dollars(2.0)),
        2 => works(2).dies(),
        _ => works(call).costs(DOLLAR),
    });
    assert_eq!(world.finish(), StopReason::MaxCost);
    let reserved: Vec<(Cost, Option<Cost>)> = world
        .facts()
        .filter_map(|fact| match fact {
            Fact::CallReserved { reserved, budget, .. } => Some((*reserved, *budget)),
            _ => None,
        })
        .collect();
    let dollars = Cost::from_dollars;
    assert_eq!(reserved[0], (LEAST_RESERVATION, Some(dollars(5.0))));
    assert_eq!(reserved[1], (dollars(2.0), Some(dollars(3.0))));
    assert_eq!(reserved[2], (dollars(2.0), Some(dollars(1.0))), "the dead call was charged its two dollars");
    assert!(world.run.ledger().is_estimated());
}

// rows: 55
#[test]
fn a_budget_for_the_job_counts_what_earlier_runs_spent() {
    let mut plan = limited(|limits| limits.cost = Some(DOLLAR));
    plan.limits.spent_before = Cost::from_dollars(0.8);
    let mut world = World::new(plan, |call, _| works(call));
    assert_eq!(world.finish(), StopReason::MaxCost);
    assert_eq!(world.run.counters().started, 2);
    let budgets = world.facts().filter_map(|fact| match fact {
        Fact::CallReserved { budget, .. } => *budget,
        _ => None,
    });
    assert_eq!(budgets.collect::<Vec<_>>(), [Cost::from_dollars(0.2), Cost::from_dollars(0.1)]);
}

// rows: 55
#[test]
fn a_budget_that_the_agent_used_up_is_our_max_cost() {
    let plan = limited(|limits| limits.cost = Some(DOLLAR));
    let mut world =
        World::new(plan, |_, _| Act::of(Class::BudgetExhausted).leaves("x").costs(Cost::from_dollars(0.99)));
    assert_eq!(world.finish(), StopReason::MaxCost);
}

// rows: 57, 59
// Seed defect D3, core/loop.ts:244-256: a call outlived the run.
#[test]
fn the_duration_cuts_a_running_call_and_the_iteration_stays_open() {
    let plan = limited(|limits| limits.duration = Some(Duration::from_mins(1)));
    let mut world = World::new(plan, |_, _| works(1).cut(Cut::Duration).dies());
    assert_eq!(world.finish(), StopReason::MaxDuration);
    assert_eq!((world.run.counters().started, world.run.counters().finished), (1, 0));
}

// rows: 64, 67
#[test]
fn failures_in_a_row_end_a_run_and_work_between_them_resets_the_count() {
    let mut world = World::new(plan(), |call, _| match call {
        1 | 2 => Act::of(Class::TaskFailure),
        3 => works(3),
        _ => Act::of(Class::Unknown),
    });
    assert_eq!(world.finish(), StopReason::ConsecutiveFailures);
    assert_eq!(world.run.counters().finished, 6);
}

// rows: 68
#[test]
fn one_failure_is_enough_when_asked_for() {
    let mut world = World::new(limited(|limits| limits.failures = 1), |_, _| Act::of(Class::TaskFailure));
    assert_eq!(world.finish(), StopReason::ConsecutiveFailures);
    assert_eq!(world.run.counters().finished, 1);
}

// rows: 62, 63
#[test]
fn a_state_seen_before_is_no_progress() {
    let mut world =
        World::new(plan(), |call, _| if call % 2 == 1 { Act::works("a") } else { Act::works("b") });
    assert_eq!(world.finish(), StopReason::Stagnated);
    assert_eq!(world.run.counters().finished, 5, "a and b are new once, then three times nothing new");
}

// rows: 62
#[test]
fn a_threshold_of_zero_never_stagnates() {
    let mut plan = limited(|limits| limits.stagnation = None);
    plan.limits.iterations = Some(30);
    let mut world = World::new(plan, |_, _| Act::idles());
    assert_eq!(world.finish(), StopReason::MaxIterations);
}

// rows: 58
#[test]
fn running_out_of_turns_with_progress_is_no_failure() {
    let verdicts: Vec<(Act, Verdict)> = vec![
        (Act::of(Class::MaxTurns).leaves("x"), Verdict::Worked),
        (Act::of(Class::MaxTurns), Verdict::Failed),
        (Act::of(Class::TaskFailure).leaves("x"), Verdict::Failed),
        (Act::of(Class::Outage).leaves("x"), Verdict::Worked),
        (Act::idles(), Verdict::Idle),
    ];
    for (act, expected) in verdicts {
        let plan = limited(|limits| limits.iterations = Some(1));
        let mut world = World::new(plan, move |_, _| act.clone());
        world.finish();
        let verdict = world.facts().find_map(|fact| match fact {
            Fact::IterationFinished { verdict, .. } => Some(*verdict),
            _ => None,
        });
        assert_eq!(verdict, Some(expected));
    }
}

#[test]
fn usage_beyond_the_plan_needs_a_person_unless_allowed() {
    let mut world = World::new(plan(), |_, _| works(1).overage());
    assert_eq!(world.finish(), StopReason::NeedsHuman);

    let mut plan = limited(|limits| limits.overage = true);
    plan.limits.iterations = Some(2);
    let mut world = World::new(plan, |call, _| works(call).overage());
    assert_eq!(world.finish(), StopReason::MaxIterations);
}

#[test]
fn a_limit_outranks_stagnation_and_a_completed_job_outranks_everything() {
    let mut plan = limited(|limits| limits.iterations = Some(3));
    plan.limits.stagnation = Some(3);
    let mut world = World::new(plan.clone(), |_, _| Act::idles());
    assert_eq!(world.finish(), StopReason::MaxIterations);
    let mut world = World::new(plan, |_, _| Act::claims("done"));
    assert_eq!(world.finish(), StopReason::Complete);
}

#[test]
fn the_notes_and_clocks_are_no_evidence() {
    let evidence = Evidence { head: None, tree: "t".to_owned(), work: None };
    assert_eq!(
        serde_json::to_string(&evidence).unwrap(),
        r#"{"tree":"t"}"#,
        "nothing but head, tree and work"
    );
}
