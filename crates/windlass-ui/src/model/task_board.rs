//! All tasks of a run as they stand, and what waits for what.

use std::collections::BTreeMap;

use windlass_core::tasks::{Schedule, TaskProgress};
use windlass_core::values::{TaskId, TaskRow};

use super::Course;

/// Where a task stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Column {
    /// Somebody works on it, or did when the run ended.
    Begun,
    /// It can be begun.
    Ready,
    /// Others have to be done before it, or its file says nothing that can be worked on.
    Waiting,
    /// This run gave it up.
    Parked,
    /// Done.
    Done,
}

impl Column {
    /// All of them, as a board has them from its left to its right.
    pub const ALL: [Column; 5] =
        [Column::Begun, Column::Ready, Column::Waiting, Column::Parked, Column::Done];

    /// Its heading.
    pub const fn name(self) -> &'static str {
        match self {
            Column::Begun => "Begun",
            Column::Ready => "Ready",
            Column::Waiting => "Waiting",
            Column::Parked => "Parked",
            Column::Done => "Done",
        }
    }
}

/// A task on the board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskOnBoard {
    /// Which.
    pub task: TaskId,
    /// What it is called.
    pub title: String,
    /// Where it stands.
    pub column: Column,
    /// The tasks that have to be done before it, and whether they are.
    pub after: Vec<(TaskId, bool)>,
    /// How many tasks, one after another, come before it at least; `None` where they wait for each other.
    pub stage: Option<u32>,
    /// Why nobody can work on it, as the end of a sentence.
    pub unclear: Option<String>,
}

impl Course {
    /// Its tasks in the order of their file; none where it works on none.
    pub fn task_board(&self) -> Vec<TaskOnBoard> {
        let schedule = &self.board.tasks;
        let ready: Vec<&TaskId> = schedule.ready().map(|row| &row.id).collect();
        let stages = stages(schedule.rows());
        let rows = schedule.rows().iter();
        rows.map(|row| on_board(schedule, row, ready.contains(&&row.id), stages.get(&row.id).copied()))
            .collect()
    }
}

fn on_board(schedule: &Schedule, row: &TaskRow, is_ready: bool, stage: Option<u32>) -> TaskOnBoard {
    let column = match schedule.standing(&row.id).unwrap_or_default() {
        TaskProgress::Done => Column::Done,
        TaskProgress::Parked => Column::Parked,
        TaskProgress::Active => Column::Begun,
        TaskProgress::Open if is_ready => Column::Ready,
        TaskProgress::Open => Column::Waiting,
    };
    let is_done = |id: &TaskId| schedule.standing(id) == Some(TaskProgress::Done);
    TaskOnBoard {
        task: row.id.clone(),
        title: row.title.clone(),
        column,
        after: row.dependencies.iter().map(|id| (id.clone(), is_done(id))).collect(),
        stage,
        unclear: row.unclear.clone(),
    }
}

/// The stage of each task for which there is one: those that wait for nothing, then those that wait for these.
fn stages(rows: &[TaskRow]) -> BTreeMap<&TaskId, u32> {
    let mut later: BTreeMap<&TaskId, Vec<&TaskId>> = BTreeMap::new();
    let mut missing: BTreeMap<&TaskId, usize> = BTreeMap::new();
    for row in rows {
        missing.insert(&row.id, row.dependencies.len());
        for before in &row.dependencies {
            later.entry(before).or_default().push(&row.id);
        }
    }
    let mut stages = BTreeMap::new();
    let mut now: Vec<&TaskId> = missing.iter().filter(|(_, count)| **count == 0).map(|(id, _)| *id).collect();
    let mut stage = 0;
    while !now.is_empty() {
        let mut next = Vec::new();
        for id in now {
            stages.insert(id, stage);
            for waiting in later.remove(id).unwrap_or_default() {
                if let Some(count) = missing.get_mut(waiting) {
                    *count -= 1;
                    if *count == 0 {
                        next.push(waiting);
                    }
                }
            }
        }
        now = next;
        stage += 1;
    }
    stages
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use jiff::Timestamp;
    use windlass_core::fact::{Entry, Fact};
    use windlass_core::values::{Now, StopSource, TaskState};

    use super::*;

    fn row(id: &str, dependencies: &[&str]) -> TaskRow {
        TaskRow {
            id: id.into(),
            title: format!("{id}'s title"),
            dependencies: dependencies.iter().map(|id| TaskId::from(*id)).collect(),
            ..TaskRow::default()
        }
    }

    fn board(schedule: Schedule) -> Vec<(String, Column, Option<u32>)> {
        let mut course = Course::default();
        course.board.tasks = schedule;
        let board = course.task_board().into_iter();
        board.map(|task| (task.task.0, task.column, task.stage)).collect()
    }

    #[test]
    fn each_task_stands_in_one_column_and_behind_what_it_waits_for() {
        let rows =
            vec![row("A", &[]), row("B", &["A"]), row("C", &["A", "B"]), row("D", &[]), row("E", &["D"])];
        let mut schedule = Schedule::new(rows);
        schedule.begin(&"A".into());
        schedule.finish(&"A".into());
        schedule.begin(&"D".into());
        schedule.park(&"D".into());
        let expected = [
            ("A", Column::Done, Some(0)),
            ("B", Column::Ready, Some(1)),
            ("C", Column::Waiting, Some(2)),
            ("D", Column::Parked, Some(0)),
            ("E", Column::Waiting, Some(1)),
        ];
        assert_eq!(
            board(schedule.clone()),
            expected.map(|(id, column, stage)| (id.to_owned(), column, stage))
        );
        schedule.begin(&"B".into());
        assert_eq!(board(schedule)[1].1, Column::Begun);
    }

    #[test]
    fn what_is_parked_stays_so_when_the_tasks_are_read_again_and_is_still_open() {
        let at = |seq| Entry {
            seq,
            at: Now { wall: Timestamp::UNIX_EPOCH, monotonic: Duration::ZERO },
            fact: Fact::BackoffEnded,
        };
        let read = |seq, tasks| Entry { fact: Fact::TasksRead { tasks }, ..at(seq) };
        let park = |seq, task: &str| {
            let fact = Fact::ParkRequested { by: StopSource::Page, task: task.into() };
            Entry { fact, ..at(seq) }
        };
        let rows = vec![row("A", &[]), row("B", &[]), row("C", &[])];
        let done = TaskRow { state: TaskState::Done, ..row("B", &[]) };
        let mut course = Course::default();
        let facts = [
            read(1, rows),
            park(2, "A"),
            park(3, "B"),
            park(4, "D"),
            read(5, vec![row("A", &[]), done, row("C", &[])]),
        ];
        for entry in &facts {
            course.take(entry);
        }
        let columns: Vec<Column> = course.task_board().into_iter().map(|task| task.column).collect();
        assert_eq!(columns, [Column::Parked, Column::Done, Column::Ready]);
    }

    #[test]
    fn tasks_that_wait_for_each_other_or_for_nobody_have_no_stage() {
        let rows = vec![row("A", &["B"]), row("B", &["A"]), row("C", &["nowhere"]), row("D", &["A", "D"])];
        assert!(
            board(Schedule::new(rows))
                .iter()
                .all(|(_, column, stage)| (*column, *stage) == (Column::Waiting, None))
        );
    }
}
