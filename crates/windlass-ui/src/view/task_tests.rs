//! How tasks are shown: begun in several lanes, in conflict, done, and parked.

use windlass_core::fact::Fact;
use windlass_core::report;
use windlass_core::spec::{JobTasks, LanesSpec, Mode};
use windlass_core::values::{
    Evidence, LaneId, MergeOutcome, StopReason, TaskEnd, TaskId, TaskRow, TaskState,
};

use super::*;
use crate::terminal::Terminal;
use crate::testing::{Night, columns, plan, shown};

fn row(id: &str, title: &str) -> TaskRow {
    TaskRow {
        id: TaskId(id.to_owned()),
        title: title.to_owned(),
        state: TaskState::Open,
        priority: 2,
        dependencies: Vec::new(),
        kind: None,
        breaking: None,
        agent: None,
        requires: Vec::new(),
        protected: Vec::new(),
        unclear: None,
        vouched: false,
    }
}

fn started() -> Night {
    let mut plan = plan();
    plan.job.mode = Mode::Tasks;
    plan.job.tasks = Some(JobTasks {
        file: "tasks.md".into(),
        progress: Some("progress.md".into()),
        feature: None,
        attempts: 2,
        commits_attempts: false,
        issues: None,
    });
    plan.lanes = Some(LanesSpec {
        branch: Some("refs/heads/main".to_owned()),
        ..LanesSpec::of(3, "/state/lanes".into())
    });
    let mut night = Night::new();
    night.fact(Fact::RunStarted { plan: Box::new(plan) });
    night.fact(Fact::TasksRead { tasks: vec![row("TASK-001", "Read numbers"), row("T2", "Write them")] });
    night
}

fn closed(night: &mut Night, task: &str, end: TaskEnd, branch: Option<&str>) {
    night.fact(Fact::TaskClosed(report::TaskClosed {
        lane: LaneId(1),
        iteration: 1,
        task: TaskId(task.to_owned()),
        end,
        branch: branch.map(str::to_owned),
        evidence: Evidence::default(),
        snapshot: None,
    }));
}

// rows: 6, 10
#[test]
fn tasks_are_named_as_they_begin_and_end_and_so_is_where_they_are_worked_on() {
    let mut night = started();
    for (lane, task) in [(1, "TASK-001"), (2, "T2")] {
        let (lane, task) = (LaneId(lane), Some(TaskId(task.to_owned())));
        night.fact(Fact::IterationStarted { lane, iteration: u32::from(lane.0), task });
    }
    let paths = ["a.rs", "b.rs", "c.rs", "d.rs"].map(str::to_owned).to_vec();
    night.fact(Fact::Merged(report::Merged {
        lane: LaneId(1),
        tip: "1111".to_owned(),
        outcome: MergeOutcome::Conflict { paths },
        evidence: Evidence::default(),
    }));
    closed(&mut night, "TASK-001", TaskEnd::Done, None);
    closed(&mut night, "T2", TaskEnd::Again { why: "its checks did not pass".to_owned() }, None);
    let reason = "failed 2 times: its checks did not pass".to_owned();
    closed(&mut night, "T2", TaskEnd::Parked { reason }, Some("windlass/r-1/T2"));
    night.end(StopReason::Blocked, "parked: T2");
    let (results, notes) = shown(ProgressView::new, &columns(80), &night.events);
    assert!(notes.lines().all(|line| line.chars().count() <= 80), "{notes}");
    let told = (notes + &results).split_whitespace().collect::<Vec<_>>().join(" ");
    for words in [
        "tasks tasks.md · noted in progress.md",
        "lanes 3 at once, each in a clone of its own · finished work is merged into main",
        "Running iteration 1: TASK-001 Read numbers",
        "Running iteration 2: T2 Write them",
        "iteration 1 conflicts with what has landed meanwhile: a.rs, b.rs, c.rs and 1 more",
        "TASK-001 is done (1/2)",
        "T2 is parked: failed 2 times: its checks did not pass; its work is on windlass/r-1/T2",
    ] {
        assert!(told.contains(words), "{words}\n{told}");
    }
    assert_eq!(
        told.matches("T2 is").count(),
        1,
        "a task that is tried again is not said to have ended: {told}"
    );
}

#[test]
fn each_lane_at_work_has_a_line_that_lives() {
    let mut night = started();
    for (lane, task) in [(1, "TASK-001"), (2, "T2")] {
        let (lane, task) = (LaneId(lane), Some(TaskId(task.to_owned())));
        night.fact(Fact::IterationStarted { lane, iteration: u32::from(lane.0), task });
    }
    let terminal = Terminal { interactive: true, height: Some(24), ..columns(60) };
    let (_, notes) = shown(ProgressView::new, &terminal, &night.events);
    let living = notes.rsplit('\r').take(5).collect::<Vec<_>>();
    let text = format!("{living:?}");
    assert!(text.contains("2 lanes · "), "{text}");
    for words in ["  1  TASK-001  ", "  2  T2        "] {
        assert!(text.contains(words), "{words}: {text}");
    }
    assert!(text.contains(" · preparing"), "{text}");

    let low = Terminal { height: Some(4), ..terminal };
    let (_, notes) = shown(ProgressView::new, &low, &night.events);
    assert!(notes.contains("  … and 2 more"), "{notes:?}");
}
