//! The repository's own files in a snapshot: what it takes to know again what was checked out and which branch was where.

use std::collections::HashMap;
use std::fs;
use std::io::Read;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use windlass_core::values::{Named, SnapshotId};

use super::quoting::{quote, unquote};
use super::{LeftOut, LeftOutReason, SnapshotError, Store};
use crate::git::{ObjectFormat, ObjectId, ObjectKind, Repository, WORKTREE_COPIES, WORKTREE_MARKER};
use crate::inventory::{EntryKind, Place, as_path};
use windlass_host::file::{AtPath, FileError};
use windlass_host::tree::{self, Attributes, Kind, Stamps, TreePath, at};

/// In the folder that belongs to one working tree.
const OF_THE_WORKTREE: [&str; 5] = ["HEAD", "index", "ORIG_HEAD", "config.worktree", "info/sparse-checkout"];
/// Files in the folder that all working trees share.
const SHARED_FILES: [&str; 7] = [
    "config",
    "packed-refs",
    "shallow",
    "info/exclude",
    "info/attributes",
    "objects/info/alternates",
    "logs/refs/stash",
];
/// Folders in it.
const SHARED_FOLDERS: [&str; 3] = ["refs", TABLES, HOOKS];
/// Its hooks, where the configuration names no other folder.
const HOOKS: &str = "hooks";
/// References of one linked working tree: in the folder of that tree they are below `refs/`, like the shared ones.
const REFS_OF_A_LINKED_TREE: &[u8] = b"worktree-refs/";
/// What the folders of other linked working trees hold, below `worktrees/`.
const OTHER_TREES: &str = "worktrees";
/// What ties a linked working tree to its repository, whether it may be removed, and what windlass knows of its own ones.
const OF_A_LINKED_TREE: [&str; 5] = ["commondir", "gitdir", "locked", OF_OURS[0], OF_OURS[1]];
const OF_OURS: [&str; 2] = [WORKTREE_MARKER, WORKTREE_COPIES];
/// Where references are kept in tables: those of one linked working tree, HEAD among them, as `REFS_OF_A_LINKED_TREE`.
const TABLES_OF_A_LINKED_TREE: &[u8] = b"worktree-reftable/";
const TABLES: &str = "reftable";
/// In a snapshot of a linked working tree, the files that belong to the main one. They lie in the folder that all share.
const MAIN_TREE: &[u8] = b"main-worktree/";
/// What is checked out there.
pub(super) const MAIN_HEAD: &[u8] = b"main-worktree/HEAD";
/// With a split index, the greater part of it is in files with such names.
const SHARED_INDEX: &str = "sharedindex.";

/// What git leaves beside HEAD while something is under way (merge, rebase, bisect …): files, and folders of files.
const UNDER_WAY: [&str; 21] = [
    "MERGE_HEAD",
    "MERGE_MSG",
    "MERGE_MODE",
    "MERGE_RR",
    "MERGE_AUTOSTASH",
    "CHERRY_PICK_HEAD",
    "REVERT_HEAD",
    "REBASE_HEAD",
    "AUTO_MERGE",
    "SQUASH_MSG",
    "BISECT_START",
    "BISECT_LOG",
    "BISECT_NAMES",
    "BISECT_TERMS",
    "BISECT_EXPECTED_REV",
    "BISECT_ANCESTORS_OK",
    "BISECT_FIRST_PARENT",
    "BISECT_HEAD",
    "rebase-merge",
    "rebase-apply",
    "sequencer",
];

/// One file of the repository is kept up to this size, in bytes.
const LARGEST: u64 = 512 * 1024 * 1024;

/// A file of the repository in a snapshot.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct OwnFile {
    /// Its name in the snapshot, below `repository/`.
    pub name: Vec<u8>,
    /// A file, an executable one (a hook), or a link.
    pub kind: EntryKind,
    /// Its bytes.
    pub content: ObjectId,
}

