//! When a task is parked, what is said of it, and what several lanes wait for.

use jiff::Timestamp;

use super::landing::until;
use super::lanes_world::{AgentCall, World as Lanes, row, tasks_plan};
use super::sharing::{self, open};
use super::waking::{at_work_with, two_lanes};
use super::world::{Act, Refusal, World, check, report};
use crate::fact::Fact;
use crate::report;
use crate::run::tasks::Tasks;
use crate::run::{Effect, Input};
use crate::spec::RunSpec;
use crate::spec::{GuardAction, GuardSpec, ReviewSpec, TestsAction};
use crate::tasks::TaskProgress;
use crate::values::{
    CallReport, CheckKind, Class, Cost, JobStatus, LaneId, Purpose, StatusSource, StopReason, StopSource,
    Suspicion, SuspicionKind, TaskEnd, TaskId, TaskRow, TaskState, UsageLimit,
};

fn idle(_: &TaskId, _: Purpose, _: u32) -> AgentCall {
    AgentCall { class: Class::Success, writes: Vec::new(), claims: false }
}

fn rows(count: u32) -> Vec<TaskRow> {
    (1..=count).map(|number| row(&format!("T{number}"), &[])).collect()
}

fn ended(mut world: Lanes) -> (StopReason, String) {
    let reason = world.finish();
    let Some(Fact::RunFinished { detail, .. }) = world.journal.last().map(|entry| &entry.fact) else {
        panic!()
    };
    (reason, detail.clone())
}

#[test]
fn what_stands_in_the_way_is_said_in_a_sentence_that_is_true() {
    let fails = |_: &TaskId, _, _| AgentCall::fails();
    let said = |rows| ended(Lanes::new(tasks_plan(1), rows, fails));
    let failed = |id: u32| format!("T{id} (failed 2 times: the agent failed)");
    let three = [failed(1), failed(2), failed(3)].join(", ");
    assert_eq!(said(rows(1)), (StopReason::Blocked, format!("parked: {}", failed(1))));
    assert_eq!(said(rows(3)).1, format!("parked: {three}"));
    assert_eq!(said(rows(4)).1, format!("parked: {three} and 1 more"));
    assert_eq!(said(rows(5)).1, format!("parked: {three} and 2 more"));
    let waiting = vec![row("T1", &[]), row("T2", &["T1"])];
    assert_eq!(said(waiting).1, format!("parked: {}; 1 task waits", failed(1)));
    let circle = said(vec![row("T1", &["T2"]), row("T2", &["T1"])]);
    assert!(circle.1.starts_with("2 tasks wait for what is not there or for each other"), "{}", circle.1);
    let names = "`windlass tasks validate -f requirements.md` names";
    let alone = said(vec![row("T1", &["GONE"])]);
    assert_eq!(alone.1, format!("1 task waits for what is not there or for itself; {names} it"));
    assert_eq!(said(Vec::new()), (StopReason::Blocked, "there is no task".to_owned()));
}

#[test]
fn what_a_person_has_to_mend_is_said_of_each_open_task_that_has_it() {
    let said = |rows| ended(Lanes::new(tasks_plan(1), rows, |_, _, _| AgentCall::fails())).1;
    let unclear = |id, state| TaskRow { unclear: Some("it has no status".to_owned()), state, ..row(id, &[]) };
    let mended = "; `windlass tasks validate -f requirements.md` names the lines, and `windlass resume` goes on \
                  once they are fixed";
    let of = |id| format!("{id} is open and cannot be worked on, since it has no status");
    let open = unclear("T2", TaskState::Open);
    let done = unclear("T3", TaskState::Done);
    assert_eq!(said(vec![open.clone(), done.clone()]), format!("{}{mended}", of("T2")));
    let failed = "parked: T1 (failed 2 times: the agent failed)";
    assert_eq!(said(vec![row("T1", &[]), open, done.clone()]), format!("{failed}; {}{mended}", of("T2")));
    assert_eq!(said(vec![row("T1", &[]), done]), failed);
}

