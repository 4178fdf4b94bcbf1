//! `status`: shows one run.

use std::process::ExitCode;
use std::time::Duration;

use jiff::Timestamp;
use windlass_engine::store::journal;
use windlass_ui::{Board, RunStatus, commit_range, status_json, status_text};

use super::here::Here;
use super::{print, print_bytes, stdout, which};
use crate::args::StatusArgs;
use crate::error::{CliError, Kind};

/// So long git may count commits; a history of a million takes seconds.
const COUNTING: Duration = Duration::from_secs(10);

/// Does it.
///
/// # Errors
/// Whatever a person should read.
pub fn run(args: &StatusArgs) -> Result<ExitCode, CliError> {
    let here = Here::find()?;
    let folder = which::shown(&here, args.run.as_deref())?;
    let live = which::all_live(&here)?;
    let entries = journal::read(&folder.journal())?;
    if entries.is_empty() {
        let message =
            format!("nothing is journalled of run {}: it begins just now, or never began", folder.run());
        return Err(CliError::new(Kind::System, message));
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

/// Counted by git, since an iteration can make several; `None` where git does not know these commits any more.
fn commits_made(here: &Here, board: &Board) -> Option<u64> {
    let (first, last) = commit_range(board)?;
    here.repository.as_ref()?.count_commits(first, last, COUNTING).ok()
}
