//! Bytes into lines, in bounded memory.

/// The longest line that is handed on whole, in bytes.
pub const LONGEST_LINE: usize = 64 * 1024 * 1024;

/// Up to here a buffer is kept for the next line. Beyond, the whole of [`LONGEST_LINE`] is reserved at once, which
/// costs no memory until it is used: a block of that size is mapped, never moved while it grows, and goes back to the
/// system when it is dropped; the allocator would keep smaller ones.
const KEPT: usize = 1024 * 1024;

/// Puts lines together from the pieces in which they arrive.
#[derive(Debug)]
pub struct Lines {
    /// The beginning of a line whose end has not come.
    begun: Vec<u8>,
    longest: usize,
}

impl Default for Lines {
    fn default() -> Lines {
        Lines { begun: Vec::new(), longest: LONGEST_LINE }
    }
}

impl Lines {
    /// Takes the next bytes and hands on the lines that they complete. A line within one piece is not copied.
    pub fn feed(&mut self, bytes: &[u8], on_line: &mut impl FnMut(&[u8])) {
        let mut start = 0;
        for end in memchr::memchr_iter(b'\n', bytes) {
            let piece = bytes.get(start..end).unwrap_or_default();
            if self.begun.is_empty() {
                on_line(piece.get(..self.longest).unwrap_or(piece));
            } else {
                self.keep(piece);
                on_line(&self.begun);
                self.forget();
            }
            start = end + 1;
        }
        self.keep(bytes.get(start..).unwrap_or_default());
    }

    /// Hands on what came after the last `\n`, if anything.
    pub fn finish(&mut self, on_line: &mut impl FnMut(&[u8])) {
        if !self.begun.is_empty() {
            on_line(&self.begun);
            self.forget();
        }
    }

    /// Drops what is too long, and what there is no memory for.
    fn keep(&mut self, piece: &[u8]) {
        let room = self.longest.saturating_sub(self.begun.len());
        let piece = piece.get(..room).unwrap_or(piece);
        let needed = self.begun.len() + piece.len();
        if needed > KEPT && self.begun.capacity() < self.longest {
            let _ = self.begun.try_reserve_exact(self.longest - self.begun.len());
        }
        if self.begun.try_reserve(piece.len()).is_ok() {
            self.begun.extend_from_slice(piece);
        }
    }

    fn forget(&mut self) {
        if self.begun.capacity() > KEPT {
            self.begun = Vec::new();
        } else {
            self.begun.clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn lines_of(pieces: &[Vec<u8>], longest: usize) -> Vec<Vec<u8>> {
        let mut lines = Lines { longest, ..Lines::default() };
        let mut seen = Vec::new();
        for piece in pieces {
            lines.feed(piece, &mut |line: &[u8]| seen.push(line.to_vec()));
        }
        lines.finish(&mut |line: &[u8]| seen.push(line.to_vec()));
        seen
    }

    /// The same, said plainly.
    fn expected(bytes: &[u8], longest: usize) -> Vec<Vec<u8>> {
        let mut lines: Vec<_> = bytes.split(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect();
        if lines.last().is_some_and(Vec::is_empty) {
            lines.pop();
        }
        for line in &mut lines {
            line.truncate(longest);
        }
        lines
    }

    fn letters() -> impl Strategy<Value = u8> {
        prop_oneof![Just(b'\n'), Just(b'a'), any::<u8>()]
    }

    proptest! {
        // Seed defect D1, services/claude-client.ts:140: characters broke on the borders of chunks.
        // Seed defect D1, services/claude-client.ts:265: results were lost on the borders of chunks.
        // Seed defect D3, core/claude.ts:245-246: letters broke on the borders of chunks.
        #[test]
        fn division_into_pieces_does_not_matter(
            pieces in prop::collection::vec(prop::collection::vec(letters(), 0..12), 0..12),
            longest in 1_usize..20,
        ) {
            prop_assert_eq!(lines_of(&pieces, longest), expected(&pieces.concat(), longest));
        }
    }

    #[test]
    fn a_long_line_gives_its_memory_back() {
        let mut lines = Lines::default();
        for _ in 0..5 {
            lines.feed(&vec![b'x'; KEPT / 2], &mut |_: &[u8]| {});
        }
        assert!(lines.begun.capacity() >= LONGEST_LINE);
        let mut length = 0;
        lines.feed(b"\nshort", &mut |line: &[u8]| length = line.len());
        assert_eq!(length, 5 * (KEPT / 2));
        assert!(lines.begun.capacity() < KEPT);
    }
}
