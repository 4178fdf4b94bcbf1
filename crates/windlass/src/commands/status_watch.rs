//! `status --watch`: one run, looked at again and again until it is over.

use std::io::IsTerminal as _;
use std::process::ExitCode;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use signal_hook::consts::{SIGCONT, SIGHUP, SIGINT, SIGTERM, SIGTSTP, SIGWINCH};
use signal_hook::iterator::Signals;
use windlass_app::inspect::Status;
use windlass_app::{App, AppError, Kind};
use windlass_ui::{
    Hush, Page, RunState, RunStatus, Size, Stream, Terminal, is_abandoned, measure, status_json, status_text,
};

use super::{app, print, print_bytes, stdout};
use crate::args::StatusArgs;

/// How often the run is looked at.
const LOOK: Duration = Duration::from_secs(1);

/// The window of a terminal that does not tell.
const USUAL_SIZE: Size = Size { columns: 80, rows: 24 };

/// Shows it until it is over: in its place at a terminal, elsewhere once more whenever something changed.
pub fn run(args: &StatusArgs) -> Result<ExitCode, AppError> {
    let app = app()?;
    let first = look(&app, args.run.as_deref())?;
    let name = first.run.as_ref().map(ToString::to_string);
    let watched = Watched { app, name, json: args.json };
    if args.json || !std::io::stdout().is_terminal() || !stdout().interactive {
        watched.print_changes(first)
    } else {
        watched.redraw(first)
    }
}

fn look(app: &App, run: Option<&str>) -> Result<Box<RunStatus>, AppError> {
    match app.status(run, Timestamp::now())? {
        Status::Run(status) => Ok(status),
        Status::Tasks(_) => Err(AppError::usage("there has been no run here yet, so there is none to watch")
            .hint("How the tasks stand: windlass status")),
    }
}

/// What somebody wants of whoever watches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wanted {
    /// The end, with this exit code.
    End(u8),
    /// A pause: Ctrl-Z.
    Pause,
    /// The window is another one.
    Draw,
}

struct Watched {
    app: App,
    name: Option<String>,
    json: bool,
}

impl Watched {
    fn look(&self) -> Result<Box<RunStatus>, AppError> {
        look(&self.app, self.name.as_deref())
    }

    /// Into a file or a pipe.
    fn print_changes(&self, first: Box<RunStatus>) -> Result<ExitCode, AppError> {
        let mut status = first;
        loop {
            if self.json {
                print_bytes(&status_json(&status))?;
            } else {
                print(&status_text(&status, Timestamp::now(), &stdout()))?;
            }
            let shown = (status.updated, status.state);
            loop {
                if status.state != RunState::Running || is_abandoned(Stream::Stdout) {
                    return Ok(ExitCode::SUCCESS);
                }
                thread::sleep(LOOK);
                status = self.look()?;
                if (status.updated, status.state) != shown {
                    break;
                }
            }
            if !self.json {
                print("\n")?;
            }
        }
    }

    /// At a terminal.
    fn redraw(&self, first: Box<RunStatus>) -> Result<ExitCode, AppError> {
        let mut status = first;
        if status.state == RunState::Running {
            let wishes = wishes()?;
            let screen = OtherScreen::enter()?;
            let ended = self.until_over(&mut status, &wishes);
            drop(screen);
            if let Some(code) = ended? {
                return Ok(ExitCode::from(code));
            }
        }
        print(&status_text(&status, Timestamp::now(), &stdout()))?;
        Ok(ExitCode::SUCCESS)
    }

    /// Draws until the run is over, or somebody wants the end: its exit code.
    fn until_over(
        &self,
        status: &mut Box<RunStatus>,
        wishes: &Receiver<Wanted>,
    ) -> Result<Option<u8>, AppError> {
        let mut page = Page::default();
        let mut next = Instant::now() + LOOK;
        while status.state == RunState::Running {
            draw(&mut page, status)?;
            if is_abandoned(Stream::Stdout) {
                return Ok(Some(0));
            }
            match wishes.recv_timeout(next.saturating_duration_since(Instant::now())) {
                Ok(Wanted::End(code)) => return Ok(Some(code)),
                Ok(Wanted::Pause) => {
                    print(Page::LEAVE)?;
                    // Nothing else stops all of this process, and lets the shell know.
                    let _ = signal_hook::low_level::emulate_default_handler(SIGTSTP);
                    print(Page::ENTER)?;
                    page.forget();
                }
                Ok(Wanted::Draw) => {}
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
                    next = Instant::now() + LOOK;
                    *status = self.look()?;
                }
            }
        }
        Ok(None)
    }
}

fn draw(page: &mut Page, status: &RunStatus) -> Result<(), AppError> {
    let size = measure(Stream::Stdout).unwrap_or(USUAL_SIZE);
    let terminal = Terminal { width: Some(size.columns), height: Some(size.rows), ..stdout() };
    let text = status_text(status, Timestamp::now(), &terminal);
    let drawn = page.drawn(&text, "Ctrl-C ends the watching, not the run", size);
    drawn.map_or(Ok(()), |bytes| print(&bytes))
}

/// Signals, as what they mean to whoever watches.
fn wishes() -> Result<Receiver<Wanted>, AppError> {
    let failed = |error: std::io::Error| {
        AppError::new(Kind::System, format!("cannot watch for signals: {error}")).because(error)
    };
    let mut signals = Signals::new([SIGINT, SIGTERM, SIGHUP, SIGTSTP, SIGCONT, SIGWINCH]).map_err(failed)?;
    let (sender, wishes) = channel();
    let pass_on = move || {
        for signal in signals.forever() {
            let wanted = match signal {
                SIGINT => Wanted::End(130),
                SIGTERM => Wanted::End(143),
                SIGHUP => Wanted::End(129),
                SIGTSTP => Wanted::Pause,
                _ => Wanted::Draw,
            };
            if sender.send(wanted).is_err() {
                return;
            }
        }
    };
    thread::Builder::new().name("signals".to_owned()).spawn(pass_on).map_err(failed)?;
    Ok(wishes)
}

/// A screen of its own; left however the watching ends.
struct OtherScreen {
    hush: Hush,
}

impl OtherScreen {
    fn enter() -> Result<OtherScreen, AppError> {
        let hush = Hush::default();
        hush.hush();
        print(Page::ENTER)?;
        Ok(OtherScreen { hush })
    }
}

impl Drop for OtherScreen {
    fn drop(&mut self) {
        // A terminal that is gone needs nothing.
        let _ = print(Page::LEAVE);
        self.hush.lift();
    }
}
