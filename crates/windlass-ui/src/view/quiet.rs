//! Errors only.

use windlass_core::fact::Fact;

use crate::error::error_line;
use crate::event::{Event, View};
use crate::harmless::one_line;
use crate::printer::Printer;

/// Says nothing, unless the run ends in an error.
pub struct QuietView {
    printer: Printer,
}

impl QuietView {
    /// A view that prints there.
    pub fn new(printer: Printer) -> QuietView {
        QuietView { printer }
    }
}

impl View for QuietView {
    fn event(&mut self, event: &Event) {
        let Event::Fact(entry) = event else {
            return;
        };
        if let Fact::RunFinished { stop_reason, detail, .. } = &entry.fact
            && stop_reason.is_error()
        {
            let mut text = stop_reason.sentence().to_owned();
            if !detail.is_empty() {
                text = format!("{text} {}", one_line(detail));
            }
            self.printer.note(&error_line(&text));
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
