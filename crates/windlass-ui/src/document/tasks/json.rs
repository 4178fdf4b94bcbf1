//! Tasks as one line of JSON.

use serde::Serialize;
use windlass_core::values::{Named, TaskId};
use windlass_jobs::doc::Problem;
use windlass_jobs::doc::tasks::{Criterion, Meaning, Task};

use super::{Look, TasksShown};
use crate::document::document;

#[derive(Serialize)]
struct Fields<'a> {
    place: &'a str,
    form: &'static str,
    valid: bool,
    total: u64,
    done: u64,
    in_progress: u64,
    ready: u64,
    waiting: u64,
    /// Those that a person has to mend first.
    unclear: u64,
    next: Option<&'a TaskId>,
    tasks: Vec<Row<'a>>,
    problems: &'a [Problem],
    exit_code: u8,
}

#[derive(Serialize)]
struct Next<'a> {
    place: &'a str,
    task: Option<Row<'a>>,
    source: Option<&'a str>,
    waiting: u64,
    exit_code: u8,
}

#[derive(Serialize)]
struct Row<'a> {
    id: &'a TaskId,
    title: &'a str,
    status: &'static str,
    standing: &'static str,
    /// Why a person has to mend its file first.
    unclear: Option<&'a str>,
    priority: u8,
    dependencies: &'a [TaskId],
    waits_for: Vec<&'a TaskId>,
    kind: Option<&'a str>,
    breaking: Option<&'a str>,
    agent: Option<&'a str>,
    /// What a worker of a fleet has to have for it.
    requires: &'a [String],
    protected: &'a [String],
    description: &'a str,
    verification: Option<&'a str>,
    criteria: Vec<CriterionRow<'a>>,
    complexity: Option<&'static str>,
    files: &'a [String],
    file: &'a str,
    line: usize,
}

#[derive(Serialize)]
struct CriterionRow<'a> {
    text: &'a str,
    line: usize,
    /// How the runner checks it; `None` = it is left to be judged.
    check: Option<&'static str>,
}

fn criterion(criterion: &Criterion) -> CriterionRow<'_> {
    let check = match criterion.meaning() {
        Meaning::Exists(_) => Some("exists"),
        Meaning::Contains(..) => Some("contains"),
        Meaning::Command(_) => Some("command"),
        Meaning::TestsPass => Some("tests"),
        Meaning::Builds => Some("build"),
        Meaning::Judged => None,
    };
    CriterionRow { text: &criterion.text, line: criterion.line, check }
}

/// All tasks and what is wrong with them.
pub fn tasks_json(shown: &TasksShown<'_>) -> Vec<u8> {
    let fields = Fields {
        place: shown.place,
        form: shown.list.form().name(),
        valid: shown.list.problems().is_empty(),
        total: shown.list.tasks().len() as u64,
        done: shown.number(Look::Done),
        in_progress: shown.number(Look::InProgress),
        ready: shown.number(Look::Ready),
        waiting: shown.number(Look::Waiting),
        unclear: shown.number(Look::Unclear),
        next: shown.schedule.next().map(|row| &row.id),
        tasks: shown.list.tasks().iter().map(|task| row(shown, task)).collect(),
        problems: shown.list.problems(),
        exit_code: shown.exit_code,
    };
    document("tasks", &fields)
}

/// The task to do next, or none.
pub fn next_task_json(shown: &TasksShown<'_>) -> Vec<u8> {
    let next = shown.schedule.next().and_then(|row| shown.list.task(&row.id));
    let fields = Next {
        place: shown.place,
        source: next.map(|task| shown.list.source(&task.row.id)),
        task: next.map(|task| row(shown, task)),
        waiting: shown.schedule.counts().waiting as u64,
        exit_code: shown.exit_code,
    };
    document("next_task", &fields)
}

fn row<'a>(shown: &TasksShown<'a>, task: &'a Task) -> Row<'a> {
    Row {
        id: &task.row.id,
        title: &task.row.title,
        status: task.row.state.name(),
        standing: shown.look(task).name(),
        unclear: task.row.unclear.as_deref(),
        priority: task.row.priority,
        dependencies: &task.row.dependencies,
        waits_for: shown.unmet(task).collect(),
        kind: task.row.kind.as_deref(),
        breaking: task.row.breaking.as_deref(),
        agent: task.row.agent.as_deref(),
        requires: &task.row.requires,
        protected: &task.row.protected,
        description: &task.description,
        verification: task.verification.as_deref(),
        criteria: task.criteria.iter().map(criterion).collect(),
        complexity: task.complexity.map(<&str>::from),
        files: &task.touches,
        file: &task.file,
        line: task.line,
    }
}
