//! Lines for people: text with a meaning, rendered for the terminal at hand.

use std::borrow::Cow;

use anstyle::{AnsiColor, Style};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::elsewhere;
use crate::harmless::one_line;
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
    /// A word of a program, within a sentence.
    Code,
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
            Tone::Command | Tone::Code => style.fg_color(Some(anstyle::Color::Ansi(AnsiColor::Cyan))),
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
    /// It has come to an end that a person should look at.
    Warning,
    /// Somebody says that all is done.
    Complete,
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
            Mark::Warning => ("⚠️", "⚠", "!"),
            Mark::Complete => ("✅", "✓", "+"),
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
    pub fn new() -> Line {
        Line::default()
    }

    /// An empty line, which is wrapped at the terminal's width; its further rows begin at this column.
    pub fn hanging(column: usize) -> Line {
        Line { pieces: Vec::new(), hang: Some(column) }
    }

    /// What is wrong with a thing, below what is said of it.
    pub fn problem(sentence: &str) -> Line {
        Line::hanging(4).plain("  ").mark(Tone::Warn, Mark::Notice).plain(format!(" {}", one_line(sentence)))
    }

    /// The same line, never wrapped: something to copy.
    pub fn unbroken(mut self) -> Line {
        self.hang = None;
        self
    }

    /// The same line, wrapped at the terminal's width; its further rows begin at this column.
    pub fn wrapping(mut self, column: usize) -> Line {
        self.hang = Some(column);
        self
    }

    /// Adds text of some meaning.
    pub fn tone(mut self, tone: Tone, text: impl Into<String>) -> Line {
        self.pieces.push(Piece::Text(tone, text.into()));
        self
    }

    /// Adds text.
    pub fn plain(self, text: impl Into<String>) -> Line {
        self.tone(Tone::Plain, text)
    }

    /// Adds text that matters less.
    pub fn dim(self, text: impl Into<String>) -> Line {
        self.tone(Tone::Dim, text)
    }

    /// Adds text that matters most.
    pub fn strong(self, text: impl Into<String>) -> Line {
        self.tone(Tone::Strong, text)
    }

    /// Adds something to type.
    pub fn command(self, text: impl Into<String>) -> Line {
        self.tone(Tone::Command, text)
    }

    /// Adds a mark.
    pub fn mark(mut self, tone: Tone, mark: Mark) -> Line {
        self.pieces.push(Piece::Mark(tone, mark));
        self
    }

    /// As it goes to this terminal, without a newline at its end.
    pub fn render(&self, terminal: &Terminal) -> String {
        let pieces = self.spelled(terminal);
        if let (Some(hang), Some(width)) = (self.hang, terminal.width)
            && total_width(&pieces) > width
        {
            let rows = wrapped(&characters(&pieces), width, hang);
            let rows: Vec<String> = rows.iter().map(|row| painted_row(row, terminal.colour)).collect();
            return rows.join("\n");
        }
        painted(&pieces, terminal.colour)
    }

    /// On one row of at most `width` columns, its end replaced by `…` where it is longer.
    pub fn render_cut(&self, terminal: &Terminal, width: usize) -> String {
        let mut pieces = self.spelled(terminal);
        if total_width(&pieces) > width {
            let ellipsis = ellipsis(terminal.glyphs);
            cut(&mut pieces, width.saturating_sub(ellipsis.width()));
            pieces.push((Tone::Dim, ellipsis.chars().take(width).collect()));
        }
        painted(&pieces, terminal.colour)
    }

    fn spelled(&self, terminal: &Terminal) -> Vec<Spelled<'_>> {
        let glyphs = terminal.glyphs;
        let spelled = self.pieces.iter().map(|piece| match piece {
            Piece::Text(Tone::Command, text) => {
                let typed = match elsewhere::command(text, terminal.elsewhere.as_deref()) {
                    Cow::Borrowed(text) => spelled(text, glyphs),
                    Cow::Owned(text) => Cow::Owned(spelled(&text, glyphs).into_owned()),
                };
                (Tone::Command, typed)
            }
            Piece::Text(tone, text) => (*tone, spelled(text, glyphs)),
            Piece::Mark(tone, mark) => (*tone, Cow::Borrowed(mark.glyph(glyphs))),
        });
        spelled.collect()
    }
}

/// A piece as it goes to the terminal, but for its colour.
type Spelled<'a> = (Tone, Cow<'a, str>);

fn total_width(pieces: &[Spelled<'_>]) -> usize {
    pieces.iter().map(|(_, text)| text.width()).sum()
}

fn characters(pieces: &[Spelled<'_>]) -> Vec<(char, Tone)> {
    let characters = pieces.iter().flat_map(|(tone, text)| text.chars().map(|character| (character, *tone)));
    characters.collect()
}

/// Drops what does not fit into so many columns.
fn cut(pieces: &mut Vec<Spelled<'_>>, room: usize) {
    let mut left = room;
    let mut kept = 0;
    for (_, text) in pieces.iter_mut() {
        kept += 1;
        let needed = text.width();
        if needed > left {
            let fitting = text.chars().scan(left, |left, character| {
                *left = left.checked_sub(columns(character))?;
                Some(character)
            });
            *text = Cow::Owned(fitting.collect());
            break;
        }
        left -= needed;
    }
    pieces.truncate(kept);
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
    Cow::Owned(text.replace('…', "...").replace('·', "-").replace('≈', "~").replace('•', "*"))
}

fn painted(pieces: &[Spelled<'_>], colour: bool) -> String {
    let mut painted = String::new();
    for same in pieces.chunk_by(|left, right| left.0 == right.0) {
        let tone = same.first().map_or(Tone::Plain, |(tone, _)| *tone);
        let coloured = colour && tone != Tone::Plain;
        if coloured {
            painted.push_str(&tone.style().render().to_string());
        }
        painted.extend(same.iter().map(|(_, text)| text.as_ref()));
        if coloured {
            painted.push_str(&tone.style().render_reset().to_string());
        }
    }
    painted
}

fn painted_row(characters: &[(char, Tone)], colour: bool) -> String {
    let runs = characters.chunk_by(|left, right| left.1 == right.1);
    let pieces: Vec<Spelled<'_>> = runs
        .map(|run| {
            let text = run.iter().map(|&(character, _)| character).collect();
            (run.first().map_or(Tone::Plain, |&(_, tone)| tone), Cow::Owned(text))
        })
        .collect();
    painted(&pieces, colour)
}

/// Breaks at blanks, but not within a command; what is longer than a row keeps its row to itself.
fn wrapped(characters: &[(char, Tone)], width: usize, hang: usize) -> Vec<Vec<(char, Tone)>> {
    let hang = if hang + 10 > width { 0 } else { hang };
    let mut rows = Vec::new();
    let mut row: Vec<(char, Tone)> = Vec::new();
    let mut used = 0;
    let mut start = 0;
    for word in characters.split_inclusive(|&(character, tone)| character == ' ' && tone != Tone::Command) {
        let ink = if let [ink @ .., (' ', _)] = word { ink } else { word };
        let needed: usize = ink.iter().map(|&(character, _)| columns(character)).sum();
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

/// Lines for a terminal; each ends with a newline.
pub fn rendered(lines: &[Line], terminal: &Terminal) -> String {
    lines.iter().map(|line| line.render(terminal) + "\n").collect()
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
