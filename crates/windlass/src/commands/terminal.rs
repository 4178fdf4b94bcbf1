//! The terminal as the front end: it is told, it asks, and it watches.

use std::io::{self, IsTerminal as _, Write as _};
use std::sync::{Arc, OnceLock};

use windlass_agents::Detail;
use windlass_app::{AppError, Audience, Borrower, FrontEnd, Kind, Place, Question, Reply, Watched, Watcher};
use windlass_core::config::OutputLevel;
use windlass_core::fact::{Entry, Fact};
use windlass_core::observation::Observation;
use windlass_core::trust::Starter;
use windlass_core::values::{Ended, RunId};
use windlass_ui::{
    Event, Glyphs, Hush, JsonView, Line, Output, Printer, RunState, Screen, ScreenHandle, Stream, Terminal,
    View, lost_results, one_line, startable_lines, terminal_reset, view,
};

use super::{print, print_lines, question, warn};

/// Observations that may wait for a slow terminal.
const WAITING: usize = 2048;

/// Is there a person whom an agent can speak with?
pub fn has_terminal() -> bool {
    io::stdin().is_terminal() && io::stdout().is_terminal()
}

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

/// Shows on a terminal on which nothing that is typed is in the way.
struct Hushed(Box<dyn View>, Arc<Hush>);

impl View for Hushed {
    fn event(&mut self, event: &Event) {
        self.0.event(event);
    }

    fn flush(&mut self) {
        self.1.hush();
        self.0.flush();
    }

    fn finish(&mut self) {
        self.0.finish();
        self.1.lift();
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
    pub level: OutputLevel,
    /// As JSON, on standard output.
    pub json: bool,
    /// The richest marks that are wanted.
    pub glyphs: Glyphs,
}

impl Show {
    /// From the configuration.
    pub fn new(level: OutputLevel, emoji: bool, json: bool) -> Show {
        Show { story: Story::Told, level, json, glyphs: if emoji { Glyphs::Emoji } else { Glyphs::Unicode } }
    }