/// Which of the repository's files have been kept already, and how the file system showed them (nothing when that could
/// not be trusted).
pub(super) type CapturedFiles = HashMap<PathBuf, (Option<Stamps>, ObjectId)>;

/// Where a file of the repository belongs, by its name in a snapshot.
pub(super) fn location(place: &KeptPlace, name: &[u8]) -> Option<PathBuf> {
    if let Some(below) = name.strip_prefix(REFS_OF_A_LINKED_TREE) {
        return place.git_dir.as_ref().map(|folder| folder.join("refs").join(as_path(below)));
    }
    if let Some(below) = name.strip_prefix(TABLES_OF_A_LINKED_TREE) {
        return place.git_dir.as_ref().map(|folder| folder.join(TABLES).join(as_path(below)));
    }
    if let Some(below) = name.strip_prefix(MAIN_TREE) {
        return place.common_dir.as_ref().map(|folder| folder.join(as_path(below)));
    }
    let of_the_worktree = OF_THE_WORKTREE.iter().chain(&OF_OURS).any(|own| own.as_bytes() == name)
        || is_under_way(name)
        || name.starts_with(SHARED_INDEX.as_bytes());
    let folder = if of_the_worktree { &place.git_dir } else { &place.common_dir };
    folder.as_ref().map(|folder| folder.join(as_path(name)))
}

/// Does git keep it only while something is under way?
pub(crate) fn is_under_way(name: &[u8]) -> bool {
    let first = name.split(|byte| *byte == b'/').next().unwrap_or_default();
    UNDER_WAY.iter().any(|known| known.as_bytes() == first)
}

/// Is it a hook, or a setting that changes what git does?
pub(crate) fn is_setting(name: &[u8]) -> bool {
    let settings: [&[u8]; 5] =
        [b"config", b"config.worktree", b"info/attributes", b"info/exclude", b"shallow"];
    name.starts_with(b"hooks/") || settings.contains(&name)
}

/// A file of another working tree of the repository, by its name in a snapshot.
pub(super) struct AnotherTree<'a> {
    /// What the names of all files of this tree begin with.
    pub(super) tree: &'a [u8],
    /// The rest of its name.
    pub(super) below: &'a [u8],
}

impl<'a> AnotherTree<'a> {
    /// `None` where it is of no other tree.
    pub(super) fn of(name: &'a [u8]) -> Option<Self> {
        let end = match name.strip_prefix(b"worktrees/") {
            Some(rest) => name.len() - rest.len() + rest.iter().position(|byte| *byte == b'/')? + 1,
            None => name.starts_with(MAIN_TREE).then_some(MAIN_TREE.len())?,
        };
        let (tree, below) = name.split_at_checked(end)?;
        Some(Self { tree, below })
    }

    /// Does git never do without it?
    pub(super) fn is_always_there(&self) -> bool {
        let lasting: [&[u8]; 4] = [b"HEAD", b"index", b"commondir", b"gitdir"];
        lasting.contains(&self.below) || self.below.starts_with(SHARED_INDEX.as_bytes())
    }
}

impl Store {
    /// Keeps the repository's own files, and its objects when any of those files moved.
    pub(super) fn keep_repository(
        &mut self,
        repository: &Repository,
        left_out: &mut Vec<LeftOut>,
    ) -> Result<Vec<OwnFile>, SnapshotError> {
        let (kept, moved) = self.keep_own_files(repository)?;
        if repository.object_format == self.object_format() {
            self.copies.follow(repository, moved, self.caps.total, &mut self.objects)?;
            left_out.extend(self.copies.left_out().iter().cloned());
        } else {
            let path = b".git/objects".to_vec();
            left_out.push(LeftOut { path, reason: LeftOutReason::Unreadable, size: 0 });
        }
        Ok(kept)
    }

