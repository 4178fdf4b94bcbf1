//! `logs`: what an agent said and did, as it happened.

mod pages;

use std::ops::ControlFlow;
use std::process::ExitCode;
use std::thread;
use std::time::Duration;

use windlass_core::config::{Layer, OutputLevel, Unlimited};
use windlass_core::spec::Mode;
use windlass_engine::replay::{Reading, Replay};
use windlass_engine::store::RunFolder;
use windlass_ui::{Stream, ToolsForm, ToolsView, is_abandoned};

use super::terminal::Show;
use super::warn;
use crate::args::LogsArgs;
use crate::commands::app;
use pages::{Pages, Story, ToolList, Window};
use windlass_app::AppError;
use windlass_app::configuration::Configuration;
use windlass_app::here::Here;
use windlass_app::inspect::which;

/// How often a run that goes on is looked at.
const LOOK: Duration = Duration::from_millis(100);

/// Does it.
pub fn run(args: &LogsArgs) -> Result<ExitCode, AppError> {
    let here = Here::find_broken(&app()?)?;
    let folder = which::shown(&here, args.run.as_deref())?;
    let show = Show::new(OutputLevel::Verbose, emoji(&here), args.json);
    let window = Window::of(args.iteration);
    let window = if let Some(tools) = &args.tools {
        let form = if args.json { ToolsForm::Json } else { ToolsForm::Rows };
        let view = ToolsView::new(show.replay_printer(), form, &named(tools));
        let mut list = ToolList::new(view, window);
        play(&here, args, &folder, Replay::tools(&folder), &mut list)?;
        list.window
    } else {
        let mut story = Story::new(show.replayed(), args.verbose || args.json, window);
        play(&here, args, &folder, Replay::new(&folder), &mut story)?;
        story.window
    };
    // outside: the run's folder.
    if window.calls > 0 && !folder.iterations().exists() {
        warn(&format!(
            "what the agents of run {} said and did is not kept any more (runs.keep, runs.keep_size)",
            folder.run()
        ));
    }
    match args.iteration.filter(|_| !window.seen) {
        Some(iteration) => Err(no_such_iteration(&folder, iteration, window.last)),
        None => Ok(ExitCode::SUCCESS),
    }
}

fn no_such_iteration(folder: &RunFolder, iteration: u32, last: u32) -> AppError {
    let run = folder.run();
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

/// As the run itself was shown. A broken configuration must not hide what happened.
fn emoji(here: &Here) -> bool {
    Configuration::load(&here.directory, None, Mode::Goal, Layer::default(), Unlimited::Refused)
        .map_or(true, |configuration| configuration.resolved.emoji)
}

/// Shows what there is; with `--follow` also what comes, until the run or the wanted iteration ends, its process is
/// gone, or nobody reads.
fn play<R: Reading>(
    here: &Here,
    args: &LogsArgs,
    folder: &RunFolder,
    replay: Replay<R>,
    pages: &mut impl Pages<R::Found>,
) -> Result<(), AppError> {
    let mut replay = match args.iteration {
        Some(iteration) => replay.of_iteration(iteration),
        None => replay,
    };
    let read = if args.follow {
        follow(here, folder, &mut replay, pages)
    } else {
        replay.advance(&mut |told| pages.show(told)).map(drop).map_err(AppError::from)
    };
    pages.finish();
    read
}

fn follow<R: Reading>(
    here: &Here,
    folder: &RunFolder,
    replay: &mut Replay<R>,
    pages: &mut impl Pages<R::Found>,
) -> Result<(), AppError> {
    loop {
        // Asked first: what a run says last comes before it gives its directory back.
        let live = which::all_live(here)?.contains(folder.run());
        if replay.advance(&mut |told| pages.show(told))? == ControlFlow::Break(()) {
            return Ok(());
        }
        pages.flush();
        if replay.has_ended() || !live || is_abandoned(Stream::Stdout) {
            return Ok(());
        }
        thread::sleep(LOOK);
    }
}
