//! Commits, and tasks with what became of them.

use windlass_core::fact::Fact;
use windlass_core::report::{self, DeliveryStep, IssueMove, IssueStep, IssueTask};
use windlass_core::tasks::{Schedule, TaskProgress};
use windlass_core::values::{Items, LaneId, TaskEnd, TaskId, TaskRow};

use super::Board;
use crate::delivery_board::Accepted;

/// The commits that were made: as much of them as fits a line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Commits {
    pub(crate) count: u32,
    pub(crate) first: String,
    pub(crate) last: String,
}

impl Board {
    /// The runner committed, or could not. What a lane with a checkout of its own commits there is on its way only.
    pub(super) fn commit(&mut self, lane: LaneId, commit: Option<&str>, refused: Option<&str>) {
        let board = self.lanes.entry(lane).or_default();
        board.commit_refused = refused.map(str::to_owned);
        if self.plan.as_ref().is_none_or(|plan| plan.lanes.is_none()) {
            board.commit = None;
            if let Some(commit) = commit {
                self.landed(lane, commit);
            }
        }
    }

    /// A commit is on the branch.
    pub(super) fn landed(&mut self, lane: LaneId, commit: &str) {
        self.lanes.entry(lane).or_default().commit = Some(commit.to_owned());
        if self.commits.count == 0 {
            commit.clone_into(&mut self.commits.first);
        }
        commit.clone_into(&mut self.commits.last);
        self.commits.count += 1;
    }

    pub(super) fn task_fact(&mut self, fact: &Fact) {
        match fact {
            Fact::TasksRead { tasks } => self.read(tasks),
            Fact::ParkRequested { task, .. } => self.leave(task),
            Fact::TaskClosed(report::TaskClosed { task, end, .. }) => self.close(task, end),
            _ => {}
        }
    }

    /// The tasks as a session found them. What the run has parked stays parked while the file has it open.
    fn read(&mut self, rows: &[TaskRow]) {
        let before = std::mem::replace(&mut self.tasks, Schedule::new(rows.to_vec()));
        for row in before.rows() {
            if before.standing(&row.id) == Some(TaskProgress::Parked) {
                self.tasks.park(&row.id);
            }
        }
    }

    /// A person wants a task left: one that somebody works on is closed later.
    fn leave(&mut self, task: &TaskId) {
        if self.tasks.standing(task) == Some(TaskProgress::Open) {
            self.tasks.park(task);
        }
    }

    /// An iteration has left its task so.
    fn close(&mut self, task: &TaskId, end: &TaskEnd) {
        match end {
            TaskEnd::Done => {
                self.tasks.finish(task);
            }
            TaskEnd::Parked { .. } => {
                self.tasks.park(task);
            }
            TaskEnd::Again { .. } => {
                self.tasks.reopen(task);
            }
        }
        self.count_tasks();
    }

    /// What was accepted gets out, or does not: then its task is parked after all.
    pub(super) fn deliver(&mut self, step: &DeliveryStep) {
        let ends = self.delivery.of_task(step).map(|(task, ends)| (task.clone(), ends));
        self.delivery.take(step);
        if let Some((task, ends)) = ends {
            self.tasks.reopen(&task);
            match ends {
                Accepted::Out => self.tasks.finish(&task),
                Accepted::Parked => self.tasks.park(&task),
            };
            self.count_tasks();
        }
    }

    /// An issue that nobody has begun is done elsewhere, or somebody else's. One that is at work is closed by its iteration.
    pub(super) fn issue(&mut self, step: &IssueStep) {
        let is_open = |task: &TaskId| self.tasks.standing(task) == Some(TaskProgress::Open);
        match step {
            IssueStep::Closed { task } if is_open(task) => self.tasks.finish(task),
            IssueStep::Taken { task, .. }
            | IssueStep::Stalled { task, what: IssueTask::Lease, next: IssueMove::LeftOut, .. }
                if is_open(task) =>
            {
                self.tasks.park(task)
            }
            _ => return,
        };
        self.count_tasks();
    }

    fn count_tasks(&mut self) {
        let counts = self.tasks.counts();
        if let Some(latest) = &mut self.status.latest {
            latest.items = Some(Items { done: counts.done as u64, total: counts.total as u64 });
            latest.summary.clear();
        }
    }

    /// What a task is called.
    pub(crate) fn title_of(&self, task: &TaskId) -> Option<&str> {
        self.tasks.row(task).map(|row| row.title.as_str())
    }
}
