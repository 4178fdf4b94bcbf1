//! The terminal as a run's audience.

use std::sync::mpsc::Receiver;
use std::sync::{Arc, Mutex, PoisonError};

use windlass_agents::Detail;
use windlass_core::config::OutputLevel;
use windlass_core::fact::{Entry, Fact};
use windlass_core::observation::Observation;
use windlass_engine::supervisor::{Audience, Place};
use windlass_ui::{
    Event, Glyphs, JsonView, Level, Output, Printer, Screen, ScreenHandle, Stream, Terminal, View, view,
};

use super::run_log::RunLog;
use crate::error::{CliError, Kind};

/// Observations that may wait for a slow terminal.
const WAITING: usize = 2048;

/// How much of a run's own story is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Story {
    /// What its level says.
    Told,
    /// The same without its end: whoever started it says what it came to.
    Open,
    /// Nothing at all: whoever started it speaks alone.
    Untold,
}

/// Shows nothing.
struct Nothing;

impl View for Nothing {
    fn event(&mut self, _: &Event) {}
}

/// Shows all but how it ended.
struct Open(Box<dyn View>);

impl View for Open {
    fn event(&mut self, event: &Event) {
        let is_end = matches!(
            event,
            Event::Fact(entry) if matches!(entry.fact, Fact::RunFinished { .. } | Fact::IterationFinished { .. })
        );
        if !is_end {
            self.0.event(event);
        }
    }

    fn flush(&mut self) {
        self.0.flush();
    }

    fn finish(&mut self) {
        self.0.finish();
    }

    fn counts_time(&self) -> bool {
        self.0.counts_time()
    }

    fn is_closed(&self) -> bool {
        self.0.is_closed()
    }
}

/// How a run is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Show {
    /// Whether it is shown at all.
    pub story: Story,
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
        Show { story: Story::Told, level, json, glyphs: if emoji { Glyphs::Emoji } else { Glyphs::Unicode } }
    }

    /// Nothing is shown.
    pub fn nothing() -> Show {
        Show { story: Story::Untold, ..Show::new(OutputLevel::Quiet, false, false) }
    }

    /// The same without how it ended.
    pub const fn without_end(self) -> Show {
        Show { story: Story::Open, ..self }
    }

    /// The view that shows it.
    pub fn view(self) -> Box<dyn View> {
        let told = || {
            let printer = self.printer();
            if self.json { Box::new(JsonView::new(printer)) } else { view(self.level, printer) }
        };
        match self.story {
            Story::Told => told(),
            Story::Open => Box::new(Open(told())),
            Story::Untold => Box::new(Nothing),
        }
    }

    /// The same for a run that is replayed: everything goes to standard output, and nothing is redrawn.
    pub fn replayed(self) -> Box<dyn View> {
        let printer = self.replay_printer();
        if self.json { Box::new(JsonView::new(printer)) } else { view(self.level, printer) }
    }

    /// Standard output, on which nothing is redrawn.
    pub fn replay_printer(self) -> Printer {
        let output = || {
            let terminal = Terminal::detect(Stream::Stdout, self.glyphs);
            Output::standard(Stream::Stdout, Terminal { interactive: false, ..terminal })
        };
        Printer::new(output(), output())
    }

    /// Standard output and standard error.
    pub fn printer(self) -> Printer {
        let output = |stream| Output::standard(stream, Terminal::detect(stream, self.glyphs));
        Printer::new(output(Stream::Stdout), output(Stream::Stderr))
    }
}

/// A run's audience: a screen on a thread of its own, and the run's log on another one, which no terminal holds up.
pub struct Screened {
    screens: Vec<ScreenHandle>,
    detail: Detail,
    trouble: Option<Mutex<Receiver<String>>>,
}

impl Screened {
    /// Starts the screen, and the log where there is one. What happened in earlier sessions is known to both.
    pub fn start(show: Show, log: Option<RunLog>, past: &[Entry]) -> Result<Arc<Screened>, CliError> {
        let quiet = show.level == Level::Quiet && !show.json && log.is_none();
        let mut screens = vec![start(show.view(), past)?];
        let mut trouble = None;
        if let Some(RunLog { view, trouble: told }) = log {
            screens.push(start(view, past)?);
            trouble = Some(Mutex::new(told));
        }
        let detail = if quiet { Detail::Digests } else { Detail::Everything };
        Ok(Arc::new(Screened { screens, detail, trouble }))
    }

    /// Waits until all is shown and written, but not for a terminal that is stuck. What went wrong since the run ended
    /// is said.
    pub fn finish(&self) {
        for screen in &self.screens {
            let _ = screen.finish();
        }
        while let Some(trouble) = self.trouble() {
            super::warn(&trouble);
        }
    }

    fn send(&self, event: Event) {
        if let Some((first, others)) = self.screens.split_first() {
            for screen in others {
                screen.send(event.clone());
            }
            first.send(event);
        }
    }
}

fn start(view: Box<dyn View>, past: &[Entry]) -> Result<ScreenHandle, CliError> {
    let screen = Screen::start(vec![view], WAITING).map_err(|error| {
        CliError::new(Kind::System, format!("cannot start a thread for the terminal: {error}"))
    })?;
    for entry in past {
        screen.send(Event::Past(Box::new(entry.clone())));
    }
    Ok(screen)
}

impl Audience for Screened {
    fn fact(&self, entry: &Entry) {
        self.send(Event::from(entry.clone()));
    }

    fn observation(&self, place: Place, observation: Observation) {
        let Place { lane, call, line, at } = place;
        self.send(Event::Observation { lane, call, line, at, observation });
    }

    fn trouble(&self) -> Option<String> {
        let told = self.trouble.as_ref()?.lock().unwrap_or_else(PoisonError::into_inner);
        told.try_recv().ok()
    }

    fn detail(&self) -> Detail {
        self.detail
    }
}
