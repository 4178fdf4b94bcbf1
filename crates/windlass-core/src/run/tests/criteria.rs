//! Success criteria: a claim that a task is done counts only when its own hold, on whatever tree is judged.

use super::lanes_world::{AgentCall, World, row, tasks_plan};
use super::world::check;
use crate::fact::Fact;
use crate::spec::RunSpec;
use crate::values::CheckStage::Candidate;
use crate::values::Verdict::{ClaimAccepted, ClaimRefused};
use crate::values::{Check, CheckKind, CheckStage, CriterionOf, Lookup, Purpose, StopReason, TaskId};

/// A criterion of a task.
fn criterion(task: &str) -> Check {
    let lookup = Some(Lookup::Exists { path: task.to_owned() });
    let criterion = Some(CriterionOf { task: task.into(), lookup, to_the_end: true });
    Check { criterion, ..check(CheckKind::Criterion, task) }
}

/// Each task has a criterion, and there is no gate.
fn with_criteria(lanes: u16) -> RunSpec {
    RunSpec { checks: vec![criterion("T1"), criterion("T2"), criterion("T3")], ..tasks_plan(lanes) }
}

/// The first attempt at T1 writes something else.
fn forgetful() -> impl FnMut(&TaskId, Purpose, u32) -> AgentCall {
    let mut tried = 0;
    move |task, _, _| {
        tried += u32::from(task.0 == "T1");
        match &*task.0 {
            "T1" if tried == 1 => AgentCall::done("else", "x"),
            "T1" => AgentCall::done("T1", "x"),
            "T2" => AgentCall::done("T2", "x"),
            _ => AgentCall::done("T3", "x"),
        }
    }
}

fn run(world: &World) -> Vec<(u16, CheckStage, bool)> {
    let finished = |fact: &Fact| match fact {
        Fact::CheckFinished(done) => Some((done.outcome.check, done.stage, done.outcome.passed())),
        _ => None,
    };
    world.journal.iter().filter_map(|entry| finished(&entry.fact)).collect()
}

// rows: 135
#[test]
fn a_claim_is_refused_while_the_tasks_own_criterion_does_not_hold() {
    let rows = vec![row("T1", &[]), row("T2", &["T1"]), row("T3", &["T2"])];
    let mut world = World::new(with_criteria(1), rows, forgetful());
    world.gate = |files| files.contains_key("T1");
    assert_eq!(world.finish(), StopReason::Complete);
    assert_eq!(
        run(&world),
        [
            (0, Candidate, false),
            (0, Candidate, true),
            (1, Candidate, true),
            (2, Candidate, true),
            (0, Candidate, true),
            (1, Candidate, true)
        ]
    );
    let verdicts = world.journal.iter().filter_map(|entry| match &entry.fact {
        Fact::IterationFinished { verdict, .. } => Some(*verdict),
        _ => None,
    });
    assert_eq!(verdicts.collect::<Vec<_>>(), [ClaimRefused, ClaimAccepted, ClaimAccepted, ClaimAccepted]);
    assert_eq!(world.landings.len(), 3, "what does not hold is not kept as done");
}

// rows: 135
#[test]
fn in_lanes_it_is_asked_again_of_what_is_merged() {
    let rows = vec![row("T1", &[]), row("T2", &[]), row("T3", &[])];
    let mut world = World::new(with_criteria(3), rows, forgetful());
    world.gate = |files| ["T1", "T2", "T3"].iter().any(|file| files.contains_key(*file));
    assert_eq!(world.finish(), StopReason::Complete);
    let run = run(&world);
    assert!(run.iter().all(|(_, stage, _)| *stage != CheckStage::Baseline), "{run:?}");
    assert!(run.iter().any(|(_, stage, _)| *stage == CheckStage::Merged), "{run:?}");
    assert_eq!(world.landings.len(), 3);
}