    /// Are the repository's own files still as this snapshot has them?
    pub fn is_as_kept(
        &mut self,
        repository: &Repository,
        snapshot: &SnapshotId,
    ) -> Result<bool, SnapshotError> {
        let (now, _) = self.keep_own_files(repository)?;
        if self.latest.as_ref().is_none_or(|(id, _)| id != snapshot) {
            self.latest = Some((snapshot.clone(), self.load(snapshot)?.repository));
        }
        Ok(self.latest.as_ref().is_some_and(|(_, kept)| *kept == now))
    }

    /// The repository's own files as they are now; their contents are kept.
    pub fn own_files_now(&mut self, repository: &Repository) -> Result<Vec<OwnFile>, SnapshotError> {
        let (now, _) = self.keep_own_files(repository)?;
        self.objects.sync()?;
        Ok(now)
    }

    /// What HEAD says now, as a content of the store.
    pub fn content_of_head(&mut self, repository: &Repository) -> Result<Option<ObjectId>, SnapshotError> {
        Ok(self.keep_own_file(&repository.git_dir.join("HEAD"))?.map(|(_, content, _)| content))
    }

    /// The content of one of the repository's own files, where it was kept.
    pub(super) fn content_of(
        &self,
        files: &[OwnFile],
        name: &[u8],
    ) -> Result<Option<Vec<u8>>, SnapshotError> {
        let file = files.iter().find(|file| file.name == name);
        file.map(|file| self.content(&file.content)).transpose()
    }

    /// The repository's own files in a snapshot.
    pub fn own_files(&self, snapshot: &SnapshotId) -> Result<Vec<OwnFile>, SnapshotError> {
        match &self.latest {
            Some((id, files)) if id == snapshot => Ok(files.clone()),
            _ => Ok(self.load(snapshot)?.repository),
        }
    }

    /// The repository's own files, and whether one of them is another than last time.
    fn keep_own_files(&mut self, repository: &Repository) -> Result<(Vec<OwnFile>, bool), SnapshotError> {
        let _open = tree::keep_open();
        let mut kept = Vec::new();
        let mut moved = false;
        for (name, path) in own_files(repository) {
            let Some((kind, content, is_new)) = self.keep_own_file(&path)? else {
                continue;
            };
            moved |= is_new;
            // Of other kinds than plain files only hooks matter.
            let kind = if name.starts_with(b"hooks/") { kind } else { EntryKind::File };
            kept.push(OwnFile { name, kind, content });
        }
        kept.sort_unstable();
        kept.dedup_by(|one, other| one.name == other.name);
        Ok((kept, moved))
    }

    /// The content of one of the repository's files, and whether it is another than last time; `None` when there is no
    /// such file.
    fn keep_own_file(&mut self, path: &Path) -> Result<Option<(EntryKind, ObjectId, bool)>, SnapshotError> {
        let looked = if is_linked_list(&at(path)) { at(path).look_through() } else { at(path).look() };
        let Ok(Some(found)) = looked else {
            return Ok(None);
        };
        let kind = if found.is_link() { EntryKind::Symlink } else { EntryKind::of_file(&found) };
        let stamps = Stamps::of(found);
        let before = self.captured.get(path);
        if let Some((known, content)) = before
            && *known == Some(stamps)
        {
            return Ok(Some((kind, *content, false)));
        }
        let before = before.map(|(_, content)| *content);
        let now = SystemTime::now();
        let Some(bytes) = own_bytes(&at(path), &found) else {
            return Ok(None);
        };
        let content = self.objects.write(ObjectKind::Blob, &bytes)?;
        let trusted = (!stamps.are_fresh(now)).then_some(stamps);
        self.captured.insert(path.to_path_buf(), (trusted, content));
        Ok(Some((kind, content, before != Some(content))))
    }
}

