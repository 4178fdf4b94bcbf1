use super::world::{Act, World, check, plan};
use crate::fact::Fact;
use crate::report;
use crate::run::{Effect, Input, Phase};
use crate::spec::{CommitPolicy, RunSpec};
use crate::values::{CheckKind, Class, StopReason, Verdict};

fn committing() -> RunSpec {
    let mut plan = RunSpec { commit: CommitPolicy::Runner, ..plan() };
    plan.limits.iterations = Some(2);
    plan
}

fn verdicts(world: &World) -> Vec<Verdict> {
    let verdict = |fact: &Fact| match fact {
        Fact::IterationFinished { verdict, .. } => Some(*verdict),
        _ => None,
    };
    world.facts().filter_map(verdict).collect()
}

// rows: 74, 80
#[test]
fn what_a_failed_iteration_left_is_committed_with_the_next_good_one() {
    let mut world = World::new(committing(), |call, _| match call {
        1 => Act::of(Class::TaskFailure).leaves("half"),
        _ => Act::idles(),
    });
    assert_eq!(world.finish(), StopReason::MaxIterations);
    assert_eq!(verdicts(&world), [Verdict::Failed, Verdict::Idle]);
    assert_eq!(world.commits, 1);
}

// rows: 74, 75
#[test]
fn a_kill_between_keeping_and_committing_loses_no_commit() {
    let mut world =
        World::new(committing(), |call, _| if call == 1 { Act::works("done") } else { Act::idles() });
    world.until(|effect| matches!(effect, Effect::Commit { .. }));
    world.restart(world.journal.len());
    assert_eq!(world.finish(), StopReason::MaxIterations);
    assert_eq!(verdicts(&world), [Verdict::Worked, Verdict::Idle]);
    assert_eq!(world.commits, 1);
}

// rows: 75
#[test]
fn a_run_that_cannot_keep_what_was_done_ends_and_keeps_it_when_it_goes_on() {
    for reason in [StopReason::DiskFull, StopReason::Internal, StopReason::NeedsHuman] {
        for stuck in ["keep", "commit"] {
            let mut world = World::new(committing(), |call, _| Act::works(&format!("step {call}")));
            world.until(|effect| match effect {
                Effect::Keep { .. } => stuck == "keep",
                Effect::Commit { .. } => stuck == "commit",
                _ => false,
            });
            world.input(Input::from(report::Broken { stop_reason: reason, detail: "no room".to_owned() }));
            assert!(world.run.is_ending() && world.step());
            assert_eq!(
                world.run.phase(),
                Phase::Ended(reason),
                "{stuck}: nobody waits for what may never end"
            );
            world.restart(world.journal.len());
            assert_eq!(world.finish(), StopReason::MaxIterations, "{stuck}");
            assert_eq!(verdicts(&world), [Verdict::Worked, Verdict::Worked], "{stuck}");
            assert_eq!(world.commits, 2, "{stuck}");
        }
    }
}

#[test]
fn what_checks_write_is_neither_progress_nor_to_be_committed() {
    let mut plan = RunSpec { checks: vec![check(CheckKind::Gate, "test")], ..committing() };
    plan.limits.iterations = Some(3);
    let mut world = World::new(plan, |call, _| if call == 1 { Act::works("done") } else { Act::idles() });
    for written in ["baseline", "candidate"] {
        world.until(|effect| matches!(effect, Effect::RunCheck { .. }));
        world.step();
        world.tree += written;
    }
    assert_eq!(world.finish(), StopReason::MaxIterations);
    assert_eq!(verdicts(&world), [Verdict::Worked, Verdict::Idle, Verdict::Idle]);
    assert_eq!(world.commits, 1);

    let mut idle =
        World::new(RunSpec { checks: vec![check(CheckKind::Gate, "test")], ..committing() }, |_, _| {
            Act::idles()
        });
    idle.until(|effect| matches!(effect, Effect::RunCheck { .. }));
    idle.step();
    idle.tree = "written by the check".to_owned();
    idle.finish();
    assert_eq!(verdicts(&idle), [Verdict::Idle, Verdict::Idle]);
    assert_eq!(idle.commits, 0);
}
