//! The tables of a document, and which of them list tasks.

use std::ops::Range;
use std::sync::Arc;

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use windlass_core::values::{TaskId, TaskState};

use super::column::{self, Column};
use super::{MARKS, PUT_IN};
use crate::doc::lines::Lines;
use crate::doc::tasks::criteria::Criterion;
use crate::doc::tasks::sources::reference;
use crate::doc::tasks::status::Status;
use crate::doc::tasks::task::{Insertion, StatePlace};
use crate::doc::tasks::{Complexity, Reading, Task, words};
use crate::doc::text::{one_line, without_mark};
use crate::doc::{Problem, ProblemKind};

/// A table, its cells without the blanks around them.
#[derive(Default)]
struct Table {
    section: Arc<str>,
    columns: Vec<(Column, String)>,
    rows: Vec<Row>,
}

#[derive(Default)]
struct Row {
    range: Range<usize>,
    cells: Vec<Range<usize>>,
}

/// An id as its cell has it.
struct Id<'a> {
    name: &'a str,
    /// The mark before it, which may be empty.
    mark: Range<usize>,
    /// It is struck out.
    struck: bool,
}

/// Reads a file's tasks. All ranges are of the text as it is.
pub(super) fn read(name: &Arc<str>, text: &str) -> Reading {
    let (bare, mark) = without_mark(text);
    let mut reader = Reader { name, text, lines: Lines::of(text), found: Reading::default() };
    for table in tables(bare, mark) {
        reader.table(&table);
    }
    reader.found
}

/// All tables of the document itself, their ranges moved by so many bytes.
fn tables(text: &str, by: usize) -> Vec<Table> {
    let mut found: Vec<Table> = Vec::new();
    let (mut section, mut heading, mut depth) = (Arc::<str>::from(""), None::<String>, 0_u32);
    for (event, range) in Parser::new_ext(text, Options::ENABLE_TABLES).into_offset_iter() {
        match event {
            Event::Start(Tag::Item | Tag::BlockQuote(_)) => depth += 1,
            Event::End(TagEnd::Item | TagEnd::BlockQuote(_)) => depth = depth.saturating_sub(1),
            Event::Start(Tag::Heading { .. }) => heading = Some(String::new()),
            Event::End(TagEnd::Heading(_)) => {
                section = Arc::from(one_line(&heading.take().unwrap_or_default()));
            }
            Event::Text(text) | Event::Code(text) => {
                if let Some(heading) = &mut heading {
                    heading.push_str(&text);
                }
            }
            Event::Start(Tag::Table(_)) if depth == 0 => {
                found.push(Table { section: section.clone(), ..Table::default() });
            }
            Event::Start(Tag::TableRow) if depth == 0 => {
                if let Some(table) = found.last_mut() {
                    table.rows.push(Row { range: range.start + by..range.end + by, cells: Vec::new() });
                }
            }
            Event::Start(Tag::TableCell) if depth == 0 => {
                if let Some(table) = found.last_mut() {
                    table.cell(text, &range, by);
                }
            }
            _ => {}
        }
    }
    found
}

impl Table {
    fn cell(&mut self, text: &str, range: &Range<usize>, by: usize) {
        let source = text.get(range.clone()).unwrap_or_default();
        let around = |letter: char| letter.is_whitespace() || letter == '|';
        let start = range.start + source.len() - source.trim_start_matches(around).len();
        let end = (range.start + source.trim_end_matches(around).len()).max(start);
        if let Some(row) = self.rows.last_mut() {
            row.cells.push(start + by..end + by);
        } else {
            let head = text.get(start..end).unwrap_or_default().to_owned();
            self.columns.push((column::read(&head), head));
        }
    }

    fn place(&self, column: Column) -> Option<usize> {
        self.columns.iter().position(|(known, _)| *known == column)
    }
}

/// What the column is called in which a table without ids says what is to be done.
const TASKS: [&str; 6] = ["task", "tasks", "story", "feature", "item", "todo"];

struct Reader<'a> {
    name: &'a Arc<str>,
    text: &'a str,
    lines: Lines<'a>,
    found: Reading,
}