/// What is in a file of the repository, or where it leads as a link. Never waits for a pipe's other end.
fn own_bytes(path: &TreePath, found: &Attributes) -> Option<Vec<u8>> {
    if found.is_link() {
        return path.link_target().ok().map(|target| target.into_os_string().into_vec());
    }
    if !found.is_regular() || found.size > LARGEST {
        return None;
    }
    let mut bytes = Vec::new();
    let file = if is_linked_list(path) { path.open() } else { path.open_itself() };
    file.ok()?.take(LARGEST).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

/// The names in a snapshot and the places of all files of the repository that are kept and that exist.
fn own_files(repository: &Repository) -> Vec<(Vec<u8>, PathBuf)> {
    let Repository { git_dir, common_dir, .. } = repository;
    let mut files = Vec::new();
    files.extend(SHARED_FILES.iter().map(|name| (name.as_bytes().to_vec(), common_dir.join(name))));
    files.retain(|(_, path)| is_file(&at(path)) || is_linked_list(&at(path)));
    files.extend(of_a_tree(git_dir));
    for folder in SHARED_FOLDERS {
        files.extend(walk(&common_dir.join(folder), folder.as_bytes()));
    }
    if repository.is_linked() {
        let ours = OF_OURS.iter().map(|name| (name.as_bytes().to_vec(), git_dir.join(name)));
        files.extend(ours.filter(|(_, path)| is_file(&at(path))));
        for (folder, prefix) in [("refs", REFS_OF_A_LINKED_TREE), (TABLES, TABLES_OF_A_LINKED_TREE)] {
            let own = walk(&git_dir.join(folder), b"");
            let renamed = |name: Vec<u8>| [prefix, name.strip_prefix(b"/").unwrap_or(&name)].concat();
            files.extend(own.into_iter().map(|(name, path)| (renamed(name), path)));
        }
    }
    files.extend(other_trees(repository));
    files
}

/// What is under way in a working tree, and the parts of a split index.
pub(super) fn beside_head(git_dir: &Path) -> Vec<(Vec<u8>, PathBuf)> {
    let mut files = Vec::new();
    for entry in at(git_dir).entries().unwrap_or_default() {
        let path = git_dir.join(&entry.name);
        let name = entry.name.as_bytes().to_vec();
        let wanted = is_under_way(&name) || name.starts_with(SHARED_INDEX.as_bytes());
        match entry.kind {
            Kind::Folder if wanted => files.extend(walk(&path, &name)),
            Kind::File if wanted && !name.ends_with(b".lock") => files.push((name, path)),
            _ => {}
        }
    }
    files
}

/// What makes the other working trees of the repository what they are.
fn other_trees(repository: &Repository) -> Vec<(Vec<u8>, PathBuf)> {
    let mut files = Vec::new();
    let folder = repository.common_dir.join(OTHER_TREES);
    for tree in at(&folder).entries().unwrap_or_default() {
        let of_tree = folder.join(&tree.name);
        if of_tree == repository.git_dir {
            continue;
        }
        let name = [b"worktrees/", tree.name.as_bytes(), b"/"].concat();
        let ties = OF_A_LINKED_TREE.iter().map(|file| (file.as_bytes().to_vec(), of_tree.join(file)));
        let mut own: Vec<_> = ties.filter(|(_, path)| is_file(&at(path))).collect();
        own.extend(walk(&of_tree.join("refs"), b"refs"));
        own.extend(walk(&of_tree.join(TABLES), TABLES.as_bytes()));
        own.extend(of_a_tree(&of_tree));
        files.extend(own.into_iter().map(|(below, path)| ([&name[..], &below].concat(), path)));
    }
    if repository.is_linked() {
        let own = of_a_tree(&repository.common_dir).into_iter();
        files.extend(own.map(|(below, path)| ([MAIN_TREE, &below].concat(), path)));
    }
    files
}

/// What any working tree has in its folder.
fn of_a_tree(git_dir: &Path) -> Vec<(Vec<u8>, PathBuf)> {
    let own = OF_THE_WORKTREE.iter().map(|name| (name.as_bytes().to_vec(), git_dir.join(name)));
    own.filter(|(_, path)| is_file(&at(path))).chain(beside_head(git_dir)).collect()
}

/// All files below a folder that is a real one; lock files and examples of hooks are none of them, and only hooks may be
/// links.
pub(super) fn walk(folder: &Path, name: &[u8]) -> Vec<(Vec<u8>, PathBuf)> {
    let mut files = Vec::new();
    let Ok(open) = at(folder).open_real_folder() else { return files };
    let are_hooks = name.starts_with(HOOKS.as_bytes());
    for entry in open.entries().unwrap_or_default() {
        let path = folder.join(&entry.name);
        let name = [name, b"/", entry.name.as_bytes()].concat();
        let passed_over = name.ends_with(b".lock") || (are_hooks && name.ends_with(b".sample"));
        match entry.kind {
            Kind::Folder => files.extend(walk(&path, &name)),
            Kind::File if !passed_over => files.push((name, path)),
            Kind::Link if !passed_over && are_hooks => files.push((name, path)),
            _ => {}
        }
    }
    files
}

/// Is it the list of packed references, where a person's own tools have made a link of it?
pub(super) fn is_linked_list(path: &TreePath) -> bool {
    path.name().is_some_and(|name| name == "packed-refs") && path.is_link() && path.holds_file()
}

fn is_file(path: &TreePath) -> bool {
    path.look().is_ok_and(|found| found.is_some_and(|found| found.is_regular()))
}

/// Where a snapshot's files belong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptPlace {
    /// The top of the tree.
    pub root: PathBuf,
    /// The git directory; `None` without a repository.
    pub git_dir: Option<PathBuf>,
    /// What it shares with its other working trees.
    pub common_dir: Option<PathBuf>,
    /// How its objects are named.
    pub object_format: ObjectFormat,
    /// Does the snapshot say what was under way, and which hooks there were? Those of earlier releases say nothing of it.
    pub is_complete: bool,
}

