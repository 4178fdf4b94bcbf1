//! What a run holds of its issues at each moment: when it asks for a lease, what it hears, and what it gives back.

use std::time::Duration;

use super::issues::{LEASE, apart, does, issues_plan, steps, world, world_of};
use super::landing::until;
use super::lanes_world::{AgentCall, World};
use crate::fact::{Entry, Fact};
use crate::report::{self, IssueMove, IssueReport, IssueStep, IssueTask};
use crate::run::{Effect, Input};
use crate::spec::RunSpec;
use crate::values::{Class, LaneId, Now, StopReason, StopSource, TaskId, later};

const SECOND: Duration = Duration::from_secs(1);

fn is_call(effect: &Effect) -> bool {
    matches!(effect, Effect::Call { .. })
}

fn is_lease(effect: &Effect) -> bool {
    matches!(effect, Effect::Issue { what: IssueTask::Lease, .. })
}

fn tells(effect: &Effect) -> bool {
    matches!(effect, Effect::Issue { what: IssueTask::TellDone, .. })
}

/// Between two iterations there is time for a lease to come to its half.
fn unhurried(lanes: u16) -> RunSpec {
    let mut plan = issues_plan(lanes);
    plan.clocks.delay = Duration::from_hours(1);
    plan
}

/// The first attempt at each comes to nothing.
fn at_the_second_attempt() -> impl FnMut(&TaskId) -> AgentCall {
    let mut tried = Vec::new();
    move |task| {
        if tried.contains(task) {
            return apart(task);
        }
        tried.push(task.clone());
        AgentCall { class: Class::TaskFailure, claims: false, ..apart(task) }
    }
}

fn stop(world: &mut World, least: u8) {
    world.input(Input::Stop { by: StopSource::Interrupt, least });
}

/// An agent is at work, and works on.
fn at_work(answers: impl FnMut(&TaskId, IssueTask, Now) -> Option<IssueReport> + 'static) -> World {
    let (mut world, _) = world(&["#1"], does, answers);
    let call = until(&mut world, is_call);
    world.begun.insert(call);
    world
}

fn down(task: &TaskId, what: IssueTask, passes: bool) -> IssueReport {
    IssueReport::Unreachable { task: task.clone(), what, why: "no answer".to_owned(), passes, again: None }
}

#[test]
fn a_lease_holds_until_its_end_and_no_longer() {
    let world = at_work(|_, _, _| None);
    let Some(IssueStep::Leased { until, .. }) =
        steps(&world).into_iter().find(|step| matches!(step, IssueStep::Leased { .. }))
    else {
        panic!("{:?}", steps(&world))
    };
    for (wall, holds) in [(*until, false), (until.checked_sub(SECOND).unwrap(), true)] {
        let now = Now { wall, ..world.now };
        assert_eq!(world.run.is_leased(&"#1".into(), now), holds, "{wall}");
        assert_eq!(world.run.holds_task(LaneId(0), now), holds, "{wall}");
    }
}

#[test]
fn a_renewal_is_waited_for_only_where_one_can_be_asked_for() {
    let mut world = at_work(|_, _, _| None);
    let due = later(world.now.wall, LEASE / 2);
    assert_eq!(world.run.issue_due_at(), Some(due));
    until(&mut world, is_lease);
    assert_eq!(world.run.issue_due_at(), None, "it is asked for");

    let mut world = at_work(|_, _, _| None);
    stop(&mut world, 1);
    assert_eq!(world.run.issue_due_at(), None, "the run comes to its end");

    let mut leases = 0;
    let mut world = at_work(move |task, what, _| {
        leases += u32::from(what == IssueTask::Lease);
        (leases > 1).then(|| down(task, what, false))
    });
    let renewal = until(&mut world, is_lease);
    world.carry_out(renewal);
    assert_eq!(world.run.issue_due_at(), None, "the forge cannot be asked");
    assert!(!world.run.outstanding().iter().any(is_lease), "{:?}", world.run.outstanding());
}

#[test]
fn nothing_is_leased_that_no_iteration_may_be_of() {
    let mut plan = issues_plan(2);
    plan.limits.iterations = Some(1);
    let (mut world, asked) = world_of(plan, &["#1", "#2"], apart, |_, _, _| None);
    assert_eq!(world.finish(), StopReason::MaxIterations);
    assert_eq!(*asked.borrow(), ["#1 Lease", "#1 TellDone"]);
}

#[test]
fn what_a_resumed_run_holds_no_longer_it_asks_for_before_it_writes_a_prompt() {
    let (mut world, _) = world(&["#1"], does, |_, _, _| None);
    let is_prepared = |effect: &Effect| matches!(effect, Effect::Prepare { .. });
    until(&mut world, is_prepared);
    world.restart(world.journal.len());
    let lease = until(&mut world, is_lease);
    assert_eq!(world.run.outstanding(), std::slice::from_ref(&lease));
    world.carry_out(lease);
    assert!(world.run.outstanding().iter().all(is_prepared), "{:?}", world.run.outstanding());
}

