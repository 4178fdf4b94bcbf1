//! `logs`: what an agent said and did, as it happened.

mod pages;

use std::process::ExitCode;

use windlass_app::AppError;
use windlass_app::logs::{RecordedRun, Telling};
use windlass_core::config::OutputLevel;
use windlass_ui::{ToolsForm, ToolsView, lost_results};

use super::terminal::Show;
use super::{app, unwritten, warn};
use crate::args::LogsArgs;
use pages::{Story, ToolList, Window};

/// Does it.
pub fn run(args: &LogsArgs) -> Result<ExitCode, AppError> {
    tell(args, &app()?.recorded_run(args.run.as_deref())?)
}

/// The same of a run of whatever project of this machine.
pub fn run_anywhere(args: &LogsArgs) -> Result<ExitCode, AppError> {
    tell(args, &app()?.recorded_anywhere(args.run.as_deref())?)
}

fn tell(args: &LogsArgs, recorded: &RecordedRun) -> Result<ExitCode, AppError> {
    let window = show(args, recorded)?;
    if let Some(error) = lost_results() {
        return Err(unwritten(&error));
    }
    if window.calls > 0 && !recorded.has_streams() {
        warn(&format!(
            "what the agents of run {} said and did is not kept any more (runs.keep, runs.keep_size)",
            recorded.run()
        ));
    }
    match args.iteration.filter(|_| !window.seen) {
        Some(iteration) => Err(no_such_iteration(recorded, iteration, window.last)),
        None => Ok(ExitCode::SUCCESS),
    }
}

/// Shows what there is; with `--follow` also what comes.
fn show(args: &LogsArgs, recorded: &RecordedRun) -> Result<Window, AppError> {
    let show = Show::new(OutputLevel::Verbose, recorded.wants_emoji(), args.json);
    let telling = Telling { iteration: args.iteration, follows: args.follow };
    let window = Window::of(args.iteration);
    if let Some(tools) = &args.tools {
        let form = if args.json { ToolsForm::Json } else { ToolsForm::Rows };
        let view = ToolsView::new(show.replay_printer(), form, &named(tools));
        let mut list = ToolList::new(view, window);
        let told = recorded.tell_tools(telling, &mut list);
        let window = list.finish();
        told.map(|()| window)
    } else {
        let mut story = Story::new(show.replayed(), args.verbose || args.json, window);
        let told = recorded.tell(telling, &mut story);
        let window = story.finish();
        told.map(|()| window)
    }
}

fn no_such_iteration(recorded: &RecordedRun, iteration: u32, last: u32) -> AppError {
    let run = recorded.run();
    let there_are = match last {
        0 => "it has none yet".to_owned(),
        1 => "it has one".to_owned(),
        last => format!("its last one is {last}"),
    };
    AppError::usage(format!("run {run} has no iteration {iteration}: {there_are}"))
}

/// `Bash, Edit` as it follows `--tools=`; nothing = all.
fn named(tools: &str) -> Vec<String> {
    tools.split(',').map(str::trim).filter(|tool| !tool.is_empty()).map(str::to_owned).collect()
}