/// A run of tasks in the user's directory, one of which is at work.
fn in_place(agent: impl FnMut(u32) -> Act + 'static) -> World {
    let mut agent = agent;
    let plan = RunSpec { lanes: None, ..two_lanes() };
    let mut world = World::new(plan, move |call, _| agent(call));
    world.tasks = Some(rows(1));
    world.status = Some(JobStatus { source: StatusSource::TaskFile, ..JobStatus::default() });
    world
}

fn parks(world: &mut Lanes, task: &str) {
    world.input(Input::Park { by: StopSource::Page, task: task.into() });
}

fn asked(world: &Lanes) -> usize {
    world.journal.iter().filter(|entry| matches!(entry.fact, Fact::ParkRequested { .. })).count()
}

#[test]
fn a_task_that_a_person_wants_left_is_parked_at_once_or_after_the_attempt_under_way() {
    for lanes in [1, 2] {
        // The first attempt at the first task does nothing, all else does what it is to do.
        let agent = |task: &TaskId, _, _| match task.0.as_str() {
            "T1" => AgentCall { claims: false, ..AgentCall::done("first", "half") },
            _ => AgentCall::done("second", "whole"),
        };
        let mut world = Lanes::new(tasks_plan(lanes), rows(3), agent);
        until(&mut world, |effect| matches!(effect, Effect::Call { .. }));
        for task in ["T1", "T3", "T9", "T3", "T1"] {
            parks(&mut world, task);
        }
        assert_eq!(asked(&world), 2, "what is asked twice, or is not there, is written once or not at all");
        assert_eq!(world.run.tasks().standing(&"T1".into()), Some(TaskProgress::Active));
        // What a resumed run reads in the file has them open.
        let kept = world.journal.len();
        let mut resumed = Lanes::new(tasks_plan(lanes), rows(3), agent);
        resumed.journal.clone_from(&world.journal);
        resumed.restart(kept);
        assert_eq!(resumed.run.tasks().standing(&"T3".into()), Some(TaskProgress::Parked));
        let (reason, detail) = ended(world);
        assert_eq!(reason, StopReason::Blocked);
        assert_eq!(detail, "parked: T1 (a person parked it), T3 (a person parked it)");
    }
}

// Somebody may do it and take that back between two sessions; or an attempt is still under way.
#[test]
fn a_task_that_a_person_wants_left_is_left_whenever_its_file_has_it_open_and_nobody_is_at_it() {
    let id: TaskId = "T1".into();
    let read = |tasks: &mut Tasks, state, at_work: &[TaskId]| {
        tasks.read(vec![TaskRow { state, ..row("T1", &[]) }], at_work, true);
        (tasks.schedule.standing(&id).unwrap(), tasks.parked.contains_key(&id))
    };
    let (open, done) = (TaskState::Open, TaskState::Done);
    for (at_work, standing) in [(vec![id.clone()], TaskProgress::Active), (Vec::new(), TaskProgress::Parked)]
    {
        let mut tasks = Tasks::default();
        read(&mut tasks, open, &at_work);
        tasks.leave(&id).unwrap();
        assert_eq!(read(&mut tasks, done, &[]), (TaskProgress::Done, false));
        let is_parked = standing == TaskProgress::Parked;
        assert_eq!(read(&mut tasks, open, &at_work), (standing, is_parked));
    }
}

#[test]
fn a_task_that_is_done_all_the_same_is_done_and_what_is_done_is_not_left() {
    let agent = |task: &TaskId, _, _| AgentCall::done("file", &task.0);
    let mut world = Lanes::new(tasks_plan(1), rows(2), agent);
    until(&mut world, |effect| matches!(effect, Effect::Call { .. }));
    parks(&mut world, "T1");
    until(&mut world, |effect| matches!(effect, Effect::Call { turn, .. } if turn.iteration == 2));
    parks(&mut world, "T1");
    assert_eq!((asked(&world), world.finish()), (1, StopReason::Complete));
}