#[test]
fn a_resumed_run_looks_at_the_world_before_it_tells_what_is_left() {
    let (mut world, _) = world(&["#1", "#2"], does, |_, _, _| None);
    until(&mut world, tells);
    world.restart(world.journal.len());
    let outstanding = world.run.outstanding();
    assert!(matches!(&outstanding[..], [Effect::Survey(_)]), "{outstanding:?}");
    until(&mut world, tells);
}

#[test]
fn a_lane_at_rest_lets_its_lost_issue_go_and_the_others_keep_theirs() {
    let mut leases = 0;
    let (mut world, asked) =
        world_of(unhurried(2), &["#1", "#2"], at_the_second_attempt(), move |task, what, _| {
            leases += u32::from(task.0 == "#2" && what == IssueTask::Lease);
            let taken = || IssueReport::Taken { task: task.clone(), by: "r-other".to_owned(), lasts: LEASE };
            (task.0 == "#2" && leases > 1).then(taken)
        });
    assert_eq!(world.finish(), StopReason::Blocked);
    let why =
        "it is worked on by another run, r-other; `windlass restore r-test0000 2` brings back what was done";
    assert_eq!(world.run.parked_because(&"#2".into()), Some(why));
    assert_eq!(world.started(), ["#1", "#2", "#1"]);
    let told: Vec<String> =
        asked.borrow().iter().filter(|asked| !asked.ends_with("Lease")).cloned().collect();
    assert_eq!(told, ["#1 TellDone"], "the other run's is not this one's to tell of");
}

#[test]
fn what_the_forge_refuses_parks_an_issue_before_its_work_and_is_left_after_it() {
    let (mut world, asked) = world(&["#1", "#2", "#3"], does, |task, what, _| {
        let refuses =
            matches!((task.0.as_str(), what), ("#1", IssueTask::Lease) | ("#2", IssueTask::TellDone));
        let why = "you have no say there".to_owned();
        refuses.then(|| IssueReport::Refused { task: task.clone(), what, why })
    });
    assert_eq!(world.finish(), StopReason::Blocked);
    assert_eq!(*asked.borrow(), ["#1 Lease", "#2 Lease", "#2 TellDone", "#3 Lease", "#3 TellDone"]);
    assert_eq!(world.run.parked_because(&"#1".into()), Some("it cannot be leased: you have no say there"));
    assert_eq!(world.run.parked_because(&"#2".into()), None);
}

#[test]
fn only_the_answer_to_what_is_asked_next_is_heard() {
    let (mut world, _) = world(&["#1", "#2"], does, |_, _, _| None);
    until(&mut world, tells);
    let done = |id: &str, what| IssueReport::Done { task: id.into(), what };
    let lease = IssueReport::Leased { task: "#1".into(), lasts: LEASE };
    for (report, facts) in [
        (done("#1", IssueTask::TellDone), 1),
        (done("#1", IssueTask::TellParked), 0),
        (done("#2", IssueTask::TellDone), 0),
        (lease, 0),
    ] {
        assert_eq!(world.run.decide(world.now, Input::from(report.clone())).len(), facts, "{report:?}");
    }
    let folds = |id: &str, what| {
        let fact = Fact::Issue(IssueStep::Told { task: id.into(), what });
        world.run.clone().apply(&Entry { seq: world.run.next_seq(), at: world.now, fact }).is_ok()
    };
    assert!(folds("#1", IssueTask::TellDone));
    assert!(!folds("#1", IssueTask::TellParked) && !folds("#2", IssueTask::TellDone));
}

#[test]
fn a_forge_is_asked_again_up_to_an_hour_after_it_was_first_silent() {
    let (mut world, _) = world(&["#1"], does, |_, _, _| None);
    let Effect::Issue { task, what } = until(&mut world, is_lease) else { panic!() };
    let hour = later(world.now.wall, Duration::from_hours(1));
    for (again, then) in [(hour, IssueMove::Again(hour)), (later(hour, SECOND), IssueMove::GivenUp)] {
        let (task, why) = (task.clone(), "no answer".to_owned());
        let report = IssueReport::Unreachable { task, what, why, passes: true, again: Some(again) };
        let facts = world.run.decide(world.now, Input::from(report));
        let [Fact::Issue(IssueStep::Stalled { next, .. })] = &facts[..] else { panic!("{facts:?}") };
        assert_eq!(*next, then, "{again}");
    }
}

