//! One page that is drawn again in its place, on a screen of its own, so that the terminal is afterwards as it was.

use crate::terminal::Size;

/// Rows that a page needs to have a last line of its own.
const ROOM_FOR_LAST: usize = 4;

/// A page.
#[derive(Debug, Default)]
pub struct Page {
    drawn: Option<(Size, String)>,
}

impl Page {
    /// What is written before the first page: another screen, no cursor, and rows that are too long end at the edge.
    pub const ENTER: &str = "\x1b[?1049h\x1b[?25l\x1b[?7l\x1b[2J";

    /// What is written after the last one.
    pub const LEAVE: &str = "\x1b[?7h\x1b[?25h\x1b[?1049l";

    /// What has to be written so that the page shows this text, from its top as far as it fits, and this line below it; `None`
    /// where it does already.
    pub fn drawn(&mut self, text: &str, last: &str, size: Size) -> Option<String> {
        let room = if size.rows < ROOM_FOR_LAST { size.rows } else { size.rows - 1 };
        let mut rows: Vec<&str> = text.lines().take(room).collect();
        if size.rows >= ROOM_FOR_LAST {
            rows.push(last);
        }
        let page = rows.join("\x1b[K\r\n");
        let whole = Some((size, page));
        if self.drawn == whole {
            return None;
        }
        // Another size has moved what was there.
        let is_resized = self.drawn.as_ref().is_some_and(|(before, _)| *before != size);
        let page = whole.as_ref().map_or("", |(_, page)| page.as_str());
        let wiped = if is_resized { "\x1b[2J" } else { "" };
        let bytes = format!("\x1b[H{wiped}{page}\x1b[K\x1b[J");
        self.drawn = whole;
        Some(bytes)
    }

    /// The screen is another one: what is drawn next is drawn whole.
    pub fn forget(&mut self) {
        self.drawn = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn size(columns: usize, rows: usize) -> Size {
        Size { columns, rows }
    }

    #[test]
    fn a_page_is_drawn_where_it_changed_and_no_larger_than_its_window() {
        let mut page = Page::default();
        let text = "one\ntwo\nthree\nfour\nfive\nsix\n";
        assert_eq!(
            page.drawn(text, "last", size(20, 5)).as_deref(),
            Some("\x1b[Hone\x1b[K\r\ntwo\x1b[K\r\nthree\x1b[K\r\nfour\x1b[K\r\nlast\x1b[K\x1b[J")
        );
        assert_eq!(page.drawn(text, "last", size(20, 5)), None);
        let resized = page.drawn(text, "last", size(20, 2)).unwrap();
        assert_eq!(resized, "\x1b[H\x1b[2Jone\x1b[K\r\ntwo\x1b[K\x1b[J");
        page.forget();
        assert!(page.drawn(text, "last", size(20, 2)).is_some());
    }
}
