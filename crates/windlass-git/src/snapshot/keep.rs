//! Taking a snapshot.

use std::collections::BTreeSet;
use std::io::{self, Read};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use windlass_core::values::SnapshotId;

use super::loose::LooseObjects;
use super::name::SnapshotName;
use super::quoting::{quote, unquote};
use super::repository::{KeptPlace, OwnFile};
use super::tree;
use super::{LeftOut, LeftOutReason, SnapshotError, Store, left_out};
use crate::git::{ObjectId, ObjectKind};
use crate::inventory::{Entry, EntryKind, Inventory, LARGEST_KEPT, Place, as_path};
use windlass_host::tree::{TreePath, at, keep_open};

/// How much a snapshot holds at most, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Caps {
    /// One file.
    pub file: u64,
    /// All files together; and, counted apart, all objects of the repository.
    pub total: u64,
}

impl Default for Caps {
    /// 50 MB and 2 GB.
    fn default() -> Self {
        Self { file: LARGEST_KEPT, total: 2 * 1024 * 1024 * 1024 }
    }
}

/// A snapshot: what it holds and what it does not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snapshot {
    /// Its name in the store.
    pub id: SnapshotId,
    /// The working tree, sorted by path. A submodule is there with its commit only.
    pub files: Vec<KeptFile>,
    /// What is not in it, sorted by path.
    pub left_out: Vec<LeftOut>,
    /// Those of its files that nobody but their owner may read or write.
    pub private: BTreeSet<Vec<u8>>,
    /// The repository's own files.
    pub repository: Vec<OwnFile>,
    /// Where its files belong.
    pub place: KeptPlace,
}

/// A file in a snapshot, or in a tree of git's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptFile {
    /// Relative to the working tree's root, or to the tree's.
    pub path: Vec<u8>,
    /// What it is.
    pub kind: EntryKind,
    /// Its content; [`Store::content`] reads it.
    pub content: ObjectId,
}

/// What a snapshot holds of the working tree.
#[derive(Clone, Copy, Debug)]
pub(super) struct KeptTree<'a> {
    pub files: &'a [KeptFile],
    pub left_out: &'a [LeftOut],
    pub private: &'a BTreeSet<Vec<u8>>,
}

pub(super) const FILES: &[u8] = b"files/";
const REPOSITORY: &[u8] = b"repository/";
pub(super) const LEFT_OUT: &[u8] = b"left-out";
pub(super) const PRIVATE: &[u8] = b"private";
const PLACE: &[u8] = b"place";

impl Snapshot {
    /// The file with this path.
    pub fn file(&self, path: &[u8]) -> Option<&KeptFile> {
        let found = self.files.binary_search_by(|file| file.path.as_slice().cmp(path)).ok()?;
        self.files.get(found)
    }

    /// What was at this path: its kind and content.
    pub fn content(&self, path: &[u8]) -> Option<(EntryKind, ObjectId)> {
        self.file(path).map(|file| (file.kind, file.content))
    }

    /// The same files for another working tree of the repository: those of a lane for the directory that lanes work for. Of
    /// the lane's own repository nothing is in it.
    pub fn brought_to(self, root: &Path) -> Snapshot {
        let place = KeptPlace { root: root.to_owned(), git_dir: None, common_dir: None, ..self.place };
        Snapshot { place, repository: Vec::new(), ..self }
    }

    /// Takes a snapshot's tree apart.
    pub(super) fn read(
        objects: &LooseObjects,
        id: SnapshotId,
        leaves: Vec<KeptFile>,
    ) -> Result<Self, SnapshotError> {
        let (mut files, mut repository, mut left_out, mut place) = (Vec::new(), Vec::new(), Vec::new(), None);
        let mut private = BTreeSet::new();
        for KeptFile { path, kind, content } in leaves {
            if let Some(path) = path.strip_prefix(FILES) {
                files.push(KeptFile { path: path.to_vec(), kind, content });
            } else if let Some(name) = path.strip_prefix(REPOSITORY) {
                repository.push(OwnFile { name: name.to_vec(), kind, content });
            } else if path == LEFT_OUT {
                let text = objects.read(&content, ObjectKind::Blob)?;
                left_out = left_out::from_text(&String::from_utf8_lossy(&text));
            } else if path == PRIVATE {
                let text = objects.read(&content, ObjectKind::Blob)?;
                private = paths_from_text(&String::from_utf8_lossy(&text));
            } else if path == PLACE {
                let text = objects.read(&content, ObjectKind::Blob)?;
                place = KeptPlace::from_text(&String::from_utf8_lossy(&text));
            }
        }
        let damaged =
            || SnapshotError::Damaged { id: id.0.clone(), why: "it does not say where it belongs".into() };
        let place = place.ok_or_else(damaged)?;
        Ok(Self { id, files, left_out, private, repository, place })
    }
}

