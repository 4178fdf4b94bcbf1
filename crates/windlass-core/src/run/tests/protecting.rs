//! What a task protects is what its file said before an agent had that in its hands.

use super::waking::two_lanes;
use super::world::{Act, World};
use crate::fact::Fact;
use crate::run::Effect;
use crate::spec::{GuardAction, GuardSpec};
use crate::values::{JobStatus, StatusSource, TaskRow, Verdict};

fn row(id: &str, protected: &[&str]) -> TaskRow {
    TaskRow {
        id: id.into(),
        priority: 2,
        protected: protected.iter().map(|pattern| (*pattern).to_owned()).collect(),
        ..TaskRow::default()
    }
}

#[test]
fn what_a_task_protects_is_as_the_run_read_it_first() {
    let mut plan = two_lanes();
    plan.lanes = None;
    let mut world = World::new(plan, |_, _| Act::idles());
    let first = vec![row("T1", &["a/**", "!b"]), row("T2", &[]), row("T3", &["c"])];
    let mut go_on = |rows: Vec<TaskRow>| {
        world.tasks = Some(rows);
        if world.count("tasks_read") > 0 {
            world.restart(world.journal.len());
        }
        world.until(|effect| matches!(effect, Effect::Call { .. }));
        ["T1", "T2", "T3", "T4"].map(|id| {
            let row = world.run.tasks().row(&id.into());
            row.map(|row| row.protected.join(" ")).unwrap_or_default()
        })
    };
    assert_eq!(go_on(first), ["a/** !b", "", "c", ""]);
    // Its agent rewrote the file, and took T3 out of it for a while.
    let rewritten = vec![row("T1", &["!**"]), row("T2", &["!a/**"]), row("T4", &["d/**", "!**"])];
    assert_eq!(go_on(rewritten), ["a/** !b", "", "", "d/**"]);
    let again = vec![row("T1", &[]), row("T2", &["e"]), row("T3", &[]), row("T4", &["!d/**"])];
    assert_eq!(go_on(again), ["a/** !b", "", "c", "d/**"]);
}

/// A commit would say that the task is done, and its claim is refused for what was undone.
#[test]
fn a_claim_that_the_guard_refuses_is_not_committed() {
    for strays in [false, true] {
        let mut plan = two_lanes();
        plan.lanes = None;
        plan.guard = GuardSpec { action: GuardAction::Refuse, ..GuardSpec::default() };
        let mut world = World::new(plan, |call, _| Act::works(&format!("tree {call}")));
        world.tasks = Some(vec![row("T1", &[]), row("T2", &[])]);
        world.status =
            Some(JobStatus { complete: true, source: StatusSource::TaskFile, ..JobStatus::default() });
        world.strays.extend(strays.then(|| ("tree 1".to_owned(), "undone".to_owned())));
        world.until(|effect| matches!(effect, Effect::Prepare { turn, .. } if turn.iteration == 2));
        let verdict = world.facts().find_map(|fact| match fact {
            Fact::IterationFinished { verdict, .. } => Some(*verdict),
            _ => None,
        });
        let expected = if strays { Verdict::ClaimRefused } else { Verdict::ClaimAccepted };
        assert_eq!((verdict, world.count("committed")), (Some(expected), usize::from(!strays)));
    }
}
