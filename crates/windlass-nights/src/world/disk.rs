//! The disk under the journal: what is synced survives a power cut, of the rest some bytes may.

use std::ops::Range;

/// The runner's reserve in bytes.
const RESERVE: usize = 64 * 1024;

#[derive(Clone, Debug, Default)]
pub(crate) struct Disk {
    journal: Vec<u8>,
    synced: usize,
    /// Room that is left; `None` = plenty.
    room: Option<usize>,
    released: bool,
    /// The last write.
    last: Range<usize>,
    /// A planted fault: syncs do nothing.
    pub ignores_syncs: bool,
}

/// There is no room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Full;

impl Disk {
    pub fn append(&mut self, bytes: &[u8]) -> Result<(), Full> {
        if let Some(room) = &mut self.room {
            *room = room.checked_sub(bytes.len()).ok_or(Full)?;
        }
        let start = self.journal.len();
        self.journal.extend_from_slice(bytes);
        self.last = start..self.journal.len();
        Ok(())
    }

    pub fn sync(&mut self) {
        if !self.ignores_syncs {
            self.synced = self.journal.len();
        }
    }

    pub fn bytes(&self) -> &[u8] {
        &self.journal
    }

    pub fn fill(&mut self) {
        self.room = Some(0);
    }

    /// Somebody made room; the next session fills its reserve again.
    pub fn free(&mut self) {
        self.room = None;
        self.released = false;
    }

    /// Is there room for anything but the journal?
    pub fn is_full(&self) -> bool {
        self.room.is_some()
    }

    pub fn release_reserve(&mut self) {
        if !self.released
            && let Some(room) = &mut self.room
        {
            *room += RESERVE;
        }
        self.released = true;
    }

    /// The runner was killed within its last write: so many 256ths of that are there.
    pub fn tear_last_write(&mut self, part: u8) {
        let kept = self.last.start + self.last.len() * usize::from(part) / 256;
        self.journal.truncate(kept.max(self.synced));
    }

    /// The power went: of what is not synced, so many 256ths are there.
    pub fn cut(&mut self, survives: u8, zeros: bool) {
        let whole = self.journal.len();
        let kept = self.synced + (whole - self.synced) * usize::from(survives) / 256;
        self.journal.truncate(kept);
        if zeros {
            self.journal.resize(whole, 0);
        }
        self.synced = self.journal.len();
    }

    /// A torn tail is put aside, as the store does it.
    pub fn truncate(&mut self, length: usize) {
        self.journal.truncate(length);
        self.synced = self.synced.min(length);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_synced_survives_and_of_the_rest_a_part() {
        let mut disk = Disk::default();
        disk.append(b"safe").unwrap();
        disk.sync();
        disk.append(b"12345678").unwrap();
        disk.cut(128, false);
        assert_eq!(disk.bytes(), b"safe1234");
    }

    #[test]
    fn a_full_disk_takes_nothing_until_the_reserve_is_released() {
        let mut disk = Disk::default();
        disk.fill();
        assert_eq!(disk.append(b"x"), Err(Full));
        disk.release_reserve();
        assert_eq!(disk.append(b"x"), Ok(()));
    }
}
