//! `stop`: ends a run after its current iteration.

use std::process::ExitCode;

use windlass_core::values::RunId;
use windlass_engine::store::lock::{self, Holder};
use windlass_engine::store::run_folder::find_run;
use windlass_engine::store::{RunFolder, index};
use windlass_ui::Line;

use super::print_lines;
use crate::args::StopArgs;
use crate::commands::app;
use windlass_app::AppError;
use windlass_app::here::Here;
use windlass_app::run::resume::is_open;
use windlass_app::which;

/// Does it.
pub fn run(args: &StopArgs) -> Result<ExitCode, AppError> {
    let here = Here::find_broken(&app()?)?;
    let holder = match args.run.as_deref() {
        Some(text) => named(&here, text)?,
        None => which::live(&here)?.ok_or_else(|| {
            AppError::usage("no run is running here: there is nothing to stop")
                .hint("All runs: windlass runs")
        })?,
    };
    let folder = RunFolder::of(&here.project, &holder.run);
    let asked_before = folder.stop_requested();
    folder.request_stop()?;
    print_lines(&said(&holder, asked_before))?;
    Ok(ExitCode::SUCCESS)
}

fn named(here: &Here, text: &str) -> Result<Holder, AppError> {
    let run = find_run(&here.project, text)?;
    let holders = lock::holders(&here.project)?;
    let holder = holders.into_iter().find(|holder| holder.run == run && holder.is_alive());
    holder.ok_or_else(|| not_running(here, &run))
}

fn not_running(here: &Here, run: &RunId) -> AppError {
    let error = AppError::usage(format!("run {run} is not running: there is nothing to stop"));
    match index::summarize(&RunFolder::of(&here.project, run)) {
        Ok(summary) if is_open(&summary) => error.hint(format!("It can go on: windlass resume {run}")),
        _ => error.hint(format!("How it ended: windlass status {run}")),
    }
}

fn said(holder: &Holder, asked_before: bool) -> Vec<Line> {
    let Holder { run, pid, .. } = holder;
    let begins = if asked_before { "had been asked to stop already" } else { "will stop" };
    let what = "the iteration under way ends first, and its result is kept";
    vec![
        Line::hanging(0).strong(run.to_string()).plain(format!(" {begins}: {what}; a wait ends at once.")),
        Line::hanging(2).dim("  watch   ").command(format!("windlass logs {run} -f")),
        Line::hanging(2)
            .dim("  sooner  ")
            .command(format!("kill {pid}"))
            .dim("  ends the agent as well; what it did is kept"),
        Line::hanging(2).dim("  later   ").command(format!("windlass resume {run}")),
    ]
}
