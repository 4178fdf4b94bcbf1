//! `DevLoop`'s Markdown: `### TASK-001: Title`, and fields with bold names below it.

mod add;
mod field;
mod heading;
mod misread;
mod outside;
mod reader;

use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;

use windlass_core::values::{TaskId, TaskState};

use self::field::{Field, FieldName};
use self::heading::Heading;
use self::outside::Around;
use crate::doc::tasks::file::too_deep;
use crate::doc::tasks::sources::heading::{Holds, says_done};
use crate::doc::tasks::status::state_of;
use crate::doc::tasks::task::{Insertion, StatePlace};
use crate::doc::tasks::{
    AboutForm, CheckedTask, Complexity, FileRole, Place, ReadFile, Reading, Refused, Task, TaskSource,
    criteria, missed, plain, protection, words,
};
use crate::doc::text::{ends_in, one_line, quoted, without_mark};
use crate::doc::{Problem, ProblemKind, Splice};

/// `DevLoop`'s headings and fields, all tasks in one file.
#[derive(Clone, Copy, Debug)]
pub struct Markdown;

impl TaskSource for Markdown {
    fn about(&self) -> &'static AboutForm {
        &AboutForm {
            name: "markdown",
            summary: "headings with an id and fields below them (Status, Priority, Dependencies); boxes below them are criteria",
            usual_places: &["requirements.md", "tasks.md", ".devloop/tasks.md"],
            adds: true,
            ..AboutForm::USUAL
        }
    }

    fn recognises(&self, name: &str, text: &str) -> bool {
        let read = read(&Arc::from(name), beginning(text));
        !read.found.tasks.is_empty() && (read.is_sure || !read.has_others)
    }

    fn role(&self, name: &str, place: Place) -> Option<FileRole> {
        let is_other = ends_in(name, "json") || ends_in(name, "jsonl");
        (place == Place::Alone && !is_other).then_some(FileRole::Single)
    }

    fn read(&self, name: &Arc<str>, _role: FileRole, text: &str) -> Reading {
        too_deep(name, text).unwrap_or_else(|| read(name, text).found)
    }

    fn claim(&self, _id: &TaskId, file: &str) -> String {
        format!("Then set its line in `{file}` to `- **Status**: done`.")
    }

    fn add(&self, file: &ReadFile, last: Option<&Task>, task: &CheckedTask) -> Result<Splice, Refused> {
        Ok(add::add(file, last, task))
    }
}

/// So much of a file is looked at to see how it is written, in bytes.
const LOOKED_AT: usize = 256 * 1024;

fn beginning(text: &str) -> &str {
    let end =
        text.char_indices().map(|(at, _)| at).take_while(|at| *at <= LOOKED_AT).last().unwrap_or_default();
    if text.len() <= LOOKED_AT { text } else { text.get(..end).unwrap_or(text) }
}

/// What is read of a text, and what shows whether it is meant to be read so.
#[derive(Default)]
struct Read {
    found: Reading,
    /// There is a task that surely is one, whatever else stands in the file.
    is_sure: bool,
    /// Boxes stand outside of all tasks. That they are ticked makes no other form of their file.
    has_others: bool,
}

fn read(name: &Arc<str>, text: &str) -> Read {
    let plain = plain::plain(text);
    let text = &*plain;
    let (bare, mark) = without_mark(text);
    let mut read = Read::default();
    let found = &mut read.found;
    let mut open: Option<(usize, Task)> = None;
    let mut around = Around::default();
    let headings = reader::read(bare);
    let taken: HashSet<usize> =
        headings.iter().flat_map(|heading| &heading.boxes).map(|(at, _)| *at).collect();
    let stages: HashSet<(usize, String)> = headings.iter().filter_map(Heading::stage_with_status).collect();
    let groups = groups(&headings);
    let mut sections = Vec::new();
    for heading in headings {
        let is_bare_stage = heading.stage_without_status().is_some_and(|stage| stages.contains(&stage));
        let is_task = heading.is_task() || is_bare_stage;
        let mut holds = Holds::Anything;
        if is_task {
            around.enter_task(&heading);
        } else {
            holds = around.enter(&heading);
            let is_group = groups.contains(&heading.start);
            let kind = |state| match state {
                TaskState::Open | TaskState::InProgress if !is_group => ProblemKind::Unseen,
                _ => ProblemKind::NotATask,
            };
            found.problems.extend(heading.stray_status().map(|(line, state)| stray(name, line, kind(state))));
        }
        let is_known = is_task || groups.contains(&heading.start);
        sections.push(misread::Section { start: heading.start, is_known, holds: around.holds() });
        // What stands below a deeper heading belongs to the task, unless that is one itself.
        let is_over = |level: usize| is_task || heading.level <= level;
        if let Some((_, task)) = open.take_if(|(level, _)| is_over(*level)) {
            found.tasks.push(ended(task, text, mark + heading.start));
        }
        if is_task {
            read.is_sure |= heading.is_surely_a_task();
            read.has_others |= is_bare_stage && !heading.boxes.is_empty();
            let level = heading.level;
            let mut task = task(name, bare, mark, heading, &mut found.problems);
            if is_bare_stage {
                without_status(&mut task, &mut found.problems);
            }
            if let Some(title) = around.done() {
                in_section_of_done(&mut task, title, &mut found.problems);
            }
            open = Some((level, task));
        } else if let Some((_, task)) = &mut open {
            task.criteria.extend(heading.boxes.into_iter().map(|(_, criterion)| criterion));
        } else {
            read.has_others |= holds <= Holds::Work && !heading.boxes.is_empty();
            outside::take(found, name, mark, &heading.boxes, holds);
        }
    }
    found.tasks.extend(open.map(|(_, task)| ended(task, text, text.len())));
    // A box in no task makes no list of tasks.
    if found.tasks.iter().all(outside::is_outside) {
        found.tasks.clear();
        found.problems.retain(|problem| !problem.kind.is_doubt());
        return read;
    }
    for missed in missed::find(bare, |at| taken.contains(&at)) {
        outside::miss(found, name, mark, &missed);
    }
    outside::rows(found, name, bare, mark);
    outside::hidden(found, name, bare, mark);
    misread::take(found, name, bare, &sections);
    read
}

