//! What is said of runs that are at work, were cut off, waited, or cannot go on.

use std::time::Duration;

use jiff::Timestamp;
use windlass_core::fact::{Entry, Fact};
use windlass_core::report;
use windlass_core::spec::{JobTasks, Mode, RunSpec};
use windlass_core::values::{
    Class, Cost, Evidence, LaneId, StopReason, TaskEnd, TaskId, TaskRow, TaskState, Verdict,
};

use super::{Course, IterationSeen, PlacesSeen, RunSeen, Wasted};
use crate::document::RunState;
use crate::event::Event;
use crate::testing::{Night, plan};

fn now() -> Timestamp {
    "2026-03-01T21:00:00Z".parse().unwrap()
}

fn seen(night: &Night, unfinished: RunState) -> RunSeen {
    let entry = |event: &Event| match event {
        Event::Fact(entry) | Event::Past(entry) => Some((**entry).clone()),
        _ => None,
    };
    let entries: Vec<Entry> = night.events.iter().filter_map(entry).collect();
    Course::of(&entries).seen((unfinished, None), Some(&PlacesSeen::default()), now())
}

#[test]
fn whatever_has_not_ended_is_at_work_or_cut_off() {
    let mut night = Night::new();
    night.start().iteration(1).called(|call| call.cost = Cost::from_dollars(1.8));
    night.finished(1, Verdict::Worked, Class::Success, 1.8, 60).iteration(2);
    let live = seen(&night, RunState::Running);
    let words = |run: &RunSeen| run.rounds.iter().map(IterationSeen::word).collect::<Vec<_>>();
    assert_eq!(words(&live), ["worked", "at work"]);
    assert_eq!(Duration::from_millis(live.rounds[1].duration_ms), Duration::from_hours(1));
    assert_eq!(live.rounds[1].call_word(&live.rounds[1].calls[0]), "at work");
    assert_eq!((live.rounds[1].cost, live.wasted.total()), (Cost::ZERO, Cost::ZERO));
    let dead = seen(&night, RunState::Interrupted);
    assert_eq!(words(&dead), ["worked", "cut off"]);
    assert_eq!(dead.rounds[1].duration_ms, 0);
    assert_eq!(dead.rounds[1].call_word(&dead.rounds[1].calls[0]), "cut off");
    // What was reserved for it is in its row, and in vain.
    let reserved = Cost::from_dollars(0.5);
    assert_eq!((dead.rounds[1].cost, dead.rounds[1].estimated_cost), (reserved, reserved));
    assert_eq!(dead.wasted, Wasted { repeated: reserved, ..Wasted::default() });
    assert_eq!(dead.status.cost, dead.rounds.iter().map(|round| round.cost).sum());
    night.end(StopReason::Interrupted, "");
    assert_eq!(words(&seen(&night, RunState::Interrupted)), ["worked", "cut off"]);
}

#[test]
fn an_hour_is_worked_or_waited() {
    let wait = |night: &mut Night, class: Class| {
        let until = now();
        night.fact(Fact::BackoffStarted { until, class, attempt: 1 }).pass(600);
    };
    for (classes, worked) in [
        // The run's own clock says 1394 s, and counts what was waited for an outage.
        (vec![Class::Outage], 794),
        (vec![Class::UsageLimit], 1394),
        (vec![Class::Outage, Class::UsageLimit], 794),
    ] {
        let mut night = Night::new();
        night.start().iteration(1);
        for class in &classes {
            wait(&mut night, *class);
        }
        night.fact(Fact::BackoffEnded).called(|_| {});
        night.finished(1, Verdict::Worked, Class::Success, 0.42, 700).end(StopReason::Complete, "");
        let status = seen(&night, RunState::Interrupted).status;
        assert_eq!(status.duration_ms, worked * 1000, "{classes:?}");
        assert_eq!(status.waited_ms, 600_000 * classes.len() as u64, "{classes:?}");
    }
}

fn row(id: &str, after: &[&str]) -> TaskRow {
    TaskRow {
        id: TaskId(id.to_owned()),
        title: String::new(),
        state: TaskState::Open,
        priority: 2,
        dependencies: after.iter().map(|id| TaskId((*id).to_owned())).collect(),
        kind: None,
        breaking: None,
        agent: None,
        requires: Vec::new(),
        protected: Vec::new(),
        unclear: None,
        vouched: false,
    }
}

/// A run of these tasks that has parked the first, and is blocked.
fn blocked(tasks: Vec<TaskRow>) -> RunSeen {
    let job = JobTasks {
        file: "my tasks.md".into(),
        progress: None,
        feature: None,
        attempts: 2,
        commits_attempts: false,
        issues: None,
    };
    let mut plan: RunSpec = plan();
    (plan.job.mode, plan.job.tasks) = (Mode::Tasks, Some(job));
    let mut night = Night::new();
    night.fact(Fact::RunStarted { plan: Box::new(plan) }).fact(Fact::TasksRead { tasks });
    night.fact(Fact::TaskClosed(report::TaskClosed {
        lane: LaneId(0),
        iteration: 1,
        task: TaskId("T1".to_owned()),
        end: TaskEnd::Parked { reason: "failed 2 times".to_owned() },
        branch: None,
        evidence: Evidence::default(),
        snapshot: None,
    }));
    night.end(StopReason::Blocked, "T1 is parked");
    seen(&night, RunState::Interrupted)
}

#[test]
fn what_is_advised_for_a_blocked_run_lets_it_go_on() {
    let stuck = blocked(vec![row("T1", &[]), row("T2", &["T1"])]);
    let anew = "windlass run --mode tasks -f 'my tasks.md' --gate 'cargo test -q' --model opus --commit none --max-cost 5";
    assert_eq!(stuck.status.next[0], anew);
    assert_eq!(stuck.waited_for.command.as_deref(), Some(anew));
    assert!(!stuck.is_resumable(), "{:?}", stuck.status.next);
    let others = stuck.status.tasks.map(|tasks| tasks.others());
    assert_eq!(others.unwrap_or_default(), ["1 parked", "1 waiting"]);
    let mendable = blocked(vec![row("T1", &[]), row("T2", &["T9"])]);
    assert!(mendable.is_resumable(), "a person mends T2: {:?}", mendable.status.next);
}

#[test]
fn commands_say_the_place_that_they_are_of() {
    let mut run = blocked(vec![row("T1", &[]), row("T2", &["T1"])]);
    run.type_elsewhere("'/a b'");
    let anew = "windlass -C '/a b' run --mode tasks -f 'my tasks.md' --gate 'cargo test -q' --model opus --commit none --max-cost 5";
    assert_eq!(run.status.next[0], anew);
    assert_eq!(run.waited_for.command.as_ref(), run.status.next.first());
    assert_eq!(run.allowing(["Bash(x)"]), "windlass -C '/a b' config set permissions.allow --add 'Bash(x)'");
    for command in run.landing.steps.iter().map(|step| &step.command).chain(&run.status.next) {
        assert!(command.contains(" -C "), "{command}");
    }
    let aside = run.aside[0].command.as_ref();
    assert!(aside.is_some_and(|command| command.starts_with("windlass -C '/a b' restore ")), "{aside:?}");
}
