//! `logs`: what an agent said and did, as it happened.

use std::ops::ControlFlow;
use std::process::ExitCode;
use std::thread;
use std::time::Duration;

use windlass_core::config::{Layer, OutputLevel, Unlimited};
use windlass_core::observation::Observation;
use windlass_core::run::Mode;
use windlass_engine::replay::{Replay, Told};
use windlass_engine::store::RunFolder;
use windlass_ui::{Event, Stream, View, is_abandoned};

use super::audience::Show;
use super::configuration::Configuration;
use super::here::Here;
use super::which;
use crate::args::LogsArgs;
use crate::error::CliError;

/// How often a run that goes on is looked at.
const LOOK: Duration = Duration::from_millis(100);

/// After so many things it is asked whether anybody still reads.
const ASK_AFTER: usize = 64;

/// Does it.
///
/// # Errors
/// Whatever a person should read.
pub fn run(args: &LogsArgs) -> Result<ExitCode, CliError> {
    let here = Here::find()?;
    let folder = which::shown(&here, args.run.as_deref())?;
    let mut pages = Pages {
        view: Show::new(OutputLevel::Verbose, emoji(&here), args.json).replayed(),
        tools: args.tools || args.json,
        shown: 0,
    };
    let mut replay = Replay::new(&folder);
    let read = if args.follow {
        follow(&here, &folder, &mut replay, &mut pages)
    } else {
        replay.advance(&mut |told| pages.show(told)).map(drop).map_err(CliError::from)
    };
    pages.view.finish();
    read.map(|()| ExitCode::SUCCESS)
}

/// As the run itself was shown. A broken configuration must not hide what happened.
fn emoji(here: &Here) -> bool {
    Configuration::load(&here.directory, None, Mode::Goal, Layer::default(), Unlimited::Refused)
        .map_or(true, |configuration| configuration.resolved.emoji)
}

/// Until the run ends, its process is gone, or nobody reads.
fn follow(here: &Here, folder: &RunFolder, replay: &mut Replay, pages: &mut Pages) -> Result<(), CliError> {
    loop {
        // Asked first: what a run says last comes before it gives its directory back.
        let live = which::all_live(here)?.contains(folder.run());
        if replay.advance(&mut |told| pages.show(told))?.is_break() {
            return Ok(());
        }
        pages.view.flush();
        if replay.has_ended() || !live || is_abandoned(Stream::Stdout) {
            return Ok(());
        }
        thread::sleep(LOOK);
    }
}

/// Where a replay is shown.
struct Pages {
    view: Box<dyn View>,
    /// Tool calls as well.
    tools: bool,
    shown: usize,
}

impl Pages {
    fn show(&mut self, told: Told) -> ControlFlow<()> {
        let event = match told {
            Told::Fact(entry) => Event::Fact(entry),
            Told::Observation(place, observation) => {
                if !self.tools && is_about_tools(&observation) {
                    return ControlFlow::Continue(());
                }
                Event::Observation {
                    lane: place.lane,
                    call: place.call,
                    line: place.line,
                    at: place.at,
                    observation,
                }
            }
        };
        self.view.event(&event);
        self.shown += 1;
        if self.shown.is_multiple_of(ASK_AFTER) && (self.view.is_closed() || is_abandoned(Stream::Stdout)) {
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }
}

const fn is_about_tools(observation: &Observation) -> bool {
    matches!(observation, Observation::ToolUse { .. } | Observation::ToolResult { .. })
}
