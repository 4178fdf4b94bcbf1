//! Where the work of a run is today, as git says.

use std::path::{Path, PathBuf};

use windlass_engine::withhold::held_back_if_new;
use windlass_git::git::{Head, ObjectId, Repository, Uncommitted};
use windlass_ui::commit_range;
use windlass_ui::model::{CommitStanding, Course, MainTree, PlacesSeen};

use crate::here::Here;

/// The same of a run that worked with a fleet, and is known here by what the fleet has of it: what this repository lacks is there.
pub(super) fn look_for_copy(here: &Here, course: &Course) -> Option<PlacesSeen> {
    let seen = look(here, course)?;
    let head = seen.head.map(|head| match head {
        CommitStanding::Gone => CommitStanding::OnFleet,
        other => other,
    });
    Some(PlacesSeen { head, ..seen })
}

/// What is asked before a report says what to type; `None` where there is no repository, or git cannot look at it.
pub(super) fn look(here: &Here, course: &Course) -> Option<PlacesSeen> {
    let repository = here.repository.as_ref()?;
    let own = tip(repository);
    let main = main_of(repository);
    let into = main.as_ref().map_or(own, tip);
    let head = commit_range(course.board()).map(|(_, last)| standing(repository, last, into));
    let parked = course
        .parked_branches()
        .map(|branch| (branch.to_owned(), standing(repository, &format!("refs/heads/{branch}"), own)));
    let branch = repository.current_branch().ok().flatten();
    let uncommitted = repository.uncommitted().unwrap_or_default();
    let new = uncommitted.iter().filter(|found| found.untracked).map(|found| found.path.as_path());
    let rules = course.board().plan().map(|plan| &plan.withholding);
    let held_back = rules.map(|rules| held_back_if_new(&repository.top, rules, new)).unwrap_or_default();
    let is_to_be_merged = matches!(head, Some(CommitStanding::Clean | CommitStanding::Conflicts));
    let in_the_way = match (commit_range(course.board()), own) {
        (Some((_, last)), Some(own)) if main.is_none() && is_to_be_merged => {
            in_the_way(repository, last, own, &uncommitted)
        }
        _ => Vec::new(),
    };
    Some(PlacesSeen {
        in_the_way,
        branch,
        uncommitted: uncommitted.len() as u64,
        held_back: held_back.into_iter().map(Path::to_owned).collect(),
        head,
        parked: parked.collect(),
        main: main.map(|main| {
            let (branch, uncommitted) = standing_here(&main);
            MainTree { path: main.top, branch, uncommitted }
        }),
    })
}

/// What git would not merge over: files that it would change, and, where it makes a commit of its own, all that is staged.
fn in_the_way(
    repository: &Repository,
    commit: &str,
    into: ObjectId,
    uncommitted: &[Uncommitted],
) -> Vec<PathBuf> {
    let into = into.to_string();
    let brought = repository.brought_by_merge(&into, commit).unwrap_or_default();
    let simply_advances = repository.is_in_history_of(&into, commit).unwrap_or(false);
    let is_in_the_way =
        |found: &&Uncommitted| brought.contains(&found.path) || (found.staged && !simply_advances);
    uncommitted.iter().filter(is_in_the_way).map(|found| found.path.clone()).collect()
}

/// The working tree that this one was made from.
fn main_of(repository: &Repository) -> Option<Repository> {
    let top = repository.main_top();
    if top == repository.top {
        return None;
    }
    Repository::find(&top).ok()?.worktree()
}

/// The branch that is checked out, and how many paths are not committed.
fn standing_here(repository: &Repository) -> (Option<String>, u64) {
    let branch = repository.current_branch().ok().flatten();
    let uncommitted = repository.uncommitted().map_or(0, |paths| paths.len() as u64);
    (branch, uncommitted)
}

fn tip(repository: &Repository) -> Option<ObjectId> {
    match repository.head().ok()? {
        Head::Branch { commit, .. } | Head::Detached { commit } => Some(commit),
        Head::Unborn { .. } => None,
    }
}

/// How a commit, or the one that a reference names, stands to the one that it is to be merged into.
fn standing(repository: &Repository, name: &str, into: Option<ObjectId>) -> CommitStanding {
    let Ok(found) = repository.commit_of(name) else { return CommitStanding::Unknown };
    let Some(commit) = found else { return CommitStanding::Gone };
    let Some(into) = into else { return CommitStanding::Unknown };
    if repository.is_ancestor(commit, into).unwrap_or(false) {
        return CommitStanding::Merged;
    }
    match repository.merges_cleanly(&commit.to_string(), &into.to_string()) {
        Ok(Some(true)) => CommitStanding::Clean,
        Ok(Some(false)) => CommitStanding::Conflicts,
        Ok(None) | Err(_) => CommitStanding::Unknown,
    }
}
