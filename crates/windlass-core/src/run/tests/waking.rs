//! What time alone brings on, and what it does not: a runner that wakes for nothing spins.

use std::time::Duration;

use super::world::{Act, World, plan};
use crate::run::Effect;
use crate::spec::{CommitPolicy, JobTasks, LanesSpec, Mode, RunSpec};
use crate::values::{Hook, HookCommand, HookDecision, HookName, Named as _, StopReason, TaskRow};

pub(super) fn two_lanes() -> RunSpec {
    let mut plan = RunSpec { commit: CommitPolicy::Runner, ..plan() };
    plan.job.mode = Mode::Tasks;
    plan.job.tasks = Some(JobTasks {
        file: "requirements.md".into(),
        progress: None,
        feature: None,
        attempts: 2,
        commits_attempts: false,
        issues: None,
    });
    plan.lanes = Some(LanesSpec::of(2, "/state/lanes".into()));
    plan
}

fn at_work(tasks: &[&str]) -> World {
    at_work_with(two_lanes(), tasks)
}

/// As soon as something is at work.
pub(super) fn at_work_with(plan: RunSpec, tasks: &[&str]) -> World {
    let mut world = World::new(plan, |_, _| Act::idles());
    let row = |id: &&str| TaskRow { id: (*id).into(), priority: 2, ..TaskRow::default() };
    world.tasks = Some(tasks.iter().map(row).collect());
    world.until(|effect| matches!(effect, Effect::Open { .. }));
    world
}

#[test]
fn a_lane_without_a_task_is_not_woken() {
    let world = at_work(&["T1"]);
    assert_eq!(world.run.next_due(world.now), None);
}

#[test]
fn an_idle_lane_is_not_woken_while_its_run_may_begin_nothing() {
    let mut limited = two_lanes();
    limited.limits.iterations = Some(1);
    let world = at_work_with(limited, &["T1", "T2"]);
    assert_eq!(world.run.next_due(world.now), None);
}

// The same effect would have been taken for one that was begun already, and the run would have waited for ever.
#[test]
fn a_hook_that_skips_without_a_delay_is_called_again() {
    let mut plan = two_lanes();
    plan.clocks.delay = Duration::ZERO;
    plan.hooks = vec![Hook {
        name: HookName::NextIteration,
        command: HookCommand::Shell("./may-it-begin".to_owned()),
        timeout: Duration::from_mins(1),
    }];
    let mut world = World::new(plan, |_, _| Act::idles()).hooked(|_, _| (HookDecision::Skip, "", None));
    world.tasks = Some(vec![TaskRow { id: "T1".into(), priority: 2, ..TaskRow::default() }]);
    assert_eq!(world.finish(), StopReason::HookSkips);
}

// rows: 61
#[test]
fn a_pause_can_be_switched_off_and_there_is_none_after_the_last_iteration() {
    let usual = plan().clocks.delay;
    for delay in [Duration::ZERO, usual] {
        let mut spec = plan();
        spec.clocks.delay = delay;
        spec.limits.iterations = Some(3);
        let mut world = World::new(spec, |call, _| Act::works(&call.to_string()));
        assert_eq!(world.finish(), StopReason::MaxIterations);
        let at = |name: &str| {
            let found = world.journal.iter().filter(move |entry| entry.fact.name() == name);
            found.map(|entry| entry.at.monotonic).collect::<Vec<_>>()
        };
        let (ended, begun) = (at("iteration_finished"), at("iteration_started"));
        let gaps: Vec<Duration> =
            ended.iter().zip(&begun[1..]).map(|(end, next)| next.saturating_sub(*end)).collect();
        assert_eq!(gaps.len(), 2);
        assert!(gaps.iter().all(|gap| (*gap >= usual) != delay.is_zero()), "{delay:?}: {gaps:?}");
        let last = world.journal.last().unwrap().at.monotonic.saturating_sub(ended[2]);
        assert!(last < usual, "{delay:?}: {last:?} after the last iteration");
    }
}
