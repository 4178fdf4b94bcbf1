//! `tasks list|next|graph|validate|add|done|reopen|park`.

use std::process::ExitCode;

use windlass_app::AppError;
use windlass_app::park::Leaving;
use windlass_app::run::NamedTasks;
use windlass_app::tasks::{MarkedTask, NewTask, Tasks};
use windlass_core::values::{StopSource, TaskId, TaskState};
use windlass_ui::{
    Line, Mark, TasksShown, Tone, next_task_json, next_task_text, one_line, task_marked, tasks_dot,
    tasks_json, tasks_judged, tasks_mermaid, tasks_table, tasks_tree,
};

use super::{app, flags, print, print_bytes, print_lines, stdout, success};
use crate::args::{
    GraphForm, TasksAddArgs, TasksArgs, TasksMarkArgs, TasksParkArgs, TasksPlaceArgs, TasksVerb,
};

/// Does it.
///
/// # Errors
/// There is no task file, or what is asked for cannot be done.
pub fn run(args: &TasksArgs) -> Result<ExitCode, AppError> {
    let default = TasksVerb::List { place: args.place.clone(), json: args.json };
    match args.verb.as_ref().unwrap_or(&default) {
        TasksVerb::List { place, json } | TasksVerb::Graph { place, json: json @ true, .. } => {
            show(place, Tasks::listed, |shown| match json {
                true => print_bytes(&tasks_json(shown)),
                false if shown.list.tasks().is_empty() => print(&tasks_judged(shown, &stdout())),
                false => print(&tasks_table(shown, &stdout())),
            })
        }
        TasksVerb::Next { place, json } => show(place, Tasks::asked_for_next, |shown| match json {
            true => print_bytes(&next_task_json(shown)),
            false if shown.list.tasks().is_empty() => print(&tasks_judged(shown, &stdout())),
            false => print(&next_task_text(shown, &stdout())),
        }),
        TasksVerb::Graph { place, format, .. } => show(place, Tasks::listed, |shown| match format {
            GraphForm::Text if shown.list.tasks().is_empty() => print(&tasks_judged(shown, &stdout())),
            GraphForm::Text => print(&tasks_tree(shown, &stdout())),
            GraphForm::Dot => print(&tasks_dot(shown)),
            GraphForm::Mermaid => print(&tasks_mermaid(shown)),
        }),
        TasksVerb::Validate { place, quiet: true, .. } => show(place, Tasks::judged, |_| Ok(())),
        TasksVerb::Validate { place, json, .. } => show(place, Tasks::judged, |shown| match json {
            true => print_bytes(&tasks_json(shown)),
            false => print(&tasks_judged(shown, &stdout())),
        }),
        TasksVerb::Add(args) => add(args).map(success),
        TasksVerb::Done(args) => mark(args, TaskState::Done).map(success),
        TasksVerb::Reopen(args) => mark(args, TaskState::Open).map(success),
        TasksVerb::Park(args) => park(args).map(success),
    }
}

/// Shows the tasks that are meant; the exit code is what came of it.
fn show(
    place: &TasksPlaceArgs,
    exit_code: impl FnOnce(&Tasks) -> u8,
    print: impl FnOnce(&TasksShown<'_>) -> Result<(), AppError>,
) -> Result<ExitCode, AppError> {
    let tasks = app()?.tasks(&named(place), flags::issues(&place.issues)?)?;
    let exit_code = exit_code(&tasks);
    print(&tasks.shown(exit_code))?;
    Ok(ExitCode::from(exit_code))
}

/// A task more.
fn add(args: &TasksAddArgs) -> Result<(), AppError> {
    let title = args.title.as_ref().or(args.title_flag.as_ref()).cloned().unwrap_or_default();
    let task = NewTask {
        title,
        priority: args.priority.clone(),
        dependencies: args.depends_on.iter().map(|id| id.trim().to_owned()).collect(),
        description: args.description.clone().unwrap_or_default(),
    };
    let added = app()?.add_task(&named(&args.place), flags::issues(&args.place.issues)?, &task)?;
    print_lines(&[Line::hanging(2)
        .mark(Tone::Good, Mark::Passed)
        .strong(format!(" {}", one_line(&added.id.0)))
        .plain(format!(" is in {}", one_line(&added.place.display().to_string())))
        .dim(format!("  {}", one_line(&task.title)))])
}

/// Tasks are done, or open again.
fn mark(args: &TasksMarkArgs, state: TaskState) -> Result<(), AppError> {
    let flags = flags::issues(&args.place.issues)?;
    app()?.mark_tasks(&named(&args.place), flags, &args.ids, state, |MarkedTask { task, changed }| {
        print_lines(&[task_marked(task, state, changed)])
    })
}

/// A run leaves tasks.
fn park(args: &TasksParkArgs) -> Result<(), AppError> {
    let parked = app()?.park_tasks(args.run.as_deref(), &args.ids, StopSource::Command)?;
    let line = |(task, leaving): &(TaskId, Leaving)| {
        let when = match leaving {
            Leaving::Now => " is parked",
            Leaving::AfterTheAttempt => " is parked after the attempt under way, unless that does it",
            Leaving::AsItWas => " was parked already",
        };
        Line::hanging(2).strong(one_line(&task.0)).plain(when).dim(format!("  run {}", parked.run))
    };
    print_lines(&parked.tasks.iter().map(line).collect::<Vec<_>>())
}

fn named(place: &TasksPlaceArgs) -> NamedTasks {
    NamedTasks { file: place.file.clone(), feature: place.feature.clone() }
}
