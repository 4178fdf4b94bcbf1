//! Reads a `.tar.gz` entry by entry, as strictly as is needed for one that somebody else made: every byte is checked,
//! nothing is believed, and no entry makes it use more memory than a few pages.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, BufReader, Read, Seek};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Component, Path, PathBuf};

use flate2::read::MultiGzDecoder;
use sha2::{Digest, Sha256};
use tar::{EntryType, Header, PaxExtensions};

use super::contents::{CHUNK, FoundEntry, FoundKind, PERMISSIONS};
use super::error::ArchiveError;
use super::limits::{Limits, Tally};
use windlass_host::file::AtPath;

/// A tape's unit.
const BLOCK: usize = 512;

/// The longest path or target of a link, in bytes; no system takes longer ones.
const LONGEST_PATH: usize = 4096;

/// The longest list of extended properties of one entry, in bytes.
const LONGEST_PROPERTIES: u64 = 64 * 1024;

/// An archive being read.
#[derive(Debug)]
pub(super) struct Reader {
    archive: PathBuf,
    source: MultiGzDecoder<BufReader<File>>,
    /// Of the archive as it is unpacked, headers included.
    tally: Tally,
    /// Bytes of the current file that have not been read.
    left: u64,
    /// Zeros after them.
    padding: usize,
}

/// Properties that came before the entry they belong to.
#[derive(Debug, Default)]
struct Properties {
    path: Option<Vec<u8>>,
    target: Option<Vec<u8>>,
    size: Option<u64>,
}

impl Reader {
    /// Begins at the beginning of the file.
    pub fn new(archive: &Path, mut file: File, limits: Limits) -> Result<Reader, ArchiveError> {
        file.rewind().at("read", archive)?;
        let source = MultiGzDecoder::new(BufReader::with_capacity(CHUNK, file));
        let tally = Tally::new(archive, limits.with_headers());
        Ok(Reader { archive: archive.to_owned(), source, tally, left: 0, padding: 0 })
    }

    /// The next entry, as it says of itself: its path is without `.`, `..` or a root. `None` at the end, after which nothing but
    /// zeros may come. The bytes of a file are [`Reader::copy`]'s to give, before the next entry.
    pub fn next(&mut self) -> Result<Option<FoundEntry>, ArchiveError> {
        let mut properties = Properties::default();
        loop {
            let Some(header) = self.header()? else {
                return Ok(None);
            };
            let kind = header.entry_type();
            let size = header.entry_size().map_err(|_| self.damaged("an entry has no size"))?;
            match kind {
                EntryType::GNULongName => properties.path = Some(self.long_name(size)?),
                EntryType::GNULongLink => properties.target = Some(self.long_name(size)?),
                EntryType::XHeader => self.extended(size, &mut properties)?,
                EntryType::XGlobalHeader => {
                    self.properties(size)?;
                }
                _ => return self.entry(&header, size, properties).map(Some),
            }
        }
    }

    fn entry(&mut self, header: &Header, size: u64, told: Properties) -> Result<FoundEntry, ArchiveError> {
        self.tally.entry()?;
        let name = told.path.unwrap_or_else(|| header.path_bytes().into_owned());
        let path = self.clean(&name)?;
        let number = |number: io::Result<u32>| number.unwrap_or(0) & PERMISSIONS;
        let mode = number(header.mode());
        let modified = header.mtime().unwrap_or(0);
        let size = told.size.unwrap_or(size);
        let refused = |why: &str| Err(ArchiveError::hostile(&self.archive, &name, why));
        let kind = match header.entry_type() {
            EntryType::Regular if name.ends_with(b"/") => FoundKind::Folder,
            EntryType::Regular | EntryType::Continuous => FoundKind::File(size),
            EntryType::Directory => FoundKind::Folder,
            EntryType::Symlink => {
                let target =
                    told.target.or_else(|| header.link_name_bytes().map(std::borrow::Cow::into_owned));
                match target.filter(|target| !target.is_empty() && target.len() <= LONGEST_PATH) {
                    Some(target) if !target.contains(&0) => FoundKind::Link(OsString::from_vec(target)),
                    _ => return refused("it is a link to nowhere"),
                }
            }
            EntryType::Link => return refused("it is a hard link"),
            EntryType::Char | EntryType::Block => return refused("it is a device"),
            EntryType::Fifo => return refused("it is a pipe"),
            other => {
                return refused(&format!("it is of an unknown kind ({:?})", char::from(other.as_byte())));
            }
        };
        if matches!(kind, FoundKind::File(_)) {
            self.begin_content(size);
        } else if size > 0 {
            return refused("it is not a file, and yet has content");
        }
        Ok(FoundEntry { path, mode, modified, kind })
    }

    /// Hands the current file's bytes on, piece by piece; its size and digest.
    pub fn copy(
        &mut self,
        mut to: impl FnMut(&[u8]) -> Result<(), ArchiveError>,
    ) -> Result<(u64, [u8; 32]), ArchiveError> {
        let (mut digest, mut chunk, size) = (Sha256::new(), vec![0; CHUNK], self.left);
        while self.left > 0 {
            let room = usize::try_from(self.left).unwrap_or(CHUNK).min(CHUNK);
            let piece = chunk.get_mut(..room).unwrap_or_default();
            self.fill(piece)?;
            digest.update(&*piece);
            to(piece)?;
            self.left -= room as u64;
        }
        self.skip_padding()?;
        Ok((size, digest.finalize().into()))
    }

