//! Rows of tasks in a file whose tasks are something else: those that are open and that none of its tasks stands for.

use std::collections::HashSet;
use std::sync::Arc;

use windlass_core::values::TaskState;

use super::{may_have_table, reader};
use crate::doc::tasks::Task;
use crate::doc::text::quoted;
use crate::doc::{Problem, ProblemKind};

/// The first of such rows, and what is wrong with all of them. `names` are those of the file's sections, in small letters; rows
/// that stand where nothing counts are none.
pub(in crate::doc) fn open_rows(
    name: &Arc<str>,
    text: &str,
    (tasks, names): (&[Task], &HashSet<String>),
    is_uncounted: impl Fn(usize) -> bool,
) -> Option<(Task, Problem)> {
    if tasks.is_empty() || !may_have_table(text) {
        return None;
    }
    let says_left = |row: &Task| {
        let is_said = row.place.words().iter().any(|word| !word.is_empty());
        is_said && row.row.state != TaskState::Done && row.row.unclear.is_none() && has_own_id(row)
    };
    let mut rows = reader::read(name, text).tasks;
    rows.retain(|row| says_left(row) && !is_uncounted(row.block.start));
    if rows.is_empty() {
        return None;
    }
    let known = known(tasks, names);
    rows.retain(|row| {
        let id = row.row.id.0.to_lowercase();
        let is_stage =
            || names.iter().any(|name| name.split_once('-').is_some_and(|(_, number)| number == id));
        !known.contains(&id) && !known.contains(&row.row.title.to_lowercase()) && !is_stage()
    });
    let more = match rows.len().saturating_sub(1) {
        0 => String::new(),
        1 => " and a row more".to_owned(),
        more => format!(" and {more} rows more"),
    };
    let first = rows.into_iter().next()?;
    let sentence = format!(
        "has the row `{}`{more} with a status that is not done, and other tasks than rows: write `- [ ] what is to be done` for it, \
         change its status, or put the table below `## Out of scope`",
        quoted(&first.row.id.0)
    );
    let problem = first.problem(ProblemKind::UnknownStatus, sentence);
    Some((first, problem))
}

/// A row without an id is called by its line.
fn has_own_id(row: &Task) -> bool {
    row.row.id.0 != format!("L{}", row.line)
}

/// What the tasks of a file are called, and the words and texts that they speak of, in small letters.
fn known(tasks: &[Task], names: &HashSet<String>) -> HashSet<String> {
    let mut known = names.clone();
    for task in tasks {
        let title = task.row.title.to_lowercase();
        let is_part = |letter: char| letter.is_alphanumeric() || matches!(letter, '-' | '.' | '_');
        known
            .extend(title.split(|letter| !is_part(letter)).map(|word| word.trim_end_matches('.').to_owned()));
        known.extend([task.row.id.0.to_lowercase(), title]);
    }
    known
}
