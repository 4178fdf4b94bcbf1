//! What an order carries of the run: what its effect needs, as the run stands when it is ordered, and nothing else.

use super::lanes_world::{self, AgentCall, row, tasks_plan};
use super::world::{Act, World, check, plan};
use crate::damage::{Damage, DamageCourse, DamageKind};
use crate::report;
use crate::run::{Effect, HookContext, Input, LaneState, OrderContext, Survey};
use crate::spec::{CommitPolicy, RunSpec};
use crate::values::{
    CheckKind, Ended, Hook, HookCommand, HookDecision, HookName, LaneId, StopReason, TaskRow,
};

/// Every effect of a run and what it was ordered with, in their order.
fn orders(world: &mut World) -> Vec<(Effect, OrderContext)> {
    let mut orders: Vec<(Effect, OrderContext)> = Vec::new();
    loop {
        for effect in world.run.outstanding() {
            if orders.iter().all(|(ordered, _)| *ordered != effect) {
                let context = OrderContext::of(&world.run, &effect, world.now);
                orders.push((effect, context));
            }
        }
        if !world.step() {
            return orders;
        }
    }
}

fn of(orders: &[(Effect, OrderContext)], is: fn(&Effect) -> bool) -> Vec<&OrderContext> {
    orders.iter().filter(|(effect, _)| is(effect)).map(|(_, context)| context).collect()
}

/// Two iterations: the first one claims, strays and is refused by a gate.
fn refused() -> RunSpec {
    let mut plan = RunSpec { commit: CommitPolicy::Runner, ..plan() };
    plan.checks = vec![check(CheckKind::Gate, "make test")];
    plan.limits.iterations = Some(2);
    plan
}

#[test]
fn a_prompt_is_told_what_was_refused_before_it_and_an_attempt_what_was_undone() {
    let agent = |call: u32, _| if call == 1 { Act::claims("one") } else { Act::works("two") };
    let mut world = World::new(refused(), agent).checking(|_, _| false);
    world.strays = vec![("one".to_owned(), "one, without what is not allowed".to_owned())];
    let began = world.now.wall;
    let orders = orders(&mut world);
    assert!(orders.iter().all(|(_, context)| context.began == Some(began)));

    let prompts = of(&orders, |effect| matches!(effect, Effect::Prepare { .. }));
    let refused: Vec<usize> =
        prompts.iter().map(|context| context.prompt.as_ref().unwrap().refused.len()).collect();
    assert_eq!(refused, [0, 1]);
    assert!(prompts.iter().all(|context| context.prompt.as_ref().unwrap().baseline.len() == 1));
    assert_eq!(prompts[1].prompt.as_ref().unwrap().forbidden_changes, ["src/main.rs"]);
    assert!(prompts.iter().all(|context| context.task().is_none() && context.schedule().is_none()));

    let strayed = |context: &&OrderContext| context.attempt.as_ref().unwrap().has_forbidden_changes;
    let kept = of(&orders, |effect| matches!(effect, Effect::Keep { .. }));
    assert_eq!(kept.iter().map(strayed).collect::<Vec<_>>(), [false, true]);
    assert!(kept.iter().all(|context| context.protected().is_empty() && context.prompt.is_none()));
    let calls = of(&orders, |effect| matches!(effect, Effect::Call { .. }));
    assert!(calls.iter().all(|context| context.clocks.is_some() && context.attempt.is_none()));
}

#[test]
fn an_attempt_is_told_of_its_own_damage_and_of_no_other() {
    let told = |world: &World| {
        let keep = world.run.outstanding().into_iter().find(|effect| matches!(effect, Effect::Keep { .. }));
        OrderContext::of(&world.run, &keep.unwrap(), world.now).attempt.unwrap().told
    };
    let mut plan = plan();
    plan.limits.iterations = Some(2);
    let mut world = World::new(plan, |call, _| Act::works(&format!("tree {call}")));
    world.until(|effect| matches!(effect, Effect::Keep { .. }));
    let sentence = "the branch is gone".to_owned();
    let found = vec![Damage { kind: DamageKind::CommitsLost, sentence, names: Vec::new() }];
    let (lane, course) = (LaneId::default(), DamageCourse::GoOn);
    world.input(Input::from(report::Damaged { lane, iteration: 1, attempt: 1, found, course }));
    world.restart(world.journal.len());
    assert_eq!(told(&world), [DamageKind::CommitsLost]);
    world.until(|effect| matches!(effect, Effect::Keep { turn, .. } if turn.iteration == 2));
    assert!(world.run.damage(lane).is_some(), "the prompt said it");
    assert_eq!(told(&world), []);
}

