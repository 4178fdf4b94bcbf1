//! A repository that cannot be gone on with: what a run that had one needs before it is resumed.

use windlass_core::fact::{Entry, Fact};
use windlass_core::recovery::WayBack;
use windlass_core::report;
use windlass_core::spec::RunSpec;
use windlass_core::values::StopReason;
use windlass_core::words::short_commit;
use windlass_git::git::{Head, Repository};
use windlass_git::snapshot::{Moment, SnapshotName};

use crate::error::{AppError, Kind};
use crate::here::Here;
use crate::snapshots::RunSnapshots;

/// A run that had a repository does not go on without its snapshots, its commits and its evidence.
pub fn refuse(here: &Here, plan: &RunSpec, entries: &[Entry]) -> Result<(), AppError> {
    // That git itself is not installed is said by the run.
    if !plan.git || here.git_missing {
        return Ok(());
    }
    let problem = match &here.repository {
        None => Some(why_none(here)),
        Some(repository) => problem(repository, last_head(entries)),
    };
    let Some(problem) = problem else { return Ok(()) };
    let way_back = match &plan.lanes {
        Some(_) => newest_start(here, plan),
        None => WayBack::of(entries.iter().map(|entry| &entry.fact)).command(&plan.run),
    };
    Err(told(plan, way_back, &problem))
}

/// What is kept of the directory that lanes work for: what each session began with.
fn newest_start(here: &Here, plan: &RunSpec) -> Option<String> {
    let store = RunSnapshots::open(&here.project, &plan.run, None, 0).ok()?.store;
    let is_start = |name: &SnapshotName| matches!(name.moment, Moment::SessionStart { .. });
    let mut kept = store.list(&plan.run).ok()?.into_iter().map(|(name, _)| name);
    Some(kept.rfind(is_start)?.whole_restore())
}

fn told(plan: &RunSpec, way_back: Option<String>, problem: &str) -> AppError {
    let kind = Kind::stopped(StopReason::NeedsHuman, plan.exit_codes);
    let said = format!("run {} worked in a git repository that cannot be read: {problem}", plan.run);
    let error = AppError::new(kind, format!("{said}; nothing was done"));
    let again = format!("Then go on: windlass resume {}", plan.run);
    let error = match way_back {
        None => error.hint("Bring .git back, from a copy or a clone."),
        Some(command) => error
            .hint(format!("Put back HEAD, branches and index as they were: {command}"))
            .hint("Objects that are gone have to come from a copy or a clone."),
    };
    error.hint(again)
}

fn why_none(here: &Here) -> String {
    match Repository::find(&here.directory) {
        Err(error) => error.to_string(),
        Ok(_) => format!("git finds none at {}", here.directory.display()),
    }
}

/// The commit that HEAD named when the run last looked.
fn last_head(entries: &[Entry]) -> Option<&str> {
    entries.iter().rev().find_map(|entry| match &entry.fact {
        Fact::SnapshotTaken(report::SnapshotTaken { evidence, .. })
        | Fact::BaselineCaptured(report::BaselineCaptured { evidence, .. }) => Some(evidence.head.as_deref()),
        _ => None,
    })?
}

fn problem(repository: &Repository, before: Option<&str>) -> Option<String> {
    match (repository.whole_head(), before) {
        (Err(error), _) => Some(error.to_string()),
        (Ok(Head::Unborn { branch }), Some(commit)) => {
            let short = short_commit(commit);
            let branch = String::from_utf8_lossy(&branch).into_owned();
            Some(format!("{branch} names no commit, where {short} was"))
        }
        (Ok(_), _) => None,
    }
}
