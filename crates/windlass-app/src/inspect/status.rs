//! How one run stands.

use std::time::Duration;

use jiff::Timestamp;
use windlass_engine::store::{RunFolder, journal};
use windlass_host::tree::at;
use windlass_ui::{Board, RunStatus, commit_range};

use super::which;
use crate::app::App;
use crate::error::{AppError, Kind};
use crate::here::Here;
use crate::run::NamedTasks;
use crate::task_place::TaskPlace;

/// So long git may count commits; a history of a million takes seconds.
const COUNTING: Duration = Duration::from_secs(10);

/// What there is to show where a run's status is asked for.
pub enum Status {
    /// That of a run.
    Run(Box<RunStatus>),
    /// There has been no run here yet, but there are tasks, and they stand somehow.
    Tasks(TaskPlace),
}

impl App {
    /// How the run of this name stands, or the live or newest one here.
    ///
    /// # Errors
    /// There is no such run and no task, or its journal cannot be read.
    pub fn status(&self, run: Option<&str>, now: Timestamp) -> Result<Status, AppError> {
        let here = Here::find_broken(self)?;
        let folder = if let Some(folder) = shown_first(&here, run)? {
            folder
        } else {
            let place = TaskPlace::find(&here.directory, &NamedTasks::default())?;
            if place.total() > 0 && which::unread(&here)?.is_none() {
                return Ok(Status::Tasks(place));
            }
            which::shown(&here, None)?
        };
        let live = which::live_with(&here, &folder)?;
        if let Some(said) = which::unusual_process(&here, folder.run())? {
            self.notice(&said);
        }
        let entries = journal::read(&folder.journal())?;
        if entries.is_empty() {
            let message =
                format!("nothing is journalled of run {}: it begins just now, or never began", folder.run());
            return Err(AppError::new(Kind::System, message));
        }
        let mut board = Board::default();
        for entry in &entries {
            board.fact(entry);
        }
        let last = entries.last().map(|last| (last.seq, last.at));
        board.works_unseen(last.map_or(Duration::ZERO, |last| folder.worked_unseen(last)));
        let unfinished = which::unfinished(folder.run(), &live);
        let commits = commits_made(&here, &board);
        let mut status = RunStatus::new(&board, unfinished, commits, now);
        if has_lost_its_workspace(&board) {
            status.without_workspace();
        }
        Ok(Status::Run(Box::new(status)))
    }
}

/// Was the workspace deleted that the run works on?
pub(super) fn has_lost_its_workspace(board: &Board) -> bool {
    let workspace = board.plan().and_then(|plan| plan.job.workspace.as_ref());
    workspace.is_some_and(|workspace| !at(&workspace.folder).holds_folder())
}

/// The run that is meant whatever tasks there are: the one named, that of this directory, or one that works elsewhere now.
fn shown_first(here: &Here, run: Option<&str>) -> Result<Option<RunFolder>, AppError> {
    if run.is_some() {
        return which::shown(here, run).map(Some);
    }
    match which::of_directory(here)? {
        None => which::live_elsewhere(here),
        own => Ok(own),
    }
}

/// Counted by git, since an iteration can make several; `None` where git does not know these commits any more.
pub(super) fn commits_made(here: &Here, board: &Board) -> Option<u64> {
    let (first, last) = commit_range(board)?;
    here.repository.as_ref()?.count_commits(first, last, COUNTING).ok()
}
