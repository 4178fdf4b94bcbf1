//! What stands outside of every task and looks like one: nobody but a person knows what it is, and it is not dropped.

use std::collections::HashSet;
use std::sync::Arc;

use windlass_core::values::{TaskId, TaskState};

use super::heading::Heading;
use super::reader;
use crate::doc::tasks::missed::{self, LooksLike, Missed};
use crate::doc::tasks::sources::heading::{self, Holds};
use crate::doc::tasks::sources::open_rows;
use crate::doc::tasks::task::StatePlace;
use crate::doc::tasks::{Criterion, Reading, Task};
use crate::doc::text::quoted;
use crate::doc::{Problem, ProblemKind};

/// What the sections around a place hold.
#[derive(Debug, Default)]
pub(super) struct Around(Vec<Open>);

/// A section that is not over.
#[derive(Debug)]
struct Open {
    level: usize,
    holds: Holds,
    /// Its title, where it says that all below it is done.
    done: Option<String>,
}

impl Around {
    /// A heading begins; what its section holds.
    pub(super) fn enter(&mut self, heading: &Heading) -> Holds {
        self.0.retain(|open| open.level < heading.level);
        let around = self.0.last().map_or(Holds::Anything, |open| open.holds);
        let holds = around.max(heading::read(&heading.text).holds);
        let done = heading::is_of_done(&heading.text).then(|| heading.text.trim().to_owned());
        self.0.push(Open { level: heading.level, holds, done });
        holds
    }

    /// What the section of the latest heading holds.
    pub(super) fn holds(&self) -> Holds {
        self.0.last().map_or(Holds::Anything, |open| open.holds)
    }

    /// A task begins: what stands in it is its own.
    pub(super) fn enter_task(&mut self, heading: &Heading) {
        self.0.retain(|open| open.level < heading.level);
        let holds = self.0.last().map_or(Holds::Anything, |open| open.holds);
        self.0.push(Open { level: heading.level, holds, done: None });
    }

    /// The title of the section around the latest heading that says that all below it is done.
    pub(super) fn done(&self) -> Option<&str> {
        let (_, around) = self.0.split_last()?;
        around.iter().rev().find_map(|open| open.done.as_deref())
    }
}

/// Takes in the boxes below a heading that is no task and stands in none.
pub(super) fn take(
    found: &mut Reading,
    name: &Arc<str>,
    mark: usize,
    boxes: &[(usize, Criterion)],
    holds: Holds,
) {
    let open = boxes.iter().filter(|(_, one)| !one.holds);
    match holds {
        Holds::Aside => found.about.set_aside += open.count() as u64,
        Holds::Criteria => {
            found.criteria.extend(boxes.iter().map(|(at, one)| criterion(name, mark + at, one)));
        }
        Holds::Work | Holds::Anything => {
            open.for_each(|(at, one)| doubt(found, name, mark + at, one.line, &one.text));
        }
    }
}

/// Is this a box in no task?
pub(super) fn is_outside(task: &Task) -> bool {
    task.block.is_empty()
}

fn criterion(name: &Arc<str>, at: usize, one: &Criterion) -> Task {
    let mut task = Task::new(name, one.line, at..at);
    task.row.title.clone_from(&one.text);
    task.row.state = if one.holds { TaskState::Done } else { TaskState::Open };
    task.place = StatePlace::Unclear;
    task
}

/// Something that looks like a box and is none: the task that it stands in is not done before somebody has said what it is.
pub(super) fn miss(found: &mut Reading, name: &Arc<str>, mark: usize, missed: &Missed) {
    let at = mark + missed.at;
    found.problems.push(missed.problem(name));
    if let Some(task) = found.tasks.iter_mut().find(|task| task.block.contains(&at)) {
        let what = match missed.looks_like {
            LooksLike::Box => "has a box that is none",
            LooksLike::Task => "says in another form what is to be done",
        };
        task.row.unclear = Some(format!("its line {} {what}", missed.line));
        task.row.state = TaskState::Open;
        task.place = StatePlace::Unclear;
    } else {
        found.tasks.push(unclear(name, at, missed.line, &missed.shown));
    }
}

/// Takes in what is wrong with open rows of a table that no task stands for.
pub(super) fn rows(found: &mut Reading, name: &Arc<str>, text: &str, mark: usize) {
    let Some((row, problem)) = open_rows(name, text, (&found.tasks, &HashSet::new()), |_| false) else {
        return;
    };
    found.problems.push(problem);
    found.tasks.push(unclear(name, mark + row.block.start, row.line, &row.row.title));
}

/// Takes in a task that is not done, and that code or a comment hides which nothing closes: whoever wrote that meant to hide less.
pub(super) fn hidden(found: &mut Reading, name: &Arc<str>, text: &str, mark: usize) {
    let Some(at) = missed::never_closed(text) else { return };
    let (before, hidden) = text.split_at_checked(at).unwrap_or((text, ""));
    let line = before.lines().count() + 1;
    // Whatever else would begin or end there is not looked at.
    let is_border = |line: &&str| ["```", "~~~", "<!--", "-->"].iter().any(|sign| line.contains(sign));
    let shown: Vec<&str> = hidden.lines().map(|line| if is_border(&line) { "" } else { line }).collect();
    let shown = shown.join("\n");
    let headings = reader::read(&shown).into_iter().filter(Heading::is_task);
    let mut tasks = headings.map(|heading| super::task(name, &shown, 0, heading, &mut Vec::new()));
    let Some(task) = tasks.find(|task| task.row.state != TaskState::Done) else { return };
    let title = quoted(&format!("{}: {}", task.row.id, task.row.title));
    found.problems.push(Problem {
        kind: ProblemKind::UnknownStatus,
        file: name.clone(),
        line: Some(line),
        sentence: format!(
            "the code or comment that begins here is never closed, and hides the task `{title}`: close it"
        ),
    });
    found.tasks.push(unclear(name, mark + at, line, &task.row.title));
}

fn doubt(found: &mut Reading, name: &Arc<str>, at: usize, line: usize, text: &str) {
    let sentence = "is an open box in no task: put it below a task, write it as `### TASK-001: Title`, or say by a heading what it \
                    is (`## Acceptance criteria`, `## Out of scope`)";
    let kind = ProblemKind::UnknownStatus;
    found.problems.push(Problem {
        kind,
        file: name.clone(),
        line: Some(line),
        sentence: sentence.to_owned(),
    });
    found.tasks.push(unclear(name, at, line, text));
}

/// An open task that nobody works on, so that the list is not done.
fn unclear(name: &Arc<str>, at: usize, line: usize, text: &str) -> Task {
    let mut task = Task::new(name, line, at..at);
    (task.row.id, task.row.title) = (TaskId(format!("L{line}")), text.to_owned());
    task.row.unclear = Some("it is in no task".to_owned());
    task.place = StatePlace::Unclear;
    task
}
