//! Runs whose tasks are issues: nothing is begun without a lease, each end is told, and what is held is given back.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

use jiff::Timestamp;

use super::lanes_world::{AgentCall, World, row, tasks_plan};
use crate::fact::Fact;
use crate::forge::RepositoryName;
use crate::report::{IssueReport, IssueStep, IssueTask};
use crate::run::{Effect, Phase};
use crate::spec::{IssuesSpec, RunSpec};
use crate::tasks::TaskProgress;
use crate::values::{Now, StopReason, TaskId, TaskState};

pub(super) const LEASE: Duration = Duration::from_mins(30);

pub(super) type Asked = Rc<RefCell<Vec<String>>>;

/// A run of these issues, and a forge that answers so: `None` = as if nobody else were there.
pub(super) fn world(
    ids: &[&str],
    agent: impl FnMut(&TaskId) -> AgentCall + 'static,
    answers: impl FnMut(&TaskId, IssueTask, Now) -> Option<IssueReport> + 'static,
) -> (World, Asked) {
    world_of(issues_plan(1), ids, agent, answers)
}

pub(super) fn issues_plan(lanes: u16) -> RunSpec {
    let name = |name: &str| name.to_owned();
    let repository = RepositoryName { host: name("github.com"), owner: name("acme"), name: name("anvil") };
    let mut plan = tasks_plan(lanes);
    plan.job.tasks.as_mut().unwrap().issues = Some(IssuesSpec { repository, lease: LEASE, closes: true });
    plan
}

pub(super) fn world_of(
    plan: RunSpec,
    ids: &[&str],
    agent: impl FnMut(&TaskId) -> AgentCall + 'static,
    answers: impl FnMut(&TaskId, IssueTask, Now) -> Option<IssueReport> + 'static,
) -> (World, Asked) {
    let (mut agent, mut answers) = (agent, answers);
    let rows = ids.iter().map(|id| row(id, &[])).collect();
    let mut world = World::new(plan, rows, move |task, _, _| agent(task));
    let asked = Asked::default();
    let record = Rc::clone(&asked);
    world.forge = Box::new(move |task, what, now| {
        record.borrow_mut().push(format!("{task} {what:?}"));
        let task = task.clone();
        answers(&task, what, now).unwrap_or(match what {
            IssueTask::Lease => IssueReport::Leased { task, lasts: LEASE },
            what => IssueReport::Done { task, what },
        })
    });
    (world, asked)
}

pub(super) fn does(task: &TaskId) -> AgentCall {
    AgentCall::done("file", &task.0)
}

/// Each in a file of its own.
pub(super) fn apart(task: &TaskId) -> AgentCall {
    let files = [("#1", "one"), ("#2", "two"), ("#3", "three")];
    let file = files.iter().find(|(id, _)| *id == task.0).map_or("another", |(_, file)| file);
    AgentCall::done(file, &task.0)
}

pub(super) fn steps(world: &World) -> Vec<&IssueStep> {
    let facts = world.journal.iter().map(|entry| &entry.fact);
    facts.filter_map(|fact| if let Fact::Issue(step) = fact { Some(step) } else { None }).collect()
}

#[test]
fn each_issue_is_leased_before_its_work_and_told_after_it() {
    let (mut world, asked) = world(&["#3", "#12"], does, |_, _, _| None);
    assert_eq!(world.finish(), StopReason::Complete);
    assert_eq!(*asked.borrow(), ["#3 Lease", "#3 TellDone", "#12 Lease", "#12 TellDone"]);
    assert_eq!(world.started(), ["#3", "#12"]);
    for id in ["#3", "#12"] {
        let leased = |entry: &crate::fact::Entry| matches!(&entry.fact, Fact::Issue(IssueStep::Leased { task, .. }) if task.0 == id);
        let began = |entry: &crate::fact::Entry| matches!(&entry.fact, Fact::IterationStarted { task: Some(task), .. } if task.0 == id);
        assert!(world.journal.iter().position(leased) < world.journal.iter().position(began));
    }
}

#[test]
fn what_another_run_has_or_somebody_closed_is_not_begun() {
    let (mut world, asked) = world(&["#1", "#2", "#3"], does, |task, what, _| {
        let task = task.clone();
        match (task.0.as_str(), what) {
            ("#1", IssueTask::Lease) => {
                Some(IssueReport::Taken { task, by: "r-other".to_owned(), lasts: LEASE })
            }
            ("#2", IssueTask::Lease) => Some(IssueReport::Closed { task }),
            _ => None,
        }
    });
    assert_eq!(world.finish(), StopReason::Blocked);
    assert_eq!(*asked.borrow(), ["#1 Lease", "#2 Lease", "#3 Lease", "#3 TellDone"]);
    assert_eq!(world.started(), ["#3"]);
    assert_eq!(world.run.parked_because(&"#1".into()), Some("it is worked on by another run, r-other"));
    assert_eq!(world.run.tasks().standing(&"#2".into()), Some(TaskProgress::Done));
}