/// A task below a heading that says that all below it is done. Where it says nothing itself, it is.
fn in_section_of_done(task: &mut Task, title: &str, problems: &mut Vec<Problem>) {
    if task.row.state == TaskState::Done || task.row.unclear.is_some() {
        return;
    }
    let says_nothing = matches!(task.place, StatePlace::Missing(_));
    if says_nothing && task.criteria.iter().all(|one| one.holds) {
        (task.row.state, task.place) = (TaskState::Done, StatePlace::Unclear);
        return;
    }
    let title = quoted(title);
    task.row.unclear = Some(format!("its heading `{title}` says that it is done"));
    let sentence = format!(
        "{} is not done, and stands below `{title}`, which says that it is: move it, or change its status",
        quoted(&task.row.id.0)
    );
    problems.push(task.problem(ProblemKind::UnknownStatus, sentence));
}

/// A step on the way of which nothing says how far it is, where it is said of others.
fn without_status(task: &mut Task, problems: &mut Vec<Problem>) {
    task.row.unclear = Some("it has no status, and others like it have one".to_owned());
    let sentence = format!(
        "{} has no status, and others like it have one: write `**Status**: pending` below it",
        quoted(&task.row.id.0)
    );
    problems.push(task.problem(ProblemKind::UnknownStatus, sentence));
}

fn ended(mut task: Task, text: &str, end: usize) -> Task {
    task.block.end = end;
    let listed = criteria::of_block(text.get(task.block.clone()).unwrap_or_default(), task.line);
    criteria::add(&mut task.criteria, listed);
    // Where nothing says how far it is, what has to hold does.
    let says_nothing = matches!(task.place, StatePlace::Missing(_)) && task.row.unclear.is_none();
    if says_nothing && !task.criteria.is_empty() && task.criteria.iter().all(|one| one.holds) {
        task.row.state = TaskState::Done;
    }
    task
}

/// Where the headings begin below which a task stands: a status there is that of the tasks together.
fn groups(headings: &[Heading]) -> HashSet<usize> {
    let mut open: Vec<&Heading> = Vec::new();
    let mut groups = HashSet::new();
    for heading in headings {
        open.retain(|above| above.level < heading.level);
        if heading.is_task() {
            groups.extend(open.iter().map(|above| above.start));
        }
        open.push(heading);
    }
    groups
}

fn stray(name: &Arc<str>, line: usize, kind: ProblemKind) -> Problem {
    Problem {
        kind,
        file: name.clone(),
        line: Some(line),
        sentence: "this status belongs to no task: a task begins with `### TASK-001: Title`".to_owned(),
    }
}

