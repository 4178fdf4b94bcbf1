//! `stop`: ends a run after its current iteration.

use windlass_app::AppError;
use windlass_app::stop::Stopping;
use windlass_ui::Line;

use super::{app, print_lines};
use crate::args::StopArgs;

/// Does it.
pub fn run(args: &StopArgs) -> Result<(), AppError> {
    print_lines(&said(&app()?.stop(args.run.as_deref())?))
}

fn said(stopping: &Stopping) -> Vec<Line> {
    let Stopping { run, process, asked_before } = stopping;
    let begins = if *asked_before { "had been asked to stop already" } else { "will stop" };
    let what = "the iteration under way ends first, and its result is kept";
    let sooner = Line::hanging(2).dim("  sooner  ");
    let sooner = match process {
        Some(process) => {
            sooner.command(format!("kill {process}")).dim("  ends the agent as well; what it did is kept")
        }
        None => sooner.plain("where it was started: its process cannot be seen from here"),
    };
    vec![
        Line::hanging(0).strong(run.to_string()).plain(format!(" {begins}: {what}; a wait ends at once.")),
        Line::hanging(2).dim("  watch   ").command(format!("windlass logs {run} -f")),
        sooner,
        Line::hanging(2).dim("  later   ").command(format!("windlass resume {run}")),
    ]
}
