//! Lines for people: text with a meaning, rendered for the terminal at hand.

use std::borrow::Cow;

use anstyle::{AnsiColor, Style};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::terminal::{Glyphs, Terminal};

/// What a piece of text means; the only place where a meaning becomes a colour is [`Tone::style`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tone {
    /// Nothing in particular.
    #[default]
    Plain,
    /// What the eye should find first.
    Strong,
    /// What is there for whoever looks for it.
    Dim,
    /// It went well.
    Good,
    /// A person should know.
    Warn,
    /// It went wrong.
    Bad,
    /// Something to type.
    Command,
}

impl Tone {
    const fn style(self) -> Style {
        let style = Style::new();
        match self {
            Tone::Plain => style,
            Tone::Strong => style.bold(),
            Tone::Dim => style.dimmed(),
            Tone::Good => style.fg_color(Some(anstyle::Color::Ansi(AnsiColor::Green))),
            Tone::Warn => style.fg_color(Some(anstyle::Color::Ansi(AnsiColor::Yellow))),
            Tone::Bad => style.fg_color(Some(anstyle::Color::Ansi(AnsiColor::Red))),
            Tone::Command => style.fg_color(Some(anstyle::Color::Ansi(AnsiColor::Cyan))),
        }
    }
}

/// A picture that stands for a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// It went well.
    Passed,
    /// It went wrong.
    Failed,
    /// Nothing came of it.
    Nothing,
    /// Done, and shown to be.
    Done,
    /// Once more.
    Again,
    /// It is doubtful.
    Doubtful,
    /// A tool is used.
    Tool,
    /// Somebody writes.
    Memo,
    /// A person should know.
    Notice,
    /// Waiting.
    Waiting,
}

impl Mark {
    const fn glyph(self, glyphs: Glyphs) -> &'static str {
        let (emoji, unicode, ascii) = match self {
            Mark::Passed => ("✓", "✓", "+"),
            Mark::Failed => ("✗", "✗", "x"),
            Mark::Nothing => ("○", "○", "-"),
            Mark::Done => ("★", "★", "*"),
            Mark::Again => ("↻", "↻", "@"),
            Mark::Doubtful => ("?", "?", "?"),
            Mark::Tool => ("🔧", "▸", ">"),
            Mark::Memo => ("📝", "✎", "#"),
            Mark::Notice => ("!", "!", "!"),
            Mark::Waiting => ("⏳", "◷", "~"),
        };
        match glyphs {
            Glyphs::Emoji => emoji,
            Glyphs::Unicode => unicode,
            Glyphs::Ascii => ascii,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Piece {
    Text(Tone, String),
    Mark(Tone, Mark),
}

/// One line for people.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Line {
    pieces: Vec<Piece>,
    /// Where further rows begin when the line is wrapped; `None` = it is never wrapped (something to copy).
    hang: Option<usize>,
}

impl Line {
    /// An empty line, which is never wrapped.
    #[must_use]
    pub fn new() -> Line {
        Line::default()
    }

    /// An empty line, which is wrapped at the terminal's width; its further rows begin at this column.
    #[must_use]
    pub fn hanging(column: usize) -> Line {
        Line {
            pieces: Vec::new(),
            hang: Some(column),
        }
    }

    /// The same line, never wrapped: something to copy.
    #[must_use]
    pub fn unbroken(mut self) -> Line {
        self.hang = None;
        self
    }

    /// The same line, wrapped at the terminal's width; its further rows begin at this column.
    #[must_use]
    pub fn wrapping(mut self, column: usize) -> Line {
        self.hang = Some(column);
        self
    }

    /// Adds text of some meaning.
    #[must_use]
    pub fn tone(mut self, tone: Tone, text: impl Into<String>) -> Line {
        self.pieces.push(Piece::Text(tone, text.into()));
        self
    }

    /// Adds text.
    #[must_use]
    pub fn plain(self, text: impl Into<String>) -> Line {
        self.tone(Tone::Plain, text)
    }

    /// Adds text that matters less.
    #[must_use]
    pub fn dim(self, text: impl Into<String>) -> Line {
        self.tone(Tone::Dim, text)
    }

    /// Adds text that matters most.
    #[must_use]
    pub fn strong(self, text: impl Into<String>) -> Line {
        self.tone(Tone::Strong, text)
    }

    /// Adds something to type.
    #[must_use]
    pub fn command(self, text: impl Into<String>) -> Line {
        self.tone(Tone::Command, text)
    }

