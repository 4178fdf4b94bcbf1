//! The tasks as the run read them when its session began. Prompts quote that, and so does each commit: what an attempt, or what it
//! left, wrote of tasks beyond how far they are is taken out of their files again, and stays kept in a snapshot. Where the runner died
//! meanwhile, what the attempt began with is what the session had read.

use std::sync::Arc;

use windlass_core::report::Report;
use windlass_core::run::TurnKey;
use windlass_core::values::{TaskId, TaskRow};
use windlass_core::words::some_of;
use windlass_jobs::doc::tasks::{PutRight, TaskList};

use super::tasks;
use super::work::WorkError;
use super::working_tree::WorkingTree;
use crate::tasks::{TasksError, replace_text};
use windlass_git::snapshot::Side;

/// So many tasks are named.
const NAMED: usize = 5;

/// Files that say something else of tasks than what was read of them.
#[derive(Debug)]
struct ChangedTasks {
    /// The list as it is now.
    now: Arc<TaskList>,
    /// Their names, and what they are to say again.
    files: Vec<(String, PutRight)>,
}

impl WorkingTree {
    /// The tasks as they are to be worked off, by which the session goes from now on.
    pub(super) fn read_tasks(&mut self) -> Option<Vec<TaskRow>> {
        let mut rows = tasks::rows(&self.plan);
        for row in rows.iter_mut().flatten() {
            row.vouched = self.vouched.contains(&row.id);
        }
        // Where each part or lane begins with what a branch has, what is read here is not all of it.
        let goes_by_it = rows.is_some() && !self.plan.keeps_to_own_task();
        if goes_by_it {
            self.tasks_as_read = tasks::read(&self.plan);
        }
        rows
    }

    /// After an attempt, of which a snapshot has what it left.
    pub(super) fn put_attempts_tasks_right(&mut self, turn: TurnKey) -> Result<Option<Report>, WorkError> {
        if self.began != Some(turn) && self.tasks_as_read.is_none() {
            self.tasks_as_read = self.tasks_before(turn)?;
        }
        let Some(changed) = self.changed_tasks() else { return Ok(None) };
        self.put_back = Some(turn);
        let left = self.name(turn, Side::After).moment;
        self.put_tasks_right(changed, &left.to_string())
    }

    /// Before a commit: what was written since the attempt ended is kept first.
    pub(super) fn put_tasks_right_before_commit(&mut self) -> Result<Option<Report>, WorkError> {
        let (Some(changed), Some(store)) = (self.changed_tasks(), &self.snapshots) else { return Ok(None) };
        let name = store.next_before_restore(&self.plan.run)?;
        let look = self.look()?;
        self.keep_look(&look.inventory, &name)?;
        self.put_tasks_right(changed, &name.moment.to_string())
    }

    /// Without snapshots nothing is done, nor is anything committed then.
    fn changed_tasks(&self) -> Option<ChangedTasks> {
        let (first, _) = self.tasks_as_read.as_ref().zip(self.snapshots.as_ref())?;
        let now = tasks::read(&self.plan).unwrap_or_default();
        let right = |name: &str| Some((name.to_owned(), now.put_right(first, name)?));
        let files: Vec<_> = first.files().filter_map(right).collect();
        (!files.is_empty()).then_some(ChangedTasks { now, files })
    }

    fn put_tasks_right(&mut self, changed: ChangedTasks, moment: &str) -> Result<Option<Report>, WorkError> {
        let plan = Arc::clone(&self.plan);
        let mut tasks: Vec<TaskId> = Vec::new();
        for (name, right) in changed.files {
            match replace_text(&plan.directory, &changed.now, &name, right.text) {
                Ok(()) => tasks.extend(right.tasks),
                Err(TasksError::File(error)) if error.is_disk_full() => return Err(error.into()),
                Err(error) => return Ok(Some(Report::notice(format!("{name} is not put right: {error}")))),
            }
        }
        let look = self.look()?;
        self.remember(look);
        Ok(Some(Report::notice(format!(
            "what was changed of {} beyond the status is taken out again: this run goes by what it read when it began; \
             `windlass restore {} {moment}` has what was there",
            some_of(tasks.iter(), NAMED),
            plan.run
        ))))
    }
}
