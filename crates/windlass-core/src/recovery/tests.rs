use super::*;
use crate::message::Wording;
use crate::run::Effect;
use crate::run::testing::{Act, World, plan};
use crate::values::RunId;

#[test]
fn what_cannot_be_told_from_a_persons_work_is_a_persons() {
    let cases = [
        (false, SnapshotComparison::AsLeft, false, Owner::Run),
        (false, SnapshotComparison::AsLeft, true, Owner::Run),
        (false, SnapshotComparison::AsBegun, true, Owner::Run),
        (false, SnapshotComparison::Grown, false, Owner::Run),
        (false, SnapshotComparison::Grown, true, Owner::Person),
        (false, SnapshotComparison::Otherwise, false, Owner::Person),
        (true, SnapshotComparison::AsLeft, false, Owner::Person),
        (true, SnapshotComparison::Grown, false, Owner::Person),
    ];
    for (was_dirty, kept, is_younger, whose) in cases {
        let trace = Trace { was_dirty, kept, is_younger, is_committed: false };
        assert_eq!(owner(trace), whose, "{trace:?}");
        assert_eq!(owner(Trace { is_committed: true, ..trace }), Owner::Person, "{trace:?}");
    }
}

fn world() -> World {
    World::new(plan(), |call, _| Act::works(&format!("tree {call}")))
}

fn found(world: &World) -> Option<(u32, u32, bool, bool)> {
    let found = unsettled(&world.run)?;
    Some((found.turn.iteration, found.turn.attempt, found.interrupted, found.unkept))
}

// Seed defect D3, core/git.ts:458-497 & loop.ts:297-304: the label is the interrupted iteration's, not the next one's.
#[test]
fn uncommitted_work_is_that_of_the_iteration_that_the_journal_names() {
    let mut world = world();
    assert_eq!(found(&world), None, "nobody has worked");
    world.until(|effect| matches!(effect, Effect::Call { turn, .. } if turn.iteration == 2));
    assert_eq!(found(&world), Some((2, 1, true, true)));
    assert!(is_to_be_repeated(&world.run));
    assert_eq!(unsettled(&world.run).unwrap().label, "iteration 2");
    world.until(|effect| matches!(effect, Effect::Keep { .. }));
    assert_eq!(found(&world), Some((2, 1, true, true)));
    assert!(!is_to_be_repeated(&world.run), "a resumed run keeps and judges it");
    world.until(|effect| matches!(effect, Effect::Prepare { turn, .. } if turn.iteration == 3));
    assert_eq!(found(&world), Some((2, 0, false, false)), "it came to a verdict");
    assert!(!is_to_be_repeated(&world.run));
}

#[test]
fn work_that_is_being_looked_over_is_not_begun_anew() {
    let plan = RunSpec { review: Some(crate::spec::ReviewSpec::default()), ..plan() };
    let mut world = World::new(plan, |call, _| Act::works(&format!("tree {call}")));
    world.until(|effect| matches!(effect, Effect::Prepare { turn, .. } if turn.attempt == 2));
    assert!(!is_to_be_repeated(&world.run));
    world.until(|effect| matches!(effect, Effect::Call { turn, .. } if turn.attempt == 2));
    assert_eq!(found(&world), Some((1, 2, true, true)));
    assert!(!is_to_be_repeated(&world.run));
}

#[test]
fn the_message_names_run_iteration_and_title_and_is_no_iterations_commit() {
    let mut plan = plan();
    plan.run = RunId("r-1".to_owned());
    plan.message = Wording::DevLoop;
    let unsettled = Unsettled {
        turn: TurnKey { iteration: 3, attempt: 1 },
        interrupted: true,
        unkept: false,
        label: "iteration 3".to_owned(),
        title: "Make it work".to_owned(),
        task: None,
    };
    assert_eq!(
        message(&plan, &unsettled),
        "Interrupted work on iteration 3 - Make it work\n\nWindlass-Run: r-1\nWindlass-Interrupted: 3\n"
    );
    let row = TaskRow { id: "T7".into(), title: "Seven".to_owned(), ..TaskRow::default() };
    let said = message(&plan, &Unsettled { task: Some(row), ..unsettled });
    assert!(said.starts_with("DevLoop: Interrupted work on T7 - Seven\n"), "{said}");
    assert!(said.contains("\nWindlass-Interrupted: 3\n") && !said.contains("Windlass-Iteration"), "{said}");
}

#[test]
fn ten_paths_are_named_and_the_others_counted() {
    let paths: Vec<Vec<u8>> = (0..12).map(|number| format!("f{number}").into_bytes()).collect();
    let listing = listed(paths.iter().map(Vec::as_slice));
    assert_eq!(listing, "f0, f1, f2, f3, f4, f5, f6, f7, f8, f9 and 2 more");
    assert_eq!(listed([b"a\nb".as_slice()].into_iter()), "a?b");
}

#[test]
fn the_way_back_is_the_newest_snapshot_that_is_whole() {
    let mut world = world();
    let run = RunId("r-a".to_owned());
    let of = |world: &World| WayBack::of(world.journal.iter().map(|entry| &entry.fact)).command(&run);
    assert_eq!(of(&world), None, "nobody was called");
    world.until(|effect| matches!(effect, Effect::Keep { .. }));
    assert_eq!(of(&world).as_deref(), Some("windlass restore r-a 1 --before --repository"));
    world.until(|effect| matches!(effect, Effect::Prepare { .. }));
    assert_eq!(of(&world).as_deref(), Some("windlass restore r-a 1 --repository"));
    world.until(|effect| matches!(effect, Effect::Keep { .. }));
    assert_eq!(of(&world).as_deref(), Some("windlass restore r-a 2 --before --repository"));
}