impl<'a> Reader<'a> {
    fn table(&mut self, table: &Table) {
        let Some(column) = table.place(Column::Id) else { return self.without_ids(table) };
        let status = table.place(Column::Status).or_else(|| self.boxes(table));
        let written: Vec<Status> =
            table.rows.iter().filter_map(|row| Some(self.status(row, status?))).collect();
        let is_known = |state: &Status| matches!(state, Status::Known(..));
        if !written.iter().any(is_known) && (status.is_some() || !self.lists_tasks(table, column)) {
            return;
        }
        // Where no word says that a task is open, an empty cell does.
        let may_be_empty = !written.iter().any(|state| matches!(state, Status::Known(_, TaskState::Open)));
        for row in &table.rows {
            let written = status.map(|at| self.status(row, at));
            match (self.id(row, column, status.is_some()), written) {
                (Some(id), _) => self.task(table, row, &id, status.map(|at| (at, may_be_empty))),
                (None, Some(Status::Known(_, TaskState::Done))) => self.no_id(row, ProblemKind::NotATask),
                (None, Some(Status::Known(..))) => self.no_id(row, ProblemKind::Unseen),
                (None, _) => {}
            }
        }
    }

    /// A table of tasks without ids: each row says what is to be done and how far it is. It is called by its line.
    fn without_ids(&mut self, table: &Table) {
        let names_tasks = table.columns.iter().any(|(column, head)| {
            *column == Column::Title && TASKS.iter().any(|name| plain(head).eq_ignore_ascii_case(name))
        });
        let status = table.place(Column::Status).or_else(|| self.boxes(table));
        let Some(status) = status.filter(|_| names_tasks) else { return };
        let is_known = |row: &Row| matches!(self.status(row, status), Status::Known(..));
        if !table.rows.iter().any(is_known) {
            return;
        }
        for row in &table.rows {
            let name = format!("L{}", self.lines.line_of(row.range.start));
            let mark = row.range.start..row.range.start;
            self.task(table, row, &Id { name: &name, mark, struck: false }, Some((status, false)));
        }
    }

    /// The column in which each row has a box, whatever it is called.
    fn boxes(&self, table: &Table) -> Option<usize> {
        let is_box = |cell: &str| matches!(cell, "[ ]" | "[x]" | "[X]");
        let is_whole = |column: &usize| table.rows.iter().all(|row| is_box(self.cell(row, *column)));
        (0..table.columns.len()).find(is_whole).filter(|_| !table.rows.is_empty())
    }

