//! What is known about the place where lines are shown.

use std::io::IsTerminal;
use std::os::fd::BorrowedFd;

use jiff::tz::TimeZone;
use rustix::event::{PollFd, PollFlags, Timespec, poll};

use crate::elsewhere::elsewhere;

/// A standard stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stream {
    /// Standard output: results.
    Stdout,
    /// Standard error: everything else.
    Stderr,
}

impl Stream {
    pub(crate) const fn descriptor(self) -> BorrowedFd<'static> {
        match self {
            Stream::Stdout => rustix::stdio::stdout(),
            Stream::Stderr => rustix::stdio::stderr(),
        }
    }
}

/// Which marks can be shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Glyphs {
    /// `+`, `x`, `...`.
    #[default]
    Ascii,
    /// `✓`, `✗`, `…`, but no pictures.
    Unicode,
    /// Pictures too.
    Emoji,
}

/// The place where lines are shown, as a value.
#[derive(Clone, Debug)]
pub struct Terminal {
    /// Lines can be redrawn, a title can be set.
    pub interactive: bool,
    /// Columns; `None` where nothing bounds a line (a file, a pipe).
    pub width: Option<usize>,
    /// Rows; `None` where it is no terminal, or does not tell.
    pub height: Option<usize>,
    /// Colours are wanted and understood.
    pub colour: bool,
    /// Which marks can be shown.
    pub glyphs: Glyphs,
    /// In which times are written.
    pub zone: TimeZone,
    /// What follows `windlass` in commands that are printed, since they are typed elsewhere: `-C DIR`.
    pub elsewhere: Option<String>,
}

/// What a window has room for; neither is zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// Characters in a row.
    pub columns: usize,
    /// Rows.
    pub rows: usize,
}

/// The width of a terminal that does not tell.
const USUAL_WIDTH: usize = 80;

impl Terminal {
    /// A file or a pipe, in UTC: no width, no colour, ASCII.
    pub fn plain() -> Terminal {
        Terminal {
            interactive: false,
            width: None,
            height: None,
            colour: false,
            glyphs: Glyphs::Ascii,
            zone: TimeZone::UTC,
            elsewhere: None,
        }
    }

    /// Looks at a stream and at the environment: `TERM`, `COLUMNS`, `NO_COLOR`, `CLICOLOR_FORCE`, `LC_ALL`, `LC_CTYPE`,
    /// `LANG`, `TZ`. `richest` bounds the marks by what the user wants.
    pub fn detect(stream: Stream, richest: Glyphs) -> Terminal {
        let is_terminal = stream.descriptor().is_terminal();
        let size = is_terminal.then(|| measure(stream)).flatten();
        let environment = |name: &str| std::env::var(name).ok();
        let resolved = Terminal::resolve(is_terminal, size, richest, TimeZone::system(), environment);
        Terminal { elsewhere: elsewhere(), ..resolved }
    }

    /// The same from values; `environment` gives a variable's value.
    pub fn resolve(
        is_terminal: bool,
        size: Option<Size>,
        richest: Glyphs,
        zone: TimeZone,
        environment: impl Fn(&str) -> Option<String>,
    ) -> Terminal {
        let set = |name: &str| environment(name).filter(|value| !value.is_empty());
        let interactive = is_terminal && set("TERM").is_some_and(|term| term != "dumb");
        let forced = set("CLICOLOR_FORCE").is_some_and(|value| value != "0");
        let columns = set("COLUMNS").and_then(|columns| columns.parse().ok()).filter(|&columns| columns > 0);
        Terminal {
            interactive,
            width: columns.or_else(|| is_terminal.then(|| size.map_or(USUAL_WIDTH, |size| size.columns))),
            height: size.filter(|_| is_terminal).map(|size| size.rows),
            colour: set("NO_COLOR").is_none() && (interactive || forced),
            glyphs: glyphs(richest, set("LC_ALL").or_else(|| set("LC_CTYPE")).or_else(|| set("LANG"))),
            zone,
            elsewhere: None,
        }
    }
}