impl Store {
    /// Keeps the working tree as the inventory shows it, and the repository's references, HEAD, index and objects.
    /// When this returns, all of it is on the disk.
    ///
    /// A file that changed since the inventory was taken is kept as it is now.
    pub fn keep(
        &mut self,
        place: &Place,
        inventory: &Inventory,
        name: &SnapshotName,
    ) -> Result<Snapshot, SnapshotError> {
        let _open = keep_open();
        let mut left_out = Vec::new();
        let files = self.keep_files(&place.root, inventory, &mut left_out)?;
        let keep = |repository| self.keep_repository(repository, &mut left_out);
        let repository = place.repository.as_ref().map_or(Ok(Vec::new()), keep)?;
        left_out.sort_unstable_by(|one, other| one.path.cmp(&other.path));
        let place = KeptPlace::of(place);
        let tree = KeptTree { files: &files, left_out: &left_out, private: &inventory.private };
        let id = self.keep_as(name, tree, &repository, &place)?;
        self.latest = Some((id.clone(), repository.clone()));
        Ok(Snapshot { id, files, left_out, private: inventory.private.clone(), repository, place })
    }

    /// Writes a snapshot whose contents are here, and its name. When this returns, all of it is on the disk.
    pub(super) fn keep_as(
        &mut self,
        name: &SnapshotName,
        tree: KeptTree<'_>,
        repository: &[OwnFile],
        place: &KeptPlace,
    ) -> Result<SnapshotId, SnapshotError> {
        let id = self.write_snapshot(tree, repository, place, name)?;
        // The name goes to the disk together with what it names, and takes effect after that: one wait for both.
        let naming = self.write_name(&id, name)?;
        self.objects.remember(naming.file()?);
        self.objects.sync()?;
        naming.put_in_place()?;
        Ok(id)
    }

    fn write_snapshot(
        &mut self,
        tree: KeptTree<'_>,
        repository: &[OwnFile],
        place: &KeptPlace,
        name: &SnapshotName,
    ) -> Result<SnapshotId, SnapshotError> {
        let mut leaves = self.leaves(tree)?;
        leaves.push(self.leaf(PLACE, place.to_text().as_bytes())?);
        leaves.extend(repository.iter().map(|file| KeptFile {
            path: [REPOSITORY, file.name.as_slice()].concat(),
            kind: file.kind,
            content: file.content,
        }));
        let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
        let commit = self.write_commit(leaves, seconds, &format!("{} {}", name.run, name.moment))?;
        Ok(SnapshotId(commit.to_string()))
    }

    /// What a snapshot has of the working tree.
    pub(super) fn leaves(&mut self, tree: KeptTree<'_>) -> Result<Vec<KeptFile>, SnapshotError> {
        let in_files = |file: &KeptFile| KeptFile {
            path: [FILES, file.path.as_slice()].concat(),
            kind: file.kind,
            content: file.content,
        };
        let mut leaves: Vec<KeptFile> = tree.files.iter().map(in_files).collect();
        leaves.push(self.leaf(LEFT_OUT, left_out::to_text(tree.left_out).as_bytes())?);
        if !tree.private.is_empty() {
            leaves.push(self.leaf(PRIVATE, paths_to_text(tree.private).as_bytes())?);
        }
        Ok(leaves)
    }