#[test]
fn a_run_whose_issues_others_have_closed_is_complete() {
    let (mut world, _) = world(&["#1"], does, |task, _, _| Some(IssueReport::Closed { task: task.clone() }));
    assert_eq!(world.finish(), StopReason::Complete);
    assert_eq!(world.calls, 0);
}

#[test]
fn what_is_parked_is_told_with_why() {
    let (mut world, asked) = world(&["#1"], |_| AgentCall::fails(), |_, _, _| None);
    for turn in 0..500 {
        if world
            .run
            .outstanding()
            .iter()
            .any(|effect| matches!(effect, Effect::Issue { what: IssueTask::TellParked, .. }))
        {
            let text = world.run.issue_text(&"#1".into(), IssueTask::TellParked).unwrap().text;
            assert!(text.contains("| why | ` failed 2 times"), "{text}");
        }
        if !world.step(turn * 7) {
            break;
        }
    }
    assert_eq!(world.run.phase(), Phase::Ended(StopReason::Blocked));
    assert_eq!(*asked.borrow(), ["#1 Lease", "#1 TellParked"]);
}

#[test]
fn a_lease_is_renewed_when_half_of_it_is_over_while_an_agent_works() {
    let (mut world, asked) = world(&["#1"], does, |_, _, _| None);
    while !world.run.outstanding().iter().any(|effect| matches!(effect, Effect::Call { .. })) {
        assert!(world.step(0));
    }
    let call =
        world.run.outstanding().into_iter().find(|effect| matches!(effect, Effect::Call { .. })).unwrap();
    world.begun.insert(call);
    assert_eq!(*asked.borrow(), ["#1 Lease"]);
    let began = world.now.wall;
    // The agent works on: only time passes.
    while asked.borrow().len() < 3 {
        assert!(world.step(0));
    }
    let passed = world.now.wall.duration_since(began).as_secs() / 60;
    assert_eq!((asked.borrow()[1].as_str(), passed), ("#1 Lease", 30));
}

#[test]
fn who_loses_an_issue_while_working_on_it_puts_its_work_aside() {
    let mut leases = 0;
    let (mut world, asked) = world(&["#1", "#2"], does, move |task, what, _| {
        leases += u32::from(what == IssueTask::Lease);
        (leases == 2 && what == IssueTask::Lease).then(|| IssueReport::Closed { task: task.clone() })
    });
    world.agent = Box::new(|task, _, call| match call {
        1 => AgentCall { claims: false, ..AgentCall::done("file", &task.0) },
        _ => does(task),
    });
    while !world.run.outstanding().iter().any(|effect| matches!(effect, Effect::Call { .. })) {
        assert!(world.step(0));
    }
    let call =
        world.run.outstanding().into_iter().find(|effect| matches!(effect, Effect::Call { .. })).unwrap();
    world.begun.insert(call.clone());
    while asked.borrow().len() < 2 {
        assert!(world.step(0));
    }
    world.carry_out(call);
    assert_eq!(world.finish(), StopReason::Blocked);
    assert_eq!(*asked.borrow(), ["#1 Lease", "#1 Lease", "#1 GiveBack", "#2 Lease", "#2 TellDone"]);
    assert_eq!(world.run.parked_because(&"#1".into()), Some("it was closed by somebody"));
}

#[test]
fn a_forge_that_does_not_answer_is_asked_again_and_not_for_ever() {
    let down = |task: &TaskId, what| IssueReport::Unreachable {
        task: task.clone(),
        what,
        why: "no answer".to_owned(),
        passes: true,
        again: None,
    };
    let mut times = 0;
    let (mut up_again, asked) = world(&["#1"], does, move |task, what, _| {
        times += 1;
        (times < 4).then(|| down(task, what))
    });
    assert_eq!(up_again.finish(), StopReason::Complete);
    assert_eq!(asked.borrow().len(), 5);

    let (mut never, asked) = world(&["#1"], does, move |task, what, _| Some(down(task, what)));
    let began = never.now.wall;
    assert_eq!(never.finish(), StopReason::NeedsHuman);
    assert_eq!(never.calls, 0);
    let passed = never.now.wall.duration_since(began).as_secs() / 60;
    assert!((50..=61).contains(&passed) && asked.borrow().len() < 25, "{passed} {:?}", asked.borrow().len());

    // What is done and cannot be told is told by whoever goes on.
    let (mut late, asked) = world(&["#1"], does, |task, what, now: Now| {
        let is_late = now.wall > "2026-11-22T12:00:00Z".parse::<Timestamp>().unwrap();
        (what == IssueTask::TellDone && !is_late).then(|| IssueReport::Unreachable {
            task: task.clone(),
            what,
            why: "nobody is logged in".to_owned(),
            passes: false,
            again: None,
        })
    });
    assert_eq!(late.finish(), StopReason::NeedsHuman);
    late.now.wall = "2026-11-23T00:00:00Z".parse().unwrap();
    late.restart(late.journal.len());
    assert_eq!(late.finish(), StopReason::Complete);
    assert_eq!(*asked.borrow(), ["#1 Lease", "#1 TellDone", "#1 TellDone"]);
}