    fn begin_content(&mut self, size: u64) {
        self.left = size;
        self.padding = usize::try_from(size % BLOCK as u64).map_or(0, |over| (BLOCK - over) % BLOCK);
    }

    /// The next header that is one; `None` at the end.
    fn header(&mut self) -> Result<Option<Header>, ArchiveError> {
        if self.left > 0 {
            self.copy(|_| Ok(()))?;
        }
        self.skip_padding()?;
        let mut header = Header::new_old();
        self.fill(header.as_mut_bytes())?;
        if header.as_bytes().iter().all(|byte| *byte == 0) {
            self.end()?;
            return Ok(None);
        }
        // The sum of all bytes, those of the sum itself taken as blanks.
        let sum: u32 = header
            .as_bytes()
            .iter()
            .enumerate()
            .map(|(at, byte)| match at {
                148..156 => u32::from(b' '),
                _ => u32::from(*byte),
            })
            .sum();
        if header.cksum().ok() != Some(sum) {
            return Err(self.damaged("the sum of a header is wrong"));
        }
        Ok(Some(header))
    }

    /// Reads what comes after the last entry, so that the sums of the compression are checked as well.
    fn end(&mut self) -> Result<(), ArchiveError> {
        let mut chunk = [0; BLOCK];
        loop {
            let count = self.read(&mut chunk)?;
            match chunk.get(..count) {
                None | Some([]) => return Ok(()),
                Some(rest) if rest.iter().all(|byte| *byte == 0) => {}
                Some(_) => return Err(self.damaged("something comes after its end")),
            }
        }
    }

    fn long_name(&mut self, size: u64) -> Result<Vec<u8>, ArchiveError> {
        let mut name = self.properties(size)?;
        let end = name.iter().position(|byte| *byte == 0).unwrap_or(name.len());
        name.truncate(end);
        Ok(name)
    }

    fn extended(&mut self, size: u64, properties: &mut Properties) -> Result<(), ArchiveError> {
        let text = self.properties(size)?;
        for property in PaxExtensions::new(&text) {
            let property = property.map_err(|_| self.damaged("an entry's properties cannot be read"))?;
            match property.key_bytes() {
                b"path" => properties.path = Some(property.value_bytes().to_vec()),
                b"linkpath" => properties.target = Some(property.value_bytes().to_vec()),
                b"size" => {
                    let size = property.value().ok().and_then(|size| size.parse().ok());
                    properties.size = Some(size.ok_or_else(|| self.damaged("an entry has no size"))?);
                }
                key if key.starts_with(b"GNU.sparse") => {
                    return Err(ArchiveError::hostile(&self.archive, key, "files with holes are not known"));
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// The content of an entry that is about the next one.
    fn properties(&mut self, size: u64) -> Result<Vec<u8>, ArchiveError> {
        let Some(length) = usize::try_from(size).ok().filter(|_| size <= LONGEST_PROPERTIES) else {
            return Err(self.damaged("an entry's properties are too long"));
        };
        self.begin_content(size);
        let mut text = Vec::with_capacity(length);
        self.copy(|piece| {
            text.extend_from_slice(piece);
            Ok(())
        })?;
        Ok(text)
    }

    /// The path as it is used: what leads anywhere else is refused.
    fn clean(&self, name: &[u8]) -> Result<PathBuf, ArchiveError> {
        let refused = |why: &str| Err(ArchiveError::hostile(&self.archive, name, why));
        if name.is_empty() || name.contains(&0) {
            return refused("it has no name");
        }
        if name.len() > LONGEST_PATH {
            return refused("its name is too long");
        }
        let mut path = PathBuf::new();
        for component in Path::new(OsStr::from_bytes(name)).components() {
            match component {
                Component::Normal(part) => path.push(part),
                Component::CurDir => {}
                Component::ParentDir => return refused("its path contains `..`"),
                Component::RootDir | Component::Prefix(_) => return refused("its path is absolute"),
            }
        }
        Ok(path)
    }

    fn skip_padding(&mut self) -> Result<(), ArchiveError> {
        let mut block = [0; BLOCK];
        let padding = std::mem::take(&mut self.padding);
        self.fill(block.get_mut(..padding).unwrap_or_default())
    }

    fn fill(&mut self, mut room: &mut [u8]) -> Result<(), ArchiveError> {
        while !room.is_empty() {
            let count = self.read(room)?;
            if count == 0 {
                return Err(self.damaged("its end is missing"));
            }
            room = room.get_mut(count..).unwrap_or_default();
        }
        Ok(())
    }

    /// Every byte comes through here, and is counted.
    fn read(&mut self, room: &mut [u8]) -> Result<usize, ArchiveError> {
        loop {
            match self.source.read(room) {
                Ok(count) => {
                    self.tally.bytes(count as u64)?;
                    return Ok(count);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.raw_os_error().is_some() => {
                    return Err(error).at("read", &self.archive).map_err(ArchiveError::from);
                }
                Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
                    return Err(self.damaged("its end is missing"));
                }
                Err(error) => return Err(self.damaged(format!("it cannot be unpacked ({error})"))),
            }
        }
    }

    fn damaged(&self, why: impl Into<String>) -> ArchiveError {
        ArchiveError::damaged(&self.archive, why)
    }
}