#[test]
fn a_hook_is_told_how_the_latest_agent_ended_and_where_its_log_is() {
    let hook = Hook {
        name: HookName::NextIteration,
        command: HookCommand::Shell("true".to_owned()),
        timeout: std::time::Duration::from_secs(30),
    };
    let mut plan = RunSpec { hooks: vec![hook], ..plan() };
    plan.limits.iterations = Some(4);
    let mut world = World::new(plan, |call, _| {
        let mut act = Act::works(&format!("tree {call}"));
        act.report.ended = [Ended::Exited(3), Ended::Signalled(9), Ended::Lost][(call as usize - 1) % 3];
        act
    })
    .hooked(|_, _| (HookDecision::Continue, "Mind the tests.", None));
    let orders = orders(&mut world);
    let told: Vec<&HookContext> = of(&orders, |effect| matches!(effect, Effect::RunHook { .. }))
        .into_iter()
        .map(|context| context.hook.as_deref().unwrap())
        .collect();
    let codes: Vec<i32> = told.iter().map(|hook| hook.setting.last_exit_code).collect();
    assert_eq!(codes, [0, 3, 128 + 9, 1]);
    assert!(told.iter().all(|hook| hook.log.as_ref().unwrap().ends_with("-next_iteration.log")));
    assert_eq!(told[3].setting.iteration, 4);
    assert_eq!(told[3].before.as_ref().map(|seen| &*seen.tree), Some("tree 2"));
    assert_eq!(told[3].first.as_ref().map(|seen| &*seen.tree), Some("start"));
    let prompts = of(&orders, |effect| matches!(effect, Effect::Prepare { .. }));
    assert!(prompts.iter().all(|context| context.prompt.as_ref().unwrap().hook == "Mind the tests."));
}

#[test]
fn what_is_about_a_task_carries_it_and_all_others_as_they_were_decided() {
    let rows = vec![TaskRow { protected: vec!["tests/**".to_owned()], ..row("T-1", &[]) }, row("T-2", &[])];
    let mut world = lanes_world::World::new(tasks_plan(2), rows.clone(), |task, _, _| match &*task.0 {
        "T-1" => AgentCall::done("one", "1"),
        _ => AgentCall::fails(),
    });
    let mut seen = Vec::new();
    for turn in 0.. {
        for effect in world.run.outstanding() {
            let context = OrderContext::of(&world.run, &effect, world.now);
            let lane = effect.lane().unwrap_or_default();
            let Some(row) = world.run.task_in(lane).cloned() else { continue };
            let carries = match effect {
                Effect::Open { .. }
                | Effect::Prepare { .. }
                | Effect::Keep { .. }
                | Effect::Commit { .. }
                | Effect::Land { .. } => true,
                // What follows it does not change the task, and knows it by its order.
                _ => continue,
            };
            assert_eq!(context.task().is_some_and(|at| at.row == row), carries, "{effect:?}");
            assert_eq!(context.schedule().unwrap().rows().len(), 2, "{effect:?}");
            if context.attempt.is_some() {
                assert_eq!(context.protected(), row.protected, "{effect:?}");
            }
            seen.push((row.id.0.clone(), context.task().unwrap().failed));
        }
        if !world.step(turn * 7) {
            break;
        }
    }
    assert!(seen.contains(&("T-1".to_owned(), 0)) && seen.contains(&("T-2".to_owned(), 1)), "{seen:?}");
}

#[test]
fn before_anything_was_done_a_prompt_is_about_the_first_task() {
    let context = OrderContext::at_first(Some(vec![row("T-1", &["T-2"]), row("T-2", &[])]));
    let at = context.task().unwrap();
    assert!((&*at.row.id.0, at.fresh, at.failed) == ("T-2", true, 0) && context.prompt.is_some());
    assert_eq!(context.schedule().unwrap().rows().len(), 2);
    let of_a_goal = OrderContext::at_first(None);
    assert!(of_a_goal.prompt.is_some() && of_a_goal.task().is_none() && of_a_goal.schedule().is_none());
}

/// A hook may have changed the tree that another lane's agent is still at work on.
#[test]
fn the_tree_is_looked_at_again_only_while_every_lane_rests() {
    let rows = vec![row("T-1", &[]), row("T-2", &[])];
    let mut world =
        lanes_world::World::new(tasks_plan(2), rows, |task, _, _| AgentCall::done("file", &task.0));
    for _ in 0..200 {
        let calling = world.run.lanes().filter(|(_, state)| matches!(state, LaneState::Calling(..))).count();
        if calling == 1 {
            break;
        }
        assert!(world.step(0));
    }
    world.run.survey = Survey::Hook;
    assert!(!world.run.outstanding().iter().any(|effect| matches!(effect, Effect::Survey(_))));
    assert_ne!(world.finish(), StopReason::Internal);
}