    fn cell(&self, row: &Row, column: usize) -> &'a str {
        row.cells.get(column).and_then(|range| self.text.get(range.clone())).unwrap_or_default()
    }

    fn status(&self, row: &Row, column: usize) -> Status {
        Status::read(self.cell(row, column))
    }

    /// Without a status: are all ids those of tasks, or is one of them marked?
    fn lists_tasks(&self, table: &Table, column: usize) -> bool {
        let ids: Option<Vec<Id<'_>>> = table.rows.iter().map(|row| self.id(row, column, false)).collect();
        let Some(ids) = ids.filter(|ids| !ids.is_empty()) else { return false };
        let is_task = |id: &Id<'_>| {
            let letters = id.name.trim_end_matches(|letter: char| !letter.is_ascii_alphabetic());
            let letters =
                letters.split(|letter: char| !letter.is_ascii_alphabetic()).next().unwrap_or_default();
            matches!(letters, "T" | "TASK" | "Task")
        };
        ids.iter().any(|id| !id.mark.is_empty()) || ids.iter().all(is_task)
    }

    /// The id of a row. A number is one only where a status says that there are tasks.
    fn id(&self, row: &Row, column: usize, has_status: bool) -> Option<Id<'a>> {
        let cell = row.cells.get(column)?.clone();
        let source = self.text.get(cell.clone())?;
        let marked = MARKS.iter().find_map(|mark| source.strip_prefix(mark.trim_end()));
        let rest = marked.unwrap_or(source);
        let rest = rest.strip_prefix('\u{fe0f}').unwrap_or(rest).trim_start();
        let mark = cell.start..cell.start + source.len() - rest.len();
        let is_around = |letter: char| matches!(letter, '*' | '`' | '~' | '_' | '[' | ']');
        let id = rest.trim_matches(is_around).trim();
        let is_number = !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
        let is_id = words::is_id(id) || has_status && is_number && id.len() <= 16;
        is_id.then_some(Id { name: id, mark, struck: rest.starts_with("~~") })
    }

    fn no_id(&mut self, row: &Row, kind: ProblemKind) {
        self.found.problems.push(Problem {
            kind,
            file: self.name.clone(),
            line: Some(self.lines.line_of(row.range.start)),
            sentence: "this row has a status and no id: write one in its column".to_owned(),
        });
    }

    fn task(&mut self, table: &Table, row: &Row, id: &Id<'_>, status: Option<(usize, bool)>) {
        let line = self.lines.line_of(row.range.start);
        let mut task = Task::new(self.name, line, row.range.clone());
        (task.row.id, task.section) = (TaskId::from(id.name), table.section.clone());
        match status {
            Some((column, may_be_empty)) => self.take_status(&mut task, row, column, may_be_empty),
            None => self.take_mark(&mut task, id),
        }
        for (index, (column, head)) in table.columns.iter().enumerate() {
            let value = self.cell(row, index);
            if !value.is_empty() {
                self.take(&mut task, *column, head, value);
            }
        }
        if task.row.title.is_empty() {
            let title = task.criteria.first().map(|criterion| criterion.text.clone());
            task.row.title = title.unwrap_or_else(|| one_line(&task.description));
        }
        self.found.tasks.push(task);
    }

    fn take(&mut self, task: &mut Task, column: Column, head: &str, value: &str) {
        match column {
            Column::Id | Column::Status => return,
            Column::Title if task.row.title.is_empty() => task.row.title = plain(value),
            Column::Dependencies => {
                let names = words::dependencies(value).into_iter();
                // What is no id there is a remark: `all of layer 1`.
                task.named.extend(names.filter(|name| is_name(name)).map(|name| (name, task.line)));
            }
            Column::Priority => self.found.problems.extend(task.take_priority(value, task.line)),
            Column::Files => task.touches.extend(files(value)),
            Column::Verification => task.verification = Some(value.to_owned()),
            Column::Criteria => task.criteria.extend(Criterion::new(value, task.line)),
            Column::Complexity => task.complexity = Complexity::read(value),
            Column::Title | Column::Other => {
                // A remark in its cell: `depends on 2`.
                let names = reference::depends_on(&format!("| {value}")).map(words::dependencies);
                let names = names.into_iter().flatten().filter(|name| is_name(name));
                task.named.extend(names.map(|name| (name, task.line)));
            }
        }
        let separator = if task.description.is_empty() { "" } else { "\n" };
        task.description.extend([separator, head, ": ", value]);
    }

    /// A mark before the id says that it is done; one without a blank behind it is left to people.
    fn take_mark(&self, task: &mut Task, id: &Id<'_>) {
        let former = self.text.get(id.mark.clone()).unwrap_or_default();
        if id.struck || !former.is_empty() {
            task.row.state = TaskState::Done;
        }
        let is_writable = !id.struck && (former.is_empty() || MARKS.contains(&former));
        task.place = if is_writable { StatePlace::Word(id.mark.clone()) } else { StatePlace::Unclear };
    }

    fn take_status(&mut self, task: &mut Task, row: &Row, column: usize, may_be_empty: bool) {
        let Some(cell) = row.cells.get(column).cloned() else { return };
        let source = self.text.get(cell.clone()).unwrap_or_default();
        if may_be_empty && source.is_empty() {
            task.place = StatePlace::Word(cell.start..cell.start);
            return;
        }
        let empty = Insertion { at: cell.start, before: String::new(), after: String::new() };
        let problem = task.take_status((source, cell.start), task.line, empty);
        self.found.problems.extend(problem);
        let whole = |start: usize| start..start + PUT_IN.len();
        match &task.place {
            // The blank belongs to the mark where an empty cell is what is open.
            StatePlace::Word(range) if may_be_empty && self.text.get(whole(range.start)) == Some(PUT_IN) => {
                task.place = StatePlace::Word(whole(range.start));
            }
            StatePlace::Missing(_) => {
                task.place = StatePlace::Unclear;
                task.row.unclear = Some("its status is empty".to_owned());
            }
            StatePlace::Word(_) | StatePlace::Words(_) | StatePlace::Unclear => {}
        }
    }
}

/// Without emphasis around all of it.
fn plain(value: &str) -> String {
    let bare = ["**", "*", "_", "`"].iter().find_map(|sign| value.strip_prefix(sign)?.strip_suffix(sign));
    one_line(bare.unwrap_or(value))
}

fn is_name(name: &str) -> bool {
    words::is_id(name) || name.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
}

fn files(value: &str) -> impl Iterator<Item = String> {
    let parts = value.split([',', ';']).map(|part| part.trim().trim_matches('`').trim());
    parts.filter(|part| !part.is_empty() && !words::is_none(part)).map(str::to_owned)
}
