//! Lock files that git left behind.

use std::collections::BTreeSet;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::Repository;
use windlass_host::process::{may_be_at_work, sees_all_processes};
use windlass_host::tree::{self, Attributes, Kind, TreeEntry, TreePath, at};

/// A repository's lock files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Locks {
    /// Whoever made them is gone: nobody is at work in the repository.
    pub abandoned: Vec<PathBuf>,
    /// Somebody may be at work, or these are somebody else's.
    pub perhaps_held: Vec<PathBuf>,
}

/// What belongs to one checkout alone, and stands in the way of its next commit.
const OF_A_CHECKOUT: [&str; 2] = ["index.lock", "HEAD.lock"];

/// What all checkouts share, and stands in the way of changing references or settings.
const SHARED: [&str; 3] = ["packed-refs.lock", "config.lock", "shallow.lock"];

/// What a lock says that a landing took. git never reads its locks, so that ours is known when whoever took it was killed; and
/// nobody takes one but in its turn.
pub(crate) const LANDING: &[u8] = b"windlass is landing\n";

/// How far the clock that files get their times from may lag behind the one that a run's start is read from: a tick of the
/// kernel, 7 ms seen on a busy virtual machine.
const FILE_CLOCK_LAG: Duration = Duration::from_millis(10);

/// Which file it is, whatever its name: another one in its place is another one's.
type Identity = (u64, u64, SystemTime);

impl Repository {
    /// Its lock files: beside HEAD, beside the shared files, and beside references.
    pub(crate) fn locks(&self) -> Locks {
        let mut found = BTreeSet::new();
        for folder in BTreeSet::from([&self.git_dir, &self.common_dir]) {
            found.extend(locks_in(folder).into_iter().filter(|path| is_gits(path)));
            below(&folder.join("refs"), &mut found);
        }
        if self.git_dir != self.common_dir {
            // These are the main checkout's.
            found.retain(|path| OF_A_CHECKOUT.iter().all(|name| *path != self.common_dir.join(name)));
        }
        if found.is_empty() {
            return Locks::default();
        }
        if may_be_at_work(&self.checkouts(), &[&self.git_dir, &self.common_dir]) {
            return Locks { abandoned: Vec::new(), perhaps_held: found.into_iter().collect() };
        }
        // Of another user's processes little is known.
        let (abandoned, perhaps_held) = found.into_iter().partition(|path| is_ours(path));
        Locks { abandoned, perhaps_held }
    }

    /// Removes locks of this checkout and of references that were made since then and whose makers are gone; a sentence for
    /// each. What cannot be removed stays; so does everything where processes may be at work that are not seen from here.
    pub fn clear_locks(&self, since: SystemTime) -> Vec<String> {
        let _open = tree::keep_open();
        let own = OF_A_CHECKOUT.map(|name| self.git_dir.join(name));
        let own = made_since(own, since);
        let shared = made_since(self.shared_locks(), since);
        if own.is_empty() && shared.is_empty() || !sees_all_processes() {
            return Vec::new();
        }
        let is_free = |checkouts: &[PathBuf], folders: &[&Path]| !may_be_at_work(checkouts, folders);
        let mut made = Vec::new();
        if !own.is_empty() && is_free(std::slice::from_ref(&self.top), &[&self.git_dir]) {
            made.extend(own);
        }
        // Whoever is at work in another checkout may hold what all share.
        if !shared.is_empty() && is_free(&self.checkouts(), &[&self.git_dir, &self.common_dir]) {
            made.extend(shared);
        }
        // While that was looked at, somebody may have taken a lock of the same name.
        let removed = made
            .into_iter()
            .filter(|(path, lock)| identity(path) == Some(*lock) && at(path).remove_file().is_ok())
            .map(|(path, _)| path.strip_prefix(&self.top).map_or(path.clone(), Path::to_owned));
        removed
            .map(|path| format!("{} was left by a git that is gone, and is removed", path.display()))
            .collect()
    }

    fn shared_locks(&self) -> BTreeSet<PathBuf> {
        let mut found = BTreeSet::from(SHARED.map(|name| self.common_dir.join(name)));
        // Those of other references of the checkout as well, `AUTO_MERGE.lock` and whatever else git will have.
        let is_own = |path: &PathBuf| OF_A_CHECKOUT.iter().any(|name| path.ends_with(name));
        found.extend(locks_in(&self.git_dir).into_iter().filter(|path| is_gits(path) && !is_own(path)));
        for folder in BTreeSet::from([&self.git_dir, &self.common_dir]) {
            below(&folder.join("refs"), &mut found);
        }
        found
    }

    /// This checkout, the main one, and all linked ones.
    fn checkouts(&self) -> Vec<PathBuf> {
        let linked = self.linked_trees().unwrap_or_default().into_iter().map(|tree| tree.path);
        [self.top.clone(), self.main_top()].into_iter().chain(linked).collect()
    }
}

/// Lock files of the git directory of a lane, or of what its agent has: whoever looks is the only one at work there.
pub(crate) fn of_a_lane(folder: &Path) -> BTreeSet<PathBuf> {
    let mut found = BTreeSet::from_iter(locks_in(folder));
    below(&folder.join("refs"), &mut found);
    found
}

/// Those of this user that are there and young enough. A landing that was cut off keeps its lock until it is finished.
fn made_since(paths: impl IntoIterator<Item = PathBuf>, since: SystemTime) -> Vec<(PathBuf, Identity)> {
    let ours = paths.into_iter().filter(|path| is_ours(path));
    let locks = ours.filter_map(|path| identity(&path).map(|lock| (path, lock)));
    let is_young = |made: SystemTime| made + FILE_CLOCK_LAG >= since;
    locks.filter(|(path, (_, _, made))| is_young(*made) && !is_of_a_landing(&at(path))).collect()
}

/// Is this lock that of a landing? A lock of ours is short; what is longer is somebody else's.
pub(crate) fn is_of_a_landing(lock: &TreePath) -> bool {
    lock.read_beginning(LANDING.len()).is_ok_and(|content| content.as_deref() == Some(LANDING))
}

fn is_gits(path: &Path) -> bool {
    path.file_name().is_none_or(|name| !name.as_bytes().starts_with(b"windlass"))
}

fn identity(path: &Path) -> Option<Identity> {
    let found = at(path).look().ok().flatten().filter(Attributes::is_regular)?;
    Some((found.device, found.inode, found.modified_at()))
}

fn is_ours(path: &Path) -> bool {
    let owner = at(path).look().ok().flatten().map(|found| found.owner);
    owner == Some(rustix::process::getuid().as_raw())
}

fn locks_in(folder: &Path) -> Vec<PathBuf> {
    let entries = at(folder).entries().unwrap_or_default();
    entries.iter().filter_map(|entry| lock(folder, entry)).collect()
}

/// The path of a folder's entry, where that is a lock file.
fn lock(folder: &Path, entry: &TreeEntry) -> Option<PathBuf> {
    let path = folder.join(&entry.name);
    (entry.kind == Kind::File && path.extension().is_some_and(|end| end == "lock")).then_some(path)
}

fn below(folder: &Path, found: &mut BTreeSet<PathBuf>) {
    for entry in at(folder).entries().unwrap_or_default() {
        found.extend(lock(folder, &entry));
        if entry.kind == Kind::Folder {
            below(&folder.join(&entry.name), found);
        }
    }
}