#[test]
fn that_a_person_parks_tasks_says_nothing_of_the_others() {
    let agent = |task: &TaskId, _, _| match task.0.as_str() {
        "T9" => AgentCall::done("file", "whole"),
        _ => AgentCall { claims: false, ..AgentCall::done("file", &task.0) },
    };
    let mut plan = tasks_plan(1);
    plan.limits.failures = 3;
    let mut world = Lanes::new(plan, rows(9), agent);
    for task in 1..9 {
        until(&mut world, |effect| matches!(effect, Effect::Call { turn, .. } if turn.iteration == task));
        parks(&mut world, &format!("T{task}"));
    }
    let (reason, detail) = ended(world);
    assert_eq!(reason, StopReason::Blocked, "{detail}");
    assert!(detail.ends_with("and 5 more"), "the last one is done: {detail}");
}

#[test]
fn what_the_agent_failed_with_is_said_of_its_task() {
    let mut world = in_place(|_| {
        let mut act = Act::of(Class::TaskFailure);
        act.report.detail = "exit status 1\nand more".to_owned();
        act
    });
    assert_eq!(world.finish(), StopReason::Blocked);
    assert_eq!(world.run.parked_because(&"T1".into()), Some("failed 2 times: exit status 1"));
}

// Whoever leaves rejected work as it is has changed nothing: that is what it fails at, until the rejection parks its task.
#[test]
fn of_an_attempt_that_changed_nothing_that_is_said_and_not_what_a_reviewer_said_before() {
    let mut world = in_place(|call| if call == 1 { Act::works("bad") } else { Act::idles() })
        .reviewed(|_, _| Act::rejects("a"));
    let plan = RunSpec { review: Some(ReviewSpec::default()), ..(**world.run.spec().unwrap()).clone() };
    world.input(Input::Resume(Box::new(plan)));
    assert_eq!(world.finish(), StopReason::Blocked);
    let again = world.facts().filter_map(|fact| match fact {
        Fact::TaskClosed(closed) => match &closed.end {
            TaskEnd::Again { why } => Some(why.as_str()),
            _ => None,
        },
        _ => None,
    });
    assert_eq!(again.collect::<Vec<_>>(), ["", "the agent changed nothing"]);
    let parked = "a reviewer rejected it 3 times for the same: src/main.rs: a";
    assert_eq!(world.run.parked_because(&"T1".into()), Some(parked));
}

#[test]
fn a_task_on_which_nothing_moves_is_parked_and_one_that_grows_is_not() {
    let mut world = Lanes::new(tasks_plan(1), rows(1), idle);
    assert_eq!(world.finish(), StopReason::Blocked);
    assert_eq!(world.run.parked_because(&"T1".into()), Some("failed 2 times: the agent changed nothing"));
    let grows = |_: &TaskId, _, call: u32| AgentCall {
        claims: call == 5,
        ..AgentCall::done("file", &call.to_string())
    };
    for lanes in [1, 2] {
        let mut world = Lanes::new(tasks_plan(lanes), rows(1), grows);
        assert_eq!(world.finish(), StopReason::Complete);
        assert_eq!((world.calls, world.run.task_failures(&"T1".into())), (5, 0));
    }
}

#[test]
fn what_a_failed_attempt_left_is_not_committed_by_itself() {
    let agent = |_: &TaskId, _, call: u32| match call {
        1 => AgentCall { class: Class::TaskFailure, claims: false, ..AgentCall::done("half", "1") },
        _ => AgentCall::done("whole", "2"),
    };
    let mut world = Lanes::new(tasks_plan(1), rows(1), agent);
    let commit = until(&mut world, |effect| matches!(effect, Effect::Commit { .. }));
    assert!(matches!(commit, Effect::Commit { turn, .. } if turn.iteration == 2), "{commit:?}");
}

// What was found may be the work of an earlier attempt: only a claim needs a person.
#[test]
fn findings_park_a_task_that_is_claimed_and_no_other() {
    for (claims, parked) in
        [(false, "failed 2 times: the agent failed"), (true, "held for review: tests/a.rs: 1 test fewer")]
    {
        let mut world = in_place(|_| Act::of(Class::TaskFailure).leaves("fewer"));
        if claims {
            world = in_place(|_| Act::works("fewer"));
            world.status =
                Some(JobStatus { source: StatusSource::TaskFile, complete: true, ..JobStatus::default() });
        }
        let guard =
            GuardSpec { action: GuardAction::Refuse, tests: TestsAction::Hold, ..GuardSpec::default() };
        let plan = RunSpec { guard, ..(**world.run.spec().unwrap()).clone() };
        world.input(Input::Resume(Box::new(plan)));
        world.suspects =
            vec![("fewer".to_owned(), Suspicion::new(SuspicionKind::Tests, "tests/a.rs", "1 test fewer"))];
        assert_eq!(world.finish(), StopReason::Blocked);
        assert_eq!(world.run.parked_because(&"T1".into()), Some(parked));
    }
}

