//! The end of a stream.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

/// How much of a stream's end is remembered, in bytes.
pub const TAIL_LENGTH: usize = 8 * 1024;

/// The last bytes of a stream that is still being read: all clones see the same.
#[derive(Clone, Debug, Default)]
pub struct Tail(Arc<Mutex<VecDeque<u8>>>);

impl Tail {
    /// The last 8 KiB so far; what is not UTF-8 is replaced.
    pub fn text(&self) -> String {
        let bytes: Vec<u8> = self.bytes().iter().copied().collect();
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// Adds what was written; only the end of it is kept.
    pub fn push(&self, bytes: &[u8]) {
        let mut kept = self.bytes();
        let new = bytes.get(bytes.len().saturating_sub(TAIL_LENGTH)..).unwrap_or_default();
        let surplus = (kept.len() + new.len()).saturating_sub(TAIL_LENGTH);
        kept.drain(..surplus);
        kept.extend(new);
    }

    fn bytes(&self) -> std::sync::MutexGuard<'_, VecDeque<u8>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // Seed defect D1, services/claude-client.ts:141: standard error was kept whole.
    // Seed defect D3, core/claude.ts:238-242: standard error had no bound.
    #[test]
    fn the_end_is_kept() {
        let tail = Tail::default();
        let everything: Vec<u8> = (0..40_000_u32).map(|n| b'a' + (n % 26) as u8).collect();
        for piece in [&everything[..10], &everything[10..9000], &everything[9000..9001], &everything[9001..]]
        {
            tail.push(piece);
        }
        assert_eq!(tail.text().as_bytes(), &everything[everything.len() - TAIL_LENGTH..]);
        tail.push(b"fatal: \xff");
        assert!(tail.text().ends_with("fatal: \u{fffd}"));
    }
}
