//! The terminal while it is the view's, and given back whatever happens.

use std::io::{self, Write as _, stdout};
use std::panic;
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use crossterm::event::{DisableMouseCapture, EnableMouseCapture};
use crossterm::execute;
use crossterm::terminal::{EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode};
use ratatui::{Frame, Terminal};
use windlass_app::{AppError, Kind};
use windlass_ui::format;

use super::backend::Mute;

/// More than so many bytes no terminal takes at once.
const COPIED: usize = 64 * 1024;

/// The terminal is the view's: what a panic has to undo.
static TAKEN: AtomicBool = AtomicBool::new(false);

/// A screen of its own; left when this is dropped.
pub struct Screen {
    terminal: Terminal<Mute>,
}

fn failed(error: io::Error) -> AppError {
    AppError::new(Kind::System, format!("cannot draw on the terminal: {error}")).because(error)
}

impl Screen {
    /// Takes the terminal: keys come as they are pressed, and the ordinary screen stays below as it is.
    pub fn enter() -> Result<Screen, AppError> {
        give_back_at_a_panic();
        let terminal = Terminal::new(Mute::new()).map_err(failed)?;
        let mut screen = Screen { terminal };
        screen.take_back(false)?;
        Ok(screen)
    }

    /// Draws what has changed since the last time.
    pub fn draw(&mut self, draw: impl FnOnce(&mut Frame<'_>)) -> Result<(), AppError> {
        self.terminal.draw(draw).map(drop).map_err(failed)
    }

    /// What is on the terminal is not known any more: all is drawn anew.
    pub fn forget(&mut self) -> Result<(), AppError> {
        self.terminal.clear().map_err(failed)
    }

    /// Gives the terminal back for a while.
    pub fn lend() -> Result<(), AppError> {
        give_back().map_err(failed)
    }

    /// Takes it again.
    pub fn take_back(&mut self, mouse: bool) -> Result<(), AppError> {
        TAKEN.store(true, Ordering::SeqCst);
        enable_raw_mode().map_err(failed)?;
        execute!(stdout(), EnterAlternateScreen).map_err(failed)?;
        Screen::mouse(mouse)?;
        self.terminal.hide_cursor().map_err(failed)?;
        self.forget()
    }

    /// The mouse is the view's, or the terminal's.
    pub fn mouse(wanted: bool) -> Result<(), AppError> {
        let mut out = stdout();
        if wanted { execute!(out, EnableMouseCapture) } else { execute!(out, DisableMouseCapture) }
            .map_err(failed)
    }

    /// Gives a text to the terminal's clipboard, as OSC 52 says, and what there is to say of that.
    pub fn copy(text: &str) -> Result<String, AppError> {
        if text.len() > COPIED {
            return Ok(format!(
                "{} are too much to copy: e writes to a file",
                format::bytes(text.len() as u64)
            ));
        }
        let mut out = stdout();
        write!(out, "\x1b]52;c;{}\x07", STANDARD.encode(text)).and_then(|()| out.flush()).map_err(failed)?;
        Ok(format!("copied, if the terminal lets programs copy: {}", windlass_ui::one_line(text)))
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        // A terminal that is gone needs nothing.
        let _ = give_back();
    }
}

/// The ordinary screen, the mouse, the keys and the cursor: all of it, even where a part fails.
fn give_back() -> io::Result<()> {
    if !TAKEN.swap(false, Ordering::SeqCst) {
        return Ok(());
    }
    let mut out = stdout();
    let shown = execute!(out, DisableMouseCapture, LeaveAlternateScreen, crossterm::cursor::Show);
    disable_raw_mode().and(shown)
}

/// What a panic says is read on the ordinary screen.
fn give_back_at_a_panic() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |about| {
            let _ = give_back();
            before(about);
        }));
    });
}
