//! Commands in the success criteria of tasks: what of them a person has to trust.

use std::path::Path;

use windlass_core::trust::{Startable, Startables, Starter};
use windlass_core::values::TaskState;
use windlass_engine::pipeline::Pipelines;
use windlass_engine::tasks::{Wanted, find_tasks, read_tasks};
use windlass_engine::trust::{name_in, store};
use windlass_jobs::doc::tasks::{Criterion, Meaning, Task, TaskList};

use super::inside::refuse_below_windlass;
use crate::error::AppError;
use crate::front_end::{Question, Reply};
use crate::here::Here;

/// Where in a task file a command stands that shows a task to be done.
pub const KEY: &str = "tasks.criteria";

/// All commands in the criteria of this project's usual lists of tasks, and of its pipelines.
pub fn startables(here: &Here) -> Startables {
    let usual = find_tasks(&here.directory, Wanted::Usual).ok().map(|found| found.list);
    let pipelines = Pipelines::of(&here.directory);
    let ids = pipelines.ids().unwrap_or_default();
    let files = ids.iter().filter_map(|id| pipelines.find(id).ok());
    let planned = files.map(|one| read_tasks(&here.directory, &one.tasks_file()).list);
    usual
        .into_iter()
        .chain(planned)
        .flat_map(|list| commands(here, &list).iter().cloned().collect::<Vec<_>>())
        .collect()
}

/// The commands in the criteria of the tasks that are not done.
pub fn commands(here: &Here, list: &TaskList) -> Startables {
    let open = list.tasks().iter().filter(|task| task.row.state != TaskState::Done);
    let items =
        open.flat_map(|task| task.criteria.iter().filter_map(|criterion| startable(here, task, criterion)));
    items.collect()
}

/// What a criterion starts; `None` where it is no command.
pub fn startable(here: &Here, task: &Task, criterion: &Criterion) -> Option<Startable> {
    let Meaning::Command(command) = criterion.meaning() else { return None };
    let file = name_in(&here.place(), &here.directory.join(Path::new(&*task.file)));
    Some(Startable::text(Starter::Windlass, &file, KEY, &command))
}

/// What of these a person trusts; they are asked where they are there.
pub fn trusted(here: &Here, commands: &Startables) -> Result<Startables, AppError> {
    let known = store::trusted(&here.project).items;
    let pending = commands.beyond(&known);
    if pending.is_empty() || !here.app.front_end().has_person() || refuse_below_windlass().is_err() {
        return Ok(known);
    }
    let starter = Starter::Windlass;
    let question = Question::Trust { starter: &starter, items: &pending, all: commands, trusted: &known };
    if here.app.front_end().ask(&question)? == Reply::Yes {
        store::trust(&here.project, &pending)?;
        return Ok(known.with(&pending));
    }
    Ok(known)
}