#[test]
fn whoever_stops_a_run_gives_its_issue_back_and_a_resumed_one_asks_again() {
    let (mut world, asked) = world(&["#1"], does, |_, _, _| None);
    while !world.run.outstanding().iter().any(|effect| matches!(effect, Effect::Prepare { .. })) {
        assert!(world.step(0));
    }
    world.input(crate::run::Input::Stop { by: crate::values::StopSource::Interrupt, least: 1 });
    assert_eq!(world.finish(), StopReason::Interrupted);
    assert_eq!(*asked.borrow(), ["#1 Lease", "#1 GiveBack"]);
    world.restart(world.journal.len());
    assert_eq!(world.finish(), StopReason::Complete);
    assert_eq!(*asked.borrow(), ["#1 Lease", "#1 GiveBack", "#1 Lease", "#1 TellDone"]);
}

#[test]
fn an_issue_that_was_lost_before_its_agent_was_called_holds_up_nobody_who_goes_on() {
    let mut leases = 0;
    let (mut world, asked) = world(&["#1", "#2"], does, move |task, what, _| {
        leases += u32::from(what == IssueTask::Lease);
        let is_closed = task.0 == "#1" && leases > 1;
        (is_closed && what == IssueTask::Lease).then(|| IssueReport::Closed { task: task.clone() })
    });
    while !world.run.outstanding().iter().any(|effect| matches!(effect, Effect::Prepare { .. })) {
        assert!(world.step(0));
    }
    // The runner dies, and is away until its lease is over.
    world.now.wall += Duration::from_hours(1);
    world.restart(world.journal.len());
    assert_eq!(world.finish(), StopReason::NeedsHuman);
    assert_eq!(world.calls, 0);
    world.restart(world.journal.len());
    assert_eq!(world.finish(), StopReason::Blocked);
    assert_eq!(*asked.borrow(), ["#1 Lease", "#1 Lease", "#2 Lease", "#2 TellDone"]);
    assert_eq!(world.run.parked_because(&"#1".into()), Some("it was closed by somebody"));
}

#[test]
fn lanes_hold_an_issue_each_and_tell_what_landed() {
    let (mut world, asked) = world_of(issues_plan(3), &["#1", "#2", "#3", "#4"], apart, |task, what, _| {
        let taken = || IssueReport::Taken { task: task.clone(), by: "r-other".to_owned(), lasts: LEASE };
        (task.0 == "#3" && what == IssueTask::Lease).then(taken)
    });
    assert_eq!(world.finish(), StopReason::Blocked);
    let mut started = world.started();
    started.sort();
    assert_eq!(started, ["#1", "#2", "#4"]);
    for id in ["#1", "#2", "#4"] {
        let times =
            |what: &str| asked.borrow().iter().filter(|asked| **asked == format!("{id} {what}")).count();
        assert_eq!((times("Lease"), times("TellDone"), times("GiveBack")), (1, 1, 0), "{:?}", asked.borrow());
    }
}

/// A runner that is killed at any fact tells nothing that it does not owe, and everything that it owes.
#[test]
fn killed_anywhere_it_ends_the_same_and_tells_all() {
    let (mut whole, _) = world(&["#1", "#2"], does, |_, _, _| None);
    assert_eq!(whole.finish(), StopReason::Complete);
    for kept in 1..whole.journal.len() {
        let (mut world, asked) = world(&["#1", "#2"], does, |_, _, _| None);
        world.finish();
        asked.borrow_mut().clear();
        if let Fact::RunFinished { .. } = world.journal[kept - 1].fact {
            continue;
        }
        let told = |world: &World, id: &str| {
            steps(world).iter().any(|step| matches!(step, IssueStep::Told { task, .. } if task.0 == id))
        };
        // The file says what the journal has, or a little more.
        for row in &mut world.rows {
            let closed = |entry: &crate::fact::Entry| matches!(&entry.fact, Fact::TaskClosed(closed) if closed.task == row.id);
            let is_done = world.journal.iter().take(kept).any(closed);
            row.state = if is_done { TaskState::Done } else { TaskState::Open };
        }
        world.restart(kept);
        let before = ["#1", "#2"].map(|id| told(&world, id));
        assert_eq!(world.finish(), StopReason::Complete, "killed after {kept}");
        for (id, before) in ["#1", "#2"].into_iter().zip(before) {
            let times = asked.borrow().iter().filter(|asked| **asked == format!("{id} TellDone")).count();
            assert_eq!(times, usize::from(!before), "{id}, killed after {kept}: {:?}", asked.borrow());
        }
    }
}
