//! Tasks as they were read before, in a file that says something else of them now: only how far they are is taken from it.

use std::ops::Range;

use windlass_core::values::{TaskId, TaskState};

use super::{Task, TaskList};
use crate::doc::Splice;

/// A file that says again what was read of its tasks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PutRight {
    /// Its text: the tasks as they were, in the states that they have now, and all else as it is now.
    pub text: String,
    /// Those that read differently.
    pub tasks: Vec<TaskId>,
}

/// Do two texts of a task say the same, whatever boxes are ticked in them and however they are set? What differs in white space
/// alone, as where a list is indented otherwise or a table is aligned, is no change of a task.
fn say_the_same(one: &str, other: &str) -> bool {
    let (one, other) = (with_open_boxes(one), with_open_boxes(other));
    let letters = |text: &str| text.chars().filter(|letter| !letter.is_whitespace()).collect::<String>();
    one == other || letters(&one) == letters(&other)
}

/// A task's text as if none of the boxes in it was ticked.
fn with_open_boxes(text: &str) -> String {
    let line = |line: &str| {
        let is_item = line.trim_start().starts_with(['-', '*', '+']);
        if is_item { line.replacen("[x]", "[ ]", 1).replacen("[X]", "[ ]", 1) } else { line.to_owned() }
    };
    text.trim_end().lines().map(line).collect::<Vec<_>>().join("\n")
}

impl TaskList {
    /// The file with each task as `first` has it, but for its state; `None` where nothing else differs but ticks of boxes, as those
    /// of criteria: whether these hold nobody believes them; and white space. What is new in the file
    /// stays, and what is gone from it stays gone. Where ids are places in the file nobody can say which task is which.
    pub fn put_right(&self, first: &TaskList, name: &str) -> Option<PutRight> {
        let (was, is) = (first.text(name), self.text(name));
        if was == is || !self.form().about().has_ids {
            return None;
        }
        let mut text = is.to_owned();
        let mut tasks = Vec::new();
        // From the end, so that what is still to be replaced stands where it stood.
        for task in self.outermost(name).into_iter().rev() {
            let Some(former) = first.task(&task.row.id).filter(|former| *former.file == *name) else {
                continue;
            };
            let as_it_was = self.in_states_of(task, first);
            if as_it_was.is_some_and(|text| say_the_same(&text, first.source(&task.row.id)))
                || self.differs_in_words_of_states(task, first, former)
            {
                continue;
            }
            let Some(right) = first.in_states_of(former, self) else { continue };
            let end = task.block.start + self.source(&task.row.id).trim_end().len();
            text.replace_range(task.block.start..end, right.trim_end());
            tasks.push(task.row.id.clone());
        }
        tasks.reverse();
        (!tasks.is_empty()).then_some(PutRight { text, tasks })
    }

    /// The task's own text with it, and all that stand in it, in the states that another list has them in.
    pub fn in_states_of(&self, task: &Task, other: &TaskList) -> Option<String> {
        self.with_states(task, |id| other.task(id).map(|task| task.row.state))
    }

    /// The same in a state that is said.
    pub fn source_in(&self, id: &TaskId, state: TaskState) -> Option<String> {
        self.with_states(self.task(id)?, |other| (other == id).then_some(state))
    }

    /// `None` where a state is not written there by itself.
    fn with_states(&self, task: &Task, state: impl Fn(&TaskId) -> Option<TaskState>) -> Option<String> {
        self.spliced(task, |other| {
            let state = state(&other.row.id).filter(|state| *state != other.row.state);
            state.map_or(Some(None), |state| self.set_state(&other.row.id, state).ok().map(Some))
        })
    }

    /// The task's own text with a splice for each task that stands in it, where it is to have one; `None` where one cannot be made.
    fn spliced(&self, task: &Task, splice: impl Fn(&Task) -> Option<Option<Splice>>) -> Option<String> {
        let Range { start, end } = task.block;
        let is_inside =
            |other: &&Task| other.file == task.file && start <= other.block.start && other.block.end <= end;
        let splices: Option<Vec<_>> = self.tasks().iter().filter(is_inside).map(splice).collect();
        let mut splices: Vec<Splice> = splices?.into_iter().flatten().collect();
        splices.sort_by_key(|splice| std::cmp::Reverse(splice.range.start));
        let mut text = self.source(&task.row.id).to_owned();
        for splice in splices.into_iter().filter(|splice| !splice.is_empty()) {
            let (from, to) = (splice.range.start.checked_sub(start)?, splice.range.end.checked_sub(start)?);
            text.get(from..to)?;
            text.replace_range(from..to, &splice.text);
        }
        Some(text)
    }

