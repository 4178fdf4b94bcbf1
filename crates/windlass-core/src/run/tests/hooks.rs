//! Hooks: when they are called, and what follows from what they say.

use std::time::Duration;

use super::world::{Act, World, plan};
use crate::fact::Fact;
use crate::report;
use crate::run::{Effect, Input, LaneState, MOST_SKIPS, Phase};
use crate::spec::{CommitPolicy, RunSpec};
use crate::values::{Hook, HookCommand, HookDecision, HookName, LaneId, Named, StopReason, StopSource};

fn hooks(names: &[HookName]) -> Vec<Hook> {
    let hook = |name: &HookName| Hook {
        name: *name,
        command: HookCommand::Shell("true".to_owned()),
        timeout: Duration::from_secs(30),
    };
    names.iter().map(hook).collect()
}

fn with(names: &[HookName]) -> RunSpec {
    RunSpec { hooks: hooks(names), ..plan() }
}

/// The hooks that were called, and what else happened, in order.
fn story(world: &World) -> Vec<String> {
    let told = |fact: &Fact| match fact {
        Fact::HookFinished(report::HookFinished { hook, .. }) => Some(hook.name().to_owned()),
        Fact::IterationStarted { iteration, .. } => Some(format!("iteration {iteration}")),
        Fact::BaselineCaptured(_) | Fact::RunEnding { .. } | Fact::RunFinished { .. } => {
            Some(fact.name().to_owned())
        }
        _ => None,
    };
    world.facts().filter_map(told).collect()
}

// rows: 106
#[test]
fn hooks_are_called_in_their_order_and_the_last_one_after_the_end_is_decided() {
    let mut plan = with(&HookName::ALL);
    plan.limits.iterations = Some(2);
    let mut calls = 0;
    let mut world = World::new(plan, move |_, _| {
        calls += 1;
        Act::works(&format!("tree {calls}"))
    });
    assert_eq!(world.finish(), StopReason::MaxIterations);
    assert_eq!(
        story(&world),
        [
            "started",
            "surveyed",
            "next_iteration",
            "surveyed",
            "iteration 1",
            "next_iteration",
            "surveyed",
            "iteration 2",
            "run_ending",
            "finished",
            "run_finished"
        ]
    );
}

// rows: 107
#[test]
fn a_skipped_iteration_consumes_none_and_is_asked_for_again_after_the_pause() {
    let mut plan = with(&[HookName::NextIteration]);
    plan.limits.iterations = Some(1);
    let mut asked = 0;
    let mut world = World::new(plan, |_, _| Act::works("tree")).hooked(move |_, iteration| {
        asked += 1;
        assert_eq!(iteration, 1);
        (if asked < 4 { HookDecision::Skip } else { HookDecision::Continue }, "", None)
    });
    assert_eq!(world.finish(), StopReason::MaxIterations);
    assert_eq!((world.count("hook_due"), world.count("iteration_started")), (4, 1));
    let at: Vec<Duration> = world
        .journal
        .iter()
        .filter(|entry| entry.fact.name() == "hook_due")
        .map(|entry| entry.at.monotonic)
        .collect();
    let pause = world.run.spec().unwrap().clocks.delay;
    assert!(pause > Duration::ZERO && at.windows(2).all(|pair| pair[1] >= pair[0] + pause), "{at:?}");
}

// rows: 107
#[test]
fn ten_skips_in_a_row_end_the_run_and_a_resumption_counts_anew() {
    let mut world = World::new(with(&[HookName::NextIteration]), |_, _| panic!("nothing is begun"))
        .hooked(|_, _| (HookDecision::Skip, "", None));
    assert_eq!(world.finish(), StopReason::HookSkips);
    assert_eq!(world.count("hook_finished"), MOST_SKIPS as usize);
    world.restart(world.journal.len());
    assert_eq!(world.finish(), StopReason::HookSkips);
    assert_eq!(world.count("hook_finished"), 2 * MOST_SKIPS as usize);
}

