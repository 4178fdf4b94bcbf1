//! An archive that is there, of either kind, and what is in it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::contents::{Contents, FoundKind, Item};
use super::error::ArchiveError;
use super::limits::{Limits, Tally};
use super::reader::Reader;
use windlass_host::tree::at;

/// What an archive says of itself.
pub(super) const RECORD: &str = ".archived.json";

/// The ending of a compressed archive's name.
pub(super) const ENDING: &str = ".tar.gz";

/// Permissions of a folder that an archive does not mention, but what is in it.
const UNMENTIONED: u32 = 0o755;

/// Files that say what is in an archive, and the longest of them that is looked at, in bytes.
const TELLING: &[&str] = &[RECORD, ".metadata.json", ".status.json", "INSTRUCTIONS.md", "TODO.md"];
const LONGEST_TELLING: usize = 1024 * 1024;

/// How an archive is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// A `.tar.gz`.
    Compressed,
    /// A folder, as claude-iterate made them.
    Folder,
}

/// An archive that is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Archive {
    /// Without `.tar.gz`.
    pub name: String,
    /// Its file or folder.
    pub path: PathBuf,
    /// How it is kept.
    pub form: Form,
}

/// What was read of an archive.
#[derive(Debug)]
pub(super) struct Read {
    form: Form,
    /// All that is in it, as seen from its top.
    pub contents: Contents,
    /// Files that say what is in it, by their path from its top.
    pub telling: BTreeMap<PathBuf, Vec<u8>>,
}

/// How much of an archive is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Extent {
    /// All of it, every byte checked.
    Whole,
    /// Until it is known whose it is.
    Identity,
}

impl Archive {
    /// Reads it; nothing is written.
    pub(super) fn read(&self, extent: Extent, limits: Limits) -> Result<Read, ArchiveError> {
        match self.form {
            Form::Compressed => self.read_compressed(extent, limits),
            Form::Folder => self.read_folder(extent, limits),
        }
    }

    /// A reader of a compressed one.
    pub(super) fn reader(&self, limits: Limits) -> Result<Reader, ArchiveError> {
        let archive = at(&self.path);
        let file = archive.open_itself().map_err(|error| archive.failed("read", error))?;
        Reader::new(&self.path, file, limits)
    }

    fn read_compressed(&self, extent: Extent, limits: Limits) -> Result<Read, ArchiveError> {
        let mut reader = self.reader(limits)?;
        let mut read = Read::nothing(self.form);
        // Each entry can name thousands of folders above it.
        let mut unmentioned = Tally::new(&self.path, limits);
        while let Some(entry) = reader.next()? {
            let item = match entry.kind {
                FoundKind::Folder => Item::Folder { mode: entry.mode },
                FoundKind::Link(target) => Item::Link { target },
                FoundKind::File(_) => {
                    let mut kept = Vec::new();
                    let telling = is_telling(&entry.path);
                    let (size, digest) = reader.copy(|piece| {
                        if telling && kept.len() + piece.len() <= LONGEST_TELLING {
                            kept.extend_from_slice(piece);
                        }
                        Ok(())
                    })?;
                    if telling && size <= LONGEST_TELLING as u64 {
                        read.telling.insert(entry.path.clone(), kept);
                    }
                    Item::File { mode: entry.mode, size, digest }
                }
            };
            self.insert(&mut read.contents, entry.path, item, &mut unmentioned)?;
            if extent == Extent::Identity && read.says_whose_it_is() {
                break;
            }
        }
        Ok(read)
    }

    /// Adds an item where there may be one.
    fn insert(
        &self,
        contents: &mut Contents,
        path: PathBuf,
        item: Item,
        unmentioned: &mut Tally,
    ) -> Result<(), ArchiveError> {
        let shown = path.as_os_str().as_encoded_bytes();
        for above in path.ancestors().skip(1).filter(|above| !above.as_os_str().is_empty()) {
            match contents.items.get(above) {
                None => {
                    unmentioned.entry()?;
                    contents.items.insert(above.to_owned(), Item::Folder { mode: UNMENTIONED });
                }
                Some(Item::Folder { .. }) => {}
                Some(_) => {
                    return Err(ArchiveError::hostile(
                        &self.path,
                        shown,
                        "it lies below what is not a folder",
                    ));
                }
            }
        }
        if path.as_os_str().is_empty() && !matches!(item, Item::Folder { .. }) {
            return Err(ArchiveError::hostile(&self.path, b".", "it is not a folder"));
        }
        let unmentioned = Item::Folder { mode: UNMENTIONED };
        match contents.items.get(&path) {
            Some(there) if !(*there == unmentioned && matches!(item, Item::Folder { .. })) => {
                return Err(ArchiveError::hostile(&self.path, shown, "it is there twice"));
            }
            _ => {}
        }
        contents.items.insert(path, item);
        Ok(())
    }

    fn read_folder(&self, extent: Extent, limits: Limits) -> Result<Read, ArchiveError> {
        let mut read = Read::nothing(self.form);
        if extent == Extent::Whole {
            read.contents = Contents::of_folder(&at(&self.path), &[], limits)?;
        }
        for name in TELLING {
            let path = at(&self.path).join(name);
            let is_file = path.look().is_ok_and(|found| found.is_some_and(|found| found.is_regular()));
            let bytes = if is_file { path.read_beginning(LONGEST_TELLING)? } else { None };
            if let Some(bytes) = bytes.filter(|bytes| bytes.len() <= LONGEST_TELLING) {
                read.telling.insert(PathBuf::from(name), bytes);
            }
        }
        Ok(read)
    }
}

impl Read {
    fn nothing(form: Form) -> Read {
        Read { form, contents: Contents::default(), telling: BTreeMap::new() }
    }

    /// The workspace's folder in the archive: the archive's top, or the only folder there.
    pub fn top(&self) -> PathBuf {
        if self.form == Form::Folder {
            return PathBuf::new();
        }
        let tops: Vec<(&PathBuf, &Item)> = self
            .contents
            .items
            .iter()
            .filter(|(path, _)| path.components().count() == 1 && path.as_path() != Path::new(RECORD))
            .collect();
        match tops.as_slice() {
            [(path, Item::Folder { .. })] => (*path).clone(),
            _ => PathBuf::new(),
        }
    }

    /// Where it says what it is.
    pub fn record_path(&self) -> PathBuf {
        let beside = PathBuf::from(RECORD);
        if self.contents.items.contains_key(&beside) || self.telling.contains_key(&beside) {
            return beside;
        }
        self.top().join(RECORD)
    }

    /// A file of the workspace that says what is in it.
    pub fn file(&self, name: &str) -> Option<&[u8]> {
        self.telling.get(&self.top().join(name)).map(Vec::as_slice)
    }

    fn says_whose_it_is(&self) -> bool {
        let has = |name: &str| self.telling.keys().any(|path| path.ends_with(name));
        has(RECORD) && has(".metadata.json")
    }
}

/// One of the files that say what is in an archive, at its top or in the folder there.
fn is_telling(path: &Path) -> bool {
    path.components().count() <= 2 && TELLING.iter().any(|name| path.ends_with(name))
}
