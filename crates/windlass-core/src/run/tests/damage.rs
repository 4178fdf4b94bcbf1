//! What an agent does to the repository beyond its work, and what follows.

use super::world::{Act, World, plan};
use crate::damage::DamageCourse;
use crate::fact::Fact;
use crate::report;
use crate::run::{Effect, Input};
use crate::spec::RunSpec;
use crate::values::{Evidence, LaneId, Named, StopReason};

const LANE: LaneId = LaneId(0);

fn world(course: DamageCourse) -> World {
    let mut world = World::new(plan(), |call, _| match call {
        1 => Act::claims("reset"),
        2 => Act::works("better"),
        _ => Act::claims("done"),
    });
    let left = if course == DamageCourse::UndoParts { "mended" } else { "start" };
    world.damaged = vec![("reset".to_owned(), course, left.to_owned())];
    world
}

fn trees(world: &World) -> Vec<String> {
    let undone = |fact: &Fact| match fact {
        Fact::Undone(report::Undone { evidence: Evidence { tree, .. }, .. }) => Some(tree.clone()),
        _ => None,
    };
    world.facts().filter_map(undone).collect()
}

#[test]
fn what_is_taken_back_whole_is_no_progress_and_no_claim() {
    let mut world = world(DamageCourse::UndoAll);
    world.until(|effect| matches!(effect, Effect::Prepare { turn, .. } if turn.iteration == 2));
    assert_eq!(trees(&world), ["start"]);
    let finished = world.facts().find(|fact| matches!(fact, Fact::IterationFinished { .. })).unwrap();
    assert!(matches!(finished, Fact::IterationFinished { progress: false, .. }), "{finished:?}");
    assert_eq!(world.run.counters().claims, 0);
    // The next prompt says so, the one after it does not.
    assert!(world.run.damage_prompt().contains("the branch is gone; this was undone"));
    world.until(|effect| matches!(effect, Effect::Prepare { turn, .. } if turn.iteration == 3));
    assert_eq!(world.run.damage_prompt(), "");
    assert_eq!(world.finish(), StopReason::Complete);
}

#[test]
fn what_is_undone_in_parts_leaves_the_work_and_its_claim() {
    let mut world = world(DamageCourse::UndoParts);
    world.until(|effect| matches!(effect, Effect::Prepare { turn, .. } if turn.iteration == 2));
    assert_eq!(trees(&world).len(), 1);
    assert_eq!((trees(&world), world.run.counters().claims), (vec!["mended".to_owned()], 1));
}

#[test]
fn what_is_only_named_is_not_undone() {
    let mut world = world(DamageCourse::GoOn);
    world.until(|effect| matches!(effect, Effect::Prepare { turn, .. } if turn.iteration == 2));
    assert_eq!((world.count("damaged"), world.count("undone")), (1, 0));
    assert_eq!(world.run.damage(LANE).unwrap().2, DamageCourse::GoOn);
    // That a branch lacks commits is nothing the agent could clear away.
    assert_eq!(world.run.damage_prompt(), "");
}

#[test]
fn a_run_that_ends_for_it_goes_on_once_it_is_resumed() {
    let mut world = world(DamageCourse::Stop);
    world.until(|effect| matches!(effect, Effect::Keep { .. }));
    let lost = crate::damage::Damage {
        kind: crate::damage::DamageKind::CommitsLost,
        sentence: "x".to_owned(),
        names: Vec::new(),
    };
    let found = vec![lost];
    world.input(Input::from(report::Damaged {
        lane: LANE,
        iteration: 1,
        attempt: 1,
        found,
        course: DamageCourse::Stop,
    }));
    world.input(Input::from(report::Failed {
        stop_reason: StopReason::DestructiveChange,
        detail: "x".to_owned(),
    }));
    assert_eq!(world.finish(), StopReason::DestructiveChange);
    assert_eq!(world.count("kept"), 0);
    world.restart(world.journal.len());
    // It is kept now; that it was told already is known.
    assert!(matches!(world.run.outstanding()[..], [Effect::Keep { .. }]));
    assert_eq!(world.run.damage(LANE).map(|(turn, ..)| (turn.iteration, turn.attempt)), Some((1, 1)));
    assert_eq!(world.finish(), StopReason::Complete);
}

#[test]
fn a_runner_that_dies_while_it_undoes_keeps_what_is_there_first() {
    let mut world = world(DamageCourse::UndoAll);
    world.until(|effect| matches!(effect, Effect::Undo { .. }));
    world.restart(world.journal.len());
    assert!(matches!(world.run.outstanding()[..], [Effect::Keep { .. }]));
    world.until(|effect| matches!(effect, Effect::Prepare { turn, .. } if turn.iteration == 2));
    assert_eq!(trees(&world), ["start"]);
}

#[test]
fn what_the_mode_forbids_is_undone_first() {
    let mut world = world(DamageCourse::UndoAll);
    world.strays = vec![("reset".to_owned(), "reset".to_owned())];
    world.until(|effect| matches!(effect, Effect::Prepare { turn, .. } if turn.iteration == 2));
    let order: Vec<_> = world
        .facts()
        .map(Fact::name)
        .filter(|name| ["damaged", "kept", "refused", "undone"].contains(name))
        .collect();
    assert_eq!(order, ["damaged", "kept", "refused", "undone"]);
}

#[test]
fn plans_of_earlier_releases_ask() {
    let text = serde_json::to_value(plan()).unwrap();
    assert!(text.get("undo").is_none());
    let read: RunSpec = serde_json::from_value(text).unwrap();
    assert_eq!(read.undo, crate::spec::UndoPolicy::Ask);
}