impl KeptPlace {
    /// Those of this place.
    pub(crate) fn of(place: &Place) -> Self {
        let repository = place.repository.as_ref();
        Self {
            root: place.root.clone(),
            git_dir: repository.map(|repository| repository.git_dir.clone()),
            common_dir: repository.map(|repository| repository.common_dir.clone()),
            object_format: place.object_format(),
            is_complete: true,
        }
    }

    /// As a snapshot holds it.
    pub fn to_text(&self) -> String {
        let line = |key: &str, path: &Path| format!("{key}\t{}\n", quote(path.as_os_str().as_bytes()));
        let mut text = line("root", &self.root);
        for (key, path) in [("git-dir", &self.git_dir), ("common-dir", &self.common_dir)] {
            text.extend(path.as_ref().map(|path| line(key, path)));
        }
        let complete = if self.is_complete { "holds\thooks and what is under way\n" } else { "" };
        text + "object-format\t" + self.object_format.name() + "\n" + complete
    }

    /// What a snapshot says of it; `None` where that cannot be read.
    pub fn from_text(text: &str) -> Option<Self> {
        let value = |key: &str| text.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix('\t'));
        let path =
            |key: &str| value(key).map(|path| PathBuf::from(std::ffi::OsString::from_vec(unquote(path))));
        Some(Self {
            root: path("root")?,
            git_dir: path("git-dir"),
            common_dir: path("common-dir"),
            object_format: value("object-format")?.parse().ok()?,
            is_complete: value("holds").is_some(),
        })
    }
}

/// Reads a folder's entries; a folder that does not exist has none.
pub(super) fn entries(folder: &Path) -> Result<Vec<fs::DirEntry>, FileError> {
    use std::io::ErrorKind::{NotADirectory, NotFound};
    // outside: the store of snapshots.
    match fs::read_dir(folder) {
        Err(error) if matches!(error.kind(), NotFound | NotADirectory) => Ok(Vec::new()),
        listing => listing.and_then(Iterator::collect).at("read", folder),
    }
}
