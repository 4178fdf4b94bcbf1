//! The terminal as a run's audience.

use std::sync::Arc;

use windlass_core::agent::Detail;
use windlass_core::config::OutputLevel;
use windlass_core::fact::Entry;
use windlass_core::observation::Observation;
use windlass_engine::supervisor::{Audience, Place};
use windlass_ui::{
    Event, Glyphs, JsonView, Level, Output, Printer, Screen, ScreenHandle, Stream, Terminal, View, view,
};

use crate::error::{CliError, Kind};

/// Observations that may wait for a slow terminal.
const WAITING: usize = 4096;

/// How a run is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Show {
    /// How much.
    pub level: Level,
    /// As JSON, on standard output.
    pub json: bool,
    /// The richest marks that are wanted.
    pub glyphs: Glyphs,
}

impl Show {
    /// From the configuration.
    pub fn new(level: OutputLevel, emoji: bool, json: bool) -> Show {
        let level = match level {
            OutputLevel::Quiet => Level::Quiet,
            OutputLevel::Progress => Level::Progress,
            OutputLevel::Verbose => Level::Verbose,
        };
        Show { level, json, glyphs: if emoji { Glyphs::Emoji } else { Glyphs::Unicode } }
    }

    /// The view that shows it.
    pub fn view(self) -> Box<dyn View> {
        let printer = self.printer();
        if self.json { Box::new(JsonView::new(printer)) } else { view(self.level, printer) }
    }

    /// The same for a run that is replayed: everything goes to standard output, and nothing is redrawn.
    pub fn replayed(self) -> Box<dyn View> {
        let output = || {
            let terminal = Terminal::detect(Stream::Stdout, self.glyphs);
            Output::standard(Stream::Stdout, Terminal { interactive: false, ..terminal })
        };
        let printer = Printer::new(output(), output());
        if self.json { Box::new(JsonView::new(printer)) } else { view(self.level, printer) }
    }

    /// Standard output and standard error.
    pub fn printer(self) -> Printer {
        let output = |stream| Output::standard(stream, Terminal::detect(stream, self.glyphs));
        Printer::new(output(Stream::Stdout), output(Stream::Stderr))
    }
}

/// A run's audience: a screen on a thread of its own.
pub struct Screened {
    screen: ScreenHandle,
    detail: Detail,
}

impl Screened {
    /// Starts the screen.
    pub fn start(show: Show) -> Result<Arc<Screened>, CliError> {
        let screen = Screen::start(vec![show.view()], WAITING).map_err(|error| {
            CliError::new(Kind::System, format!("cannot start a thread for the terminal: {error}"))
        })?;
        let detail =
            if show.level == Level::Quiet && !show.json { Detail::Digests } else { Detail::Everything };
        Ok(Arc::new(Screened { screen, detail }))
    }

    /// Waits until all is shown, but not for a terminal that is stuck.
    pub fn finish(&self) {
        let _ = self.screen.finish();
    }
}

impl Audience for Screened {
    fn fact(&self, entry: &Entry) {
        self.screen.send(Event::from(entry.clone()));
    }

    fn observation(&self, place: Place, observation: Observation) {
        let Place { lane, call, line, at } = place;
        self.screen.send(Event::Observation { lane, call, line, at, observation });
    }

    fn detail(&self) -> Detail {
        self.detail
    }
}
