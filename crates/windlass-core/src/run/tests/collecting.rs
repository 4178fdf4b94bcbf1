//! Principles that an agent derives.

use super::world::{Act, World, fold, plan};
use crate::principles::{COLLECTIONS, Preset, Principles};
use crate::report::PrinciplesProposed;
use crate::run::{Effect, Input, OrderContext, TurnKey};
use crate::spec::{PrinciplesSpec, RunSpec};
use crate::values::{Class, LaneId};

fn collecting() -> RunSpec {
    let principles = PrinciplesSpec::Collected { file: ".windlass/principles.yaml".into() };
    let mut plan = RunSpec { principles: Some(principles), ..plan() };
    plan.limits.iterations = Some(6);
    plan
}

/// Up to where what iteration `number` left is kept; then this was found of its proposal.
fn propose(world: &mut World, number: u32, principles: Option<Principles>) {
    world.until(|effect| matches!(effect, Effect::Keep { turn, .. } if turn.iteration == number));
    let refused = if principles.is_none() { "it is empty".to_owned() } else { String::new() };
    world.input(Input::from(PrinciplesProposed { lane: LaneId(0), principles, refused }));
}

fn prompted(world: &World) -> OrderContext {
    let (lane, turn) = (LaneId(0), TurnKey { iteration: 1, attempt: 1 });
    let effect = Effect::Prepare {
        lane,
        turn,
        purpose: crate::values::Purpose::Work,
        notes: crate::run::NotesShare::Usual,
        agent: crate::values::AgentIndex(0),
    };
    OrderContext::of(&world.run, &effect, world.now)
}

// rows: 100
#[test]
fn a_sound_proposal_holds_from_the_next_iteration_and_after_a_restart() {
    let mut world = World::new(collecting(), |call, _| Act::works(&call.to_string()));
    propose(&mut world, 1, None);
    assert!(prompted(&world).prompt.unwrap().collected.refused.contains("empty"));
    let startup = Principles::of(Preset::Startup);
    propose(&mut world, 2, Some(startup.clone()));
    assert_eq!(world.run.principles(), Some(&startup));
    assert_eq!(world.count("principles_collected"), 2);
    // Kept once more after a restart, their file is known.
    let effect = Effect::Keep { lane: LaneId(0), turn: TurnKey { iteration: 2, attempt: 1 } };
    let again = OrderContext::of(&fold(&world.journal), &effect, world.now).attempt.unwrap();
    assert_eq!((again.owes_principles, again.derived), (false, Some(startup.clone())));
    // A second proposal is not asked for, and not taken.
    propose(&mut world, 3, Some(Principles::of(Preset::Enterprise)));
    assert_eq!(world.run.principles(), Some(&startup));
    assert_eq!(fold(&world.journal).principles(), Some(&startup));
    world.finish();
}

// rows: 100
#[test]
fn it_is_asked_for_three_times_and_then_the_run_goes_on_without() {
    let mut world = World::new(collecting(), |call, _| Act::works(&call.to_string()));
    for number in 1..=4 {
        world.until(|effect| matches!(effect, Effect::Keep { turn, .. } if turn.iteration == number));
        let effect = Effect::Keep { lane: LaneId(0), turn: TurnKey { iteration: number, attempt: 1 } };
        let context = OrderContext::of(&world.run, &effect, world.now);
        assert_eq!(context.attempt.unwrap().owes_principles, number <= COLLECTIONS, "{number}");
        propose(&mut world, number, None);
    }
    assert_eq!(world.count("principles_collected"), COLLECTIONS as usize);
    assert_eq!(world.run.principles(), None);
    world.finish();
}

#[test]
fn an_attempt_that_the_api_cut_short_has_not_been_asked() {
    let act = |call, _| if call == 1 { Act::of(Class::Outage).leaves("half") } else { Act::works("whole") };
    let mut world = World::new(collecting(), act);
    propose(&mut world, 1, None);
    assert_eq!(world.count("principles_collected"), 0);
    assert_eq!(world.run.collected().in_vain, []);
}

#[test]
fn where_nobody_was_asked_nothing_is_taken() {
    let mut world = World::new(plan(), |call, _| Act::works(&call.to_string()));
    propose(&mut world, 1, Some(Principles::of(Preset::Startup)));
    assert_eq!((world.run.principles(), world.count("principles_collected")), (None, 0));
}
