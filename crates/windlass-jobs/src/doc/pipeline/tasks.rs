//! A list of tasks as mode tasks reads it, and what a planned one must have besides.

use std::sync::Arc;

use super::path::{Misplaced, misplaced};
use super::{PhaseDocument, filler};
use crate::doc::tasks::sources::Markdown;
use crate::doc::tasks::{Task, TaskFile, TaskList};
use crate::doc::text::quoted;
use crate::doc::{Problem, ProblemKind};

pub(super) fn problems(document: &PhaseDocument, text: &str) -> Vec<Problem> {
    let file = TaskFile::alone(&document.name, &Markdown, Ok(text.as_bytes().to_vec()));
    let list = TaskList::parse(vec![file]);
    let mut found = list.problems().to_vec();
    for task in list.tasks() {
        found.extend(of_task(task));
    }
    found
}

fn of_task(task: &Task) -> Vec<Problem> {
    let id = quoted(&task.row.id.0);
    let problem =
        |kind, line, sentence| Problem { kind, file: Arc::clone(&task.file), line: Some(line), sentence };
    let missing = |sentence| problem(ProblemKind::MissingPart, task.line, sentence);
    let mut found = Vec::new();
    if task.row.title == task.row.id.0 || filler::is_placeholder(&task.row.title) {
        found.push(missing(format!("{id} has no title: write what is to be done behind its id")));
    }
    if task.description.trim().is_empty() {
        found.push(missing(format!("{id} has no description: add a line `- **Description**: …`")));
    } else if filler::is_placeholder(&task.description) {
        found.push(missing(format!("{id} has a description that says nothing: say what is to be done")));
    }
    if task.criteria.is_empty() {
        found.push(missing(format!(
            "{id} has no success criterion: list at least one below `- **Success Criteria**:`"
        )));
    }
    for file in &task.touches {
        if let Some(Misplaced(why)) = misplaced(file) {
            let sentence = format!("{id} names the file {}, which {why}", quoted(file));
            found.push(problem(ProblemKind::OutsideProject, task.line, sentence));
        }
    }
    found
}