    /// The same with so much of its own story.
    const fn with_story(self, story: Story) -> Show {
        Show { story, ..self }
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

/// The terminal that a verb was typed at.
#[derive(Debug)]
pub struct TerminalFront {
    /// Runs are told as JSON.
    json: bool,
    story: Story,
    /// Instead of what is configured.
    level: Option<OutputLevel>,
    /// How the last run was shown.
    shown: OnceLock<Show>,
}

impl TerminalFront {
    /// Runs are shown as configured, or as JSON.
    pub fn new(json: bool) -> TerminalFront {
        TerminalFront { json, story: Story::Told, level: None, shown: OnceLock::new() }
    }

    /// So much of a run's own story, at this level.
    pub fn telling(story: Story, level: OutputLevel) -> TerminalFront {
        TerminalFront { story, level: Some(level), ..TerminalFront::new(false) }
    }

    /// Does whoever watched a run read sentences about it?
    pub fn reads_sentences(&self) -> bool {
        self.shown.get().is_some_and(|show| !show.json && show.level != OutputLevel::Quiet)
    }

    /// A run of the same job could go on.
    fn ask_to_go_on(&self, run: &RunId, state: RunState) -> Result<Reply, AppError> {
        if self.json || !has_terminal() {
            return Ok(Reply::No);
        }
        warn(&format!("there is an unfinished run of this job here: {run} ({})", state.name()));
        question::ask("Go on with it? (No: start anew with --fresh)", &format!("windlass resume {run}"))
    }
}

impl FrontEnd for TerminalFront {
    fn notice(&self, sentence: &str) {
        warn(sentence);
    }

    fn has_person(&self) -> bool {
        question::has_person()
    }

    fn ask(&self, question: &Question<'_>) -> Result<Reply, AppError> {
        match question {
            Question::GoOn { run, state } => self.ask_to_go_on(run, *state),
            Question::Confirm { question, command } => question::ask(question, command),
            Question::Trust { starter, items, all, trusted } => {
                say(&[Line::new().plain(headline(starter))])?;
                say(&startable_lines(items, all, trusted))?;
                answer(starter)
            }
        }
    }

    fn secret(&self) -> Result<String, AppError> {
        question::secret()
    }

    fn has_terminal(&self) -> bool {
        has_terminal()
    }

    fn lend_terminal(&self, to: &Borrower<'_>) -> Result<(), AppError> {
        let Borrower { agent, verb, about } = to;
        let agent = match agent.version.as_str() {
            "" => agent.name.clone(),
            version => format!("{} {version}", agent.name),
        };
        print_lines(&[Line::hanging(2)
            .strong(one_line(&format!("{verb} {about}")))
            .dim(format!(" · the terminal is {agent}'s until you leave it"))])
    }

    fn take_terminal_back(&self, ended: Ended) -> Result<(), AppError> {
        if matches!(ended, Ended::Signalled(_)) { print(terminal_reset()) } else { Ok(()) }
    }

    fn stops_by_steps(&self) -> bool {
        io::stdin().is_terminal() || io::stderr().is_terminal()
    }

    fn watch(&self, watched: &Watched<'_>) -> Result<Arc<dyn Watcher>, AppError> {
        let show =
            Show::new(self.level.unwrap_or(watched.level), watched.emoji, self.json).with_story(self.story);
        let _ = self.shown.set(show);
        Ok(Arc::new(Screened::start(show, watched.past)?))
    }
}

fn headline(starter: &Starter) -> &'static str {
    match starter {
        Starter::Windlass => "This repository's .windlass folder would have windlass start:",
        Starter::Agent(_) => "This repository's settings would have the agent start:",
    }
}

fn answer(starter: &Starter) -> Result<Reply, AppError> {
    let question = match starter {
        Starter::Windlass => "Trust it? [y/N] ",
        Starter::Agent(_) => "Trust it? [y]es, [w]ithout it, [N]o ",
    };
    Ok(match question::typed(question)?.as_str() {
        "y" | "yes" => Reply::Yes,
        "w" | "without" => Reply::Without,
        _ => Reply::No,
    })
}

/// On standard error: standard output may be a program's.
fn say(lines: &[Line]) -> Result<(), AppError> {
    let terminal = Terminal::detect(Stream::Stderr, Glyphs::Unicode);
    let text: Vec<String> = lines.iter().map(|line| format!("{}\n", line.render(&terminal))).collect();
    io::stderr().write_all(text.concat().as_bytes()).map_err(question::unreadable)
}

/// A screen on a thread of its own.
struct Screened {
    screen: ScreenHandle,
    detail: Detail,
    hush: Arc<Hush>,
    /// The flag with which `windlass logs` tells the same.
    again: &'static str,
}

impl Screened {
    /// Starts the screen. What happened in earlier sessions is known to it.
    fn start(show: Show, past: &[Entry]) -> Result<Screened, AppError> {
        let quiet = show.level == OutputLevel::Quiet && !show.json;
        let hush = Arc::new(Hush::default());
        let view = show.view();
        let is_drawn =
            show.story != Story::Untold && !show.json && show.printer().notes_terminal().interactive;
        let view = if is_drawn { Box::new(Hushed(view, Arc::clone(&hush))) } else { view };
        let screen = Screen::start(vec![view], WAITING).map_err(|error| {
            AppError::new(Kind::System, format!("cannot start a thread for the terminal: {error}"))
                .because(error)
        })?;
        for entry in past {
            screen.send(Event::Past(Box::new(entry.clone())));
        }
        let again = if show.json { " --json" } else { "" };
        Ok(Screened { screen, hush, again, detail: if quiet { Detail::Digests } else { Detail::Everything } })
    }
}

impl Audience for Screened {
    fn fact(&self, entry: &Entry) {
        self.screen.send(Event::from(entry.clone()));
    }

    fn observation(&self, place: Place, observation: Observation) {
        self.screen.send((place, observation).into());
    }

    fn detail(&self) -> Detail {
        self.detail
    }
}

impl Watcher for Screened {
    fn finish(&self) {
        let _ = self.screen.finish();
        // A screen that is stuck is left behind; the terminal is the person's again.
        self.hush.lift();
        if let Some(error) = lost_results() {
            warn(&format!(
                "standard output took no more ({error}); to see it again: windlass logs{}",
                self.again
            ));
        }
    }
}

impl Drop for Screened {
    fn drop(&mut self) {
        self.hush.lift();
    }
}
