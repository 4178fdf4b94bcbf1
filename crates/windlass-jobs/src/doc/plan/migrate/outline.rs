//! A file of a plan as headings, tasks and prose, one after the other: together they are the whole file.

use std::ops::Range;

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use crate::doc::tasks::Task;

/// A part of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// A heading of this level.
    Heading(usize, Range<usize>),
    /// A task with all that belongs to it, by its index in the file's tasks, up to the next task or heading.
    Task(usize, Range<usize>),
    /// Anything else.
    Prose(Range<usize>),
}

/// The parts of a text, and the tasks that were read from it.
pub(super) fn parts(text: &str, tasks: &[Task]) -> Vec<Part> {
    let begin = text.len() - text.trim_start_matches('\u{feff}').len();
    let mut marks = task_starts(text, tasks);
    // What a heading that is a task holds belongs to it, headings included. Such sections follow each other.
    let taken: Vec<&Range<usize>> =
        tasks.iter().filter(|task| task.is_heading()).map(|task| &task.block).collect();
    for (level, range) in headings(text, begin) {
        let before = taken.partition_point(|block| block.start <= range.start);
        let around = before.checked_sub(1).and_then(|index| taken.get(index));
        if around.is_none_or(|block| !block.contains(&range.start)) {
            marks.push((range.start, Mark::Heading(level, range.end)));
        }
    }
    marks.sort_by_key(|(at, _)| *at);
    let mut parts = Vec::new();
    let first = marks.first().map_or(text.len(), |(at, _)| *at);
    push_prose(&mut parts, text, begin..first);
    for (index, (at, mark)) in marks.iter().enumerate() {
        let end = marks.get(index + 1).map_or(text.len(), |(at, _)| *at);
        match mark {
            Mark::Heading(level, over) => {
                let over = (*over).clamp(*at, end);
                parts.push(Part::Heading(*level, *at..over));
                push_prose(&mut parts, text, over..end);
            }
            Mark::Task(task) => parts.push(Part::Task(*task, *at..end)),
        }
    }
    parts
}

enum Mark {
    Heading(usize, usize),
    Task(usize),
}

/// Where the lines of outermost tasks begin.
fn task_starts(text: &str, tasks: &[Task]) -> Vec<(usize, Mark)> {
    let mut starts: Vec<(usize, Mark)> = Vec::new();
    for (index, task) in tasks.iter().enumerate() {
        let outer = task.plan.as_ref().map_or(task.block.start, |plan| plan.outer);
        let line = text.get(..outer).and_then(|before| before.rfind('\n')).map_or(0, |at| at + 1);
        let line = if line == 0 { text.len() - text.trim_start_matches('\u{feff}').len() } else { line };
        if starts.last().is_none_or(|(last, _)| *last < line) {
            starts.push((line, Mark::Task(index)));
        }
    }
    starts
}

fn push_prose(parts: &mut Vec<Part>, text: &str, range: Range<usize>) {
    if text.get(range.clone()).is_some_and(|prose| !prose.trim().is_empty()) {
        parts.push(Part::Prose(range));
    }
}

/// Level and range of each heading that stands in nothing else.
fn headings(text: &str, begin: usize) -> Vec<(usize, Range<usize>)> {
    let bare = text.get(begin..).unwrap_or_default();
    let mut depth = 0_usize;
    let mut found = Vec::new();
    for (event, range) in Parser::new_ext(bare, Options::empty()).into_offset_iter() {
        match event {
            Event::Start(Tag::Heading { level, .. }) if depth == 0 => {
                found.push((level as usize, range.start + begin..range.end + begin));
            }
            Event::Start(Tag::Item | Tag::BlockQuote(_)) => depth += 1,
            Event::End(TagEnd::Item | TagEnd::BlockQuote(_)) => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    found
}
