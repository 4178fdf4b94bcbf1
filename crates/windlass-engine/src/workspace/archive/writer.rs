//! Writes a `.tar.gz`: the same folder gives the same bytes, wherever it is and whoever writes it.

use std::fs::File;
use std::io::{self, BufWriter, Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;
use tar::{EntryType, Header};

use super::contents::{CHUNK, FoundEntry, FoundKind};
use super::error::ArchiveError;
use windlass_host::file::{AtPath, FileError};
use windlass_host::tree::TreePath;

/// A tape's unit.
const BLOCK: usize = 512;

/// Room for a name in a header; the last byte stays zero.
const SHORT_NAME: usize = 99;

/// Permissions of what we add ourselves.
const PLAIN: u32 = 0o644;

/// An archive being written.
pub(super) struct Writer<'a> {
    archive: &'a Path,
    out: GzEncoder<BufWriter<&'a File>>,
}

impl<'a> Writer<'a> {
    /// Writes to a file; `archive` is its name for errors.
    pub fn new(archive: &'a Path, file: &'a File) -> Writer<'a> {
        let out = GzEncoder::new(BufWriter::with_capacity(CHUNK, file), Compression::default());
        Writer { archive, out }
    }

    /// Adds a file of ours.
    pub fn text(&mut self, name: &str, modified: u64, text: &[u8]) -> Result<(), ArchiveError> {
        let header = header(EntryType::Regular, PLAIN, modified, text.len() as u64);
        self.put(header, name.as_bytes(), None)?;
        self.bytes(text)?;
        self.pad(text.len() as u64)
    }

    /// Adds what was found in a folder, below this name.
    pub fn add(&mut self, folder: &TreePath, name: &Path, found: &FoundEntry) -> Result<(), ArchiveError> {
        // Joined with nothing it would end with a slash.
        let path: PathBuf = name.components().chain(found.path.components()).collect();
        let mut name = path.as_os_str().as_bytes().to_vec();
        match &found.kind {
            FoundKind::Folder => {
                name.push(b'/');
                self.put(header(EntryType::Directory, found.mode, found.modified, 0), &name, None)
            }
            FoundKind::Link(target) => {
                let header = header(EntryType::Symlink, 0o777, found.modified, 0);
                self.put(header, &name, Some(target.as_bytes()))
            }
            FoundKind::File(size) => {
                self.put(header(EntryType::Regular, found.mode, found.modified, *size), &name, None)?;
                self.content(&folder.join(&found.path), *size)
            }
        }
    }

    /// Writes the end, and all that was held back.
    pub fn finish(mut self) -> Result<(), ArchiveError> {
        self.bytes(&[0; 2 * BLOCK])?;
        let mut file = self.out.finish().at("write", self.archive)?;
        Ok(file.flush().at("write", self.archive)?)
    }

    /// Exactly as many bytes as were announced: a file that has become shorter has changed.
    fn content(&mut self, path: &TreePath, size: u64) -> Result<(), ArchiveError> {
        let mut file = path.open_itself().map_err(|error| path.failed("read", error))?;
        let (mut chunk, mut left) = (vec![0; CHUNK], size);
        while left > 0 {
            let room = usize::try_from(left).unwrap_or(CHUNK).min(CHUNK);
            let count = match file.read(chunk.get_mut(..room).unwrap_or_default()) {
                Ok(0) => return Err(ArchiveError::Changed { path: path.shown() }),
                Ok(count) => count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(path.failed("read", error).into()),
            };
            self.bytes(chunk.get(..count).unwrap_or_default())?;
            left -= count as u64;
        }
        self.pad(size)
    }

    fn put(&mut self, mut header: Header, name: &[u8], target: Option<&[u8]>) -> Result<(), ArchiveError> {
        if name.len() > SHORT_NAME {
            self.long(EntryType::GNULongName, name)?;
        }
        if let Some(target) = target.filter(|target| target.len() > SHORT_NAME) {
            self.long(EntryType::GNULongLink, target)?;
        }
        let fields = header.as_old_mut();
        fill(&mut fields.name, name);
        fill(&mut fields.linkname, target.unwrap_or_default());
        header.set_cksum();
        self.bytes(header.as_bytes())
    }

    /// A name that is too long for a header, as GNU's tar writes it.
    fn long(&mut self, kind: EntryType, name: &[u8]) -> Result<(), ArchiveError> {
        let size = name.len() as u64 + 1;
        let mut header = header(kind, PLAIN, 0, size);
        fill(&mut header.as_old_mut().name, b"././@LongLink");
        header.set_cksum();
        self.bytes(header.as_bytes())?;
        self.bytes(name)?;
        self.bytes(&[0])?;
        self.pad(size)
    }

    fn pad(&mut self, size: u64) -> Result<(), ArchiveError> {
        let over = usize::try_from(size % BLOCK as u64).unwrap_or_default();
        let padding = (BLOCK - over) % BLOCK;
        let zeros = [0; BLOCK];
        self.bytes(zeros.get(..padding).unwrap_or_default())
    }

    fn bytes(&mut self, bytes: &[u8]) -> Result<(), ArchiveError> {
        let written: Result<(), FileError> = self.out.write_all(bytes).at("write", self.archive);
        Ok(written?)
    }
}

fn header(kind: EntryType, mode: u32, modified: u64, size: u64) -> Header {
    let mut header = Header::new_gnu();
    header.set_entry_type(kind);
    header.set_mode(mode);
    header.set_mtime(modified);
    header.set_size(size);
    header.set_uid(0);
    header.set_gid(0);
    header
}

fn fill(field: &mut [u8], text: &[u8]) {
    let room = field.len().min(SHORT_NAME);
    for (to, from) in field.iter_mut().take(room).zip(text) {
        *to = *from;
    }
}
