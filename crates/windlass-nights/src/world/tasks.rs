//! The task file as a file's content: how far each task is, what agents added, how it is worded.

use windlass_core::values::{TaskId, TaskRow, TaskState};

use super::{Actor, NAMES, PLAN, World};
use crate::script::{TaskAction, TaskNature};

/// So many tasks at the most.
pub(crate) const MOST_TASKS: usize = 6;

/// What the work of a task looks like in its own file, plus the task's number.
pub(crate) const WORK: u32 = 5_000;

/// What makes a content a task file.
const MARK: u32 = 1 << 30;

/// How far a task is, as its file says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Mark {
    #[default]
    Open,
    Begun,
    Done,
    /// It is not there any more.
    Gone,
}

/// A task file. Tasks that a job does not have are open and never looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct TaskFile {
    pub marks: [Mark; MOST_TASKS],
    /// Tasks that somebody wrote into it since.
    pub added: u32,
    pub wording: u32,
}

impl TaskFile {
    /// `None` where there is no file, or no task in it.
    pub fn read(content: u32) -> Option<TaskFile> {
        if content & MARK == 0 {
            return None;
        }
        let mut file =
            TaskFile { added: content >> 12 & 3, wording: content >> 16 & 0xFFF, ..TaskFile::default() };
        for (at, mark) in file.marks.iter_mut().enumerate() {
            *mark = match content >> (2 * at) & 3 {
                0 => Mark::Open,
                1 => Mark::Begun,
                2 => Mark::Done,
                _ => Mark::Gone,
            };
        }
        Some(file)
    }

    pub fn content(self) -> u32 {
        let marks = self.marks.iter().enumerate().fold(0, |all, (at, mark)| all | (*mark as u32) << (2 * at));
        MARK | (self.wording & 0xFFF) << 16 | (self.added & 3) << 12 | marks
    }
}

/// The name of the task of this number.
pub(crate) fn task_id(number: usize) -> TaskId {
    TaskId(format!("T{}", number + 1))
}

/// The number of a task.
pub(crate) fn task_number(id: &TaskId) -> Option<usize> {
    id.0.strip_prefix('T')?.parse::<usize>().ok()?.checked_sub(1)
}

/// The file that the work of a task goes into.
pub(crate) fn file_of(task: usize) -> u8 {
    u8::try_from(task + 1).unwrap_or(1)
}

/// The tasks as the file has them.
pub(crate) fn rows(file: &TaskFile, natures: &[TaskNature]) -> Vec<TaskRow> {
    let there = natures.iter().zip(file.marks).enumerate().filter(|(_, (_, mark))| *mark != Mark::Gone);
    let mut rows: Vec<TaskRow> = there
        .map(|(number, (nature, mark))| TaskRow {
            id: task_id(number),
            title: format!("Task {}", number + 1),
            state: match mark {
                Mark::Done => TaskState::Done,
                Mark::Begun => TaskState::InProgress,
                Mark::Open | Mark::Gone => TaskState::Open,
            },
            priority: nature.priority,
            dependencies: nature.dependencies.iter().map(|at| task_id(usize::from(*at))).collect(),
            agent: nature.agent.clone(),
            ..TaskRow::default()
        })
        .collect();
    for number in twins(file, natures) {
        let id = task_id(number);
        let Some(first) = rows.iter_mut().find(|row| row.id == id) else { continue };
        first.unclear = Some("2 tasks have its id".to_owned());
        if first.state == TaskState::Done {
            first.state = TaskState::Open;
        }
        let twin = TaskRow { title: "Its twin".to_owned(), state: TaskState::Open, ..first.clone() };
        rows.push(twin);
    }
    rows.extend((0..file.added).map(|at| TaskRow {
        id: TaskId(format!("N{at}")),
        title: "Something else".to_owned(),
        priority: TaskRow::USUAL_PRIORITY,
        ..TaskRow::default()
    }));
    rows
}