#[test]
fn a_parked_task_stays_parked_until_somebody_else_has_done_it() {
    for (state, standing) in [(TaskState::Open, TaskProgress::Parked), (TaskState::Done, TaskProgress::Done)]
    {
        let fails = |task: &TaskId, _, _| match task.0.as_str() {
            "T1" => AgentCall::fails(),
            _ => AgentCall::done("T2", "done"),
        };
        let mut world = Lanes::new(tasks_plan(1), rows(2), fails);
        assert_eq!(world.finish(), StopReason::Blocked);
        world.rows[0].state = state;
        world.restart(world.journal.len());
        assert_eq!(world.finish(), StopReason::Blocked);
        assert_eq!(world.run.tasks().standing(&"T1".into()), Some(standing));
        assert_eq!(world.run.parked_because(&"T1".into()).is_some(), state == TaskState::Open);
        assert_eq!(world.calls, 3, "nobody tried again");
    }
}

/// Both lanes are at work, and their calls end like this, one after the other: until when the run then waits, told each
/// time that it is told.
fn waits(ends: [(Class, Option<&str>); 2]) -> Vec<Timestamp> {
    let mut world = at_work_with(two_lanes(), &["T1", "T2"]);
    for lane in [LaneId(1), LaneId(2)] {
        open(&mut world, lane);
        world.input(Input::from(report::Prepared { lane }));
    }
    for (lane, (class, until)) in [LaneId(1), LaneId(2)].into_iter().zip(ends) {
        let window = "five_hour".to_owned();
        let limit = until.map(|until| UsageLimit { resets_at: Some(until.parse().unwrap()), window });
        sharing::ended(&mut world, lane, CallReport { cost: Some(Cost::ZERO), limit, ..report(class) }, None);
    }
    let held = world.facts().filter_map(|fact| match fact {
        Fact::BackoffStarted { until, .. } => Some(*until),
        _ => None,
    });
    held.collect()
}

#[test]
fn lanes_that_meet_the_same_wait_once_and_for_the_longest() {
    let (early, late) = ("2026-11-22T01:00:00Z", "2026-11-22T02:00:00Z");
    let limit = |until| (Class::UsageLimit, until);
    assert_eq!(waits([limit(Some(early)), limit(Some(late))]).len(), 2, "the later one is waited for");
    assert_eq!(waits([limit(Some(late)), limit(Some(early))]).len(), 1);
    assert_eq!(waits([limit(Some(late)), limit(Some(late))]).len(), 1);
    assert_eq!(waits([limit(None), limit(None)]).len(), 1, "it is not a second refusal");
    assert_eq!(waits([(Class::Outage, None), (Class::Outage, None)]).len(), 1);
}

// Whoever ticks its task and is then cut off by the API has failed at nothing.
#[test]
fn a_task_that_is_ticked_when_the_api_fails_is_not_held_to_have_failed() {
    for class in [Class::Outage, Class::UsageLimit] {
        for cut in [1..=3, 2..=3] {
            let said = format!("{class:?} {cut:?}");
            let agent = move |_: &TaskId, _, call: u32| {
                if cut.contains(&call) {
                    AgentCall { class, ..AgentCall::done("half", "1") }
                } else {
                    AgentCall::done("whole", "2")
                }
            };
            let mut world = Lanes::new(tasks_plan(1), rows(1), agent);
            world.gate = |files| files.contains_key("whole");
            assert_eq!(world.finish(), StopReason::Complete, "{said}");
            assert_eq!(world.run.parked_because(&"T1".into()), None);
        }
    }
}

