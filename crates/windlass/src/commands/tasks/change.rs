//! Changing tasks: adding one, marking some.

use std::process::ExitCode;

use windlass_core::values::{TaskId, TaskState};
use windlass_engine::tasks::{TasksError, Written, add_task, set_state, settable};
use windlass_jobs::doc::tasks::NewTask;
use windlass_ui::{Line, Mark, Tone, one_line, task_marked};

use super::find;
use crate::args::{TasksAddArgs, TasksMarkArgs};
use crate::commands::app;
use crate::commands::{migrate_plan, print_lines};
use windlass_app::AppError;
use windlass_app::here::Here;

/// A task more.
pub fn add(args: &TasksAddArgs) -> Result<ExitCode, AppError> {
    let (found, codes) = find(&args.place)?;
    let here = Here::find(&app()?)?;
    migrate_plan::refuse_live(&here, codes)?;
    let title = args.title.as_ref().or(args.title_flag.as_ref()).cloned().unwrap_or_default();
    let task = NewTask {
        title,
        priority: args.priority.clone(),
        dependencies: args.depends_on.iter().map(|id| id.trim().to_owned()).collect(),
        description: args.description.clone().unwrap_or_default(),
    };
    let id = add_task(&here.directory, &found.place, &task)?;
    let place = found.place.display().to_string();
    print_lines(&[Line::hanging(2)
        .mark(Tone::Good, Mark::Passed)
        .strong(format!(" {}", one_line(&id.0)))
        .plain(format!(" is in {}", one_line(&place)))
        .dim(format!("  {}", one_line(&task.title)))])?;
    Ok(ExitCode::SUCCESS)
}

/// Tasks are done, or open again. None is marked where one is not there, or cannot be.
pub fn mark(args: &TasksMarkArgs, state: TaskState) -> Result<ExitCode, AppError> {
    let (found, codes) = find(&args.place)?;
    let here = Here::find(&app()?)?;
    migrate_plan::refuse_live(&here, codes)?;
    let known = |name: &String| {
        found.list.find(name).ok_or_else(|| {
            let id = TaskId(one_line(name));
            AppError::from(TasksError::NoTask { id, place: found.place.clone() })
        })
    };
    let tasks = args.ids.iter().map(known).collect::<Result<Vec<_>, _>>()?;
    for task in &tasks {
        settable(&found.list, &found.place, &task.row.id, state)?;
    }
    for task in tasks {
        let written = set_state(&here.directory, &found.place, &task.row.id, state)?;
        print_lines(&[task_marked(task, state, written != Written::AsItWas)])?;
    }
    Ok(ExitCode::SUCCESS)
}
