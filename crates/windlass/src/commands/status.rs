//! `status`: shows one run.

use std::process::ExitCode;

use jiff::Timestamp;
use windlass_engine::store::journal;
use windlass_ui::{Board, RunStatus, status_json, status_text};

use super::here::Here;
use super::{print, print_bytes, stdout, which};
use crate::args::StatusArgs;
use crate::error::{CliError, Kind};

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
    let status = RunStatus::new(&board, which::unfinished(folder.run(), &live), now);
    if args.json {
        print_bytes(&status_json(&status))?;
    } else {
        print(&status_text(&status, now, &stdout()))?;
    }
    Ok(ExitCode::SUCCESS)
}