    /// Is nothing else another word? Which word a file has for a state is not known where no task has it any more.
    fn differs_in_words_of_states(&self, task: &Task, first: &TaskList, former: &Task) -> bool {
        let (is, was) = (self.without_states(task), first.without_states(former));
        is.zip(was).is_some_and(|(is, was)| say_the_same(&is, &was))
    }

    /// The task's own text with a mark in place of each word of a state; `None` where such a word is not written there by itself.
    fn without_states(&self, task: &Task) -> Option<String> {
        self.spliced(task, |other| {
            let another = if other.row.state == TaskState::Done { TaskState::Open } else { TaskState::Done };
            let word = self.set_state(&other.row.id, another).ok().filter(|word| !word.range.is_empty())?;
            Some(Some(Splice { text: "\0".to_owned(), ..word }))
        })
    }

    /// The tasks of a file that stand in no other.
    fn outermost(&self, name: &str) -> Vec<&Task> {
        let mut tasks: Vec<&Task> = self.tasks().iter().filter(|task| *task.file == *name).collect();
        tasks.sort_by_key(|task| (task.block.start, std::cmp::Reverse(task.block.end)));
        let mut end = 0;
        tasks.retain(|task| {
            let is_outer =
                task.block.start >= end && self.task(&task.row.id).is_some_and(|one| one.block == task.block);
            if is_outer {
                end = task.block.end;
            }
            is_outer
        });
        tasks
    }
}

#[cfg(test)]
mod tests {
    use crate::doc::tasks::TaskList;
    use crate::doc::tasks::sources::{Prd, Table};
    use crate::doc::tasks::tests::{file, markdown};

    #[test]
    fn tasks_say_again_what_they_said_but_for_their_states_and_ticks() {
        let text = "# T\n\n### TASK-1: a\n- **Status**: pending\n\nCriteria:\n- [ ] `x` exists\n\n### TASK-2: b\n- **Status**: pending\n";
        let first = markdown(text);
        let name = first.files().next().unwrap().to_owned();
        let right = |now: &str| markdown(now).put_right(&first, &name);
        assert_eq!(right(text), None);
        let ticked = text.replacen("pending", "done", 1).replace("[ ]", "[x]");
        assert_eq!(right(&ticked), None);
        let more = format!("{ticked}\n### TASK-3: c\n- **Status**: pending\n");
        assert_eq!(right(&more), None, "what is new stays");
        let put = right(&ticked.replace(": b", ": anything").replace("`x`", "`y`")).unwrap();
        assert_eq!(put.text, text.replacen("pending", "done", 1));
        assert_eq!(put.tasks, ["TASK-1".into(), "TASK-2".into()]);
    }

    #[test]
    fn a_list_that_is_only_set_otherwise_is_left_as_it_is() {
        let prd = |text: &str| TaskList::parse(vec![file("prd.json", &Prd, text)]);
        let dense = r#"{"userStories":[{"id":"US-1","title":"One","passes":false},{"id":"US-2","title":"Two","passes":false}]}"#;
        let wide = dense.replace(',', ",\n  ").replace(':', ": ").replacen("false", "true", 1);
        let first = prd(dense);
        let name = first.files().next().unwrap().to_owned();
        assert_eq!(prd(&wide).put_right(&first, &name), None);
        let changed = prd(&wide.replace("Two", "Too")).put_right(&first, &name).unwrap();
        assert_eq!(changed.tasks, ["US-2".into()]);
        let table = |rows: &str| {
            let text = format!("| ID | Task | Status |\n|---|---|---|\n{rows}");
            TaskList::parse(vec![file("tasks.md", &Table, &text)])
        };
        let first = table("| T1 | Read | todo |\n");
        let name = first.files().next().unwrap().to_owned();
        assert_eq!(table("| T1  | Read   | done    |\n").put_right(&first, &name), None);
    }

    #[test]
    fn a_word_that_no_task_has_any_more_is_no_other_task() {
        let table = |rows: &str| {
            let text = format!("| ID | Task | Status |\n|---|---|---|\n{rows}");
            TaskList::parse(vec![file("tasks.md", &Table, &text)])
        };
        let first = table("| T1 | Read | done |\n| T4 | More | todo |\n");
        let name = first.files().next().unwrap().to_owned();
        let tasks = |rows: &str| table(rows).put_right(&first, &name).map(|right| right.tasks);
        assert_eq!(tasks("| T1 | Read | done |\n| T4 | More | in-progress |\n"), None);
        assert_eq!(tasks("| T1 | Read | todo |\n| T4 | More | completed |\n"), None);
        let another = tasks("| T1 | Read | done |\n| T4 | Less | in-progress |\n");
        assert_eq!(another, Some(vec!["T4".into()]));
    }
}
