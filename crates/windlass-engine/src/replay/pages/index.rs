//! Numbers of lines, without a number for each: how many begin before every so many bytes.

use super::lines::Stream;
use super::row::Row;
use crate::store::StoreError;

/// Between two entries: 200 MB have 800 of them.
const SPACING: u64 = 256 * 1024;

/// Counted once, and then what has grown.
#[derive(Debug, Default)]
pub(super) struct Index {
    /// Newlines before each multiple of the spacing; the first is 0.
    before: Vec<u64>,
    /// Bytes that were looked through.
    looked: u64,
    /// Newlines in them.
    newlines: u64,
}

impl Index {
    /// Counts on to the end of the stream.
    pub fn extend(&mut self, stream: &Stream) -> Result<(), StoreError> {
        if stream.size < self.looked {
            *self = Index::default();
        }
        while self.looked < stream.size {
            let next = (self.looked / SPACING + 1) * SPACING;
            if self.looked.is_multiple_of(SPACING) && self.before.len() as u64 == self.looked / SPACING {
                self.before.push(self.newlines);
            }
            let bytes = stream.read(self.looked, next)?;
            if bytes.is_empty() {
                break;
            }
            self.newlines += memchr::memchr_iter(b'\n', &bytes).count() as u64;
            self.looked += bytes.len() as u64;
        }
        Ok(())
    }

    /// Lines that have an end.
    pub const fn lines(&self) -> u64 {
        self.newlines
    }

    /// Where the line of this number begins.
    pub fn offset(&self, stream: &Stream, line: u64) -> Result<Option<u64>, StoreError> {
        let Some(wanted) = line.checked_sub(1).filter(|wanted| *wanted <= self.newlines) else {
            return Ok(None);
        };
        if wanted == 0 {
            return Ok((stream.size > 0).then_some(0));
        }
        // The last block that has fewer newlines before it than the line has.
        let block = self.before.partition_point(|before| *before < wanted).saturating_sub(1);
        let from = block as u64 * SPACING;
        let before = self.before.get(block).copied().unwrap_or_default();
        let bytes = stream.read(from, from + SPACING)?;
        let nth = usize::try_from(wanted - before - 1).unwrap_or(usize::MAX);
        let start = memchr::memchr_iter(b'\n', &bytes).nth(nth).map(|found| from + found as u64 + 1);
        Ok(start.filter(|start| *start < stream.size))
    }

    /// Gives rows the numbers of their lines, where that has been counted. The first line of these begins at `start`.
    pub fn number(&self, stream: &Stream, start: u64, rows: &mut [Row]) -> Result<(), StoreError> {
        if rows.last().is_none_or(|last| last.offset >= self.looked) {
            return Ok(());
        }
        let block = start / SPACING;
        let Some(before) = usize::try_from(block).ok().and_then(|block| self.before.get(block)) else {
            return Ok(());
        };
        let (mut at, mut line) = (block * SPACING, *before + 1);
        for row in rows {
            while at < row.offset {
                let bytes = stream.read(at, row.offset.min(at + SPACING))?;
                if bytes.is_empty() {
                    return Ok(());
                }
                line += memchr::memchr_iter(b'\n', &bytes).count() as u64;
                at += bytes.len() as u64;
            }
            row.line = Some(line);
        }
        Ok(())
    }
}
