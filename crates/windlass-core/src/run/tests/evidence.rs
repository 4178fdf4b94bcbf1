//! What a pull request says of the work in it: nothing that the run has not seen.

use super::going_out::{answer, asked, goes_out, seen};
use super::lanes_world::row;
use super::waking::two_lanes;
use super::world::{Act, DOLLAR, World, check};
use crate::forge::PullRequestState;
use crate::report::{DeliveryReport, DeliveryTask, PullRequestSeen};
use crate::run::{DeliveryContext, Effect, OrderContext};
use crate::spec::{DeliverySpec, PullRequestPer, RunSpec};
use crate::values::{Check, CheckKind, CriterionOf, JobStatus, StatusSource};

/// A gate, and a check that says when the job is done.
fn with_until() -> RunSpec {
    let checks = vec![check(CheckKind::Until, "make all"), check(CheckKind::Gate, "make test")];
    RunSpec { checks, ..goes_out() }
}

pub(super) fn per(per: PullRequestPer, plan: RunSpec) -> RunSpec {
    let delivery = goes_out().delivery.map(|delivery| DeliverySpec { per, ..delivery });
    RunSpec { delivery, ..plan }
}

/// What the next pull request is opened with; nothing else is told with an order.
fn opens(world: &mut World) -> DeliveryContext {
    asked(world, DeliveryTask::Push);
    assert_eq!(told(world), None);
    let head = format!("c{}", world.commits);
    answer(world, DeliveryReport::Pushed { head });
    asked(world, DeliveryTask::Open);
    told(world).expect("it is opened with something")
}

/// What is told with the order that is given now.
fn told(world: &World) -> Option<DeliveryContext> {
    let orders = world.run.outstanding();
    let [order @ Effect::Deliver { .. }] = orders.as_slice() else { panic!("{orders:?}") };
    OrderContext::of(&world.run, order, world.now).delivery
}

/// The branch of a part is checked out.
pub(super) fn branched(world: &mut World) {
    asked(world, DeliveryTask::Branch);
    let (base, evidence) = (format!("c{}", world.commits), world.evidence());
    answer(world, DeliveryReport::Branched { base, evidence, snapshot: None });
}

fn table(iterations: u32, cost: &str, tokens: u32) -> String {
    format!(
        "| | |\n|---|---|\n| run | `r-test0000` |\n| iterations | {iterations} |\n| cost | {cost} |\n| tokens | {tokens} |\n"
    )
}

/// What stands above the checks that passed on the newest commit.
fn passed(world: &World) -> String {
    format!("\nPassed on commit c{}:\n\n", world.commits)
}

const GATE: &str = "- [x] ` make test `\n";
const UNTIL: &str = "- [x] ` make all `\n";

#[test]
fn a_pull_request_says_what_showed_the_job_to_be_done_and_what_it_took() {
    let agent = |call, _| match call {
        1 => Act::works("half").costs(DOLLAR),
        _ => Act::works("whole"),
    };
    let mut world = World::new(with_until(), agent).checking(|check, tree| check == 1 || tree == "whole");
    let text = opens(&mut world);
    assert_eq!(text.title, "a job");
    let table = table(2, "$1.10", 240);
    let passed = passed(&world);
    let expected = format!("The job is shown to be done.\n\n{table}{passed}{UNTIL}{GATE}");
    assert_eq!(text.body, expected);
}

#[test]
fn what_nobody_reported_the_cost_of_is_said_to_be_an_estimate() {
    let mut world = World::new(goes_out(), |_, _| Act::claims("tree").dies());
    let body = opens(&mut world).body;
    assert!(body.contains("| cost | $0.50, in part estimated |\n"), "{body}");
}

#[test]
fn what_nothing_but_the_agent_spoke_for_is_said_to_be_its_word() {
    let plan = RunSpec { checks: Vec::new(), ..goes_out() };
    let mut world = World::new(plan, |_, _| Act::claims("tree"));
    let table = table(1, "$0.10", 120);
    let said = "The agent says that the job is done; nothing else was asked.\n\n";
    assert_eq!(opens(&mut world).body, format!("{said}{table}\nNo gate was configured.\n"));
}

#[test]
fn what_stands_at_a_limit_is_not_said_to_be_done_and_shows_its_gates_alone() {
    let mut plan = with_until();
    plan.limits.iterations = Some(1);
    let mut world = World::new(plan, |_, _| Act::works("half")).checking(|check, _| check == 1);
    let text = opens(&mut world);
    let unfinished =
        "**Not finished.** The run ended at a limit; this is the newest work that its gates passed on.";
    let table = table(1, "$0.10", 120);
    let passed = passed(&world);
    let expected = format!("{unfinished}\n\n{table}{passed}{GATE}");
    assert_eq!((text.title.as_str(), text.body), ("a job", expected));
}