/// The tasks whose id another one has. Whoever takes out the one takes out the other.
pub(crate) fn twins(file: &TaskFile, natures: &[TaskNature]) -> impl Iterator<Item = usize> {
    let there = natures.iter().zip(file.marks).enumerate();
    there.filter(|(_, (nature, mark))| nature.has_twin && *mark != Mark::Gone).map(|(number, _)| number)
}

/// A file that agents of several tasks write.
const SHARED: u8 = 7;

/// What makes the work of two tasks hold together that does so apart.
const GLUE: u32 = 777;

impl World {
    fn has_work(&self, task: usize) -> bool {
        self.tree.get(file_of(task)) == WORK + u32::try_from(task).unwrap_or(0)
    }

    /// Is the work of every task there that is marked as done?
    pub fn is_whole(&self) -> bool {
        let Some(file) = TaskFile::read(self.tree.get(PLAN)) else { return false };
        let wrong = |(task, mark): (usize, &Mark)| *mark == Mark::Done && !self.has_work(task);
        self.tree.conflicts().next().is_none() && !file.marks.iter().enumerate().any(wrong)
    }

    /// Is the work of at most one of two tasks there, or something that holds them together?
    pub fn holds_together(&self, one: u32, two: u32) -> bool {
        let has = |task: u32| self.has_work(usize::try_from(task).unwrap_or(0));
        one == two || !(has(one) && has(two)) || self.tree.get(SHARED) == GLUE
    }

    /// What an agent does about tasks; a sentence says what that was.
    pub fn deal_with_tasks(&mut self, what: TaskAction, own: Option<usize>) -> Option<String> {
        let by = Actor::Agent;
        let mark = |number: usize, mark: Mark| move |file: &mut TaskFile| file.marks[number] = mark;
        match what {
            TaskAction::Works => {
                let task = own?;
                let work = WORK + u32::try_from(task).ok()?;
                self.change(by, |tree| tree.put(file_of(task), work));
                return Some(format!("works on {}: {}", task_id(task), NAMES[usize::from(file_of(task))]));
            }
            TaskAction::Shares => {
                let content = self.new_content();
                self.change(by, |tree| tree.put(SHARED, content));
            }
            TaskAction::Glues => self.change(by, |tree| tree.put(SHARED, GLUE)),
            TaskAction::Resolves => {
                for file in self.tree.conflicts().collect::<Vec<_>>() {
                    let content = self.new_content();
                    self.change(by, |tree| tree.put(file, content));
                }
            }
            TaskAction::ClaimsIfSo if !self.has_work(own?) => return None,
            TaskAction::Claims | TaskAction::ClaimsIfSo => self.edit_tasks(mark(own?, Mark::Done)),
            TaskAction::ClaimsAnother(other) => self.edit_tasks(mark(other.into(), Mark::Done)),
            TaskAction::Reopens(other) => self.edit_tasks(mark(other.into(), Mark::Open)),
            TaskAction::Deletes(other) => self.edit_tasks(mark(other.into(), Mark::Gone)),
            TaskAction::Adds => self.edit_tasks(|file| file.added = (file.added + 1).min(3)),
            TaskAction::Rewords => self.edit_tasks(|file| file.wording = (file.wording + 1) % 0x1000),
        }
        Some(format!("{what:?}"))
    }

    fn edit_tasks(&mut self, edit: impl FnOnce(&mut TaskFile)) {
        if let Some(mut file) = TaskFile::read(self.tree.get(PLAN)) {
            edit(&mut file);
            self.change(Actor::Agent, |tree| tree.put(PLAN, file.content()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_task_file_is_read_as_it_was_written() {
        let mut base = TaskFile { wording: 3, ..TaskFile::default() };
        base.marks[2] = Mark::Begun;
        assert_eq!(TaskFile::read(base.content()), Some(base));
        assert_eq!((TaskFile::read(0), TaskFile::read(1_001)), (None, None));
    }
}
