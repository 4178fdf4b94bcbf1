//! The plan of a job as a file's content: boxes, how it is worded, and whether it is a sound plan.

/// The file that holds it.
pub(crate) const PLAN: u8 = 8;

/// So many boxes at the most.
const MOST: u32 = 6;

/// What makes a content a plan.
const MARK: u32 = 1 << 31;
const SOUND: u32 = 1 << 30;

/// A plan. What is not a plan has no boxes. A box is known by its number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Book {
    boxes: u32,
    /// One bit each.
    ticked: u32,
    /// Boxes that somebody took out, one bit each: deleted, commented out, or moved to where none counts.
    hidden: u32,
    /// Other words for the same.
    wording: u32,
    /// Whoever checks plans finds nothing wrong with it.
    pub sound: bool,
}

impl Book {
    pub fn new(boxes: u32, done: u32, wording: u32, sound: bool) -> Book {
        let boxes = boxes.min(MOST);
        Book { boxes, ticked: (1 << done.min(boxes)) - 1, hidden: 0, wording: wording % 0x1000, sound }
    }

    /// `None` where there is no file.
    pub fn read(content: u32) -> Option<Book> {
        let plan = Book {
            ticked: content & 0x3F,
            hidden: content >> 6 & 0x3F,
            boxes: content >> 12 & 0xF,
            wording: content >> 16 & 0xFFF,
            sound: content & SOUND != 0,
        };
        match content {
            0 => None,
            _ if content & MARK == 0 => Some(Book::default()),
            _ => Some(plan),
        }
    }

    pub fn content(self) -> u32 {
        let sound = if self.sound { SOUND } else { 0 };
        MARK | sound | self.wording << 16 | self.boxes << 12 | self.hidden << 6 | self.ticked
    }

    /// Those that are ticked, one bit each.
    pub fn done_boxes(self) -> u32 {
        self.ticked & !self.hidden
    }

    /// Those that are open, one bit each.
    pub fn open_boxes(self) -> u32 {
        ((1 << self.boxes) - 1) & !self.ticked & !self.hidden
    }

    pub fn done(self) -> u32 {
        self.done_boxes().count_ones()
    }

    pub fn open(self) -> u32 {
        self.open_boxes().count_ones()
    }

    /// So many are there.
    pub fn total(self) -> u32 {
        self.done() + self.open()
    }

    pub fn tick(self) -> Book {
        let open = self.open_boxes();
        Book { ticked: self.ticked | (open & open.wrapping_neg()), ..self }
    }

    pub fn tick_all(self) -> Book {
        Book { ticked: self.ticked | self.open_boxes(), ..self }
    }

    /// The last open box is there no more.
    pub fn hide(self) -> Book {
        let last = self.open_boxes().checked_ilog2().map_or(0, |at| 1 << at);
        Book { hidden: self.hidden | last, ..self }
    }

    /// All boxes that were taken out are there again.
    pub fn put_back(self) -> Book {
        Book { hidden: 0, ..self }
    }

    pub fn untick(self) -> Book {
        Book { ticked: self.ticked & self.ticked.saturating_sub(1), ..self }
    }

    /// One box more, open.
    pub fn add(self) -> Book {
        Book { boxes: (self.boxes + 1).min(MOST), ..self }
    }

    pub fn reworded(self) -> Book {
        Book { wording: (self.wording + 1) % 0x1000, ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_is_read_as_it_was_written() {
        let plan = Book::new(3, 1, 7, true);
        assert_eq!(Book::read(plan.content()), Some(plan));
        assert_eq!((plan.done(), plan.open(), plan.tick().open(), plan.untick().open()), (1, 2, 1, 3));
        assert_eq!(plan.tick().tick().tick(), plan.tick().tick());
        assert_eq!(plan.add().open(), 3);
        assert_eq!((plan.hide().open(), plan.hide().total(), plan.hide().tick_all().open()), (1, 2, 0));
        assert_eq!(Book::read(plan.hide().content()).map(Book::put_back), Some(plan));
        assert_ne!(plan.reworded().content(), plan.content());
        assert_eq!((Book::read(0), Book::read(1_001)), (None, Some(Book::default())));
    }
}