fn glyphs(richest: Glyphs, locale: Option<String>) -> Glyphs {
    let locale = locale.unwrap_or_default().to_ascii_lowercase();
    if locale.contains("utf-8") || locale.contains("utf8") { richest } else { Glyphs::Ascii }
}

/// The size of the terminal behind a stream, now; `None` where there is none or it does not tell.
pub fn measure(stream: Stream) -> Option<Size> {
    let size = rustix::termios::tcgetwinsize(stream.descriptor()).ok()?;
    let (columns, rows) = (usize::from(size.ws_col), usize::from(size.ws_row));
    (columns > 0 && rows > 0).then_some(Size { columns, rows })
}

/// Has whoever read a stream gone away (`windlass logs -f | head`)? Asked without writing anything.
pub fn is_abandoned(stream: Stream) -> bool {
    let mut asked = [PollFd::from_borrowed_fd(stream.descriptor(), PollFlags::empty())];
    let answered = poll(&mut asked, Some(&Timespec::default()));
    let [answer] = asked;
    answered.is_ok() && answer.revents().intersects(PollFlags::ERR | PollFlags::HUP | PollFlags::NVAL)
}

/// What brings a terminal back that a full-screen program left as it was when it was killed: the ordinary screen, a
/// visible cursor, plain colours, and no reports of the mouse, of pasting, of the focus or of keys.
pub const fn terminal_reset() -> &'static str {
    // The cursor is saved first: leaving a screen that was never entered would move it to where one was saved last.
    "\x1b7\x1b[?1049l\x1b[?25h\x1b[m\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l\x1b[?2004l\x1b[?1004l\x1b[<u\x1b[>4m\r\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resolve(is_terminal: bool, variables: &[(&str, &str)]) -> Terminal {
        Terminal::resolve(
            is_terminal,
            Some(Size { columns: 100, rows: 30 }),
            Glyphs::Emoji,
            TimeZone::UTC,
            |name| {
                let found = variables.iter().find(|(key, _)| *key == name);
                found.map(|(_, value)| (*value).to_owned())
            },
        )
    }

    #[test]
    fn a_terminal_is_used_as_far_as_it_goes() {
        let full = resolve(true, &[("TERM", "xterm"), ("LANG", "de_DE.UTF-8")]);
        assert!(full.interactive && full.colour);
        assert_eq!((full.width, full.height, full.glyphs), (Some(100), Some(30), Glyphs::Emoji));

        let dumb = resolve(true, &[("TERM", "dumb")]);
        assert!(!dumb.interactive && !dumb.colour);
        assert_eq!((dumb.width, dumb.glyphs), (Some(100), Glyphs::Ascii));

        let pipe = resolve(false, &[("TERM", "xterm"), ("LANG", "C.utf8")]);
        assert!(!pipe.interactive && !pipe.colour);
        assert_eq!((pipe.width, pipe.height, pipe.glyphs), (None, None, Glyphs::Emoji));
    }

    #[test]
    fn what_the_user_says_wins() {
        let term = ("TERM", "xterm");
        assert!(!resolve(true, &[term, ("NO_COLOR", "1")]).colour);
        assert!(resolve(true, &[term, ("NO_COLOR", "")]).colour);
        assert!(resolve(false, &[("CLICOLOR_FORCE", "1")]).colour);
        assert!(!resolve(false, &[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")]).colour);
        assert_eq!(resolve(true, &[term, ("COLUMNS", "40")]).width, Some(40));
        assert_eq!(resolve(true, &[term, ("COLUMNS", "nonsense")]).width, Some(100));
        assert_eq!(resolve(true, &[("LC_ALL", "C"), ("LANG", "en_US.UTF-8")]).glyphs, Glyphs::Ascii);
    }

    #[test]
    fn marks_are_bounded_by_what_the_user_wants() {
        let locale = |name: &str| (name == "LANG").then(|| "en_US.UTF-8".to_owned());
        let terminal = Terminal::resolve(true, None, Glyphs::Unicode, TimeZone::UTC, locale);
        assert_eq!(terminal.glyphs, Glyphs::Unicode);
        assert_eq!(terminal.width, Some(80));
    }
}
