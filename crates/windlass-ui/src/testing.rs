//! What tests share: the made-up night of `examples/`, and memory instead of a terminal.

use std::io::{self, Write};
use std::sync::{Arc, Mutex};

use crate::event::{Event, View};
use crate::printer::{Output, Printer};
use crate::terminal::{Glyphs, Terminal};

#[path = "../examples/night/mod.rs"]
mod night;

pub(crate) use night::{Night, plan, status, workspace_plan};

/// Keeps what is written.
#[derive(Clone, Default)]
pub(crate) struct Screenshot(Arc<Mutex<Vec<u8>>>);

impl Write for Screenshot {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Screenshot {
    pub(crate) fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }
}

/// A terminal that is not a file: so many columns, no colour.
pub(crate) fn columns(width: usize) -> Terminal {
    Terminal { width: Some(width), glyphs: Glyphs::Unicode, ..Terminal::plain() }
}

/// What a view puts on stdout and on stderr.
pub(crate) fn shown<V: View>(
    make: impl FnOnce(Printer) -> V,
    terminal: &Terminal,
    events: &[Event],
) -> (String, String) {
    let (results, notes) = (Screenshot::default(), Screenshot::default());
    let output = |shot: &Screenshot| Output::new(terminal.clone(), shot.clone());
    let mut view = make(Printer::new(output(&results), output(&notes)));
    for event in events {
        view.event(event);
    }
    view.flush();
    view.finish();
    (results.text(), notes.text())
}