    fn leaf(&mut self, path: &[u8], bytes: &[u8]) -> Result<KeptFile, SnapshotError> {
        let content = self.objects.write(ObjectKind::Blob, bytes)?;
        Ok(KeptFile { path: path.to_vec(), kind: EntryKind::File, content })
    }

    /// Writes a commit without parents; `seconds` since 1970.
    pub(super) fn write_commit(
        &mut self,
        mut leaves: Vec<KeptFile>,
        seconds: u64,
        message: &str,
    ) -> Result<ObjectId, SnapshotError> {
        leaves.sort_unstable_by(|one, other| one.path.cmp(&other.path));
        let tree = tree::write(&mut self.objects, &leaves)?;
        let who = format!("Windlass <windlass@localhost> {seconds} +0000");
        let text = format!("tree {tree}\nauthor {who}\ncommitter {who}\n\n{message}\n");
        self.objects.write(ObjectKind::Commit, text.as_bytes())
    }

    fn keep_files(
        &mut self,
        root: &Path,
        inventory: &Inventory,
        left_out: &mut Vec<LeftOut>,
    ) -> Result<Vec<KeptFile>, SnapshotError> {
        let mut files = Vec::with_capacity(inventory.entries.len());
        let mut total = 0;
        for entry in &inventory.entries {
            match self.keep_file(root, entry, total)? {
                Ok(content) => {
                    total += entry.size;
                    files.push(KeptFile { path: entry.path.clone(), kind: entry.kind, content });
                }
                Err(reason) => left_out.push(LeftOut { path: entry.path.clone(), reason, size: entry.size }),
            }
            if entry.kind == EntryKind::Submodule {
                left_out.push(LeftOut {
                    path: entry.path.clone(),
                    reason: LeftOutReason::Submodule,
                    size: 0,
                });
            }
        }
        let unread = inventory.unread.iter();
        left_out.extend(unread.map(|unread| LeftOut {
            path: unread.path.clone(),
            reason: unread.why.into(),
            size: 0,
        }));
        if inventory.bound.is_some() {
            left_out.push(LeftOut { path: b".".to_vec(), reason: LeftOutReason::Bound, size: 0 });
        }
        Ok(files)
    }

    /// Sees to it that an entry's bytes are in the store. The inner result says why they are not.
    fn keep_file(
        &mut self,
        root: &Path,
        entry: &Entry,
        total: u64,
    ) -> Result<Result<ObjectId, LeftOutReason>, SnapshotError> {
        if !entry.kind.has_bytes() {
            return Ok(Ok(entry.content));
        }
        if entry.size > self.caps.file {
            return Ok(Err(LeftOutReason::TooLarge));
        }
        if total + entry.size > self.caps.total {
            return Ok(Err(LeftOutReason::OverTotal));
        }
        if self.objects.has(&entry.content) {
            return Ok(Ok(entry.content));
        }
        let path = at(root).join(as_path(&entry.path));
        let bytes = match read(&path, entry.kind, self.caps.file) {
            Ok(Some(bytes)) => bytes,
            Ok(None) => return Ok(Err(LeftOutReason::TooLarge)),
            Err(_) => return Ok(Err(LeftOutReason::Unreadable)),
        };
        self.objects.write(ObjectKind::Blob, &bytes).map(Ok)
    }
}

/// The bytes of a file or a link; `None` when it has grown over the cap.
fn read(path: &TreePath, kind: EntryKind, cap: u64) -> io::Result<Option<Vec<u8>>> {
    if kind == EntryKind::Symlink {
        return Ok(Some(path.link_target()?.as_os_str().as_bytes().to_vec()));
    }
    let mut bytes = Vec::new();
    path.open_itself()?.take(cap + 1).read_to_end(&mut bytes)?;
    Ok((bytes.len() as u64 <= cap).then_some(bytes))
}

/// Paths as they are stored, one to a line.
fn paths_to_text(paths: &BTreeSet<Vec<u8>>) -> String {
    let line = |path: &Vec<u8>| format!("{}\n", quote(path));
    paths.iter().map(line).collect()
}

pub(super) fn paths_from_text(text: &str) -> BTreeSet<Vec<u8>> {
    text.lines().map(unquote).collect()
}