#[test]
fn each_issue_that_a_stopped_run_holds_or_asks_for_is_given_back_once() {
    for (lanes, given_back) in [(1, vec!["#1 GiveBack"]), (2, vec!["#1 GiveBack", "#2 GiveBack"])] {
        let (mut world, asked) =
            world_of(unhurried(lanes), &["#1", "#2"], at_the_second_attempt(), |_, _, _| None);
        let is_first = |asked: &String| asked == "#1 Lease";
        while world.calls < u32::from(lanes) {
            assert!(world.step(0));
        }
        // The lease of the first is half over.
        until(&mut world, is_lease);
        assert_eq!(asked.borrow().iter().filter(|asked| is_first(asked)).count(), 1);
        asked.borrow_mut().clear();
        stop(&mut world, 1);
        assert_eq!(world.finish(), StopReason::Interrupted);
        assert_eq!(*asked.borrow(), given_back);
    }
}

#[test]
fn whoever_stops_a_run_twice_or_while_its_forge_is_silent_waits_for_nothing() {
    let (mut twice, asked) = world_of(unhurried(1), &["#1"], at_the_second_attempt(), |_, _, _| None);
    while twice.calls < 1 || !twice.run.outstanding().is_empty() {
        assert!(twice.step(0));
    }
    stop(&mut twice, 2);
    assert_eq!(twice.finish(), StopReason::Interrupted);
    assert_eq!(*asked.borrow(), ["#1 Lease"]);

    let (mut once, asked) = world(&["#1", "#2"], does, |task, what, _| {
        (what == IssueTask::TellDone).then(|| down(task, what, true))
    });
    let told = until(&mut once, tells);
    once.carry_out(told);
    let stopped = once.now;
    stop(&mut once, 1);
    assert_eq!(once.finish(), StopReason::Interrupted);
    assert_eq!((once.now, asked.borrow().len()), (stopped, 2));
}

/// Why a run of one issue, whose work is done, ends where this comes before that is told; then it goes on.
fn ends_before_it_has_told(comes: impl FnOnce(&mut World)) -> (StopReason, String, StopReason) {
    let mut silent = true;
    let (mut world, asked) = world(&["#1"], does, move |task, what, _| {
        (what == IssueTask::TellDone && std::mem::take(&mut silent)).then(|| down(task, what, true))
    });
    let told = until(&mut world, tells);
    world.carry_out(told);
    comes(&mut world);
    let reason = world.finish();
    let Some(Fact::RunFinished { detail, .. }) = world.journal.last().map(|entry| &entry.fact) else {
        panic!("{:?}", world.journal.last())
    };
    let detail = detail.clone();
    world.restart(world.journal.len());
    let then = world.finish();
    assert_eq!(*asked.borrow(), ["#1 Lease", "#1 TellDone", "#1 TellDone"]);
    (reason, detail, then)
}

// Nobody goes on with a run that is complete: its issue would never be told.
#[test]
fn a_run_that_ends_before_it_has_told_what_is_done_is_not_complete_until_it_goes_on() {
    let untold = |why: &str| format!("what became of #1 was not told: {why}; `windlass resume` tells it");
    let (reason, detail) = (StopReason::DiskFull, "no space".to_owned());
    let broken = report::Broken { stop_reason: reason, detail: detail.clone() };
    let stopped = untold("the run was stopped before that");
    let complete = StopReason::Complete;
    for least in [1, 2] {
        let ended = ends_before_it_has_told(|world| stop(world, least));
        assert_eq!(ended, (StopReason::Interrupted, stopped.clone(), complete), "{least}");
    }
    let ended = ends_before_it_has_told(|world| world.input(Input::from(broken)));
    assert_eq!(ended, (reason, untold(&detail), complete));
}

#[test]
fn what_is_told_below_an_issue_is_about_its_own_work() {
    let (mut world, _) = world_of(issues_plan(2), &["#1", "#2"], apart, |_, _, _| None);
    let second =
        |effect: &Effect| matches!(effect, Effect::Issue { task, .. } if task.0 == "#2") && tells(effect);
    let mut texts = Vec::new();
    for _ in 0..2000 {
        // Nothing is answered that is told: both are owed.
        let due = world
            .run
            .outstanding()
            .into_iter()
            .filter(|effect| !tells(effect) && !world.begun.contains(effect));
        let due = due.min_by_key(|effect| !is_lease(effect));
        let Some(effect) = due else { break };
        world.begun.insert(effect.clone());
        world.carry_out(effect);
        let outstanding = world.run.outstanding();
        world.begun.retain(|effect| outstanding.contains(effect));
    }
    for id in ["#1", "#2"] {
        texts.extend(world.run.issue_text(&id.into(), IssueTask::TellDone).map(|told| told.text));
    }
    let of = |task: &str| world.landings.iter().position(|(landed, _)| landed.0 == task).unwrap() + 2;
    let commits = ["#1", "#2"].map(|id| format!("| commit | l{} |\n", of(id)));
    assert_eq!(texts.len(), 2, "both are owed: {:?}", world.run.outstanding());
    assert!(texts.iter().zip(&commits).all(|(text, commit)| text.contains(commit)), "{texts:?} {commits:?}");
    assert_eq!(world.run.issue_text(&"#2".into(), IssueTask::TellParked), None);
    until(&mut world, second);
}
