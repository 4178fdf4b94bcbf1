//! The only place that writes to a terminal: results to stdout, everything else to stderr. What cannot be written is
//! forgotten: a closed terminal never ends a run.

use std::io::{self, Write};
use std::sync::OnceLock;
use std::time::Duration;

use crate::line::{Line, width};
use crate::terminal::{Stream, Terminal, measure};

/// More than this is not held back.
const HELD_BACK: usize = 64 * 1024;

/// One stream with what is known about the terminal behind it.
pub struct Output {
    terminal: Terminal,
    writer: Box<dyn Write + Send>,
    /// Asks for the width again, since windows change.
    measure: Option<Stream>,
    buffer: Vec<u8>,
    closed: bool,
}

impl Output {
    /// A standard stream.
    pub fn standard(stream: Stream, terminal: Terminal) -> Output {
        let measured = terminal.interactive && std::env::var_os("COLUMNS").is_none();
        Output { measure: measured.then_some(stream), ..Output::new(terminal, StandardStream(stream)) }
    }

    /// Anything else that takes bytes.
    pub fn new(terminal: Terminal, writer: impl Write + Send + 'static) -> Output {
        Output { terminal, writer: Box::new(writer), measure: None, buffer: Vec::new(), closed: false }
    }

    fn push(&mut self, text: &str) {
        self.push_bytes(text.as_bytes());
    }

    fn push_bytes(&mut self, bytes: &[u8]) {
        if self.closed {
            return;
        }
        self.buffer.extend_from_slice(bytes);
        if self.buffer.len() > HELD_BACK {
            self.flush();
        }
    }

    fn flush(&mut self) {
        if !self.closed && !self.buffer.is_empty() {
            let written = self.writer.write_all(&self.buffer).and_then(|()| self.writer.flush());
            self.closed = written.is_err();
        }
        self.buffer.clear();
    }

    fn refresh_size(&mut self) {
        if let Some(size) = self.measure.and_then(measure) {
            (self.terminal.width, self.terminal.height) = (Some(size.columns), Some(size.rows));
        }
    }
}

/// Why what was to be written to standard output is lost.
static LOST: OnceLock<rustix::io::Errno> = OnceLock::new();

/// Why results did not get to standard output; `None` where they did, or where a reader had seen enough (`| head`).
pub fn lost_results() -> Option<io::Error> {
    LOST.get().filter(|error| **error != rustix::io::Errno::PIPE).map(|error| (*error).into())
}

/// A standard stream without the lock and the buffer of [`std::io`]: a thread that is stuck in a terminal must not hold
/// a lock that others wait for.
struct StandardStream(Stream);

impl Write for StandardStream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut pause = Duration::from_millis(1);
        loop {
            match rustix::io::write(self.0.descriptor(), bytes) {
                Err(rustix::io::Errno::INTR) => {}
                // Somebody made the terminal non-blocking; it is theirs as well as ours.
                Err(rustix::io::Errno::AGAIN) => {
                    std::thread::sleep(pause);
                    pause = (pause * 2).min(Duration::from_millis(100));
                }
                other => {
                    if let (Stream::Stdout, Err(error)) = (self.0, other) {
                        LOST.get_or_init(|| error);
                    }
                    return other.map_err(io::Error::from);
                }
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Both streams, and the lines that are redrawn.
pub struct Printer {
    results: Output,
    notes: Output,
    /// The columns of each line that is redrawn and stands there now.
    living: Vec<usize>,
    titled: bool,
}

impl Printer {
    /// Results go to one output, everything else to another.
    pub fn new(results: Output, notes: Output) -> Printer {
        Printer { results, notes, living: Vec::new(), titled: false }
    }

    /// The terminal of the results.
    pub fn results_terminal(&self) -> &Terminal {
        &self.results.terminal
    }

    /// The terminal of everything else; the living lines are there.
    pub fn notes_terminal(&self) -> &Terminal {
        &self.notes.terminal
    }

    /// Is there nobody left to look?
    pub fn is_closed(&self) -> bool {
        self.results.closed && self.notes.closed
    }

    /// Has the output for results been closed?
    pub fn results_closed(&self) -> bool {
        self.results.closed
    }

    /// Prints a line that is a result.
    pub fn result(&mut self, line: &Line) {
        self.erase();
        self.notes.flush();
        let text = line.render(&self.results.terminal);
        self.results.push(&text);
        self.results.push("\n");
    }

    /// Prints a line that is none.
    pub fn note(&mut self, line: &Line) {
        self.erase();
        self.results.flush();
        let text = line.render(&self.notes.terminal);
        self.notes.push(&text);
        self.notes.push("\n");
    }

    /// Prints bytes as a result: a machine reads them.
    pub fn result_bytes(&mut self, bytes: &[u8]) {
        self.notes.flush();
        self.results.push_bytes(bytes);
    }

    /// Draws the living lines anew, where lines can be redrawn.
    pub fn living(&mut self, lines: &[Line]) {
        if !self.notes.terminal.interactive {
            return;
        }
        if lines.is_empty() {
            return self.erase();
        }
        self.results.flush();
        self.notes.refresh_size();
        // The last column stays free: some terminals break the line as soon as it is filled.
        let room = self.notes.terminal.width.unwrap_or(80).saturating_sub(1);
        let uncoloured = Terminal { colour: false, ..self.notes.terminal.clone() };
        let back = self.back();
        let drawn: Vec<String> =
            lines.iter().map(|line| line.render_cut(&self.notes.terminal, room)).collect();
        let fewer = lines.len() < self.living.len();
        self.notes.push(&format!(
            "{back}{}\x1b[K{}",
            drawn.join("\x1b[K\r\n"),
            if fewer { "\x1b[J" } else { "" }
        ));
        self.living = lines.iter().map(|line| width(&line.render_cut(&uncoloured, room))).collect();
    }

    /// Names the window, where there is one.
    pub fn title(&mut self, title: &str) {
        if !self.notes.terminal.interactive {
            return;
        }
        if !self.titled {
            // Terminals that can keep a title give it back at the end.
            self.notes.push("\x1b[22;0t");
            self.titled = true;
        }
        let title: String = title.chars().filter(|character| !character.is_control()).take(80).collect();
        self.notes.push(&format!("\x1b]0;{title}\x07"));
    }

    /// Writes out what is held back.
    pub fn flush(&mut self) {
        self.notes.flush();
        self.results.flush();
    }

    /// Takes the living lines and the title away.
    pub fn finish(&mut self) {
        self.erase();
        if self.titled {
            self.notes.push("\x1b]0;\x07\x1b[23;0t");
            self.titled = false;
        }
        self.flush();
    }

    fn erase(&mut self) {
        if self.living.is_empty() {
            return;
        }
        self.notes.refresh_size();
        let back = self.back();
        // More than one row is more than a line's end.
        let all = if back.len() > 1 { "\x1b[J" } else { "\x1b[K" };
        self.notes.push(&format!("{back}{all}"));
        self.living.clear();
    }

    /// What takes the cursor to where the living lines begin. A window that became narrower has broken them into more rows.
    fn back(&self) -> String {
        let columns = self.notes.terminal.width.unwrap_or(80).max(1);
        let rows: usize = self.living.iter().map(|width| width.div_ceil(columns).max(1)).sum();
        match rows.saturating_sub(1) {
            0 => "\r".to_owned(),
            above => format!("\r\x1b[{above}A"),
        }
    }
}

#[cfg(test)]
#[path = "printer_tests.rs"]
mod tests;