/// T2's agent breaks what shows that T1 is done, so many times.
fn careless(times: u32) -> impl FnMut(&TaskId, Purpose, u32) -> AgentCall {
    let mut tried = 0;
    move |task, _, _| {
        tried += u32::from(task.0 == "T2");
        let of_first = if tried > 0 && tried <= times { "broken" } else { "x" };
        let mut done = AgentCall::done(if task.0 == "T2" { "T2" } else { "T1" }, "x");
        done.writes.push(("T1", of_first.to_owned()));
        done
    }
}

// rows: 135
#[test]
fn with_the_last_task_what_showed_the_others_has_to_hold_still() {
    for (times, reason) in [(0, StopReason::Complete), (1, StopReason::Complete), (9, StopReason::Blocked)] {
        let rows = vec![row("T1", &[]), row("T2", &["T1"])];
        let mut world = World::new(with_criteria(1), rows, careless(times));
        world.gate = |files| files.get("T1").is_some_and(|text| text == "x");
        assert_eq!(world.finish(), reason, "{times}");
        let of_first = run(&world).into_iter().filter(|(check, _, _)| *check == 0);
        let held: Vec<bool> = of_first.map(|(_, _, held)| held).collect();
        assert_eq!(held.last(), Some(&(reason == StopReason::Complete)), "{times}: {held:?}");
        assert!(held.len() >= 2, "{times}: {held:?}");
    }
}

#[test]
fn runs_of_earlier_releases_do_not_ask_again() {
    let mut plan = with_criteria(1);
    for of in plan.checks.iter_mut().filter_map(|check| check.criterion.as_mut()) {
        of.to_the_end = false;
    }
    let mut world = World::new(plan, vec![row("T1", &[]), row("T2", &["T1"])], careless(0));
    assert_eq!(world.finish(), StopReason::Complete);
    assert_eq!(run(&world), [(0, Candidate, true), (1, Candidate, true)]);
}

// What was done before the run began nothing of it has shown.
#[test]
fn what_showed_tasks_of_earlier_runs_is_not_asked_again() {
    let mut first = row("T1", &[]);
    first.state = crate::values::TaskState::Done;
    let mut world = World::new(with_criteria(1), vec![first, row("T2", &["T1"])], careless(9));
    world.gate = |files| files.get("T2").is_some();
    assert_eq!(world.finish(), StopReason::Complete);
    assert!(run(&world).iter().all(|(check, _, _)| *check == 1), "{:?}", run(&world));
}

// rows: 135
#[test]
fn a_criterion_that_never_holds_parks_its_task() {
    let mut world =
        World::new(with_criteria(1), vec![row("T1", &[])], |_, _, _| AgentCall::done("else", "x"));
    world.gate = |files| files.contains_key("T1");
    assert_eq!(world.finish(), StopReason::Blocked);
    assert!(world.run.parked_because(&"T1".into()).is_some() && world.landings.is_empty());
}

// rows: 135
#[test]
fn gates_or_criteria_speak_for_a_task_that_was_done_before_and_its_agent_alone_does_not() {
    let gate = check(CheckKind::Gate, "make test");
    for (checks, reason) in [
        (vec![gate.clone()], StopReason::Complete),
        (vec![criterion("T1")], StopReason::Complete),
        (vec![gate, criterion("T1")], StopReason::Complete),
        (vec![criterion("T2")], StopReason::Blocked),
        (Vec::new(), StopReason::Blocked),
    ] {
        let ticks = |_: &TaskId, _, _| AgentCall { writes: Vec::new(), ..AgentCall::done("T1", "x") };
        let plan = RunSpec { checks: checks.clone(), ..tasks_plan(1) };
        let mut world = World::new(plan, vec![row("T1", &[])], ticks);
        assert_eq!(world.finish(), reason, "{checks:?}");
    }
}

#[test]
fn what_shows_a_task_does_not_show_the_whole_job() {
    use crate::values::Grounds;
    assert_eq!(with_criteria(1).grounds(), Grounds::Claimed);
    assert_eq!(tasks_plan(1).grounds(), Grounds::Shown);
}
