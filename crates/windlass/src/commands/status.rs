//! `status`: shows one run.

use std::process::ExitCode;

use jiff::Timestamp;
use windlass_app::AppError;
use windlass_app::inspect::Status;
use windlass_app::task_place::TaskPlace;
use windlass_ui::{Line, TasksShown, status_json, status_text, tasks_json};

use super::status_watch;
use super::task_lines::{labelled, task_lines};
use super::{app, print, print_bytes, print_lines, stdout};
use crate::args::StatusArgs;

/// Does it.
pub fn run(args: &StatusArgs) -> Result<ExitCode, AppError> {
    if args.watch {
        return status_watch::run(args);
    }
    let now = Timestamp::now();
    match app()?.status(args.run.as_deref(), now)? {
        Status::Run(status) if args.json => print_bytes(&status_json(&status))?,
        Status::Run(status) => print(&status_text(&status, now, &stdout()))?,
        Status::Tasks(place) => before_any_run(args, &place)?,
    }
    Ok(ExitCode::SUCCESS)
}

fn before_any_run(args: &StatusArgs, place: &TaskPlace) -> Result<(), AppError> {
    let shown = place.shown();
    if let Some(found) = place.found.as_ref().filter(|_| args.json) {
        let (list, schedule) = (&found.list, found.list.schedule());
        return print_bytes(&tasks_json(&TasksShown {
            place: &shown,
            flags: &place.flags(),
            list,
            schedule: &schedule,
            exit_code: 0,
        }));
    }
    let mut lines = vec![Line::hanging(2).strong(shown).dim("  there has been no run here yet")];
    lines.extend(task_lines(place));
    lines.push(labelled("work on it").command(place.command("run --mode tasks")));
    print_lines(&lines)
}
