//! A change of some bytes of a file, so that every other byte stays.

use std::ops::Range;
use std::sync::Arc;

/// A change of some bytes of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Splice {
    /// The file, as it was named.
    pub file: Arc<str>,
    /// The bytes that go.
    pub range: Range<usize>,
    /// What comes in their place.
    pub text: String,
}

impl Splice {
    /// The file's bytes after it; `None` where they are too short for it.
    pub fn apply(&self, bytes: &[u8]) -> Option<Vec<u8>> {
        let (before, after) = (bytes.get(..self.range.start)?, bytes.get(self.range.end..)?);
        Some([before, self.text.as_bytes(), after].concat())
    }

    /// Does it change nothing?
    pub const fn is_empty(&self) -> bool {
        self.range.start >= self.range.end && self.text.is_empty()
    }
}
