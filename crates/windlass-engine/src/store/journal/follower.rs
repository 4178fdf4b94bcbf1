//! A journal that somebody else is writing, followed.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use windlass_core::fact::Entry;

use super::super::StoreError;
use super::super::error::Attempted as _;
use super::super::files::open_file;
use super::scanner::{Scanned, Scanner};

/// Reads what a journal has grown by, poll by poll. Changes nothing.
#[derive(Debug)]
pub struct Follower {
    path: PathBuf,
    file: Option<File>,
    scanner: Scanner,
    /// Bytes that the scanner has consumed.
    position: u64,
    /// The ordinal of the last fact that was handed out.
    last_seq: u64,
}

impl Follower {
    /// Follows the journal at `path`, from its first fact. It need not exist yet.
    pub fn new(path: &Path) -> Follower {
        Follower { path: path.to_owned(), file: None, scanner: Scanner::new(path), position: 0, last_seq: 0 }
    }

    /// The next facts that were completed since the last poll, those of a piece at most: a long journal is never held whole. None
    /// where nothing more has come, and while there is no journal.
    pub fn poll(&mut self) -> Result<Vec<Entry>, StoreError> {
        loop {
            let Some(Scanned { mut entries, consumed }) = self.read_on()? else { return Ok(Vec::new()) };
            self.position += consumed as u64;
            entries.retain(|entry| entry.seq > self.last_seq);
            self.last_seq = self.last_seq.max(self.scanner.last_seq());
            // Of a piece that was read before nothing is handed out again.
            if consumed == 0 || !entries.is_empty() {
                return Ok(entries);
            }
        }
    }

    fn read_on(&mut self) -> Result<Option<Scanned>, StoreError> {
        let path = self.path.as_path();
        let file = match &mut self.file {
            Some(file) => file,
            none => match open_file(path) {
                Ok(file) => none.insert(file),
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
                Err(error) => return Err(StoreError::io("open", path, error)),
            },
        };
        let length = file.metadata().attempted("read", path)?.len();
        if length < self.position {
            // A batch that did not fit on a full disk was rolled back: read again, hand out only what is new.
            self.position = 0;
            self.scanner = Scanner::new(path);
        }
        self.scanner.scan_piece(file, self.position).map(Some)
    }
}
