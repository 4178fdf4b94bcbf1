//! Errors only.

use windlass_core::fact::Fact;
use windlass_core::values::{Class, LaneId, Verdict};

use crate::board::Board;
use crate::error::error_line;
use crate::event::{Event, View};
use crate::harmless::one_line;
use crate::printer::Printer;
use crate::words;

/// Says nothing, unless an iteration fails or the run ends in an error.
pub struct QuietView {
    board: Board,
    printer: Printer,
}

impl QuietView {
    /// A view that prints there.
    pub fn new(printer: Printer) -> QuietView {
        QuietView { board: Board::default(), printer }
    }
}

impl QuietView {
    /// What the last call of the lane's iteration said, else what kind of failure it was.
    fn why(&self, lane: LaneId, class: Class) -> String {
        let call = self.board.lanes.get(&lane).and_then(|seen| seen.last_call.as_ref());
        let detail = call.map(|call| one_line(&call.detail)).unwrap_or_default();
        if detail.is_empty() { words::class(class).to_owned() } else { detail }
    }
}

impl View for QuietView {
    fn event(&mut self, event: &Event) {
        self.board.apply(event);
        let Event::Fact(entry) = event else { return };
        match &entry.fact {
            Fact::IterationFinished { lane, iteration, verdict: Verdict::Failed, class, .. } => {
                let why = self.why(*lane, *class);
                self.printer.note(&error_line(&format!("Iteration {iteration} failed: {why}")));
            }
            Fact::RunFinished { stop_reason, detail, .. } if stop_reason.is_error() => {
                let mut text = stop_reason.sentence().to_owned();
                if !detail.is_empty() {
                    text = format!("{text} {}", one_line(detail));
                }
                self.printer.note(&error_line(&text));
            }
            _ => {}
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
#[path = "quiet_tests.rs"]
mod tests;
