//! What a file says in two ways that do not agree: nobody but a person knows which of the two holds.

use std::collections::BTreeMap;

use windlass_core::values::TaskState;

use super::section::{self, Section};
use super::settle::Own;
use super::{heading, reference};
use crate::doc::tasks::task::Item;
use crate::doc::tasks::{Task, stuck};
use crate::doc::text::quoted;
use crate::doc::{Problem, ProblemKind};

/// Open boxes whose text says that they are done, or struck out.
pub(super) fn contradicted(tasks: &mut [Task], problems: &mut Vec<Problem>) {
    for task in tasks {
        let is_open_box = task.plan.as_ref().is_some_and(|plan| plan.item == Item::Box)
            && task.row.state == TaskState::Open
            && task.row.unclear.is_none();
        if !is_open_box || !heading::says_done(&task.row.title) {
            continue;
        }
        let sentence = format!(
            "has an open box, and its text says that it is done: tick it, or change the text (`{}`)",
            quoted(&task.row.title)
        );
        task.row.unclear = Some("its box is open and its text says that it is done".to_owned());
        problems.push(task.problem(ProblemKind::UnknownStatus, sentence));
    }
}

/// Open boxes whose text begins or ends with a word that says that nobody is to work on them: `BLOCKED: Deploy`, `[SKIP] Style`.
pub(super) fn stuck(tasks: &mut [Task], problems: &mut Vec<Problem>) {
    for task in tasks.iter_mut().filter(|task| task.is_box() && task.row.state != TaskState::Done) {
        let title = task.row.title.as_str();
        // What it waits for is a dependency: `Tell — BLOCKED by 1.3`.
        let word = || stuck::stuck(title).filter(|_| reference::depends_on(title).is_none());
        let word = word().map(str::to_owned).or_else(|| heading::failed(title).map(String::from));
        let Some(word) = word.filter(|_| task.row.unclear.is_none()) else { continue };
        let sentence = format!(
            "has an open box, and its text says `{word}`: take the word away, tick the box, or put it below `## Out of scope` (`{}`)",
            quoted(&task.row.title)
        );
        task.row.unclear = Some(format!("its text says `{word}`"));
        problems.push(task.problem(ProblemKind::UnknownStatus, sentence));
    }
}

/// What a file says of itself as a whole: that all of it is done, while boxes are open.
pub(super) fn of_whole(tasks: &[Task], said: Option<(usize, String)>, problems: &mut Vec<Problem>) {
    let is_optional = |task: &Task| task.plan.as_ref().is_some_and(|plan| plan.optional);
    let open = tasks.iter().filter(|task| task.row.state != TaskState::Done && !is_optional(task)).count();
    let (Some((line, word)), Some(first)) = (said.filter(|_| open > 0), tasks.first()) else { return };
    let sentence = format!(
        "says of the whole file `{}`, and {open} of it {} open: change one of them",
        quoted(&word),
        if open == 1 { "is" } else { "are" }
    );
    problems.push(first.problem_at(line, ProblemKind::UnknownStatus, sentence));
}

/// What headings say of all that stands below them, and open boxes do not.
#[derive(Clone, Copy)]
pub(super) struct Saying {
    /// Line and title of a section that says so.
    of: fn(&Section) -> Option<&(usize, String)>,
    /// What it says, as the end of a sentence about it.
    says: &'static str,
    /// What to do.
    mend: &'static str,
}

/// All of it is done.
pub(super) const DONE: Saying = Saying {
    of: |section| section.done.as_ref(),
    says: "is done",
    mend: "tick what is done, or take the mark from the heading",
};

/// Nobody can go on with it.
pub(super) const STUCK: Saying = Saying {
    of: |section| section.stuck.as_ref(),
    says: "cannot be gone on with",
    mend: "put what can be worked on below another heading, and the rest below `## Out of scope`",
};

