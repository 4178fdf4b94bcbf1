//! Copies of the repository's objects, so that its references can be repaired after the repository was destroyed.

use std::collections::HashMap;
use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::loose::{HALF_WRITTEN, LooseObjects};
use super::repository::entries;
use super::{LeftOut, LeftOutReason, SnapshotError};
use crate::git::{Repository, holds_objects, is_loose};
use windlass_host::file::{AtPath, FileError, create_private_folder};
use windlass_host::tree::{Attributes, Stamps, at};

/// The copies of one repository's objects. They are only ever added to.
#[derive(Debug)]
pub(super) struct ObjectCopies {
    folder: PathBuf,
    /// Folders of the repository as they were when all that is in them had been copied.
    settled: HashMap<PathBuf, Stamps>,
    left_out: Vec<LeftOut>,
    bytes: Option<u64>,
    followed: bool,
}

impl ObjectCopies {
    pub fn new(folder: PathBuf) -> Self {
        Self { folder, settled: HashMap::new(), left_out: Vec::new(), bytes: None, followed: false }
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// What could not be copied when it was last tried.
    pub fn left_out(&self) -> &[LeftOut] {
        &self.left_out
    }

    /// Copies what is new. Without a reference or the index having `moved` there is nothing new that matters.
    pub fn follow(
        &mut self,
        repository: &Repository,
        moved: bool,
        cap: u64,
        written: &mut LooseObjects,
    ) -> Result<(), SnapshotError> {
        if self.followed && !moved {
            return Ok(());
        }
        self.followed = false;
        self.left_out.clear();
        let source = repository.common_dir.join("objects");
        for name in subfolders(at(&source).names()?) {
            self.follow_folder(&source.join(&name), &name, cap, written)?;
        }
        self.followed = true;
        Ok(())
    }

    fn follow_folder(
        &mut self,
        source: &Path,
        name: &OsString,
        cap: u64,
        written: &mut LooseObjects,
    ) -> Result<(), SnapshotError> {
        let now = SystemTime::now();
        // A folder, or a link to one that a person has there.
        let Ok(Some(found)) = at(source).look_through() else {
            return Ok(());
        };
        let stamps = Stamps::of(found);
        if self.settled.get(source) == Some(&stamps) {
            return Ok(());
        }
        let target = self.folder.join(name);
        let mut complete = true;
        for file in wanted_files(at(source).names()?) {
            let (from, to) = (source.join(&file), target.join(&file));
            if to.symlink_metadata().is_ok() {
                continue;
            }
            // It may have been packed and removed in this moment.
            let Some(size) =
                at(&from).look().ok().flatten().filter(Attributes::is_regular).map(|found| found.size)
            else {
                continue;
            };
            if self.bytes()? + size > cap {
                let path = [b".git/objects/", name.as_bytes(), b"/", file.as_bytes()].concat();
                self.left_out.push(LeftOut { path, reason: LeftOutReason::OverTotal, size });
                complete = false;
                continue;
            }
            if !target.is_dir() {
                create_private_folder(&target)?;
            }
            let copied = at(&from).open_itself().at("read", &from).and_then(|source| copy(&source, &to));
            match copied {
                Err(error) if error.is_not_found() => continue,
                copied => written.remember(copied?),
            }
            self.bytes = self.bytes.map(|bytes| bytes + size);
        }
        if complete && !stamps.are_fresh(now) {
            self.settled.insert(source.to_path_buf(), stamps);
        }
        Ok(())
    }

    /// The bytes of all copies; counted once.
    fn bytes(&mut self) -> Result<u64, SnapshotError> {
        if let Some(bytes) = self.bytes {
            return Ok(bytes);
        }
        let mut bytes = 0;
        for name in subfolders(own_names(&self.folder)?) {
            for entry in entries(&self.folder.join(name))? {
                bytes += entry.metadata().map_or(0, |metadata| metadata.len());
            }
        }
        self.bytes = Some(bytes);
        Ok(bytes)
    }
}

/// The folders of an object database that hold objects: `00` to `ff`, and `pack`.
pub(super) fn subfolders(mut names: Vec<OsString>) -> Vec<OsString> {
    names.retain(|name| holds_objects(name));
    names.sort_unstable();
    names
}

/// The files of such a folder that hold objects; a pack comes before its index, without which nobody would look at it.
pub(super) fn wanted_files(names: Vec<OsString>) -> Vec<OsString> {
    let rank = |name: &str| match name.rsplit_once('.') {
        Some((_, "pack")) => Some(0),
        Some((_, "promisor" | "rev")) => Some(1),
        Some((_, "idx")) => Some(2),
        None if is_loose(name.as_ref()) => Some(0),
        _ => None,
    };
    let names = names.into_iter().filter_map(|name| name.into_string().ok());
    let mut ranked: Vec<(u8, String)> = names.filter_map(|name| Some((rank(&name)?, name))).collect();
    ranked.sort_unstable();
    ranked.into_iter().map(|(_, name)| name.into()).collect()
}

/// The names in a folder of the store.
pub(super) fn own_names(folder: &Path) -> Result<Vec<OsString>, FileError> {
    Ok(entries(folder)?.into_iter().map(|entry| entry.file_name()).collect())
}

/// Copies a file into the store under a name that it gets only when it is complete; shares the blocks where the file system can.
fn copy(source: &File, to: &Path) -> Result<File, FileError> {
    let folder = to.parent().unwrap_or(Path::new("."));
    // Several runs and lanes of one project may copy the same file at the same time.
    let temporary =
        tempfile::Builder::new().prefix(HALF_WRITTEN).tempfile_in(folder).at("write in", folder)?;
    fill(source, temporary.as_file()).at("write", temporary.path())?;
    temporary.persist(to).map_err(|failed| failed.error).at("write", to)
}

fn fill(mut source: &File, mut target: &File) -> io::Result<()> {
    #[cfg(target_os = "linux")]
    if rustix::fs::ioctl_ficlone(target, source).is_ok() {
        return Ok(());
    }
    io::copy(&mut source, &mut target).map(drop)
}
