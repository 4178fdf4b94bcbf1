//! The plan of a job as a file's content: boxes, how it is worded, and whether it is a sound plan.

/// The file that holds it.
pub(crate) const PLAN: u8 = 8;

/// So many boxes at the most.
const MOST: u32 = 6;

/// What makes a content a plan.
const MARK: u32 = 1 << 31;
const SOUND: u32 = 1 << 30;

/// A plan. What is no plan has no boxes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Book {
    pub boxes: u32,
    /// One bit each.
    ticked: u32,
    /// Other words for the same.
    wording: u32,
    /// Whoever checks plans finds nothing wrong with it.
    pub sound: bool,
}

impl Book {
    pub fn new(boxes: u32, done: u32, wording: u32, sound: bool) -> Book {
        let boxes = boxes.min(MOST);
        Book { boxes, ticked: (1 << done.min(boxes)) - 1, wording: wording % 0x1000, sound }
    }

    /// `None` where there is no file.
    pub fn read(content: u32) -> Option<Book> {
        let plan = Book {
            boxes: content >> 8 & 0xFF,
            ticked: content & 0xFF,
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
        MARK | sound | self.wording << 16 | self.boxes << 8 | self.ticked
    }

    pub fn done(self) -> u32 {
        self.ticked.count_ones()
    }

    pub fn open(self) -> u32 {
        self.boxes - self.done()
    }

    pub fn tick(self) -> Book {
        let next = (self.ticked + 1) & !self.ticked;
        if self.open() == 0 { self } else { Book { ticked: self.ticked | next, ..self } }
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
        assert_ne!(plan.reworded().content(), plan.content());
        assert_eq!((Book::read(0), Book::read(1_001)), (None, Some(Book::default())));
    }
}
