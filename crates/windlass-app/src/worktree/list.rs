//! The worktrees that there are.

use windlass_core::values::RunId;
use windlass_core::words::short_commit;
use windlass_engine::store::index;
use windlass_engine::worktree::{Stage, Worktree};
use windlass_git::git::Repository;
use windlass_ui::{RunState, WorktreeRow};

use super::repository;
use crate::app::App;
use crate::error::AppError;
use crate::here::Here;
use crate::inspect::which;

impl App {
    /// The worktrees that windlass made, by name.
    ///
    /// # Errors
    /// There is no repository, or git cannot look at it.
    pub fn worktrees(&self) -> Result<Vec<WorktreeRow>, AppError> {
        let here = Here::find(self)?;
        let repository = repository(&here)?;
        let runs = index::list(&here.project)?.runs;
        let live = which::all_live(&here)?;
        let mut rows = Vec::new();
        for worktree in Worktree::all(repository)? {
            // The newest comes first.
            let run = runs.iter().find(|run| worktree.holds(&run.directory));
            let state = run.map(|run| (run.run.clone(), which::state(run, &live)));
            rows.push(row(repository, &worktree, state)?);
        }
        Ok(rows)
    }
}

fn row(
    repository: &Repository,
    worktree: &Worktree,
    run: Option<(RunId, RunState)>,
) -> Result<WorktreeRow, AppError> {
    let standing = worktree.standing(repository)?;
    let is_there = worktree.tree.is_there();
    // One that is damaged is listed all the same.
    let work = if is_there { worktree.work().ok() } else { None };
    let count = |files: usize| u64::try_from(files).unwrap_or(u64::MAX);
    let problem = match (is_there, &standing.tip, worktree.stage()) {
        (false, Some(_), _) => Some("its folder is gone; its branch holds what was committed".to_owned()),
        (false, None, _) => Some("its folder and its branch are gone".to_owned()),
        (true, None, _) => Some("its branch is gone".to_owned()),
        (true, _, Stage::Ready) if work.is_none() => Some("git cannot look at it".to_owned()),
        (true, _, Stage::Ready) => worktree.stray_commit(repository).ok().flatten().map(|commit| {
            let short = short_commit(&commit.to_string());
            format!("the commit {short} is checked out there, which is in no branch that stays")
        }),
        (true, ..) => {
            Some(format!("not ready yet; `windlass run --worktree {} …` goes on with it", worktree.name))
        }
    };
    let (run, state) = run.unzip();
    Ok(WorktreeRow {
        name: worktree.name.to_string(),
        branch: worktree.name.branch(),
        path: worktree.tree.path.to_string_lossy().into_owned(),
        base: standing.base,
        run,
        state,
        ahead: standing.ahead,
        behind: standing.behind,
        merged: standing.merged,
        uncommitted: work.map(|work| count(work.uncommitted.len() + work.ignored.len())),
        problem,
    })
}
