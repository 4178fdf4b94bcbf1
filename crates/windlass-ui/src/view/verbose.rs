//! Every word and every tool call of the agent, between the lines of the progress view.

use windlass_core::fact::Fact;
use windlass_core::mode;

use super::progress::tell;
use crate::board::Board;
use crate::event::{Event, View};
use crate::format;
use crate::line::Line;
use crate::printer::Printer;
use crate::tool::Narrator;

/// The view with everything in it.
pub struct VerboseView {
    board: Board,
    narrator: Narrator,
    printer: Printer,
}

impl VerboseView {
    /// A view that prints there.
    #[must_use]
    pub fn new(printer: Printer) -> VerboseView {
        VerboseView { board: Board::default(), narrator: Narrator::default(), printer }
    }

    /// What only this view says of a fact.
    fn fact(&mut self, fact: &Fact) {
        match fact {
            Fact::RunStarted { plan } | Fact::RunResumed { plan } => {
                self.narrator.set_directory(&plan.directory);
            }
            Fact::IterationStarted { iteration, .. } => {
                self.printer.note(&Line::new());
                let mode = self.board.plan.as_ref().map(|plan| plan.job.mode);
                // In a workspace the lines that follow say it.
                if !mode.is_some_and(mode::reads_file) {
                    self.printer.note(&Line::new().strong(format!("  iteration {iteration}")));
                }
            }
            Fact::CallFinished { .. } => self.narrator.forget(),
            _ => {}
        }
    }
}

impl View for VerboseView {
    fn event(&mut self, event: &Event) {
        self.board.apply(event);
        match event {
            Event::Fact(entry) => {
                self.fact(&entry.fact);
                tell(&self.board, event, &mut self.printer);
            }
            Event::Observation { at, observation, .. } => {
                let zone = self.printer.notes_terminal().zone.clone();
                for line in self.narrator.lines(observation, *at, &zone) {
                    self.printer.note(&line);
                }
            }
            Event::Dropped { count } => {
                let steps = format::count(*count, "step");
                let text =
                    format!("    … {steps} not shown, the terminal was too slow; `windlass logs` has them");
                self.printer.note(&Line::new().dim(text));
            }
            Event::Past(_) | Event::Tick { .. } => {}
        }
    }

    fn flush(&mut self) {
        self.printer.flush();
    }

    fn finish(&mut self) {
        self.printer.finish();
    }

    fn is_closed(&self) -> bool {
        self.printer.is_closed()
    }
}

#[cfg(test)]
#[path = "verbose_tests.rs"]
mod tests;
