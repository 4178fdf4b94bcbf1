//! Leaving tasks of a run that is at work.

use windlass_core::fact::Fact;
use windlass_core::values::{RunId, StopSource, TaskId};
use windlass_engine::store::RunFolder;
use windlass_ui::model::Column;
use windlass_ui::one_line;

use crate::app::App;
use crate::asked::{length, wait_for};
use crate::error::AppError;
use crate::here::Here;
use crate::stop::at_work;

/// What becomes of a task that a run was asked to leave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leaving {
    /// Nobody works on it: it is parked.
    Now,
    /// An agent works on it: it is parked after the attempt, unless that does it.
    AfterTheAttempt,
    /// It was parked before.
    AsItWas,
}

/// Tasks that a run leaves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parked {
    /// The run.
    pub run: RunId,
    /// The tasks, as they were named, and what becomes of each.
    pub tasks: Vec<(TaskId, Leaving)>,
}

impl App {
    /// Has a run leave tasks, and go on with the others. `None` = the one that works here. None is left where one is not there, or
    /// is done.
    ///
    /// # Errors
    /// No such run is at work, or it has no such task that is open.
    pub fn park_tasks(&self, run: Option<&str>, ids: &[String], by: StopSource) -> Result<Parked, AppError> {
        let here = Here::find_broken(self)?;
        let holder = at_work(&here, run, "a task is parked in a run that is at work")?;
        let folder = RunFolder::of(&here.project, &holder.run);
        let known = self.known_run(Some(&holder.run.0))?;
        let board = self.follow(&known)?.course().task_board();
        let leaving = |id: &String| {
            let task = board.iter().find(|task| task.task.0 == *id);
            let task = task.ok_or_else(|| no_task(&holder.run, id, board.is_empty()))?;
            let leaving = match task.column {
                Column::Begun => Leaving::AfterTheAttempt,
                Column::Ready | Column::Waiting => Leaving::Now,
                Column::Parked => Leaving::AsItWas,
                Column::Done => {
                    let message = format!("{} is done: there is nothing to leave", one_line(id));
                    return Err(AppError::usage(message).hint("Open it again: windlass tasks reopen ID"));
                }
            };
            Ok((task.task.clone(), leaving))
        };
        let tasks = ids.iter().map(leaving).collect::<Result<Vec<_>, AppError>>()?;
        let before = length(&folder.journal());
        for (task, _) in tasks.iter().filter(|(_, leaving)| *leaving != Leaving::AsItWas) {
            folder.request_park(by, task)?;
            let is_it = |fact: &Fact| matches!(fact, Fact::ParkRequested { task: left, .. } if left == task);
            wait_for(&folder.journal(), before, is_it);
        }
        Ok(Parked { run: holder.run, tasks })
    }
}

fn no_task(run: &RunId, id: &str, has_none: bool) -> AppError {
    if has_none {
        return AppError::usage(format!("run {run} does not work on tasks"));
    }
    AppError::usage(format!("run {run} has no task {}", one_line(id))).hint("All that it has: windlass tasks")
}
