//! Writing into cells, never beyond them.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use windlass_ui::Tone;

use crate::look::Look;
use crate::text;

/// Pieces of a row, each with its meaning.
pub type Pieces = Vec<(Tone, String)>;

/// Where is written, and how it looks there.
pub struct Canvas<'a> {
    buffer: &'a mut Buffer,
    /// How it looks.
    pub look: &'a Look,
}

impl Canvas<'_> {
    /// Into these cells.
    pub fn new<'a>(buffer: &'a mut Buffer, look: &'a Look) -> Canvas<'a> {
        Canvas { buffer, look }
    }

    /// One row of an area, from its left edge: pieces, as far as they fit.
    pub fn row(&mut self, area: Rect, row: u16, pieces: &[(Tone, String)]) {
        self.styled_row(area, row, pieces, Style::new());
    }

    /// The same, as the one that is selected.
    pub fn selected_row(&mut self, area: Rect, row: u16, pieces: &[(Tone, String)]) {
        let style = Style::new().add_modifier(Modifier::REVERSED);
        let used: usize = pieces.iter().map(|(_, piece)| text::width(piece)).sum();
        let mut whole = pieces.to_vec();
        whole.push((Tone::Plain, " ".repeat(usize::from(area.width).saturating_sub(used))));
        self.styled_row(area, row, &whole, style);
    }

    fn styled_row(&mut self, area: Rect, row: u16, pieces: &[(Tone, String)], over: Style) {
        let area = area.intersection(self.buffer.area);
        if row >= area.height {
            return;
        }
        let (mut column, end) = (area.x, area.x.saturating_add(area.width));
        for (tone, piece) in pieces {
            let room = usize::from(end.saturating_sub(column));
            if room == 0 {
                return;
            }
            let style = self.look.style(*tone).patch(over);
            (column, _) = self.buffer.set_stringn(column, area.y + row, piece, room, style);
        }
    }

    /// A line across, with a title in it.
    pub fn rule(&mut self, area: Rect, row: u16, title: &str, right: &str) {
        let rule = self.look.rule();
        let width = usize::from(area.width);
        let title = if title.is_empty() {
            String::new()
        } else {
            format!(" {} ", text::fit(title, width.saturating_sub(8)))
        };
        let right = if right.is_empty() { String::new() } else { format!(" {right} ") };
        let beside = 3 + text::width(&title);
        let (right, end) = match text::width(&right) {
            0 => (String::new(), 0),
            more if beside + more + 6 > width => (String::new(), 0),
            _ => (right, 3),
        };
        let filler = rule.repeat(width.saturating_sub(beside + text::width(&right) + end));
        let end = rule.repeat(end);
        self.row(
            area,
            row,
            &[
                (Tone::Dim, rule.repeat(3)),
                (Tone::Strong, title),
                (Tone::Dim, filler),
                (Tone::Plain, right),
                (Tone::Dim, end),
            ],
        );
    }

    /// Blanks over an area, so that what lies over it can be read.
    pub fn clear(&mut self, area: Rect) {
        let area = area.intersection(self.buffer.area);
        for row in 0..area.height {
            let blanks = " ".repeat(usize::from(area.width));
            self.buffer.set_stringn(area.x, area.y + row, blanks, usize::from(area.width), Style::reset());
        }
    }
}

/// Items in one row, those that matter least left out until the rest fits; they stay in their order.
pub fn by_priority(items: &[(u8, Tone, String)], columns: usize, gap: usize) -> Pieces {
    let mut kept: Vec<&(u8, Tone, String)> = items.iter().filter(|(_, _, text)| !text.is_empty()).collect();
    let total = |kept: &[&(u8, Tone, String)]| -> usize {
        kept.iter().map(|(_, _, text)| text::width(text) + gap).sum::<usize>().saturating_sub(gap)
    };
    while kept.len() > 1 && total(&kept) > columns {
        let least = kept.iter().map(|(priority, ..)| *priority).max().unwrap_or_default();
        if let Some(place) = kept.iter().rposition(|(priority, ..)| *priority == least) {
            kept.remove(place);
        }
    }
    let mut pieces = Pieces::new();
    for (place, (_, tone, item)) in kept.iter().enumerate() {
        if place > 0 {
            pieces.push((Tone::Plain, " ".repeat(gap)));
        }
        pieces.push((*tone, item.clone()));
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_matters_least_goes_first_and_the_order_stays() {
        let items = [
            (1, Tone::Plain, "api".to_owned()),
            (0, Tone::Plain, "RUNNING".to_owned()),
            (3, Tone::Plain, "loop".to_owned()),
            (2, Tone::Plain, "$6.41".to_owned()),
        ];
        let shown =
            |columns| by_priority(&items, columns, 2).into_iter().map(|(_, text)| text).collect::<String>();
        assert_eq!(shown(80), "api  RUNNING  loop  $6.41");
        assert_eq!(shown(22), "api  RUNNING  $6.41");
        assert_eq!(shown(13), "api  RUNNING");
        assert_eq!(shown(3), "RUNNING");
    }
}
