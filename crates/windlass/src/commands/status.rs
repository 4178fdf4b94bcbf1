//! `status`: shows one run.

use std::process::ExitCode;
use std::time::Duration;

use jiff::Timestamp;
use windlass_core::tasks::Schedule;
use windlass_engine::store::journal;
use windlass_ui::{Board, Line, RunStatus, TasksShown, commit_range, status_json, status_text, tasks_json};

use super::task_place::{TaskPlace, labelled};
use super::{print, print_bytes, print_lines, stdout};
use crate::args::StatusArgs;
use crate::commands::app;
use windlass_app::here::Here;
use windlass_app::which;
use windlass_app::{AppError, Kind};

/// So long git may count commits; a history of a million takes seconds.
const COUNTING: Duration = Duration::from_secs(10);

/// Does it.
pub fn run(args: &StatusArgs) -> Result<ExitCode, AppError> {
    let here = Here::find_broken(&app()?)?;
    let folder = match which::shown(&here, args.run.as_deref()) {
        // Before the first run there may be tasks, and they stand somehow.
        Err(none) if args.run.is_none() && none.kind == Kind::Usage => {
            return before_any_run(&here, args, none);
        }
        found => found?,
    };
    let live = which::all_live(&here)?;
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
    let now = Timestamp::now();
    let unfinished = which::unfinished(folder.run(), &live);
    let status = RunStatus::new(&board, unfinished, commits_made(&here, &board), now);
    if args.json {
        print_bytes(&status_json(&status))?;
    } else {
        print(&status_text(&status, now, &stdout()))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// How the tasks stand, where there is a task file.
fn before_any_run(here: &Here, args: &StatusArgs, none: AppError) -> Result<ExitCode, AppError> {
    let place = TaskPlace::find(&here.directory, None)?;
    let Some(found) = place.found.as_ref().filter(|found| !found.list.tasks().is_empty()) else {
        return Err(none);
    };
    let list = &found.list;
    let shown = place.shown();
    if args.json {
        let schedule = Schedule::new(list.rows());
        print_bytes(&tasks_json(&TasksShown { place: &shown, list, schedule: &schedule, exit_code: 0 }))?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut lines = vec![Line::hanging(2).strong(shown).dim("  there has been no run here yet")];
    lines.extend(place.lines());
    lines.push(labelled("work on it").command(place.command("run --mode tasks")));
    print_lines(&lines)?;
    Ok(ExitCode::SUCCESS)
}

/// Counted by git, since an iteration can make several; `None` where git does not know these commits any more.
fn commits_made(here: &Here, board: &Board) -> Option<u64> {
    let (first, last) = commit_range(board)?;
    here.repository.as_ref()?.count_commits(first, last, COUNTING).ok()
}
