//! Meanings as colours: sixteen, and never a hue alone.

use jiff::tz::TimeZone;
use ratatui::style::{Color, Modifier, Style};
use windlass_ui::{Glyphs, Terminal, Tone};

/// How things look on the terminal at hand.
#[derive(Clone, Debug)]
pub struct Look {
    /// Colours are wanted and understood.
    pub colour: bool,
    /// The terminal shows more than ASCII.
    pub glyphs: Glyphs,
    /// In which times are written.
    pub zone: TimeZone,
}

impl Look {
    /// As this terminal is.
    pub fn of(terminal: &Terminal) -> Look {
        Look { colour: terminal.colour, glyphs: terminal.glyphs, zone: terminal.zone.clone() }
    }

    /// The style of a meaning. What a colour says is said by a word or a mark as well.
    pub fn style(&self, tone: Tone) -> Style {
        let style = Style::new();
        match tone {
            Tone::Plain => style,
            Tone::Strong => style.add_modifier(Modifier::BOLD),
            // The terminal's own grey is too pale on many screens.
            Tone::Dim => style.add_modifier(Modifier::DIM),
            _ if !self.colour => style,
            Tone::Good => style.fg(Color::Green),
            Tone::Warn => style.fg(Color::Yellow),
            Tone::Bad => style.fg(Color::Red),
            Tone::Command | Tone::Code => style.fg(Color::Cyan),
        }
    }

    /// What is drawn across.
    pub const fn rule(&self) -> &'static str {
        match self.glyphs {
            Glyphs::Ascii => "-",
            Glyphs::Unicode | Glyphs::Emoji => "─",
        }
    }

    /// What is drawn down.
    pub const fn column(&self) -> &'static str {
        match self.glyphs {
            Glyphs::Ascii => "|",
            Glyphs::Unicode | Glyphs::Emoji => "│",
        }
    }
}