// rows: 107
#[test]
fn an_abort_ends_the_run_and_the_last_hook_is_called_all_the_same() {
    for hook in [HookName::Started, HookName::NextIteration] {
        let mut world =
            World::new(with(&HookName::ALL), |_, _| panic!("nothing is begun")).hooked(move |name, _| {
                (if name == hook { HookDecision::Abort } else { HookDecision::Continue }, "", None)
            });
        assert_eq!(world.finish(), StopReason::HookAbort);
        assert_eq!(
            story(&world).iter().rev().take(3).collect::<Vec<_>>(),
            ["run_finished", "finished", "run_ending"]
        );
        let detail = world.facts().find_map(|fact| match fact {
            Fact::RunFinished { detail, .. } => Some(detail.clone()),
            _ => None,
        });
        assert_eq!(detail.unwrap(), format!("the hook `{}` said abort: because", hook.name()));
    }
    // The run has ended already: there is nothing left to abort.
    let mut plan = with(&[HookName::Finished]);
    plan.limits.iterations = Some(1);
    let mut world =
        World::new(plan, |_, _| Act::works("tree")).hooked(|_, _| (HookDecision::Abort, "", None));
    assert_eq!(world.finish(), StopReason::MaxIterations);
}

#[test]
fn what_a_hook_writes_is_nobodys_progress_and_nothing_to_commit() {
    let mut plan = with(&[HookName::NextIteration]);
    plan.commit = CommitPolicy::Runner;
    plan.limits.stagnation = Some(2);
    let mut world = World::new(plan, |_, _| Act::idles()).hooked(|_, iteration| {
        (HookDecision::Continue, "", Some(if iteration == 1 { "hook one" } else { "hook two" }))
    });
    assert_eq!(world.finish(), StopReason::Stagnated);
    assert_eq!((world.commits, world.count("iteration_finished")), (0, 2));
}

// rows: 107
#[test]
fn what_hooks_want_to_be_said_is_there_for_one_iteration() {
    let mut plan = with(&[HookName::Started, HookName::NextIteration]);
    plan.limits.iterations = Some(2);
    let mut world =
        World::new(plan, |call, _| Act::works(&format!("tree {call}"))).hooked(|name, iteration| {
            let said = match (name, iteration) {
                (HookName::Started, _) => "Mind the gap.",
                (_, 1) => " Begin with the tests. ",
                _ => "",
            };
            (HookDecision::Continue, said, None)
        });
    let prepares = |effect: &Effect| matches!(effect, Effect::Prepare { .. });
    world.until(prepares);
    assert_eq!(world.run.hook_prompt(), "Mind the gap.\n\nBegin with the tests.");
    // A session that goes on with this iteration calls the first hook again, and hears the same again.
    world.restart(world.journal.len());
    world.until(prepares);
    assert_eq!(world.run.hook_prompt(), "Mind the gap.\n\nBegin with the tests.");
    world.until(|effect| matches!(effect, Effect::Call { .. }));
    world.until(prepares);
    assert_eq!(world.run.hook_prompt(), "");
}

#[test]
fn each_session_calls_the_first_hook_and_each_ending_the_last_one() {
    let mut plan = with(&HookName::ALL);
    plan.limits.iterations = Some(3);
    let mut world = World::new(plan, |call, _| Act::works(&format!("tree {call}")));
    world.finish();
    let kept = world.journal.iter().position(|entry| entry.fact.name() == "call_reserved").unwrap() + 1;
    world.restart(kept);
    assert_eq!(
        world.run.outstanding(),
        [Effect::RunHook { lane: LaneId::default(), hook: HookName::Started, iteration: 1, skips: 0 }]
    );
    world.finish();
    assert_eq!(story(&world).iter().filter(|one| *one == "started").count(), 2);
    assert_eq!(story(&world).iter().filter(|one| *one == "finished").count(), 1);
    assert!(story(&world).contains(&"iteration 2".to_owned()));
}

