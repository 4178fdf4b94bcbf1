//! The view at a terminal: keys, signals and news come in by one channel; what is shown is drawn where it changed.
//!
//! Four threads: this one has the state and draws; one waits for keys; one for signals; one reads ([`reader`]). Nothing that has to be
//! read keeps a key waiting, and nothing that comes is drawn more often than ten times a second.

mod backend;
mod export;
mod fault;
mod open;
mod reader;
mod screen;

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use crossterm::event::{Event as Typed, MouseEventKind, read};
use jiff::Timestamp;
use signal_hook::consts::{SIGCONT, SIGHUP, SIGINT, SIGTERM, SIGTSTP, SIGWINCH};
use signal_hook::iterator::Signals;
use windlass_app::inspect::KnownRun;
use windlass_app::{App, AppError, Kind};
use windlass_core::values::RunId;
use windlass_ui::Terminal;

use crate::draw::draw;
use crate::keys;
use crate::look::Look;
use crate::state::{Effect, News, State, Wanted};
use reader::{Command, Reader};
use screen::Screen;

/// Between two frames that nobody asked for by a key. What comes after a pause, as the answer to a key does, is drawn at once.
const FRAME: Duration = Duration::from_millis(100);

/// How often clocks are drawn anew.
const SECOND: Duration = Duration::from_secs(1);

/// What is watched first.
#[derive(Clone, Debug)]
pub enum First {
    /// All runs of this machine.
    Night,
    /// This run.
    Run(KnownRun),
}

/// How a view was left.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Left {
    /// The run that was shown last, and whether it goes on.
    pub run: Option<(RunId, Activity)>,
    /// The directory that commands about it are typed for, as a shell takes it, where that is another one.
    pub elsewhere: Option<String>,
    /// The signal that ended the view; `None` where somebody left it.
    pub signal: Option<i32>,
}

/// How a run stood when the view was left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Activity {
    /// A process works on it.
    GoesOn,
    /// It does not go on, or is not known yet.
    Rests,
}

/// What happens to a view.
enum Happening {
    Typed(Typed),
    /// The keys are gone: the terminal was closed.
    Deaf,
    Signal(i32),
    News(News),
    /// Nothing is read any more.
    GaveUp,
}

/// Says that a thread has ended, however it did.
struct LastWords(Sender<Happening>);

impl Drop for LastWords {
    fn drop(&mut self) {
        // Nobody listens where the view was left.
        let _ = self.0.send(Happening::GaveUp);
    }
}

/// Shows it until somebody leaves. The terminal is afterwards what it was, whatever happens.
///
/// # Errors
/// The terminal cannot be drawn on, or what reads has given up.
pub fn watch(app: &App, first: &First, terminal: &Terminal) -> Result<Left, AppError> {
    let (sender, happenings) = channel();
    listen_for_signals(sender.clone())?;
    let (reader, commands) = Reader::new(app, terminal, first, sender.clone())?;
    let state = match first {
        First::Night => State::night(),
        First::Run(known) => State::of_run(open::place(known)),
    };
    let screen = Screen::enter()?;
    let last_words = LastWords(sender.clone());
    spawn("reader", move || {
        let _last_words = last_words;
        reader.read();
    })?;
    spawn("keys", move || listen_for_keys(&sender))?;
    let mut view = View { state, look: Look::of(terminal), screen, commands, told: None };
    view.run(&happenings)
}

fn spawn(name: &str, work: impl FnOnce() + Send + 'static) -> Result<(), AppError> {
    let spawned = thread::Builder::new().name(name.to_owned()).spawn(work);
    spawned.map(drop).map_err(|error| {
        AppError::new(Kind::System, format!("cannot start a thread for the view: {error}")).because(error)
    })
}

fn listen_for_signals(sender: Sender<Happening>) -> Result<(), AppError> {
    let mut signals =
        Signals::new([SIGINT, SIGTERM, SIGHUP, SIGTSTP, SIGCONT, SIGWINCH]).map_err(|error| {
            AppError::new(Kind::System, format!("cannot listen for signals: {error}")).because(error)
        })?;
    spawn("signals", move || {
        for signal in signals.forever() {
            if sender.send(Happening::Signal(signal)).is_err() {
                return;
            }
        }
    })
}

fn listen_for_keys(sender: &Sender<Happening>) {
    loop {
        let happening = read().map_or(Happening::Deaf, Happening::Typed);
        let is_deaf = matches!(happening, Happening::Deaf);
        if sender.send(happening).is_err() || is_deaf {
            return;
        }
    }
}

/// What becomes of a view after something happened.
enum Next {
    /// It is drawn at once.
    Draw,
    /// It is drawn when a frame is due.
    Wait,
    /// It is left; the signal that ended it.
    Leave(Option<i32>),
}

struct View {
    state: State,
    look: Look,
    screen: Screen,
    commands: Sender<Command>,
    /// What the reader was told to look at.
    told: Option<Wanted>,
}

