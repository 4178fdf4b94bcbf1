//! Boxes that say what has to hold, once all of a file is read.

use windlass_core::values::TaskState;

use super::reader::Reader;
use crate::doc::ProblemKind;
use crate::doc::tasks::missed::Missed;
use crate::doc::tasks::{Criterion, FileRole, Task};

impl Reader<'_> {
    /// Is all the work of a file written in a form that is not read? What has to hold is not all there is of it then, and the file is
    /// no plan.
    pub(super) fn is_in_another_form(&self, missed: &[Missed]) -> bool {
        let has_tasks = self.role != FileRole::Single || self.own.iter().any(|own| own.is_task);
        !has_tasks && (self.criteria.is_empty() || missed.iter().any(Missed::is_task))
    }

    /// Gives criteria to the tasks that have them; the rest is the file's own, and so is what is open of a task that is done: it
    /// is left to be done. Where there is nothing but criteria they are all
    /// that is known of the work: they are the tasks, and it is said that they hardly are.
    pub(super) fn place_criteria(&mut self) -> Vec<Task> {
        let has_tasks = self.own.iter().any(|own| own.is_task);
        let criteria = std::mem::take(&mut self.criteria);
        if !has_tasks {
            let boxes = criteria.len();
            for (index, (task, _)) in criteria.into_iter().enumerate() {
                if index == 0 {
                    let sentence = format!(
                        "has the first of {boxes} boxes that all say what has to hold: write a box for each thing that is to be done"
                    );
                    self.problems.push(task.problem(ProblemKind::OnlyCriteria, sentence));
                }
                self.push(task);
            }
            return Vec::new();
        }
        let mut rest = Vec::new();
        for (task, owner) in criteria {
            match self.task_around(owner).and_then(|owner| self.tasks.get_mut(owner)) {
                Some(owner) => {
                    let holds = task.row.state == TaskState::Done;
                    let is_left = owner.row.state == TaskState::Done && !holds;
                    owner.criteria.push(Criterion { text: task.row.title.clone(), holds, line: task.line });
                    rest.extend(is_left.then_some(task));
                }
                None => rest.push(task),
            }
        }
        rest
    }

    /// This one, or else what it is nested in: what was taken for a task may be a section of tasks, or prose.
    fn task_around(&self, mut owner: Option<usize>) -> Option<usize> {
        while let Some(index) = owner.filter(|index| self.own.get(*index).is_none_or(|own| !own.is_task)) {
            owner = self.tasks.get(index).and_then(|task| task.parent).filter(|parent| *parent < index);
        }
        owner
    }
}
