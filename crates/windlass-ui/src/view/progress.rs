//! What runs, how it goes, how it ended: lines that stay, and those that live.

use windlass_core::fact::Fact;

use crate::board::Board;
use crate::event::{Event, View};
use crate::narrate;
use crate::printer::Printer;

/// The default view.
pub struct ProgressView {
    board: Board,
    printer: Printer,
    title: String,
}

impl ProgressView {
    /// A view that prints there.
    pub fn new(printer: Printer) -> ProgressView {
        ProgressView { board: Board::default(), printer, title: String::new() }
    }

    fn redraw(&mut self) {
        let terminal = self.printer.notes_terminal();
        if !terminal.interactive {
            return;
        }
        let lines = narrate::living(&self.board, terminal);
        if !lines.is_empty() {
            self.printer.living(&lines);
            let title = narrate::title(&self.board);
            if title != self.title {
                self.printer.title(&title);
                self.title = title;
            }
        }
    }
}

/// Prints what one event adds to the lines that stay; says whether that is anything.
pub(super) fn tell(board: &Board, event: &Event, printer: &mut Printer) -> bool {
    let Event::Fact(entry) = event else { return false };
    let zone = printer.notes_terminal().zone.clone();
    let lines = narrate::lines(board, entry, &zone);
    for line in &lines {
        printer.note(line);
    }
    if let Fact::RunFinished { .. } = entry.fact {
        for line in narrate::summary(board) {
            printer.result(&line);
        }
    }
    !lines.is_empty()
}

impl View for ProgressView {
    fn event(&mut self, event: &Event) {
        self.board.apply(event);
        tell(&self.board, event, &mut self.printer);
        if matches!(event, Event::Fact(_) | Event::Tick { .. }) {
            self.redraw();
        }
    }

    fn flush(&mut self) {
        self.printer.flush();
    }

    fn finish(&mut self) {
        self.printer.finish();
    }

    fn counts_time(&self) -> bool {
        self.printer.notes_terminal().interactive && !self.printer.is_closed()
    }

    fn is_closed(&self) -> bool {
        self.printer.is_closed()
    }
}

#[cfg(test)]
#[path = "progress_tests.rs"]
mod tests;
