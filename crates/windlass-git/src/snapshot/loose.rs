//! Git objects in files of their own, written and read without git.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;

use super::SnapshotError;
use super::durable::Unsynced;
use crate::git::{ObjectFormat, ObjectId, ObjectKind, header};
use windlass_host::file::{AtPath, create_private_folder};

/// How the names of files begin that are being written; git's own are called the same.
pub(super) const HALF_WRITTEN: &str = "tmp_obj_";

/// A folder of loose objects.
#[derive(Debug)]
pub(super) struct LooseObjects {
    folder: PathBuf,
    format: ObjectFormat,
    /// Objects that are known to be there, so that nobody has to look.
    known: HashSet<ObjectId>,
    unsynced: Unsynced,
}

impl LooseObjects {
    pub fn new(folder: PathBuf, format: ObjectFormat) -> Self {
        Self { folder, format, known: HashSet::new(), unsynced: Unsynced::default() }
    }

    pub fn format(&self) -> ObjectFormat {
        self.format
    }

    fn path(&self, id: &ObjectId) -> PathBuf {
        let hex = id.to_string();
        let (first, rest) = hex.split_at_checked(2).unwrap_or_default();
        self.folder.join(first).join(rest)
    }

    /// Is the object there?
    pub fn has(&mut self, id: &ObjectId) -> bool {
        if self.known.contains(id) {
            return true;
        }
        let there = self.path(id).symlink_metadata().is_ok_and(|metadata| metadata.len() > 0);
        if there {
            self.known.insert(*id);
        }
        there
    }

    /// Writes an object, unless it is there, and names it.
    pub fn write(&mut self, kind: ObjectKind, content: &[u8]) -> Result<ObjectId, SnapshotError> {
        let id = self.format.identify(kind, content);
        if !self.has(&id) {
            let path = self.path(&id);
            let folder = path.parent().unwrap_or(&self.folder);
            if !folder.is_dir() {
                create_private_folder(folder)?;
            }
            let temporary =
                tempfile::Builder::new().prefix(HALF_WRITTEN).tempfile_in(folder).at("write in", folder)?;
            let mut encoder = ZlibEncoder::new(temporary.as_file(), Compression::fast());
            let header = header(kind, content.len() as u64);
            let written = encoder.write_all(&header).and_then(|()| encoder.write_all(content));
            written.and_then(|()| encoder.finish().map(drop)).at("write", &path)?;
            let file = temporary.persist(&path).map_err(|failed| failed.error).at("write", &path)?;
            self.unsynced.push(file);
            self.known.insert(id);
        }
        Ok(id)
    }

    /// Takes a file that was written beside the objects into the next [`sync`](Self::sync).
    pub fn remember(&mut self, file: File) {
        self.unsynced.push(file);
    }

    /// Waits until everything written so far is on the disk.
    pub fn sync(&mut self) -> Result<(), SnapshotError> {
        Ok(self.unsynced.sync(&self.folder).at("sync", &self.folder)?)
    }

    /// Reads an object of this kind; its content must be what its name says.
    pub fn read(&self, id: &ObjectId, kind: ObjectKind) -> Result<Vec<u8>, SnapshotError> {
        let path = self.path(id);
        let file = match File::open(&path).at("read", &path) {
            Err(error) if error.is_not_found() => return Err(SnapshotError::Missing(path)),
            file => file?,
        };
        let damaged = |why: &str| SnapshotError::Damaged { id: id.to_string(), why: why.to_owned() };
        let mut object = Vec::new();
        let decoded = ZlibDecoder::new(file).read_to_end(&mut object);
        decoded.map_err(|error| damaged(&error.to_string()))?;
        let end = memchr::memchr(0, &object).ok_or_else(|| damaged("it has no header"))?;
        let content = object.split_off(end + 1);
        if object != header(kind, content.len() as u64) {
            return Err(damaged("its header is wrong"));
        }
        if self.format.identify(kind, &content) != *id {
            return Err(damaged("its content is not what its name says"));
        }
        Ok(content)
    }
}

/// Removes what writers that were killed left behind. Only for a store that nobody writes to.
pub(super) fn remove_leftovers(folder: &Path) {
    let folders = fs::read_dir(folder).into_iter().flatten().flatten();
    for fan_out in folders.filter(|entry| entry.file_name().len() == 2 || entry.file_name() == "pack") {
        let files = fs::read_dir(fan_out.path()).into_iter().flatten().flatten();
        for file in files.filter(|file| file.file_name().to_string_lossy().starts_with(HALF_WRITTEN)) {
            // It is only untidy; the next time may succeed.
            drop(fs::remove_file(file.path()));
        }
    }
}
