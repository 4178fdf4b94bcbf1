//! Which judgement of the gates counts.

use std::cell::Cell;
use std::rc::Rc;

use super::verification::verified;
use super::workspace::complete;
use super::world::{Act, World, check};
use crate::fact::Fact;
use crate::run::Effect;
use crate::spec::RunSpec;
use crate::values::{Assessed, CheckKind, JobStatus, StopReason};

/// A claim, green gates, and a verifying agent that spoils the tree.
fn spoilt(plan: RunSpec, green: &Rc<Cell<bool>>) -> World {
    let agent = |call: u32, _| match call {
        1 => Act::works("good").writes(complete("1")),
        _ => Act::judges(Assessed::Pass).leaves("spoilt"),
    };
    let green = Rc::clone(green);
    let mut world =
        World::new(plan, agent).with_status(JobStatus::default()).checking(move |_, _| green.get());
    world.until(is_check_after_verification);
    world
}

fn is_check_after_verification(effect: &Effect) -> bool {
    matches!(effect, Effect::RunCheck { turn: Some(turn), .. } if turn.attempt == 2)
}

fn gated(gates: &[&str]) -> RunSpec {
    let mut plan = verified();
    plan.checks = gates.iter().map(|command| check(CheckKind::Gate, command)).collect();
    plan.limits.iterations = Some(1);
    plan
}

// The verifying agent had removed a file, a gate that was to judge again wrote it anew and said no, and the runner died:
// the tree was the one for which the gates had once said yes.
#[test]
fn a_yes_from_before_does_not_outlive_the_gates_being_asked_again() {
    let green = Rc::new(Cell::new(true));
    let mut world = spoilt(gated(&["one", "two"]), &green);
    green.set(false);
    let before = world.count("check_finished");
    while world.count("check_finished") == before {
        world.step();
    }
    world.tree = "good".to_owned();
    world.restart(world.journal.len());
    assert_eq!(world.finish(), StopReason::MaxIterations);
    assert_eq!(world.count("check_finished"), before + 3, "one before the crash, both after it");
}

#[test]
fn asked_again_over_a_crash_the_gates_decide() {
    for (says, ends) in [(true, StopReason::Complete), (false, StopReason::MaxIterations)] {
        let green = Rc::new(Cell::new(true));
        let mut world = spoilt(gated(&["one"]), &green);
        green.set(says);
        world.tree = "good".to_owned();
        world.restart(world.journal.len());
        assert_eq!(world.finish(), ends);
        let asked = |fact: &&Fact| matches!(fact, Fact::CheckFinished(_));
        assert_eq!(world.facts().filter(asked).count(), 3, "before the run, for the claim, and once more");
    }
}

#[test]
fn gates_are_not_asked_again_about_what_nobody_changed() {
    let agent = |call: u32, _| match call {
        1 => Act::works("good").writes(complete("1")),
        _ => Act::judges(Assessed::Pass),
    };
    let mut world = World::new(gated(&["one"]), agent).with_status(JobStatus::default());
    assert_eq!(world.finish(), StopReason::Complete);
    assert_eq!(world.count("check_finished"), 2, "before the run, and for the claim");
}
