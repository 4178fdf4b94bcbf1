//! Line numbers of offsets, which mostly come in order.

/// Counts lines from where it was asked last.
#[derive(Clone, Copy, Debug)]
pub(in crate::doc) struct Lines<'a> {
    text: &'a str,
    /// An offset, and its line.
    counted: (usize, usize),
}

impl Default for Lines<'_> {
    fn default() -> Self {
        Lines::of("")
    }
}

impl<'a> Lines<'a> {
    /// Of this text.
    pub(in crate::doc) fn of(text: &'a str) -> Lines<'a> {
        Lines { text, counted: (0, 1) }
    }

    /// The line of an offset, from 1.
    pub(in crate::doc) fn line_of(&mut self, at: usize) -> usize {
        let (known, line) = self.counted;
        let between = self.text.as_bytes().get(at.min(known)..at.max(known)).unwrap_or_default();
        let lines = memchr::memchr_iter(b'\n', between).count();
        let line = if at < known { line - lines } else { line + lines };
        self.counted = (at, line);
        line
    }
}