    /// Adds a mark.
    #[must_use]
    pub fn mark(mut self, tone: Tone, mark: Mark) -> Line {
        self.pieces.push(Piece::Mark(tone, mark));
        self
    }

    /// As it goes to this terminal, without a newline at its end.
    #[must_use]
    pub fn render(&self, terminal: &Terminal) -> String {
        let characters = self.characters(terminal.glyphs);
        match (self.hang, terminal.width) {
            (Some(hang), Some(width)) => {
                let rows = wrapped(&characters, width, hang);
                let rows: Vec<String> = rows.iter().map(|row| painted(row, terminal.colour)).collect();
                rows.join("\n")
            }
            _ => painted(&characters, terminal.colour),
        }
    }

    /// On one row of at most `width` columns, its end replaced by `…` where it is longer.
    #[must_use]
    pub fn render_cut(&self, terminal: &Terminal, width: usize) -> String {
        let characters = self.characters(terminal.glyphs);
        let total: usize = characters.iter().map(|&(character, _)| columns(character)).sum();
        if total <= width {
            return painted(&characters, terminal.colour);
        }
        let ellipsis = ellipsis(terminal.glyphs);
        let room = width.saturating_sub(ellipsis.width());
        let mut row = Vec::new();
        let mut used = 0;
        for &(character, tone) in &characters {
            used += columns(character);
            if used > room {
                break;
            }
            row.push((character, tone));
        }
        row.extend(ellipsis.chars().take(width).map(|character| (character, Tone::Dim)));
        painted(&row, terminal.colour)
    }

    fn characters(&self, glyphs: Glyphs) -> Vec<(char, Tone)> {
        let mut characters = Vec::new();
        for piece in &self.pieces {
            let (tone, text) = match piece {
                Piece::Text(tone, text) => (*tone, spelled(text, glyphs)),
                Piece::Mark(tone, mark) => (*tone, Cow::Borrowed(mark.glyph(glyphs))),
            };
            characters.extend(text.chars().map(|character| (character, tone)));
        }
        characters
    }
}

/// Columns that a text takes.
pub(crate) fn width(text: &str) -> usize {
    text.width()
}

fn columns(character: char) -> usize {
    character.width().unwrap_or(0)
}

const fn ellipsis(glyphs: Glyphs) -> &'static str {
    match glyphs {
        Glyphs::Ascii => "...",
        Glyphs::Unicode | Glyphs::Emoji => "…",
    }
}

/// Our own punctuation, for terminals that know ASCII only.
fn spelled(text: &str, glyphs: Glyphs) -> Cow<'_, str> {
    if glyphs != Glyphs::Ascii || text.is_ascii() {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.replace('…', "...").replace('·', "-").replace('≈', "~"))
}

fn painted(characters: &[(char, Tone)], colour: bool) -> String {
    let mut text = String::new();
    for run in characters.chunk_by(|left, right| left.1 == right.1) {
        let words: String = run.iter().map(|&(character, _)| character).collect();
        let tone = run.first().map_or(Tone::Plain, |&(_, tone)| tone);
        if colour && tone != Tone::Plain {
            let style = tone.style();
            text.push_str(&format!("{style}{words}{style:#}"));
        } else {
            text.push_str(&words);
        }
    }
    text
}

/// Breaks at blanks; a word that is longer than a row keeps its row to itself.
fn wrapped(characters: &[(char, Tone)], width: usize, hang: usize) -> Vec<Vec<(char, Tone)>> {
    let hang = if hang + 10 > width { 0 } else { hang };
    let mut rows = Vec::new();
    let mut row: Vec<(char, Tone)> = Vec::new();
    let mut used = 0;
    let mut start = 0;
    for word in characters.split_inclusive(|&(character, _)| character == ' ') {
        let ink = word.iter().filter(|(character, _)| *character != ' ');
        let needed: usize = ink.map(|&(character, _)| columns(character)).sum();
        if used + needed > width && used > start && needed > 0 {
            rows.push(without_trailing_blanks(row));
            row = vec![(' ', Tone::Plain); hang];
            (used, start) = (hang, hang);
        }
        used += word.iter().map(|&(character, _)| columns(character)).sum::<usize>();
        row.extend_from_slice(word);
    }
    rows.push(without_trailing_blanks(row));
    rows
}

fn without_trailing_blanks(mut row: Vec<(char, Tone)>) -> Vec<(char, Tone)> {
    while row.last().is_some_and(|&(character, _)| character == ' ') {
        row.pop();
    }
    row
}

#[cfg(test)]
#[path = "line_tests.rs"]
mod tests;
