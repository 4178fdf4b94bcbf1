//! What was put aside in a run, and how it comes back.

use std::ffi::OsStr;

use serde::Serialize;
use windlass_core::damage::DamageCourse;
use windlass_core::report;
use windlass_core::values::{TaskEnd, TaskId};
use windlass_core::words::{quoted, some_of};

use super::landing::top;
use super::{CommitStanding, Course, PlacesSeen};
use crate::board::Board;
use crate::document::RunStatus;
use crate::format;
use crate::harmless::one_line;

/// So many files are named.
const NAMED: usize = 3;

/// Something that was put aside.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AsideSeen {
    /// What: a task, the files of an iteration.
    pub what: String,
    /// Why.
    pub why: String,
    /// The branch that holds it.
    pub branch: Option<String>,
    /// What brings it back; `None` where nothing does any more, and where it is back already.
    pub command: Option<String>,
    /// What there is to know before that is typed; empty where there is nothing.
    pub note: String,
}

/// The same as facts tell it.
#[derive(Clone, Debug)]
pub(super) enum Put {
    Task { task: TaskId, title: String, iteration: u32, reason: String, branch: Option<String> },
    Forbidden { iteration: u32, count: u32, files: Vec<String> },
    Damage { iteration: u32, attempt: u32, sentences: Vec<String> },
}

impl Put {
    pub(super) fn parked(closed: &report::TaskClosed, title: String) -> Option<Put> {
        let TaskEnd::Parked { reason } = &closed.end else { return None };
        let (task, branch) = (closed.task.clone(), closed.branch.clone());
        Some(Put::Task { task, title, iteration: closed.iteration, reason: reason.clone(), branch })
    }

    pub(super) fn forbidden(iteration: u32, reverted: &report::ForbiddenChangesReverted) -> Option<Put> {
        let report::ForbiddenChangesReverted { count, files, undone, .. } = reverted;
        undone.then(|| Put::Forbidden { iteration, count: *count, files: files.clone() })
    }

    pub(super) fn undone(damaged: &report::Damaged) -> Option<Put> {
        let report::Damaged { iteration, attempt, found, course, .. } = damaged;
        let sentences = || found.iter().map(|damage| damage.sentence.clone()).collect();
        let undone = matches!(course, DamageCourse::UndoAll | DamageCourse::UndoParts);
        undone.then(|| Put::Damage { iteration: *iteration, attempt: *attempt, sentences: sentences() })
    }

    pub(super) fn branch(&self) -> Option<&str> {
        match self {
            Put::Task { branch, .. } => branch.as_deref(),
            Put::Forbidden { .. } | Put::Damage { .. } => None,
        }
    }
}

/// All of it.
pub(super) fn seen(course: &Course, status: &RunStatus, places: Option<&PlacesSeen>) -> Vec<AsideSeen> {
    let run = status.run.as_ref().map(|run| one_line(&run.0)).unwrap_or_default();
    // What one lane kept is without what others have landed meanwhile.
    let has_lanes = course.board().plan.as_ref().is_some_and(|plan| plan.lanes.is_some());
    let restore = |moment: String| (!has_lanes).then(|| format!("windlass restore {run} {moment}"));
    let mut all: Vec<AsideSeen> = course
        .aside
        .iter()
        .map(|put| match put {
            Put::Task { task, title, iteration, reason, branch } => {
                let what = format!("{} {}", one_line(&task.0), one_line(title)).trim_end().to_owned();
                let why = one_line(reason);
                match branch {
                    Some(branch) => on_branch((what, why), branch, course.board(), places),
                    None => AsideSeen {
                        what,
                        why,
                        branch: None,
                        command: restore(iteration.to_string()),
                        note: format!("the files as after iteration {iteration}"),
                    },
                }
            }
            Put::Forbidden { iteration, count, files } => {
                let named = some_of(files.iter().map(|file| one_line(file)), NAMED);
                AsideSeen {
                    what: format!("changes to {} in iteration {iteration}", changed(*count)),
                    why: format!("not allowed: {named}"),
                    branch: None,
                    command: Some(format!("windlass diff {run} {iteration}")),
                    note: "shows them".to_owned(),
                }
            }
            Put::Damage { iteration, attempt, sentences } => AsideSeen {
                what: format!("what iteration {iteration} did to the repository"),
                why: format!("undone: {}", some_of(sentences.iter().map(|one| one_line(one)), NAMED)),
                branch: None,
                command: restore(format!("{iteration}-{attempt}-after --repository")),
                note: "brings all of it back".to_owned(),
            },
        })
        .collect();
    all.extend(held_back(course.board()));
    all
}

fn changed(count: u32) -> String {
    format::count(u64::from(count), "file")
}

fn on_branch(
    (what, why): (String, String),
    branch: &str,
    board: &Board,
    places: Option<&PlacesSeen>,
) -> AsideSeen {
    let top = top(board);
    let merge = format!("git -C {top} merge {}", quoted(OsStr::new(branch)));
    let standing = places.and_then(|places| places.parked.get(branch));
    let (command, note) = match standing.map(|standing| (*standing, standing.before_merging())) {
        Some((_, Some(known))) => (Some(merge), known.to_owned()),
        Some((CommitStanding::Merged, None)) => (None, "merged by now".to_owned()),
        Some((_, None)) => (None, "the branch is gone".to_owned()),
        None => (Some(merge), String::new()),
    };
    AsideSeen { what, why, branch: Some(branch.to_owned()), command, note }
}

/// What waits for a person to say that it belongs into a commit.
fn held_back(board: &Board) -> Option<AsideSeen> {
    let held = &board.held_back;
    let files: Vec<String> = held.iter().map(|file| quoted(OsStr::new(file))).collect();
    let first = held.first()?;
    // What is told of it can be a sentence; then there is nothing to be typed.
    let is_file = held.iter().all(|file| !file.contains(char::is_whitespace));
    let top = top(board);
    Some(AsideSeen {
        what: format!("{} in no commit", format::count(held.len() as u64, "file")),
        why: "only a person can say whether it belongs there".to_owned(),
        branch: None,
        command: (is_file && files.len() <= NAMED)
            .then(|| format!("git -C {top} add -f -- {}", files.join(" "))),
        note: one_line(first),
    })
}
