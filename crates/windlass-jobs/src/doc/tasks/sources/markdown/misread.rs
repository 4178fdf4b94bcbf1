//! Lines that name a task and are none as they are written, `###TASK-002: Title`: the work below them would be work that nobody sees.

use std::collections::HashSet;
use std::sync::Arc;

use windlass_core::values::TaskState;

use crate::doc::tasks::plain::is_blank;
use crate::doc::tasks::sources::heading::{Holds, says_done};
use crate::doc::tasks::status::state_of;
use crate::doc::tasks::{Reading, missed};
use crate::doc::text::quoted;
use crate::doc::{Problem, ProblemKind};

/// A line that names a task.
#[derive(Debug, PartialEq, Eq)]
struct Named<'a> {
    /// `002` of `TASK-002`.
    number: &'a str,
    title: &'a str,
}

/// A heading that was read, and what stands below it up to the next one.
pub(super) struct Section {
    pub start: usize,
    /// It is a task, or the heading of several.
    pub is_known: bool,
    pub holds: Holds,
}

/// The most blanks that a heading begins with.
const DEEPEST: usize = 3;

/// Takes in the lines of a text that name a task of which there is none. `sections` are all there are, in their order.
pub(super) fn take(found: &mut Reading, name: &Arc<str>, text: &str, sections: &[Section]) {
    let known: HashSet<String> = found.tasks.iter().filter_map(|task| key(&task.row.id.0)).collect();
    let is_there = |number: &str| {
        let number = comparable(number);
        let ends = number.match_indices(['.', '-', '_']).map(|(end, _)| end).chain([number.len()]);
        // `TASK-001.2` is part of that task.
        ends.into_iter().any(|end| number.get(..end).is_some_and(|begin| known.contains(begin)))
    };
    let is_known = |at: usize| {
        let before = sections.partition_point(|section| section.start <= at + DEEPEST);
        let section = before.checked_sub(1).and_then(|last| sections.get(last));
        let is_own = |section: &Section| section.is_known && section.start >= at;
        section.is_some_and(|section| is_own(section) || section.holds > Holds::Work)
    };
    let (mut begins, mut lines) = (0, Vec::new());
    for (index, line) in text.split_inclusive('\n').enumerate() {
        let at = begins;
        begins += line.len();
        let Some(named) = named(line).filter(|named| !is_there(named.number)) else { continue };
        let rest = text.get(begins..).unwrap_or_default();
        if !says_done(named.title) && !is_known(at) && !is_done(rest) {
            lines.push((at, index + 1, line, named));
        }
    }
    if lines.is_empty() {
        return;
    }
    let hidden = missed::hidden(text);
    let is_shown = |at: usize| !hidden.iter().any(|range| range.contains(&at));
    for (_, number, line, named) in lines.into_iter().filter(|(at, ..)| is_shown(*at)) {
        found.problems.push(Problem {
            kind: ProblemKind::Unseen,
            file: name.clone(),
            line: Some(number),
            sentence: format!(
                "`{}` is not read as a task: write it as `### TASK-{}: {}`, with `- **Status**: pending` below it, outside of \
                 HTML, or put it below `## Out of scope`",
                quoted(line),
                named.number,
                quoted(named.title)
            ),
        });
    }
}

/// The number of an id of a task, as others that mean the same have it.
fn key(id: &str) -> Option<String> {
    let kind = id.len() - id.trim_start_matches(|letter: char| letter.is_ascii_alphabetic()).len();
    let (kind, number) = id.split_at_checked(kind)?;
    let is_task = kind.eq_ignore_ascii_case("task") || kind.eq_ignore_ascii_case("t");
    is_task.then(|| comparable(number.trim_start_matches(['-', '_', '.', ' '])))
}

fn comparable(number: &str) -> String {
    number.trim_start_matches('0').to_ascii_lowercase()
}

/// The task that a line names, as a heading of any level or as something bold.
fn named(line: &str) -> Option<Named<'_>> {
    let line = line.trim_matches(is_blank);
    let is_heading = line.starts_with('#');
    let text = line.trim_start_matches('#').trim_start_matches(is_blank);
    let bare = text.trim_start_matches(['*', '_']);
    if !is_heading && text.len() - bare.len() < 2 {
        return None;
    }
    let bare = bare.strip_prefix('[').unwrap_or(bare);
    let word = bare.get(..4).filter(|word| word.eq_ignore_ascii_case("task"))?;
    let id = bare.get(word.len()..)?.trim_start_matches(['-', '_', ' ', '#', '\u{a0}']);
    let is_part = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_' | '.');
    let number = id.get(..id.len() - id.trim_start_matches(is_part).len())?.trim_end_matches(['-', '_', '.']);
    let rest =
        id.get(number.len()..)?.trim_start_matches([']', '*', '_', '.', ')']).trim_start_matches(is_blank);
    let title = rest.strip_prefix([':', '：', '-', '–', '—'])?;
    let title = title.trim_matches(|letter: char| is_blank(letter) || matches!(letter, '*' | '_' | '#'));
    let is_whole = is_heading || line.ends_with("**") || line.ends_with("__");
    let is_named = number.starts_with(|first: char| first.is_ascii_digit()) && !title.is_empty();
    (is_named && is_whole).then_some(Named { number, title })
}

/// Does what is written below such a line say that it is done?
fn is_done(below: &str) -> bool {
    let own = below.lines().take_while(|line| !line.starts_with('#') && named(line).is_none());
    own.into_iter().find_map(status).is_some_and(|state| state == TaskState::Done)
}

fn status(line: &str) -> Option<TaskState> {
    let is_around = |letter: char| is_blank(letter) || "-*+_|>`".contains(letter);
    let (name, value) = line.split_once([':', '：'])?;
    let name = name.trim_matches(is_around);
    let is_status = name.eq_ignore_ascii_case("status") || name.eq_ignore_ascii_case("state");
    if is_status { state_of(value.trim_matches(is_around)) } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_task_is_named_by_headings_and_by_what_is_bold() {
        for line in [
            "###TASK-002: Two",
            "## TASK-002: Two",
            "#### task-002 - Two ####",
            "### Task 002: Two\r\n",
            "**TASK-002: Two**",
            "__TASK-002: Two__",
            "**Task #002: Two**",
            "### \u{200b}TASK-002：Two",
            "### [TASK-002]: Two",
        ] {
            assert_eq!(named(line), Some(Named { number: "002", title: "Two" }), "{line}");
        }
        for line in [
            "TASK-002: Two",
            "- **TASK-002: Two**",
            "**TASK-002** is needed: so it is",
            "**TASK-002: Two** comes first",
            "## Tasks: two",
            "## TASK-002",
            "## TASK-XXX: Title",
            "## Task list - 2",
            "*TASK-002: Two*",
            "",
        ] {
            assert_eq!(named(line), None, "{line}");
        }
        assert!(is_done("\n- **Status**: done\n") && is_done("**State**： ✅ done"));
        assert!(!is_done("- **Status**: pending\n") && !is_done("## TASK-3: x\n- **Status**: done\n"));
    }
}
