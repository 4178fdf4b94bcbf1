//! Looking at tasks.

use std::process::ExitCode;

use windlass_core::tasks::Schedule;
use windlass_core::values::{ExitCodes, StopReason};
use windlass_engine::tasks::FoundTasks;
use windlass_jobs::doc::tasks::ProblemKind;
use windlass_ui::{
    TasksShown, next_task_json, next_task_text, tasks_dot, tasks_json, tasks_judged, tasks_mermaid,
    tasks_table, tasks_tree,
};

use super::find;
use crate::args::{GraphForm, TasksPlaceArgs};
use crate::commands::{Shape, print, print_bytes, stdout};
use windlass_app::AppError;

/// What it ends with when the tasks cannot be read.
const UNREADABLE: u8 = 2;

/// What it ends with when tasks are left and none is ready.
const BLOCKED: u8 = 1;

/// How a judgement is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// For people, or as one JSON document.
    Shown(Shape),
    /// Only by the exit code.
    ExitCode,
}

impl Answer {
    /// From the flags.
    pub const fn of(json: bool, quiet: bool) -> Answer {
        if quiet { Answer::ExitCode } else { Answer::Shown(Shape::of(json)) }
    }
}

/// All tasks.
pub fn list(place: &TasksPlaceArgs, shape: Shape) -> Result<ExitCode, AppError> {
    let (found, _) = find(place)?;
    shown(&found, unreadable(&found), |shown| match shape {
        Shape::Json => print_bytes(&tasks_json(shown)),
        Shape::Text if shown.list.tasks().is_empty() => print(&tasks_judged(shown, &stdout())),
        Shape::Text => print(&tasks_table(shown, &stdout())),
    })
}

/// The next one.
pub fn next(place: &TasksPlaceArgs, shape: Shape) -> Result<ExitCode, AppError> {
    let (found, _) = find(place)?;
    let schedule = Schedule::new(found.list.rows());
    let blocked = schedule.next().is_none() && schedule.counts().waiting > 0;
    let code = unreadable(&found).max(if blocked { BLOCKED } else { 0 });
    shown(&found, code, |shown| match shape {
        Shape::Json => print_bytes(&next_task_json(shown)),
        Shape::Text if shown.list.tasks().is_empty() => print(&tasks_judged(shown, &stdout())),
        Shape::Text => print(&next_task_text(shown, &stdout())),
    })
}

/// What waits for what.
pub fn graph(place: &TasksPlaceArgs, form: GraphForm) -> Result<ExitCode, AppError> {
    let (found, _) = find(place)?;
    shown(&found, unreadable(&found), |shown| match form {
        GraphForm::Text => print(&tasks_tree(shown, &stdout())),
        GraphForm::Dot => print(&tasks_dot(shown)),
        GraphForm::Mermaid => print(&tasks_mermaid(shown)),
    })
}

/// What is wrong.
pub fn validate(place: &TasksPlaceArgs, answer: Answer) -> Result<ExitCode, AppError> {
    let (found, codes) = find(place)?;
    shown(&found, judged(&found, codes), |shown| match answer {
        Answer::Shown(Shape::Json) => print_bytes(&tasks_json(shown)),
        Answer::Shown(Shape::Text) => print(&tasks_judged(shown, &stdout())),
        Answer::ExitCode => Ok(()),
    })
}

fn shown(
    found: &FoundTasks,
    exit_code: u8,
    show: impl FnOnce(&TasksShown<'_>) -> Result<(), AppError>,
) -> Result<ExitCode, AppError> {
    let schedule = Schedule::new(found.list.rows());
    let place = found.place.display().to_string();
    show(&TasksShown { place: &place, list: &found.list, schedule: &schedule, exit_code })?;
    Ok(ExitCode::from(exit_code))
}

/// Nothing of it can be shown.
fn unreadable(found: &FoundTasks) -> u8 {
    let grave = found.list.tasks().is_empty()
        && found.list.problems().iter().any(|problem| problem.kind.is_unreadable());
    if grave { UNREADABLE } else { 0 }
}

fn judged(found: &FoundTasks, codes: ExitCodes) -> u8 {
    let problems = found.list.problems();
    if problems.is_empty() {
        0
    } else if problems
        .iter()
        .any(|problem| problem.kind.is_unreadable() && problem.kind != ProblemKind::NoTask)
    {
        UNREADABLE
    } else {
        StopReason::GatesFailing.exit_code(codes)
    }
}