impl View {
    fn run(&mut self, happenings: &Receiver<Happening>) -> Result<Left, AppError> {
        let mut due = Instant::now();
        // Has anything come since it was drawn, and when did that happen last?
        let (mut has_news, mut news_drawn) = (false, None::<Instant>);
        loop {
            self.tell_reader()?;
            let now = Instant::now();
            if due <= now {
                self.draw()?;
                let drawn = Instant::now();
                if std::mem::take(&mut has_news) {
                    news_drawn = Some(drawn);
                }
                due = drawn + SECOND;
                // What scrolls may need more since it was laid out.
                self.tell_reader()?;
            }
            let next = match happenings.recv_timeout(due.saturating_duration_since(Instant::now())) {
                Ok(happening) => self.take(happening)?,
                Err(RecvTimeoutError::Timeout) => Next::Draw,
                Err(RecvTimeoutError::Disconnected) => return Err(gave_up()),
            };
            match next {
                Next::Draw => due = now,
                Next::Wait => {
                    has_news = true;
                    due = due.min(news_drawn.map_or(now, |drawn| drawn + FRAME));
                }
                Next::Leave(signal) => return Ok(self.left(signal)),
            }
        }
    }

    fn draw(&mut self) -> Result<(), AppError> {
        fault::panic_in("view");
        let View { state, look, screen, .. } = self;
        let now = Timestamp::now();
        screen.draw(|frame| draw(state, now, look, frame))
    }

    /// The reader looks at what is shown.
    fn tell_reader(&mut self) -> Result<(), AppError> {
        let wanted = self.state.wanted();
        if self.told.as_ref() != Some(&wanted) {
            self.command(Command::Look(wanted.clone()))?;
            self.told = Some(wanted);
        }
        Ok(())
    }

    fn command(&self, command: Command) -> Result<(), AppError> {
        self.commands.send(command).map_err(|_| gave_up())
    }

    fn take(&mut self, happening: Happening) -> Result<Next, AppError> {
        match happening {
            Happening::News(news) => {
                self.state.take(news);
                Ok(Next::Wait)
            }
            Happening::Deaf => Ok(Next::Leave(Some(SIGHUP))),
            Happening::GaveUp => Err(gave_up()),
            Happening::Signal(SIGTSTP) => self.suspend(),
            Happening::Signal(SIGCONT) => {
                self.screen.forget()?;
                Ok(Next::Draw)
            }
            Happening::Signal(SIGWINCH) | Happening::Typed(Typed::Resize(..)) => Ok(Next::Wait),
            Happening::Signal(signal) => Ok(Next::Leave(Some(signal))),
            Happening::Typed(Typed::Key(key)) => match keys::action(key, self.state.keyboard()) {
                Some(action) => {
                    let effects = self.state.act(action);
                    self.carry_out(effects)
                }
                None => Ok(Next::Wait),
            },
            Happening::Typed(Typed::Mouse(mouse)) => {
                let lines = match mouse.kind {
                    MouseEventKind::ScrollUp => -3,
                    MouseEventKind::ScrollDown => 3,
                    _ => return Ok(Next::Wait),
                };
                let effects = self.state.wheel(lines);
                self.carry_out(effects)
            }
            Happening::Typed(_) => Ok(Next::Wait),
        }
    }

    fn carry_out(&mut self, effects: Vec<Effect>) -> Result<Next, AppError> {
        // Before anything is asked of what is shown, the reader knows what that is.
        self.tell_reader()?;
        for effect in effects {
            match effect {
                Effect::Leave => return Ok(Next::Leave(None)),
                Effect::Suspend => return self.suspend(),
                Effect::Redraw => self.screen.forget()?,
                Effect::Copy(text) => {
                    self.state.note = Some(Screen::copy(&text)?);
                }
                Effect::Mouse(wanted) => {
                    Screen::mouse(wanted)?;
                    let note = if wanted {
                        "the mouse scrolls; Shift selects text"
                    } else {
                        "the mouse is the terminal's"
                    };
                    self.state.note = Some(note.to_owned());
                }
                Effect::Stop(place, ending) => self.command(Command::Stop(place, ending))?,
                Effect::Read(ask) => self.command(Command::Read(ask))?,
                Effect::Export(topic) => self.command(Command::Export(topic))?,
                Effect::Find { needle, byte, direction } => {
                    self.command(Command::Find { needle, byte, direction })?;
                }
            }
        }
        Ok(Next::Draw)
    }

    fn suspend(&mut self) -> Result<Next, AppError> {
        Screen::lend()?;
        // Nothing else stops all of this process, and lets the shell know.
        let _ = signal_hook::low_level::emulate_default_handler(SIGTSTP);
        self.screen.take_back(self.state.mouse)?;
        Ok(Next::Draw)
    }

    fn left(&self, signal: Option<i32>) -> Left {
        let run = self.state.run.as_ref().map(|run| {
            let goes_on = run.now.as_ref().is_some_and(crate::state::RunNow::is_live);
            (run.place.run.clone(), if goes_on { Activity::GoesOn } else { Activity::Rests })
        });
        let now = self.state.run.as_ref().and_then(|run| run.now.as_ref());
        Left { run, elsewhere: now.and_then(|now| now.seen.elsewhere.clone()), signal }
    }
}

fn gave_up() -> AppError {
    AppError::new(Kind::System, "the view has ended by an error of its own; the run goes on")
        .hint("Say so, please, with what stands above")
}
