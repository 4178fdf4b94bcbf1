//! git's index, read from its bytes: which paths are tracked.
//!
//! Versions 2, 3 and 4. Whatever is not as git itself writes it is not read at all: git is asked then.

use super::Unsure;
use crate::git::ObjectFormat;

/// Times, device, inode, mode, owner, group and size.
const STAT: usize = 40;
/// Where the mode is among them.
const MODE: usize = 24;

const TYPE_OF_MODE: u32 = 0o170_000;
const FOLDER: u32 = 0o040_000;
const SUBMODULE: u32 = 0o160_000;

/// More flags follow.
const EXTENDED: u16 = 0x4000;
/// Of those that follow: the file may be missing from the working tree, and only its name is known yet.
const ASSUME_VALID: u16 = 0x8000;
const SKIP_WORKTREE: u16 = 0x4000;
const INTENT_TO_ADD: u16 = 0x2000;
const NAME_LENGTH: u16 = 0x0fff;

/// What is tracked, sorted by path and stage.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Index {
    pub entries: Vec<IndexEntry>,
}

/// A path that is tracked; one that is in conflict has an entry for each stage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexEntry {
    pub path: Vec<u8>,
    pub stage: u8,
    pub is_submodule: bool,
    /// The working tree may be without it, on purpose.
    pub is_skipped: bool,
    /// git takes it for unchanged without looking.
    pub is_assumed: bool,
}

/// What is tracked below a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Below {
    Nothing,
    Files,
    /// The path is a submodule.
    Submodule,
}

impl Index {
    /// # Errors
    /// It is damaged, or of a kind that is git's to read.
    pub fn parse(bytes: &[u8], format: ObjectFormat) -> Result<Index, Unsure> {
        let body = bytes.len().checked_sub(format.length()).and_then(|end| bytes.get(..end));
        let mut reader = Reader { rest: body.ok_or(DAMAGED)? };
        if reader.take(4)? != b"DIRC" {
            return Err(DAMAGED);
        }
        let version = reader.number()?;
        if !(2..=4).contains(&version) {
            return Err(Unsure("the index is of another version"));
        }
        let count = reader.number()?;
        let mut entries: Vec<IndexEntry> = Vec::new();
        for _ in 0..count {
            let before = entries.last().map_or(&b""[..], |entry| &entry.path);
            let entry = reader.entry(version, format, before)?;
            if entries.last().is_some_and(|last| (&last.path, last.stage) >= (&entry.path, entry.stage)) {
                return Err(DAMAGED);
            }
            entries.push(entry);
        }
        reader.extensions()?;
        Ok(Index { entries })
    }

    /// Is this very path tracked?
    pub(super) fn has(&self, path: &[u8]) -> bool {
        let first = self.entries.partition_point(|entry| entry.path.as_slice() < path);
        self.entries.get(first).is_some_and(|entry| entry.path == path)
    }

    /// What is tracked below a folder.
    pub(super) fn below(&self, folder: &[u8]) -> Below {
        let first = self.entries.partition_point(|entry| entry.path.as_slice() < folder);
        let candidates = self.entries.get(first..).unwrap_or_default().iter();
        for entry in candidates {
            match entry.path.strip_prefix(folder) {
                Some([]) if entry.is_submodule => return Below::Submodule,
                Some([b'/', ..]) => return Below::Files,
                Some([] | [0..=b'/', ..]) => {}
                _ => break,
            }
        }
        Below::Nothing
    }
}

const DAMAGED: Unsure = Unsure("the index is damaged");

struct Reader<'bytes> {
    rest: &'bytes [u8],
}