// What decides whether the job is done was red on that commit, and was said to have passed.
#[test]
fn work_of_one_iteration_shows_what_passed_on_it_and_the_last_one_that_the_job_is_done() {
    let agent = |call, _| Act::works(&format!("tree {call}"));
    let mut world = World::new(per(PullRequestPer::Iteration, with_until()), agent)
        .checking(|check, tree| check == 1 || tree == "tree 2");
    for (title, said, checks) in [
        ("a job (part 1)", "Work of one iteration, and the job goes on.\n\n", GATE.to_owned()),
        ("a job (part 2)", "The job is shown to be done.\n\n", format!("{UNTIL}{GATE}")),
    ] {
        branched(&mut world);
        let DeliveryContext { title: told, body } = opens(&mut world);
        assert_eq!(told, title);
        assert!(body.starts_with(said), "{body}");
        assert!(body.ends_with(&format!("{}{checks}", passed(&world))), "{body}");
        answer(&mut world, DeliveryReport::Opened { number: 7, url: "url".to_owned(), found: false });
        asked(&mut world, DeliveryTask::View);
        merges(&mut world);
    }
}

/// A person merges it.
fn merges(world: &mut World) {
    let state = PullRequestState::Merged;
    answer(world, DeliveryReport::Viewed(PullRequestSeen { state, ..seen() }));
}

fn criterion(task: &str) -> Check {
    let criterion = Some(CriterionOf { task: task.into(), lookup: None, to_the_end: false });
    Check { criterion, ..check(CheckKind::Criterion, &format!("test {task}")) }
}

/// Two tasks with a criterion each, of which the agent has so many done in a call each.
fn of_tasks(each: PullRequestPer, done: u32) -> World {
    let checks = vec![check(CheckKind::Gate, "make test"), criterion("T1"), criterion("T2")];
    let mut plan = per(each, RunSpec { checks, lanes: None, ..two_lanes() });
    plan.limits.iterations = Some(2);
    let status = |complete| JobStatus { source: StatusSource::TaskFile, complete, ..JobStatus::default() };
    let agent = move |call: u32, _| Act::works(&format!("tree {call}")).writes(status(call <= done));
    let mut world = World::new(plan, agent);
    world.tasks = Some(vec![row("T1", &[]), row("T2", &[])]);
    world.status = Some(status(false));
    world
}

/// Two tasks with a pull request each, of which the second waits for the first.
pub(super) fn of_tasks_after(change: impl FnOnce(RunSpec) -> RunSpec) -> World {
    let plan = per(PullRequestPer::Task, RunSpec { lanes: None, checks: goes_out().checks, ..two_lanes() });
    let status = |complete| JobStatus { source: StatusSource::TaskFile, complete, ..JobStatus::default() };
    let agent = move |call: u32, _| Act::works(&format!("tree {call}")).writes(status(true));
    let mut world = World::new(change(plan), agent);
    world.tasks = Some(vec![row("T1", &[]), row("T2", &["T1"])]);
    world.status = Some(status(false));
    world
}

#[test]
fn the_pull_request_of_a_task_names_it_and_shows_its_own_criteria() {
    let mut world = of_tasks(PullRequestPer::Task, 2);
    for (task, done) in [("T1", 0), ("T2", 1)] {
        branched(&mut world);
        let DeliveryContext { title, body } = opens(&mut world);
        assert_eq!(title, format!("{task}: Do {task}"));
        assert!(body.starts_with(&format!("It is shown that task {task} is done.\n\n")), "{body}");
        assert!(body.contains(&format!("| tasks done in this run | {done} |\n")), "{body}");
        assert!(body.ends_with(&format!("{}{GATE}- [x] ` test {task} `\n", passed(&world))), "{body}");
        answer(&mut world, DeliveryReport::Opened { number: 7, url: "url".to_owned(), found: false });
        merges(&mut world);
        assert_eq!(world.run.counters().done, done + 1, "it counts once its pull request is through");
    }
}

#[test]
fn a_task_that_a_limit_left_shows_none_of_its_criteria() {
    let mut world = of_tasks(PullRequestPer::Task, 0);
    branched(&mut world);
    let DeliveryContext { title, body } = opens(&mut world);
    assert_eq!(title, "T1: Do T1");
    assert!(
        body.starts_with("**Not finished.**") && body.ends_with(&format!("{}{GATE}", passed(&world))),
        "{body}"
    );
}

#[test]
fn the_pull_request_of_a_run_shows_the_criteria_of_all_its_tasks_once_all_are_done() {
    for (done, criteria) in [(2, "- [x] ` test T1 `\n- [x] ` test T2 `\n"), (1, "")] {
        let mut world = of_tasks(PullRequestPer::Run, done);
        let body = opens(&mut world).body;
        assert!(body.contains(&format!("| tasks done in this run | {done} |\n")), "{body}");
        assert!(body.ends_with(&format!("{}{GATE}{criteria}", passed(&world))), "{body}");
    }
}
