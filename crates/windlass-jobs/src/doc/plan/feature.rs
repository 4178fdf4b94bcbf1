//! The features of a plan that is a folder.

use windlass_core::values::TaskState;

use super::Plan;
use crate::doc::tasks::{FileRole, Task};
use crate::doc::text::stem;

/// A feature: one file of a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Feature<'a> {
    /// Its title, or else its file's name without ending.
    pub name: &'a str,
    /// Its file, as it was named.
    pub file: &'a str,
    /// The specs that it names for all its tasks, as written.
    pub specs: &'a [String],
    /// Its tasks by how far they are.
    pub counts: Counts,
}

/// Tasks, by how far they are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Neither begun nor done.
    pub open: u64,
    /// Begun.
    pub in_progress: u64,
    /// Done.
    pub done: u64,
}

impl Counts {
    /// Counts tasks.
    pub fn of<'a>(tasks: impl Iterator<Item = &'a Task>) -> Counts {
        let mut counts = Counts::default();
        tasks.for_each(|task| counts.add(task.row.state));
        counts
    }

    fn add(&mut self, state: TaskState) {
        match state {
            TaskState::Open => self.open += 1,
            TaskState::InProgress => self.in_progress += 1,
            TaskState::Done => self.done += 1,
        }
    }

    /// All of them.
    pub const fn total(self) -> u64 {
        self.open + self.in_progress + self.done
    }

    /// What part is done, from 0 to 100, rounded down; 0 where there is none.
    pub const fn percent(self) -> u64 {
        match self.total() {
            0 => 0,
            all => self.done * 100 / all,
        }
    }

    /// `complete`, `in_progress` or `pending`.
    pub const fn status(self) -> &'static str {
        if self.total() > 0 && self.done == self.total() {
            "complete"
        } else if self.in_progress > 0 || self.done > 0 {
            "in_progress"
        } else {
            "pending"
        }
    }
}

impl Plan {
    /// Is it a folder?
    pub fn is_folder(&self) -> bool {
        self.contents.files.iter().any(|file| file.role != FileRole::Single)
    }

    /// The tasks of each file, counted.
    pub(super) fn counts_of_files(&self) -> Vec<Counts> {
        let mut counts = vec![Counts::default(); self.contents.files.len()];
        for task in &self.contents.tasks {
            if let Some(counts) = counts.get_mut(task.file_index) {
                counts.add(task.row.state);
            }
        }
        counts
    }

    /// The features of a folder, in the order in which they count.
    pub fn features(&self) -> Vec<Feature<'_>> {
        let files = self
            .contents
            .files
            .iter()
            .zip(self.counts_of_files())
            .filter(|(file, _)| file.role == FileRole::Part);
        files
            .map(|(file, counts)| Feature {
                name: if file.about.title.is_empty() { stem(&file.name) } else { &file.about.title },
                file: &file.name,
                specs: &file.about.specs,
                counts,
            })
            .collect()
    }
}
