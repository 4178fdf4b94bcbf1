//! Success criteria of tasks, as their file lists them.

use std::collections::{HashMap, HashSet};

use windlass_core::values::{TaskId, TaskState};

use super::file::Contents;
use super::sources::any_box_at;
use super::task::Task;
use crate::doc::ProblemKind;
use crate::doc::outline::{self, Block, BlockKind};
use crate::doc::tasks::words::is_none;
use crate::doc::text::{cut, one_line, quoted};

/// The longest criterion, in characters.
const LONGEST: usize = 500;

/// So many criteria of a task are read.
const MOST: usize = 100;

/// What its list of criteria may be called.
const NAMES: [&str; 3] = ["success criteria", "acceptance criteria", "criteria"];

/// Something that shows that a task is done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Criterion {
    /// What its file says, in one line, at most 500 characters; code stands between backticks.
    pub text: String,
    /// Is it a box that is ticked?
    pub holds: bool,
    /// Its line, from 1.
    pub line: usize,
}

impl Criterion {
    /// `None` for a text that says nothing.
    pub(super) fn new(text: &str, line: usize) -> Option<Criterion> {
        let text = one_line(text);
        let sign = any_box_at(&text, 0);
        let bare = text.get(sign.map_or(0, |sign| sign.length)..).unwrap_or_default();
        let holds = sign.is_some_and(|sign| sign.state == Some(TaskState::Done));
        let text = cut(bare.trim(), LONGEST);
        (!text.is_empty() && !is_none(&text)).then_some(Criterion { text, holds, line })
    }
}

/// What has to hold beside the tasks is done after all of them, one after another. What is open of a task that is done is said.
pub(super) fn come_last(contents: &mut Contents) {
    let outermost = contents.tasks.iter().filter(|task| task.parent.is_none());
    let mut before: Vec<TaskId> = outermost.map(|task| task.row.id.clone()).collect();
    if contents.files.first().is_none_or(|file| file.form.about().has_ids) {
        return;
    }
    let owners = contents.tasks.iter().flat_map(|task| task.criteria.iter().map(move |one| (one.line, task)));
    let owners: HashMap<usize, String> = owners.map(|(line, task)| (line, quoted(&task.row.id.0))).collect();
    for criterion in &contents.criteria {
        if let Some(owner) = owners.get(&criterion.line) {
            let sentence =
                format!("is an open box of {owner}, which is done: tick it, or open {owner} again");
            contents.problems.push(criterion.problem(ProblemKind::UnknownStatus, sentence));
            continue;
        }
        let id = TaskId(format!("L{}", criterion.line));
        // It is no box of the work itself.
        let mut task = Task { plan: None, parent: None, ..criterion.clone() };
        task.row.id = id.clone();
        task.row.dependencies.clone_from(&before);
        // One that holds already is nothing to wait for.
        if task.row.state != TaskState::Done {
            before = vec![id];
        }
        task.row.priority = u8::MAX;
        contents.tasks.push(task);
    }
}

/// Adds those that no line has named yet.
pub(super) fn add(known: &mut Vec<Criterion>, more: Vec<Criterion>) {
    let lines: HashSet<usize> = known.iter().map(|one| one.line).collect();
    known.extend(more.into_iter().filter(|one| !lines.contains(&one.line)));
    known.sort_by_key(|one| one.line);
    known.truncate(MOST);
}

/// Those of a field: what stands behind its colon, and each item of the list below it. `line` is the field's.
pub(super) fn of_field(source: &str, line: usize) -> Vec<Criterion> {
    let mut found: Vec<(String, usize)> = Vec::new();
    for (index, text) in source.lines().enumerate() {
        let text = text.trim();
        match item(text) {
            Some(item) => found.push((item.to_owned(), line + index)),
            None if index == 0 => found.push((text.to_owned(), line)),
            // A further line of an item.
            None => {
                if let Some((last, _)) = found.last_mut() {
                    last.push(' ');
                    last.push_str(text);
                }
            }
        }
    }
    found.iter().filter_map(|(text, line)| Criterion::new(text, *line)).take(MOST).collect()
}

/// The files of a field: a list with commas, or an item each.
pub(super) fn files(source: &str) -> Vec<String> {
    let lines = source.lines().map(|line| item(line.trim()).unwrap_or_else(|| line.trim()));
    let parts = lines.flat_map(|line| line.split(','));
    let bare = parts.map(|part| {
        let part = part.trim();
        let code = part.strip_prefix('`').and_then(|rest| rest.split_once('`'));
        code.map_or(part, |(code, _)| code).trim()
    });
    bare.filter(|part| !part.is_empty() && !is_none(part)).take(MOST).map(str::to_owned).collect()
}

/// Those of a task's own text: what is listed below a heading or a line `Success Criteria`. `line` is the text's first.
pub(super) fn of_block(source: &str, line: usize) -> Vec<Criterion> {
    // Most have none, and to read all of 50,000 once more takes its time.
    if memchr::memmem::find(source.as_bytes(), b"riteria").is_none() {
        return Vec::new();
    }
    let outline = outline::read(source);
    let mut found = Vec::new();
    for section in &outline.sections {
        let mut listing = section.level > 0 && is_name(&section.title);
        for block in &section.blocks {
            match block.kind {
                BlockKind::Item(_) if listing => found.push(block),
                BlockKind::Item(_) | BlockKind::Code => {}
                BlockKind::Paragraph => listing = is_name(&block.text),
            }
        }
    }
    let criterion = |block: &Block| Criterion::new(&with_codes(block), line + block.line - 1);
    found.into_iter().filter_map(criterion).take(MOST).collect()
}

fn is_name(text: &str) -> bool {
    let name = text.trim().trim_end_matches(':').trim_end();
    NAMES.iter().any(|known| name.eq_ignore_ascii_case(known))
}

/// What is code stands between backticks again.
fn with_codes(block: &Block) -> String {
    let mut text = String::new();
    let mut rest = block.text.as_str();
    for code in block.codes.iter().filter(|code| !code.is_empty()) {
        let Some((before, after)) = rest.split_once(code.as_str()) else { continue };
        text.extend([before, "`", code, "`"]);
        rest = after;
    }
    text + rest
}

/// What stands behind a bullet or a number.
fn item(line: &str) -> Option<&str> {
    let bullet = line.strip_prefix(['-', '*', '+']);
    let digits = line.trim_start_matches(|letter: char| letter.is_ascii_digit());
    let number = (digits.len() < line.len()).then(|| digits.strip_prefix(['.', ')'])).flatten();
    let rest = bullet.or(number)?;
    (rest.is_empty() || rest.starts_with([' ', '\t'])).then(|| rest.trim())
}
