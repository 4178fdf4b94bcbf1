//! Signals: a person who wants the run to end, a terminal that is gone, Ctrl-Z.

use std::time::Instant;

use windlass_core::run::Input;
use windlass_core::values::StopSource;
use windlass_host::process::signals::{self, Signal};
use windlass_host::process::{CommandSignal, signal_commands};

use super::Supervisor;
use crate::executor::EngineError;

impl Supervisor {
    pub(super) fn signal(&mut self, signal: Signal) -> Result<(), EngineError> {
        self.react_to(signal)?;
        // From the second stage on nothing is waited for that does not end by itself.
        self.told_to_end = Some(Instant::now());
        match self.run.stop().map(|stop| stop.stage) {
            Some(2) => signal_commands(CommandSignal::TERM),
            Some(3..) => signal_commands(CommandSignal::KILL),
            _ => {}
        }
        Ok(())
    }

    fn react_to(&mut self, signal: Signal) -> Result<(), EngineError> {
        self.asked = self.asked.or(match signal {
            Signal::Interrupt => Some(StopSource::Interrupt),
            Signal::Terminate => Some(StopSource::Terminate),
            _ => None,
        });
        if self.run.is_ending() && matches!(signal, Signal::Interrupt | Signal::Terminate) {
            // First the hook of the end, then those who are still told of it.
            return if self.executor.cut_hooks()? { Ok(()) } else { self.stop_announcing() };
        }
        match signal {
            Signal::Interrupt => {
                let least = if self.terminal { 1 } else { 2 };
                self.take(Input::Stop { by: StopSource::Interrupt, least })
            }
            Signal::Terminate => self.take(Input::Stop { by: StopSource::Terminate, least: 2 }),
            Signal::HangUp => {
                self.terminal = false;
                self.take(Input::notice("the terminal is gone; the run goes on without it"))
            }
            Signal::Suspend => self.suspend(),
            Signal::Resumed | Signal::WindowChanged => Ok(()),
        }
    }

    /// Ctrl-Z: everything stops, clocks too, until the run is continued.
    fn suspend(&mut self) -> Result<(), EngineError> {
        self.executor.pause()?;
        let stopped = Instant::now();
        signals::suspend_self()?;
        self.clock.was_stopped(stopped.elapsed());
        self.executor.resume()
    }
}
