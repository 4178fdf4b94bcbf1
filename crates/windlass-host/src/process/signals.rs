//! Signals to the runner, as a stream of meanings.
//!
//! SIGPIPE needs nothing: Rust ignores it from the start. SIGTTOU and SIGTTIN keep their default, which stops the
//! process until it is in the foreground again and never ends it; a handler would be worse, because the kernel then
//! repeats the forbidden call for ever.

use std::sync::Arc;

use signal_hook::consts::{SIGCONT, SIGHUP, SIGINT, SIGSTOP, SIGTERM, SIGTSTP, SIGWINCH, SIGXFSZ};
use signal_hook::iterator::{Handle, Signals};

use super::{ProcessError, start_thread};

/// What somebody wants of the runner.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Signal {
    /// Ctrl-C: SIGINT.
    Interrupt,
    /// SIGTERM.
    Terminate,
    /// The terminal is gone: SIGHUP. The process goes on.
    HangUp,
    /// Ctrl-Z: SIGTSTP. The process goes on until it calls [`suspend_self`].
    Suspend,
    /// It goes on after having been stopped: SIGCONT.
    Resumed,
    /// The terminal has another size: SIGWINCH.
    WindowChanged,
}

/// A thread that waits for signals. Dropping it ends the thread; the signals are then ignored.
#[derive(Debug)]
pub struct SignalWatch(Handle);

/// A file that may not become larger (`ulimit -f`) is an error from now on, where it would end this process. It is heard and not
/// ignored, since programs that are started inherit only what is ignored.
pub fn survive_full_files() {
    // Where it cannot be heard all is as it was.
    let _ = signal_hook::flag::register(SIGXFSZ, Arc::default());
}

/// Calls `on_signal` for each signal, in a thread of its own. Equal signals in quick succession can come as one, and
/// their order against others is not kept, as with signals in general.
pub fn watch(on_signal: impl Fn(Signal) + Send + 'static) -> Result<SignalWatch, ProcessError> {
    let mut signals = Signals::new([SIGINT, SIGTERM, SIGHUP, SIGTSTP, SIGCONT, SIGWINCH])
        .map_err(ProcessError::system("watch for signals"))?;
    let handle = signals.handle();
    let hear = move || signals.forever().filter_map(meaning).for_each(on_signal);
    start_thread("signals", "start a thread for signals", hear)?;
    Ok(SignalWatch(handle))
}

/// Stops this process, all its threads, until somebody sends SIGCONT; returns then.
pub fn suspend_self() -> Result<(), ProcessError> {
    // Raised in the calling thread, so that it does not run on for a moment while another thread takes the signal.
    signal_hook::low_level::raise(SIGSTOP).map_err(ProcessError::system("stop this process"))
}

const fn meaning(signal: i32) -> Option<Signal> {
    match signal {
        SIGINT => Some(Signal::Interrupt),
        SIGTERM => Some(Signal::Terminate),
        SIGHUP => Some(Signal::HangUp),
        SIGTSTP => Some(Signal::Suspend),
        SIGCONT => Some(Signal::Resumed),
        SIGWINCH => Some(Signal::WindowChanged),
        _ => None,
    }
}

impl Drop for SignalWatch {
    fn drop(&mut self) {
        self.0.close();
    }
}
