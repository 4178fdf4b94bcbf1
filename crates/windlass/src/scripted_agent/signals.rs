//! Signals: ignored, answered with an exit code, or died of.

use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use rustix::process::{self, getpid, kill_process};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::flag;

use super::steps::{Death, Signal, Trap};

/// From now on these signals do nothing. (Unlike a shell's `trap ''` this does not pass to commands it starts.)
pub fn ignore(signals: &[Signal]) -> io::Result<()> {
    for signal in signals {
        flag::register(number(*signal), Arc::new(AtomicBool::new(false)))?;
    }
    Ok(())
}

/// From now on this signal ends the process with an exit code.
pub fn trap(trap: Trap) -> io::Result<()> {
    let always = Arc::new(AtomicBool::new(true));
    flag::register_conditional_shutdown(number(trap.signal), i32::from(trap.exit), always)?;
    Ok(())
}

/// Ends this process by a signal, unless it ignores it.
pub fn die(by: Death) -> io::Result<()> {
    let signal = match by {
        Death::Hup => process::Signal::HUP,
        Death::Int => process::Signal::INT,
        Death::Term => process::Signal::TERM,
        Death::Kill => process::Signal::KILL,
    };
    Ok(kill_process(getpid(), signal)?)
}

const fn number(signal: Signal) -> i32 {
    match signal {
        Signal::Hup => SIGHUP,
        Signal::Int => SIGINT,
        Signal::Term => SIGTERM,
    }
}