impl<'bytes> Reader<'bytes> {
    fn take(&mut self, length: usize) -> Result<&'bytes [u8], Unsure> {
        let (taken, rest) = self.rest.split_at_checked(length).ok_or(DAMAGED)?;
        self.rest = rest;
        Ok(taken)
    }

    fn number(&mut self) -> Result<u32, Unsure> {
        let bytes = self.take(4)?.try_into().map_err(|_| DAMAGED)?;
        Ok(u32::from_be_bytes(bytes))
    }

    fn flags(&mut self) -> Result<u16, Unsure> {
        let bytes = self.take(2)?.try_into().map_err(|_| DAMAGED)?;
        Ok(u16::from_be_bytes(bytes))
    }

    fn entry(&mut self, version: u32, format: ObjectFormat, before: &[u8]) -> Result<IndexEntry, Unsure> {
        let begin = self.rest.len();
        let attributes = self.take(STAT)?;
        let mode = attributes.get(MODE..MODE + 4).and_then(|mode| mode.try_into().ok()).ok_or(DAMAGED)?;
        let kind = u32::from_be_bytes(mode) & TYPE_OF_MODE;
        if kind == FOLDER {
            return Err(Unsure("the index is sparse"));
        }
        self.take(format.length())?;
        let flags = self.flags()?;
        let further = match flags & EXTENDED {
            0 => 0,
            _ if version < 3 => return Err(DAMAGED),
            _ => self.flags()?,
        };
        if further & !(SKIP_WORKTREE | INTENT_TO_ADD) != 0 {
            return Err(Unsure("an entry of the index has flags that are not known"));
        }
        let path = if version == 4 { self.shortened(before)? } else { self.padded(flags, begin)? };
        if !is_plain(&path) {
            return Err(Unsure("a name in the index leads elsewhere"));
        }
        Ok(IndexEntry {
            path,
            stage: u8::try_from((flags >> 12) & 3).unwrap_or_default(),
            is_submodule: kind == SUBMODULE,
            is_skipped: further & SKIP_WORKTREE != 0,
            is_assumed: flags & ASSUME_VALID != 0,
        })
    }

    /// A name with as many zeros behind it as make the entry's length one of eight bytes.
    fn padded(&mut self, flags: u16, begin: usize) -> Result<Vec<u8>, Unsure> {
        let length = memchr::memchr(0, self.rest).ok_or(DAMAGED)?;
        if length.min(usize::from(NAME_LENGTH)) != usize::from(flags & NAME_LENGTH) {
            return Err(DAMAGED);
        }
        let path = self.take(length)?.to_vec();
        let so_far = begin - self.rest.len();
        let padding = self.take(8 - so_far % 8)?;
        if padding.iter().any(|byte| *byte != 0) { Err(DAMAGED) } else { Ok(path) }
    }

    /// A name that says how much of the end of the one before is replaced by what follows.
    fn shortened(&mut self, before: &[u8]) -> Result<Vec<u8>, Unsure> {
        let dropped = self.varying()?;
        let kept = before.len().checked_sub(dropped).and_then(|kept| before.get(..kept)).ok_or(DAMAGED)?;
        let length = memchr::memchr(0, self.rest).ok_or(DAMAGED)?;
        let path = [kept, self.take(length)?].concat();
        self.take(1)?;
        Ok(path)
    }

    /// A number of as many bytes as it needs, as packs write offsets.
    fn varying(&mut self) -> Result<usize, Unsure> {
        let mut value = 0_usize;
        loop {
            let byte = *self.take(1)?.first().ok_or(DAMAGED)?;
            value += usize::from(byte & 0x7f);
            if byte & 0x80 == 0 {
                return Ok(value);
            }
            value = (value + 1).checked_mul(0x80).filter(|value| *value < 1 << 30).ok_or(DAMAGED)?;
        }
    }

    /// Those whose names begin with a capital letter may be passed over: none of them says which paths there are.
    fn extensions(&mut self) -> Result<(), Unsure> {
        while !self.rest.is_empty() {
            let name = self.take(4)?;
            if !name.first().is_some_and(u8::is_ascii_uppercase) {
                return Err(Unsure("the index is split, sparse, or has an extension that is not known"));
            }
            let length = self.number()?;
            self.take(usize::try_from(length).map_err(|_| DAMAGED)?)?;
        }
        Ok(())
    }
}

/// A path below the top that git itself would add.
fn is_plain(path: &[u8]) -> bool {
    path.split(|byte| *byte == b'/').all(|part| !matches!(part, b"" | b"." | b"..") && part != b".git")
}
