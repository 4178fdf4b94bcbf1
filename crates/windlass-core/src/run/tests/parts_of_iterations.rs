//! Iterations with a pull request each, and which part a run is at: one after another, none before its branch is there, and none
//! of a run that is to stop.

use super::evidence::{branched, per};
use super::going_out::{answer, asked, goes_out, seen, steps};
use super::guarding::detail;
use super::parts::{Becomes, asks, does, goes, of, opens, plan, three};
use super::world::{Act, World};
use crate::fact::{Entry, Fact};
use crate::report::{DeliveryReport, DeliveryStep, DeliveryTask};
use crate::run::{Effect, Input};
use crate::spec::{PullRequestPer, RunSpec};
use crate::values::{StopReason, StopSource};

fn iterations() -> RunSpec {
    let mut plan = per(PullRequestPer::Iteration, goes_out());
    plan.delivery.iter_mut().for_each(|delivery| delivery.ci_retries = 0);
    plan
}

/// What comes next begins with the base, and that does not have what is not merged.
#[test]
fn an_iteration_goes_on_from_what_was_merged_and_from_nothing_else() {
    for (becomes, expected) in [
        (Becomes::Merged, None),
        (Becomes::MergedByPerson, None),
        (Becomes::Nothing, None),
        (Becomes::Left, Some(StopReason::NeedsHuman)),
        (Becomes::Closed, Some(StopReason::ClosedByPerson)),
        (Becomes::Red, Some(StopReason::CiFailed)),
        (Becomes::Conflicting, Some(StopReason::NeedsHuman)),
        (Becomes::Refused, Some(StopReason::NeedsHuman)),
    ] {
        let mut world = World::new(iterations(), |call, _| Act::works(&format!("tree {call}")));
        goes(&mut world, 1, becomes);
        if expected.is_none() {
            asked(&mut world, DeliveryTask::Branch);
            continue;
        }
        assert_eq!(asks(&world), None, "{becomes:?}");
        assert_eq!(Some(world.finish()), expected, "{becomes:?}");
    }
}

#[test]
fn a_limit_ends_a_run_of_parts_as_it_ends_any_other() {
    let half = |call: u32| Act::works(&format!("tree {call}")).writes(super::parts::status(false));
    let mut world = of(plan(), three(), half);
    branched(&mut world);
    world.until(|effect| matches!(effect, Effect::Prepare { turn, .. } if turn.iteration == 2));
    let mut limited = plan();
    limited.limits.iterations = Some(1);
    let mut world = of(limited, three(), half);
    branched(&mut world);
    opens(&mut world, 1);
    assert_eq!(world.finish(), StopReason::MaxIterations);
    let said =
        "what stands is in pull request page 1, branch windlass/r-test0000-1: open, for a person to merge";
    assert_eq!(detail(&world), said);
}

#[test]
fn nothing_of_a_part_begins_to_leave_once_a_person_wants_the_run_to_stop() {
    let mut world = World::new(iterations(), |_, _| Act::works("tree"));
    branched(&mut world);
    world.until(|effect| matches!(effect, Effect::Commit { .. }));
    world.input(Input::Stop { by: StopSource::Interrupt, least: 1 });
    assert_eq!(world.finish(), StopReason::Interrupted);
    let begun = |step: &&DeliveryStep| matches!(step, DeliveryStep::Begun { .. });
    assert!(!steps(&world).iter().any(begun), "{:?}", steps(&world));
    world.restart(world.journal.len());
    asked(&mut world, DeliveryTask::Push);
}

/// Would this step be taken?
fn takes(world: &World, step: DeliveryStep) -> bool {
    let mut run = world.run.clone();
    run.apply(&Entry { seq: run.next_seq(), at: world.now, fact: Fact::Delivery(step) }).is_ok()
}

#[test]
fn a_part_begins_where_there_are_parts_and_none_is_under_way() {
    let begun = || DeliveryStep::PartBegun { part: 2, branch: "branch".to_owned(), task: None };
    let works = |effect: &Effect| matches!(effect, Effect::Prepare { .. });
    let mut whole = World::new(goes_out(), |_, _| Act::works("tree"));
    whole.until(works);
    assert!(!takes(&whole, begun()), "the run has one pull request");

    let mut world = of(plan(), three(), does);
    asked(&mut world, DeliveryTask::Branch);
    assert!(!takes(&world, begun()), "a branch is being made");
    branched(&mut world);
    world.until(works);
    assert!(!takes(&world, begun()), "one is worked on");
    opens(&mut world, 1);
    assert!(!takes(&world, begun()), "one is on its way out");

    let mut world = of(super::parts::left_to_a_person(), three(), does);
    branched(&mut world);
    opens(&mut world, 1);
    assert_eq!(asks(&world), Some(DeliveryTask::LookAgain));
    assert!(!takes(&world, begun()), "it is looked at one before it");
    answer(&mut world, DeliveryReport::Viewed(seen()));
    asked(&mut world, DeliveryTask::Branch);
}
