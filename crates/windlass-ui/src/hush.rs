//! A terminal that does not show what is typed, while something else is drawn there.

use std::io::IsTerminal as _;
use std::sync::{Mutex, PoisonError};

use rustix::process::getpgrp;
use rustix::termios::{LocalModes, OptionalActions, tcgetattr, tcgetpgrp, tcsetattr};

/// Keys typed at the terminal of standard error are not shown there, until this is lifted or dropped. Signals of keys (Ctrl-C,
/// Ctrl-Z) stay what they are.
#[derive(Debug, Default)]
pub struct Hush {
    state: Mutex<State>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    /// Nothing was changed.
    #[default]
    Untouched,
    /// Keys were shown, and are not now.
    Hushed,
    /// It is over.
    Lifted,
}

impl Hush {
    /// Hushes the terminal, where there is one, where it is ours, and where it showed what is typed. After a stop (Ctrl-Z) the
    /// shell has made its modes its own again: then once more.
    pub fn hush(&self) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if *state != State::Lifted && is_ours() && show_keys(Keys::Hidden) {
            *state = State::Hushed;
        }
    }

    /// Shows what is typed again, where it was shown before. Nothing hushes it any more.
    pub fn lift(&self) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        // From the background it would stop us; the shell has its own modes there.
        if *state == State::Hushed && is_ours() {
            show_keys(Keys::Shown);
        }
        *state = State::Lifted;
    }
}

impl Drop for Hush {
    fn drop(&mut self) {
        self.lift();
    }
}

/// What becomes of keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Keys {
    Shown,
    Hidden,
}

/// Are we in the foreground of the terminal?
fn is_ours() -> bool {
    let terminal = std::io::stderr();
    terminal.is_terminal() && tcgetpgrp(&terminal).is_ok_and(|group| group == getpgrp())
}

/// Says whether that changed anything.
fn show_keys(keys: Keys) -> bool {
    let terminal = std::io::stderr();
    let Ok(mut modes) = tcgetattr(&terminal) else { return false };
    let wanted = keys == Keys::Shown;
    if modes.local_modes.contains(LocalModes::ECHO) == wanted {
        return false;
    }
    modes.local_modes.set(LocalModes::ECHO, wanted);
    // Nothing is waited for: output may be held by Ctrl-S.
    tcsetattr(&terminal, OptionalActions::Now, &modes).is_ok()
}
