//! `DevLoop`'s Markdown: `### TASK-001: Title`, and fields with bold names below it.

mod field;
mod heading;
mod reader;

use std::ops::Range;
use std::sync::Arc;

use field::{Field, FieldName};
use heading::Heading;

use super::file::{Found, without_mark};
use super::problem::{Problem, ProblemKind};
use super::task::{Insertion, ListedTask, StatePlace};
use super::{protection, words};

/// Reads a file. All ranges are of the text as it is, a byte order mark included.
pub(super) fn read(name: &Arc<str>, text: &str) -> Found {
    let (bare, mark) = without_mark(text);
    let outline = reader::read(bare);
    let mut found = Found::default();
    let mut open: Option<(usize, ListedTask)> = None;
    for heading in outline.headings {
        let is_task = heading.is_task();
        if !is_task {
            found.problems.extend(heading.stray_status().map(|line| stray(name, line)));
        }
        // What stands below a deeper heading belongs to the task, unless that is one itself.
        if let Some((level, task)) = open.take() {
            if is_task || heading.level <= level {
                found.tasks.push(ended(task, mark + heading.start));
            } else {
                open = Some((level, task));
            }
        }
        if is_task {
            open = Some((heading.level, task(name, bare, mark, heading, &mut found.problems)));
        }
    }
    found.tasks.extend(open.map(|(_, task)| ended(task, text.len())));
    found
}

fn ended(mut task: ListedTask, end: usize) -> ListedTask {
    task.block.end = end;
    task
}

fn stray(name: &Arc<str>, line: usize) -> Problem {
    Problem {
        kind: ProblemKind::NotATask,
        file: name.clone(),
        line: Some(line),
        sentence: "this status belongs to no task: a task begins with `### TASK-001: Title`".to_owned(),
    }
}

fn task(
    name: &Arc<str>,
    text: &str,
    mark: usize,
    heading: Heading,
    problems: &mut Vec<Problem>,
) -> ListedTask {
    let mut task = ListedTask {
        file: name.clone(),
        line: heading.line,
        block: mark + heading.start..mark + heading.start,
        place: StatePlace::Missing(missing(text, mark, &heading)),
        ..ListedTask::default()
    };
    task.row.id.0 = heading.id;
    task.row.title = heading.title;
    task.row.priority = windlass_core::values::TaskRow::USUAL_PRIORITY;
    let mut seen: Vec<FieldName> = Vec::new();
    for field in heading.fields {
        if seen.contains(&field.name) {
            let sentence = format!("has its {} twice; the first counts", field.name.word());
            let id = super::problem::quoted(&task.row.id.0);
            problems.push(at(&task, ProblemKind::DoubleField, field.line, format!("{id} {sentence}")));
            continue;
        }
        seen.push(field.name);
        take(&mut task, text, mark, &field, problems);
    }
    task
}

fn take(task: &mut ListedTask, text: &str, mark: usize, field: &Field, problems: &mut Vec<Problem>) {
    let value = field.text.trim();
    let one_line = || value.split_whitespace().collect::<Vec<_>>().join(" ");
    match field.name {
        FieldName::Status => status(task, text, mark, field, problems),
        FieldName::Priority => match words::priority(value) {
            Some(priority) => task.row.priority = priority,
            None => problems.push(at(
                task,
                ProblemKind::UnknownPriority,
                field.line,
                super::problem::unknown_priority(&task.row.id.0, value),
            )),
        },
        FieldName::Dependencies => {
            task.named = words::dependencies(value).into_iter().map(|name| (name, field.line)).collect();
        }
        FieldName::Description => value.clone_into(&mut task.description),
        FieldName::Verification => task.verification = Some(value.to_owned()).filter(|text| !text.is_empty()),
        FieldName::Type => task.row.kind = words::kind(&one_line()),
        FieldName::Breaking => task.row.breaking = words::breaking(value, &task.row.title),
        FieldName::Protected => {
            // The text without markup lacks the stars.
            let source = text.get(field.value.clone()).unwrap_or_default();
            protection::take(task, protection::of_markdown(source), field.line, problems);
        }
    }
}

fn status(task: &mut ListedTask, text: &str, mark: usize, field: &Field, problems: &mut Vec<Problem>) {
    let source = text.get(field.value.clone()).unwrap_or_default();
    let start = mark + field.value.start;
    let blank = if source.starts_with([' ', '\t']) { "" } else { " " };
    let empty = Insertion {
        at: start + usize::from(blank.is_empty()),
        before: blank.to_owned(),
        after: String::new(),
    };
    let problem = task.take_status(source, start, empty);
    problems.extend(problem.map(|problem| Problem { line: Some(field.line), ..problem }));
}

fn at(task: &ListedTask, kind: ProblemKind, line: usize, sentence: String) -> Problem {
    Problem { line: Some(line), ..task.problem(kind, sentence) }
}

/// Where a status could stand: as a line before the first field, or below the heading.
fn missing(text: &str, mark: usize, heading: &Heading) -> Vec<Insertion> {
    let heading_line = line_around(text, heading.start);
    let line_text = text.get(heading_line.clone()).unwrap_or_default();
    let end = if line_text.ends_with("\r\n") { "\r\n" } else { "\n" };
    let mut places = Vec::new();
    if let Some(field) = heading.fields.first() {
        let line = line_around(text, field.start);
        let prefix = text.get(line.start..field.start).unwrap_or_default();
        places.push(Insertion {
            at: mark + line.start,
            before: format!("{prefix}**Status**: "),
            after: end.to_owned(),
        });
    }
    let broken = if line_text.ends_with('\n') { "" } else { end };
    let rest = text.get(heading_line.end..).unwrap_or_default();
    let gap = if rest.is_empty() || rest.starts_with(['\n', '\r']) { "" } else { end };
    places.push(Insertion {
        at: mark + heading_line.end,
        before: format!("{broken}{end}- **Status**: "),
        after: format!("{end}{gap}"),
    });
    places
}

/// The line that a place is in, with its end.
fn line_around(text: &str, at: usize) -> Range<usize> {
    let (before, after) = text.as_bytes().split_at_checked(at).unwrap_or((text.as_bytes(), &[]));
    let start = memchr::memrchr(b'\n', before).map_or(0, |before| before + 1);
    let end = memchr::memchr(b'\n', after).map_or(text.len(), |after| at + after + 1);
    start..end
}
