//! The roots of the trees that guests can write.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::{BTreeSet, VecDeque};
use std::ffi::{OsStr, OsString};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use rustix::fs::{CWD, Mode, OFlags, ResolveFlags};
use rustix::io::Errno;
use windlass_core::dots::without_dots;

use super::TreePath;
use super::open::open_at;

/// The roots that are known to this process.
static ROOTS: Mutex<BTreeSet<OsString>> = Mutex::new(BTreeSet::new());

thread_local! {
    /// What this thread keeps open; `None`: everything is opened anew.
    static KEPT: RefCell<Option<Kept>> = const { RefCell::new(None) };
}

/// What is kept open during one look.
#[derive(Clone, Debug, Default)]
struct Kept {
    roots: Vec<Arc<Root>>,
    /// The folders that were looked into last, at most [`MOST_FOLDERS`]: the next file is nearly always in one of them.
    folders: VecDeque<KeptFolder>,
}

/// So many folders are kept open: those of a git directory, whose files are looked at in turns.
const MOST_FOLDERS: usize = 8;

/// An open folder below a root.
#[derive(Clone, Debug)]
struct KeptFolder {
    root: Arc<Root>,
    below: PathBuf,
    open: Arc<OwnedFd>,
}

/// An open root.
#[derive(Debug)]
pub(super) struct Root {
    /// Its path: absolute, without links.
    pub path: PathBuf,
    /// The folder; the error where it could not be opened.
    pub folder: Result<OwnedFd, Errno>,
    /// How paths beneath it are resolved.
    pub resolve: ResolveFlags,
}

/// Makes a folder (absolute, without links) known as the root of a tree that guests can write: paths beneath it may go
/// through links that stay beneath it.
pub fn hold(root: &Path) {
    // As paths are compared: no matter how many slashes there are, and where.
    let root: PathBuf = root.components().collect();
    ROOTS.lock().unwrap_or_else(PoisonError::into_inner).insert(root.into_os_string());
}

/// Makes the folder known that a person named, links and all: its path without them, as far as it is there.
pub fn hold_named(folder: &Path) -> PathBuf {
    let real = without_links(folder);
    hold(&real);
    real
}

/// The path of what a person named, without the links on the way, as far as it is there.
pub fn without_links(folder: &Path) -> PathBuf {
    let real = folder.ancestors().find_map(|above| {
        let real = above.canonicalize().ok()?;
        let below = folder.strip_prefix(above).ok()?;
        Some(if below.as_os_str().is_empty() { real } else { real.join(below) })
    });
    real.unwrap_or_else(|| folder.to_owned())
}

/// A path in a tree that guests can write. It belongs to the innermost known root above it; where there is none,
/// no link is followed on the way to it.
///
/// The root is opened here, through no link, and stays the same one for all that is made of the result; where
/// [`keep_open`] says so, for all that this thread looks at.
pub fn at(path: &Path) -> TreePath {
    let path = normal(path);
    for root in roots_above(&path) {
        let below = below(&path, &root).to_owned();
        let root = opened(root);
        // One that is gone is made anew from the one above it.
        if root.folder.as_ref().err() != Some(&Errno::NOENT) {
            return TreePath::new(root, below);
        }
    }
    let below = path.strip_prefix("/").unwrap_or(&path).to_owned();
    let root = Root::open("/".into(), ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS);
    TreePath::new(Arc::new(root), below)
}

/// While this lives, the roots that this thread comes by are opened once, and so are the folders that it looked into last: for one look
/// at many files, during which no guest is waited for.
#[derive(Debug)]
pub struct KeptOpen {
    /// What was kept when it began.
    outer: Option<Kept>,
}

/// Keeps open what this thread comes by from now on.
pub fn keep_open() -> KeptOpen {
    KEPT.with_borrow_mut(|kept| KeptOpen { outer: kept.replace(kept.clone().unwrap_or_default()) })
}

impl Drop for KeptOpen {
    fn drop(&mut self) {
        KEPT.set(self.outer.take());
        forget_folders();
    }
}

/// The folder below a root, as it was opened for an earlier file, or opened now.
pub(super) fn folder_for_look(
    root: &Arc<Root>,
    below: &Path,
    open: impl FnOnce() -> Result<OwnedFd, Errno>,
) -> Result<Arc<OwnedFd>, Errno> {
    let is_it =
        |kept: &KeptFolder| Arc::ptr_eq(&kept.root, root) && kept.below.as_os_str() == below.as_os_str();
    let known = KEPT.with_borrow(|kept| {
        let folders = kept.iter().flat_map(|kept| &kept.folders);
        folders.rev().find(|folder| is_it(folder)).map(|folder| Arc::clone(&folder.open))
    });
    if let Some(open) = known {
        return Ok(open);
    }
    let open = Arc::new(open()?);
    KEPT.with_borrow_mut(|kept| {
        if let Some(kept) = kept {
            let (root, below, open) = (Arc::clone(root), below.to_owned(), Arc::clone(&open));
            if kept.folders.len() == MOST_FOLDERS {
                kept.folders.pop_front();
            }
            kept.folders.push_back(KeptFolder { root, below, open });
        }
    });
    Ok(open)
}