fn task(name: &Arc<str>, text: &str, mark: usize, heading: Heading, problems: &mut Vec<Problem>) -> Task {
    let start = mark + heading.start;
    let mut task = Task::new(name, heading.line, start..start);
    task.place = StatePlace::Missing(missing(text, mark, &heading));
    task.row.id.0 = heading.id;
    task.row.title = heading.title;
    task.criteria = heading.boxes.into_iter().map(|(_, criterion)| criterion).collect();
    let is_marked = says_done(&task.row.title);
    if is_marked {
        // The mark stands among words that are somebody's.
        (task.row.state, task.place) = (TaskState::Done, StatePlace::Unclear);
    }
    let mut seen: Vec<FieldName> = Vec::new();
    for field in heading.fields {
        if seen.contains(&field.name) {
            problems.push(twice(&task, &field));
            continue;
        }
        seen.push(field.name);
        take(&mut task, text, mark, &field, problems);
    }
    if is_marked && task.row.state != TaskState::Done && task.row.unclear.is_none() {
        let id = quoted(&task.row.id.0);
        let sentence =
            format!("{id} has a heading that says that it is done, and another status: change one of them");
        problems.push(task.problem(ProblemKind::UnknownStatus, sentence));
        task.row.unclear = Some("its heading says that it is done, and its status does not".to_owned());
        task.place = StatePlace::Unclear;
    }
    task
}

/// A field that the task has already. A status of work that is left may be that of a task that is none as it is written.
fn twice(task: &Task, field: &Field) -> Problem {
    let sentence =
        format!("{} has its {} twice; the first counts", quoted(&task.row.id.0), field.name.word());
    let is_left = field.name == FieldName::Status
        && matches!(state_of(field.text.trim()), Some(TaskState::Open | TaskState::InProgress));
    if !is_left {
        return task.problem_at(field.line, ProblemKind::DoubleField, sentence);
    }
    let sentence = format!("{sentence}: take this one out, or begin its task with `### TASK-002: Title`");
    task.problem_at(field.line, ProblemKind::Unseen, sentence)
}

fn take(task: &mut Task, text: &str, mark: usize, field: &Field, problems: &mut Vec<Problem>) {
    let value = field.text.trim();
    match field.name {
        FieldName::Status => status(task, text, mark, field, problems),
        FieldName::Priority => problems.extend(task.take_priority(value, field.line)),
        FieldName::Dependencies => {
            task.named = words::dependencies(value).into_iter().map(|name| (name, field.line)).collect();
        }
        FieldName::Description => value.clone_into(&mut task.description),
        FieldName::Verification => task.verification = Some(value.to_owned()).filter(|text| !text.is_empty()),
        FieldName::Type => task.row.kind = words::kind(&one_line(value)),
        FieldName::Breaking => task.row.breaking = words::breaking(value, &task.row.title),
        FieldName::Agent => task.row.agent = words::agent(value),
        FieldName::Requires => task.row.requires = words::requires(value),
        FieldName::Files => task.touches = criteria::files(text.get(field.value.clone()).unwrap_or_default()),
        FieldName::Complexity => task.complexity = Complexity::read(value),
        FieldName::Criteria => {
            let listed = criteria::of_field(text.get(field.value.clone()).unwrap_or_default(), field.line);
            criteria::add(&mut task.criteria, listed);
        }
        FieldName::Protected => {
            // The text without markup lacks the stars.
            let source = text.get(field.value.clone()).unwrap_or_default();
            protection::take(task, protection::of_markdown(source), field.line, problems);
        }
    }
}

fn status(task: &mut Task, text: &str, mark: usize, field: &Field, problems: &mut Vec<Problem>) {
    let source = text.get(field.value.clone()).unwrap_or_default();
    let start = mark + field.value.start;
    // Blanks at the end of its line stay where they are.
    let empty = Insertion { at: start, before: "   ".to_owned(), after: String::new() };
    problems.extend(task.take_status((source, start), field.line, empty));
}

/// Where a status could stand: as a line before the first field, or below the heading.
fn missing(text: &str, mark: usize, heading: &Heading) -> Vec<Insertion> {
    let heading_line = line_around(text, heading.start);
    let line_text = text.get(heading_line.clone()).unwrap_or_default();
    let end = if line_text.ends_with("\r\n") { "\r\n" } else { "\n" };
    let mut places = Vec::new();
    // A line in a table would part it.
    let is_line = |field: &&Field| !text.get(field.start..).unwrap_or_default().starts_with('|');
    if let Some(field) = heading.fields.iter().find(is_line) {
        let line = line_around(text, field.start);
        let prefix = text.get(line.start..field.start).unwrap_or_default();
        places.push(Insertion {
            at: mark + line.start,
            before: format!("{prefix}**Status**:  "),
            after: end.to_owned(),
        });
    }
    // Two blanks, and each kind of place spelled otherwise, so that what was put in can be taken out again.
    let rest = text.get(heading_line.end..).unwrap_or_default();
    let (before, after) = match () {
        () if !line_text.ends_with('\n') => ([end, end].concat(), ""),
        () if rest.is_empty() || rest.starts_with(['\n', '\r']) => (end.to_owned(), end),
        () => (String::new(), if end == "\n" { "\n\n" } else { "\r\n\r\n" }),
    };
    places.push(Insertion {
        at: mark + heading_line.end,
        before: format!("{before}- **Status**:  "),
        after: after.to_owned(),
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