// rows: 135
#[test]
fn a_task_that_is_ticked_when_the_api_fails_is_judged_in_its_next_iteration() {
    let status = |complete| JobStatus { source: StatusSource::TaskFile, complete, ..JobStatus::default() };
    let review = Some(ReviewSpec::default());
    let plan = RunSpec { review, lanes: None, ..two_lanes() };
    let agent = move |call: u32, _| match call {
        1..=3 => Act::of(Class::Outage).leaves("half").writes(status(true)),
        _ => Act::works("whole").writes(status(true)),
    };
    let mut world = World::new(plan, agent).reviewed(|_, _| Act::passes());
    world.tasks = Some(rows(1));
    world.status = Some(status(false));
    assert_eq!(world.finish(), StopReason::Complete);
    assert_eq!(world.run.parked_because(&"T1".into()), None);
}

fn claims_to_be_done() -> World {
    let mut world = in_place(|call| Act::works(&format!("tree {call}")));
    world.status = Some(JobStatus { source: StatusSource::TaskFile, complete: true, ..JobStatus::default() });
    world
}

fn guarded(world: &mut World) {
    let guard = GuardSpec { action: GuardAction::Refuse, ..GuardSpec::default() };
    let checks = vec![check(CheckKind::Gate, "make test")];
    let plan = RunSpec { checks, guard, ..(**world.run.spec().unwrap()).clone() };
    world.input(Input::Resume(Box::new(plan)));
}

// A lock that somebody's git holds fails each task of the night: none of them is at fault.
#[test]
fn no_task_is_parked_for_what_git_does_not_commit() {
    let mut world = claims_to_be_done();
    world.tasks = Some(rows(3));
    world.refusal = Some(Refusal::Git);
    let (reason, detail) = (world.finish(), ended_with(&world));
    assert_eq!(reason, StopReason::NeedsHuman);
    assert!(detail.contains("could not be committed: nobody is named"), "{detail}");
    assert_eq!((world.run.parked_because(&"T1".into()), world.run.task_failures(&"T1".into())), (None, 0));
    world.restart(world.journal.len());
    world.refusal = None;
    assert_eq!(world.finish(), StopReason::Complete, "it is mended");
    let mut world = claims_to_be_done();
    world.refusal = Some(Refusal::Hook);
    assert_eq!(world.finish(), StopReason::Blocked);
    assert_eq!(world.run.parked_because(&"T1".into()), Some("failed 2 times: nobody is named"));
}

#[test]
fn what_the_guard_refused_is_said_and_that_checks_failed_where_they_have() {
    let undone = (SuspicionKind::Undone, "protected; the change was undone");
    let nested = (SuspicionKind::Nested, "a repository of its own");
    for ((kind, sentence), green, checks) in
        [(undone, true, ""), (nested, true, ""), (nested, false, "its checks did not pass; ")]
    {
        let mut world = claims_to_be_done().checking(move |_, _| green);
        guarded(&mut world);
        let trees = (1..=2).map(|call| format!("tree {call}"));
        world.suspects = trees.map(|tree| (tree, Suspicion::new(kind, "app", sentence))).collect();
        assert_eq!(world.finish(), StopReason::Blocked);
        let said = format!("failed 2 times: {checks}app: {sentence}");
        assert_eq!(world.run.parked_because(&"T1".into()), Some(said.as_str()), "told before it is parked");
    }
}

fn ended_with(world: &World) -> String {
    let detail = |fact: &Fact| match fact {
        Fact::RunFinished { detail, .. } => Some(detail.clone()),
        _ => None,
    };
    world.facts().filter_map(detail).last().unwrap_or_default()
}

#[test]
fn nothing_is_complete_while_open_work_may_stand_where_no_task_is() {
    for begun in [TaskState::Open, TaskState::Done] {
        let mut world = claims_to_be_done();
        let mut tasks = rows(1);
        tasks[0].state = begun;
        world.tasks = Some(tasks);
        if let Some(status) = &mut world.status {
            status.blockers = vec!["tasks.md:5: this status belongs to no task".to_owned()];
        }
        assert_eq!(world.finish(), StopReason::Blocked);
        let said = ended_with(&world);
        assert!(said.contains("open work may stand where no task is: tasks.md:5"), "{said}");
    }
}