#[test]
fn a_runner_that_dies_while_a_hook_is_asked_asks_again() {
    let mut world = World::new(with(&HookName::ALL), |_, _| Act::works("tree"));
    world.until(|effect| matches!(effect, Effect::RunHook { hook: HookName::NextIteration, .. }));
    assert_eq!(world.run.lane(LaneId::default()), Some(&LaneState::Asking));
    world.restart(world.journal.len());
    world.until(|effect| matches!(effect, Effect::RunHook { hook: HookName::NextIteration, .. }));
    world.until(|effect| matches!(effect, Effect::Call { .. }));
    assert_eq!(world.count("iteration_started"), 1);
}

#[test]
fn the_first_ctrl_c_lets_a_hook_end_and_the_second_does_not_wait_for_it() {
    for hook in [HookName::Started, HookName::NextIteration] {
        let mut world = World::new(with(&HookName::ALL), |_, _| panic!("nothing is begun"));
        world.until(|effect| matches!(effect, Effect::RunHook { hook: due, .. } if *due == hook));
        let stop = Input::Stop { by: StopSource::Interrupt, least: 1 };
        world.input(stop.clone());
        assert!(!world.run.is_ending(), "{hook:?}");
        let mut patient = World::new(with(&HookName::ALL), |_, _| panic!("nothing is begun"));
        patient.until(|effect| matches!(effect, Effect::RunHook { hook: due, .. } if *due == hook));
        patient.input(stop.clone());
        assert_eq!(patient.finish(), StopReason::Interrupted);
        world.input(stop);
        assert!(world.run.is_ending(), "{hook:?}");
        assert!(matches!(world.run.outstanding()[..], [Effect::RunHook { hook: HookName::Finished, .. }]));
        assert_eq!(world.finish(), StopReason::Interrupted);
        assert_eq!(world.run.phase(), Phase::Ended(StopReason::Interrupted));
    }
}

#[test]
fn an_answer_that_nobody_waits_for_means_nothing() {
    let mut world = World::new(plan(), |_, _| Act::works("tree"));
    world.until(|effect| matches!(effect, Effect::Prepare { .. }));
    for hook in HookName::ALL {
        let outcome = crate::values::HookOutcome {
            result: crate::values::CheckResult::Passed,
            decision: HookDecision::Abort,
            reason: String::new(),
            prompt: String::new(),
            duration: Duration::ZERO,
            log: String::new(),
        };
        let input = Input::from(report::HookFinished { lane: LaneId::default(), hook, outcome });
        assert_eq!(world.run.decide(world.now, input), []);
    }
}

#[test]
fn what_is_committed_is_counted_from_the_kept_look_before_the_hook() {
    let mut plan = with(&[HookName::NextIteration]);
    plan.commit = CommitPolicy::Runner;
    plan.limits.iterations = Some(1);
    let mut world = World::new(plan, |_, _| Act::works("tree"))
        .hooked(|_, _| (HookDecision::Continue, "", Some("what the hook made of it")));
    world.until(|effect| matches!(effect, Effect::Commit { .. }));
    let effects = world.run.outstanding();
    assert!(matches!(&effects[..], [Effect::Commit { since: Some(_), .. }]), "{effects:?}");
}

#[test]
fn a_full_disk_ends_what_an_abort_would_have_seen_through() {
    let mut abort = false;
    let mut world = World::new(with(&[HookName::Started]), |_, _| Act::works("tree")).hooked(move |_, _| {
        let decision = if abort { HookDecision::Abort } else { HookDecision::Continue };
        abort = true;
        (decision, "", None)
    });
    world.until(|effect| matches!(effect, Effect::Keep { .. }));
    world.restart(world.journal.len());
    world.until(|effect| matches!(effect, Effect::Keep { .. }));
    assert!(!world.run.is_ending());
    let failed = |stop_reason| Input::from(report::Failed { stop_reason, detail: String::new() });
    world.input(failed(StopReason::DiskFull));
    assert!(world.run.is_ending());
    assert_eq!(world.finish(), StopReason::DiskFull);
}