/// Boxes that are open below a heading that says that they are done, or that nobody can go on with them. What may be left out is
/// none.
pub(super) fn in_sections(
    saying: Saying,
    tasks: &mut [Task],
    (own, sections): (&[Own], &[Section]),
    problems: &mut Vec<Problem>,
) {
    let Saying { of, says, mend } = saying;
    let mut open: BTreeMap<usize, (Problem, usize, (&str, &str))> = BTreeMap::new();
    for (task, own) in tasks.iter_mut().zip(own).filter(|(task, own)| own.is_task && !task.is_line()) {
        let is_left = task.row.state != TaskState::Done && task.row.unclear.is_none();
        let is_optional = task.plan.as_ref().is_some_and(|plan| plan.optional);
        // What a heading says of itself is its own state.
        let mut around = section::chain(sections, own.section).skip(usize::from(task.is_heading()));
        let Some((index, (line, title))) = around
            .find_map(|(index, section)| Some((index, of(section)?)))
            .filter(|_| is_left && !is_optional)
        else {
            continue;
        };
        task.row.unclear = Some(format!("its heading `{}` says that it {says}", quoted(title)));
        let (_, boxes, _) = open.entry(index).or_insert_with(|| {
            (task.problem_at(*line, ProblemKind::UnknownStatus, quoted(title)), 0, what(task))
        });
        *boxes += 1;
    }
    problems.extend(open.into_values().map(|(problem, boxes, (one, several))| {
        let boxes = if boxes == 1 {
            format!("a {one} below it is")
        } else {
            format!("{boxes} {several} below it are")
        };
        let sentence = format!("says that `{}` {says}, and {boxes} open: {mend}", problem.sentence);
        Problem { sentence, ..problem }
    }));
}

/// What one such task is called, and several.
fn what(task: &Task) -> (&'static str, &'static str) {
    if task.is_box() { ("box", "boxes") } else { ("task", "tasks") }
}

/// Phases that are open, and parts of them are marked as done. `text` is the file's, without so many bytes at its beginning.
pub(super) fn half_marked(tasks: &mut [Task], text: &str, base: usize, problems: &mut Vec<Problem>) {
    let is_open_stage = |task: &&mut Task| {
        let is_without_status = task.place.words().iter().all(std::ops::Range::is_empty);
        let is_open = task.row.state == TaskState::Open && task.row.unclear.is_none();
        task.is_heading() && is_open && is_without_status && reference::is_of_stage(&task.row.id.0)
    };
    for task in tasks.iter_mut().filter(is_open_stage) {
        let block = task.block.start.saturating_sub(base)..task.block.end.saturating_sub(base);
        if !text.get(block).is_some_and(has_marked_line) {
            continue;
        }
        let sentence = format!(
            "has no mark, and parts of it are marked as done: write a box for each part, or `✅` behind `{}`",
            quoted(&task.row.title)
        );
        task.row.unclear = Some("parts of it are marked as done".to_owned());
        problems.push(task.problem(ProblemKind::UnknownStatus, sentence));
    }
}

/// Does a line outside of code say that it is done? A mark in place of a bullet, `- ✓ It shows the page`, says what will be.
fn has_marked_line(text: &str) -> bool {
    let mut is_code = false;
    text.lines().any(|line| {
        let line = line.trim_start_matches(|letter: char| {
            letter.is_whitespace() || letter.is_ascii_digit() || "-*+>|.)#".contains(letter)
        });
        is_code ^= line.starts_with("```") || line.starts_with("~~~");
        !is_code
            && (line.starts_with(['✅', '☑']) || (heading::says_done(line) && !line.starts_with(['✓', '✔'])))
    })
}

/// What is wrong with a heading that ends, or begins, with a sign that nobody knows: it is not worked on.
pub(super) fn unknown_mark(task: &mut Task, first: Option<char>) -> Option<Problem> {
    let first = first.filter(|sign| heading::is_unknown_first(*sign));
    let sign = heading::unknown_mark(&task.row.title).or(first);
    let sign = sign.filter(|_| task.row.state != TaskState::Done)?;
    task.row.unclear = Some(format!("its mark `{sign}` is none"));
    let sentence = format!(
        "has the mark `{sign}`: write `✅` where it is done, `🚧` where it is begun, and nothing where it is to be done"
    );
    Some(task.problem(ProblemKind::UnknownStatus, sentence))
}
