//! The repository's own files in a snapshot: what it takes to know again what was checked out and which branch was where.

use std::collections::HashMap;
use std::fs;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::quoting::{quote, unquote};
use super::{LeftOut, LeftOutReason, SnapshotError, Store};
use crate::file::{AtPath, FileError};
use crate::git::{ObjectFormat, ObjectId, ObjectKind, Repository};
use crate::inventory::{Place, Stamps, as_path};

/// In the folder that belongs to one working tree.
const OF_THE_WORKTREE: [&str; 4] = ["HEAD", "index", "ORIG_HEAD", "config.worktree"];
/// Files in the folder that all working trees share.
const SHARED_FILES: [&str; 6] =
    ["config", "packed-refs", "shallow", "info/exclude", "objects/info/alternates", "logs/refs/stash"];
/// Folders in it.
const SHARED_FOLDERS: [&str; 2] = ["refs", "reftable"];

/// Which of the repository's files have been kept already, and how the file system showed them (nothing when that could
/// not be trusted).
pub(super) type CapturedFiles = HashMap<PathBuf, (Option<Stamps>, ObjectId)>;

/// Where a file of the repository belongs, by its name in a snapshot.
pub(super) fn location(place: &KeptPlace, name: &[u8]) -> Option<PathBuf> {
    let of_the_worktree = OF_THE_WORKTREE.iter().any(|own| own.as_bytes() == name);
    let folder = if of_the_worktree { &place.git_dir } else { &place.common_dir };
    folder.as_ref().map(|folder| folder.join(as_path(name)))
}

impl Store {
    /// Keeps the repository's own files, and its objects when any of those files moved.
    pub(super) fn keep_repository(
        &mut self,
        repository: &Repository,
        left_out: &mut Vec<LeftOut>,
    ) -> Result<Vec<(Vec<u8>, ObjectId)>, SnapshotError> {
        let mut kept = Vec::new();
        let mut moved = false;
        for (name, path) in own_files(repository) {
            let Some((content, is_new)) = self.keep_own_file(&path)? else {
                continue;
            };
            moved |= is_new;
            kept.push((name, content));
        }
        kept.sort_unstable();
        if repository.object_format == self.object_format() {
            self.copies.follow(repository, moved, self.caps.total, &mut self.objects)?;
            left_out.extend(self.copies.left_out().iter().cloned());
        } else {
            let path = b".git/objects".to_vec();
            left_out.push(LeftOut { path, reason: LeftOutReason::Unreadable, size: 0 });
        }
        Ok(kept)
    }

    /// The content of one of the repository's files, and whether it is another than last time; `None` when there is no
    /// such file.
    fn keep_own_file(&mut self, path: &Path) -> Result<Option<(ObjectId, bool)>, SnapshotError> {
        let Ok(metadata) = path.symlink_metadata() else {
            return Ok(None);
        };
        let stamps = Stamps::of(&metadata);
        let before = self.captured.get(path);
        if let Some((known, content)) = before
            && *known == Some(stamps)
        {
            return Ok(Some((*content, false)));
        }
        let before = before.map(|(_, content)| *content);
        let now = SystemTime::now();
        let Ok(bytes) = fs::read(path) else {
            return Ok(None);
        };
        let content = self.objects.write(ObjectKind::Blob, &bytes)?;
        let trusted = (!stamps.are_fresh(now)).then_some(stamps);
        self.captured.insert(path.to_path_buf(), (trusted, content));
        Ok(Some((content, before != Some(content))))
    }
}

/// The names in a snapshot and the places of all files of the repository that are kept and that exist.
fn own_files(repository: &Repository) -> Vec<(Vec<u8>, PathBuf)> {
    let mut files = Vec::new();
    let named = |folder: &Path, name: &str| (name.as_bytes().to_vec(), folder.join(name));
    files.extend(OF_THE_WORKTREE.iter().map(|name| named(&repository.git_dir, name)));
    files.extend(SHARED_FILES.iter().map(|name| named(&repository.common_dir, name)));
    for folder in SHARED_FOLDERS {
        walk(&repository.common_dir.join(folder), folder.as_bytes(), &mut files);
    }
    files
}

/// All plain files below a folder; lock files are none of them.
fn walk(folder: &Path, name: &[u8], files: &mut Vec<(Vec<u8>, PathBuf)>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = [name, b"/", entry.file_name().as_bytes()].concat();
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => walk(&entry.path(), &name, files),
            Ok(kind) if kind.is_file() && !name.ends_with(b".lock") => files.push((name, entry.path())),
            _ => {}
        }
    }
}

/// Where a snapshot's files belong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct KeptPlace {
    pub root: PathBuf,
    pub git_dir: Option<PathBuf>,
    pub common_dir: Option<PathBuf>,
    pub object_format: ObjectFormat,
}

impl KeptPlace {
    pub fn of(place: &Place) -> Self {
        let repository = place.repository.as_ref();
        Self {
            root: place.root.clone(),
            git_dir: repository.map(|repository| repository.git_dir.clone()),
            common_dir: repository.map(|repository| repository.common_dir.clone()),
            object_format: place.object_format(),
        }
    }

    pub fn to_text(&self) -> String {
        let line = |key: &str, path: &Path| format!("{key}\t{}\n", quote(path.as_os_str().as_bytes()));
        let mut text = line("root", &self.root);
        for (key, path) in [("git-dir", &self.git_dir), ("common-dir", &self.common_dir)] {
            text.extend(path.as_ref().map(|path| line(key, path)));
        }
        text + "object-format\t" + self.object_format.name() + "\n"
    }

    pub fn from_text(text: &str) -> Option<Self> {
        let value = |key: &str| text.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix('\t'));
        let path =
            |key: &str| value(key).map(|path| PathBuf::from(std::ffi::OsString::from_vec(unquote(path))));
        Some(Self {
            root: path("root")?,
            git_dir: path("git-dir"),
            common_dir: path("common-dir"),
            object_format: ObjectFormat::from_name(value("object-format")?)?,
        })
    }
}

/// Reads a folder's entries; a folder that does not exist has none.
pub(super) fn entries(folder: &Path) -> Result<Vec<fs::DirEntry>, FileError> {
    match fs::read_dir(folder) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Vec::new()),
        listing => listing.and_then(Iterator::collect).at("read", folder),
    }
}
