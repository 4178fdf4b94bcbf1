//! How the tasks of a run stand.

use serde::Serialize;
use windlass_core::tasks::TaskProgress;
use windlass_core::values::{LaneId, TaskId};

use super::RunState;
use crate::board::{Board, Doing};
use crate::harmless::one_line;
use crate::line::Line;
use crate::narrate::{labelled, labelled_once};

/// Parked tasks that are shown to people; the others are counted.
const SHOWN: usize = 5;

/// How the tasks of a run stand, by the run's own books.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct StatusTasks {
    /// All.
    pub total: usize,
    /// Done.
    pub done: usize,
    /// Open, with all that they depend on done; begun ones that nobody works on any more as well.
    pub ready: usize,
    /// Open, and something that they depend on is not done.
    pub waiting: usize,
    /// What is worked on, by lane; nothing once the run has ended. Where its process is gone, what was.
    pub at_work: Vec<TaskAtWork>,
    /// Nobody works on it any more.
    #[serde(skip)]
    pub cut_off: bool,
    /// What failed too often.
    pub parked: Vec<NamedTask>,
    /// What would be begun next.
    pub next: Option<NamedTask>,
}

/// A task that is worked on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TaskAtWork {
    /// Where.
    pub lane: LaneId,
    /// In which iteration.
    pub iteration: u32,
    /// Which.
    #[serde(flatten)]
    pub task: NamedTask,
}

/// A task.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NamedTask {
    /// Its id.
    pub id: TaskId,
    /// What it is called.
    pub title: String,
}

impl StatusTasks {
    /// Those of a run of tasks; `None` in other modes.
    pub(crate) fn of(board: &Board) -> Option<StatusTasks> {
        board.plan.as_ref().filter(|plan| plan.job.mode.has_tasks())?;
        let named = |id: &TaskId| NamedTask {
            id: id.clone(),
            title: board.title_of(id).unwrap_or_default().to_owned(),
        };
        let is_begun = |id: &TaskId| board.tasks.standing(id) == Some(TaskProgress::Active);
        let at_work = board.lanes.iter().filter_map(|(lane, at)| {
            let task = at.task.as_ref()?;
            // Between two attempts, as in a wait, it stays the lane's.
            let is_at_work = at.doing != Doing::Resting || board.ending.is_none() && is_begun(task);
            is_at_work.then(|| TaskAtWork { lane: *lane, iteration: at.iteration, task: named(task) })
        });
        let at_work: Vec<TaskAtWork> = at_work.collect();
        let is_left = |id: &TaskId| is_begun(id) && !at_work.iter().any(|at| at.task.id == *id);
        let left: Vec<&TaskId> =
            board.tasks.rows().iter().map(|row| &row.id).filter(|id| is_left(id)).collect();
        let is_parked = |id: &TaskId| board.tasks.standing(id) == Some(TaskProgress::Parked);
        let counts = board.tasks.counts();
        Some(StatusTasks {
            total: counts.total,
            done: counts.done,
            ready: counts.ready + left.len(),
            waiting: counts.waiting,
            cut_off: false,
            parked: board
                .tasks
                .rows()
                .iter()
                .filter(|row| is_parked(&row.id))
                .map(|row| named(&row.id))
                .collect(),
            next: left.first().copied().or_else(|| Some(&board.tasks.next()?.id)).map(named),
            at_work,
        })
    }

    /// Those of a run that stands so where it has not ended.
    pub(super) fn standing(self, unfinished: RunState) -> StatusTasks {
        StatusTasks { cut_off: unfinished != RunState::Running, ..self }
    }

    /// For people.
    pub(super) fn lines(&self) -> Vec<Line> {
        std::iter::once(self.counted()).chain(self.named()).collect()
    }

    /// How many are done, and what the others are.
    pub(crate) fn counted(&self) -> Line {
        let done = format!("{}/{} done", self.done, self.total);
        let all: Vec<String> = std::iter::once(done).chain(self.others()).collect();
        labelled("tasks").plain(all.join(" · "))
    }

    /// What those are that are not done: `1 at work`, `3 parked`.
    pub fn others(&self) -> Vec<String> {
        let parts = [
            (self.at_work.len(), self.begun_word()),
            (self.parked.len(), "parked"),
            (self.ready, "ready"),
            (self.waiting, "waiting"),
        ];
        let parts = parts.iter().filter(|(count, _)| *count > 0);
        parts.map(|(count, what)| format!("{count} {what}")).collect()
    }

    const fn begun_word(&self) -> &'static str {
        if self.cut_off { "cut off" } else { "at work" }
    }

    /// Those that are worked on or parked, and the next one.
    pub(crate) fn named(&self) -> Vec<Line> {
        let rows = |label: &'static str, rows: Vec<String>| {
            labelled_once(label).zip(rows).map(|(line, row)| line.plain(row))
        };
        let at_work =
            self.at_work.iter().map(|at| format!("{} in iteration {}", at.task.shown(), at.iteration));
        let mut lines: Vec<Line> = rows(self.begun_word(), at_work.collect()).collect();
        let mut parked: Vec<String> = self.parked.iter().take(SHOWN).map(NamedTask::shown).collect();
        if self.parked.len() > SHOWN {
            parked.push(format!("and {} more", self.parked.len() - SHOWN));
        }
        lines.extend(rows("parked", parked));
        lines.extend(self.next.as_ref().map(|next| labelled("next task").plain(next.shown())));
        lines
    }
}

impl NamedTask {
    fn shown(&self) -> String {
        let (id, title) = (one_line(&self.id.0), one_line(&self.title));
        if title.is_empty() { id } else { format!("{id} {title}") }
    }
}