/// Something is about to change: by their names, the folders may be other ones then.
pub(super) fn forget_folders() {
    KEPT.with_borrow_mut(|kept| {
        if let Some(kept) = kept {
            kept.folders.clear();
        }
    });
}

/// The open root with this path.
fn opened(path: PathBuf) -> Arc<Root> {
    KEPT.with_borrow_mut(|kept| {
        let roots = kept.iter().flat_map(|kept| &kept.roots);
        if let Some(root) = roots.into_iter().find(|root| root.path.as_os_str() == path.as_os_str()) {
            return Arc::clone(root);
        }
        let root = Arc::new(Root::open(path, ResolveFlags::BENEATH));
        if let Some(kept) = kept.as_mut().filter(|_| root.folder.is_ok()) {
            kept.roots.push(Arc::clone(&root));
        }
        root
    })
}

/// The known roots above a path that is normal, the innermost first.
fn roots_above(path: &Path) -> Vec<PathBuf> {
    let roots = ROOTS.lock().unwrap_or_else(PoisonError::into_inner);
    let bytes = path.as_os_str().as_bytes();
    let ends = memchr::memrchr_iter(b'/', bytes).map(|slash| slash.max(1));
    let above = std::iter::once(bytes.len()).chain(ends);
    let above = above.filter_map(|end| bytes.get(..end)).map(OsStr::from_bytes);
    above.filter(|above| roots.contains(*above)).map(PathBuf::from).collect()
}

/// A path from this root on; both are normal.
fn below<'path>(path: &'path Path, root: &Path) -> &'path Path {
    let rest = path.as_os_str().as_bytes().get(root.as_os_str().len()..).unwrap_or_default();
    Path::new(OsStr::from_bytes(rest.strip_prefix(b"/").unwrap_or(rest)))
}

/// Is a path beneath a root that is known?
pub fn is_known(path: &Path) -> bool {
    !roots_above(&normal(path)).is_empty()
}

impl Root {
    fn open(path: PathBuf, resolve: ResolveFlags) -> Root {
        let flags = OFlags::PATH | OFlags::DIRECTORY;
        let folder = open_at(CWD, &path, flags, Mode::empty(), ResolveFlags::NO_SYMLINKS);
        Root { path, folder, resolve }
    }
}

/// The same path from the top, without `.` and `..`: a name that is not there yet has no other way to be found below its root.
fn normal(path: &Path) -> Cow<'_, Path> {
    if is_normal(path.as_os_str().as_bytes()) {
        return Cow::Borrowed(path);
    }
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    Cow::Owned(without_dots(&path))
}

/// From the top, with one slash before each name. (`Path`'s own functions take a path apart again and again.)
fn is_normal(path: &[u8]) -> bool {
    let Some((b'/', names)) = path.split_first() else { return false };
    names.is_empty() || names.split(|byte| *byte == b'/').all(|name| !matches!(name, b"" | b"." | b".."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whichever_way_a_path_is_written_it_is_the_same_one() {
        let cases = [
            ("/a/b", "/a/b"),
            ("/a//b/", "/a/b"),
            ("/a/./b/.", "/a/b"),
            ("/a/../b", "/b"),
            ("/../..", "/"),
            ("/", "/"),
            ("/a/b/..", "/a"),
            ("/..a/.b", "/..a/.b"),
        ];
        for (path, expected) in cases {
            assert_eq!(normal(Path::new(path)).as_os_str(), expected, "{path}");
        }
        assert!(normal(Path::new("a")).is_absolute());
    }

    #[test]
    fn roots_are_found_from_the_inside_outwards() {
        for root in ["/nowhere/one", "/nowhere/one/two/"] {
            hold(Path::new(root));
        }
        for (path, root, rest) in
            [("/a/b/c", "/a", "b/c"), ("/a", "/a", ""), ("/a", "/", "a"), ("/", "/", "")]
        {
            assert_eq!(below(Path::new(path), Path::new(root)).as_os_str(), rest, "{path} {root}");
        }
        let above = |path: &str| roots_above(&normal(Path::new(path)));
        assert_eq!(above("/nowhere/one/two/x"), [Path::new("/nowhere/one/two"), Path::new("/nowhere/one")]);
        assert_eq!(above("/nowhere/one/"), [Path::new("/nowhere/one")]);
        assert_eq!(above("/nowhere/one-more"), Vec::<PathBuf>::new());
        assert!(is_known(Path::new("/nowhere//one/x")) && !is_known(Path::new("/nowhere")));
    }
}
