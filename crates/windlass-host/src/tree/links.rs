//! Links that lead out of a tree and that a person had there before a run began.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::File;
use std::io::ErrorKind;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStringExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use rustix::fs::{CWD, Mode, OFlags, ResolveFlags, readlinkat};
use rustix::io::Errno;

use windlass_core::spec::LinkOut;

use super::open::open_at;
use super::root::{at, is_known, without_links};
use super::{Attributes, TreePath};

/// The links that are followed although they lead out, with where they led in the beginning; `None` before guests are at work.
static FOLLOWED: Mutex<Option<BTreeMap<PathBuf, PathBuf>>> = Mutex::new(None);

/// Which of these paths (absolute) are links that lead out of their trees, to a regular file or a folder, or to where nothing is yet.
pub fn links_out(paths: &[PathBuf]) -> Vec<LinkOut> {
    let out = |path: &PathBuf| {
        let place = at(path);
        let refused = place.look_through().err()?;
        let target = super::leads_out(&refused).then(|| end_of(path)).flatten()?;
        let found = std::fs::symlink_metadata(&target);
        let is_plain = found.map_or(true, |found| found.is_file() || found.is_dir());
        is_plain.then(|| LinkOut { path: path.clone(), target })
    };
    paths.iter().filter_map(out).collect()
}

/// Where a path leads, links and all, be nothing there yet.
fn end_of(path: &Path) -> Option<PathBuf> {
    if let Ok(real) = std::fs::canonicalize(path) {
        return Some(real);
    }
    // A link to nothing, or nothing at all in a folder that is one.
    let said = std::fs::read_link(path).ok().and_then(|said| Some(path.parent()?.join(said)));
    let target = without_links(said.as_deref().unwrap_or(path));
    let is_free = std::fs::symlink_metadata(&target).is_err_and(|error| error.kind() == ErrorKind::NotFound);
    is_free.then_some(target)
}

/// The place at the end of all links, wherever they lead: of what other programs read and start, which go there too. `None`
/// where nothing is.
pub fn where_it_leads(path: &Path) -> Option<TreePath> {
    // Most of it is nowhere, which is known without a look at each folder on the way.
    path.exists().then(|| std::fs::canonicalize(path).ok().map(|real| at(&real)))?
}

/// From now on these links are followed, as long as they lead where they led. What guests of another tree can write is not read
/// for this one.
pub fn follow(links: &[LinkOut]) {
    let trusted = links.iter().filter(|link| !is_known(&link.target));
    let trusted = trusted.map(|link| (link.path.clone(), link.target.clone()));
    FOLLOWED.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert_default().extend(trusted);
}

/// Is it a link that leads out as one did that a person had there? Before guests are at work, every one is.
pub fn was_there(path: &TreePath) -> bool {
    let followed = FOLLOWED.lock().unwrap_or_else(PoisonError::into_inner);
    let Some(followed) = followed.as_ref() else { return true };
    let path = path.shown();
    let leads = end_of(&path);
    // What is below a folder that is such a link leads out with it.
    path.ancestors().any(|above| {
        followed.get(above).is_some_and(|known| leads.as_ref().is_some_and(|leads| leads.starts_with(known)))
    })
}

/// The file at the end of a link that leads out, where that is what a person had there.
pub(super) fn open_followed(path: &TreePath) -> Option<File> {
    let path = path.shown();
    let known = FOLLOWED.lock().unwrap_or_else(PoisonError::into_inner).as_ref()?.get(&path).cloned()?;
    let leads = std::fs::canonicalize(&path).ok()?;
    if leads != known {
        return None;
    }
    // The way is the one that was known, and no link is on it: it cannot be changed between the look and this.
    open_at(CWD, &known, OFlags::RDONLY, Mode::empty(), ResolveFlags::NO_SYMLINKS).ok().map(File::from)
}

/// What is at the end of a folder's link that leads out, or below it, where that is what a person had there; `None` where it is not.
pub(super) fn open_below_followed(
    path: &TreePath,
    flags: OFlags,
    resolve: ResolveFlags,
) -> Option<Result<OwnedFd, Errno>> {
    let path = path.shown();
    let (link, known) = {
        let followed = FOLLOWED.lock().unwrap_or_else(PoisonError::into_inner);
        let (link, known) = path.ancestors().find_map(|above| followed.as_ref()?.get_key_value(above))?;
        (link.clone(), known.clone())
    };
    // Of a file that is such a link nothing is written: only folders lead to places of their own.
    let writes = flags.intersects(OFlags::WRONLY | OFlags::RDWR | OFlags::CREATE | OFlags::TRUNC);
    if end_of(&link)? != known || path == link && writes {
        return None;
    }
    // The way is the one that was known, and no link is on it.
    let folder = OFlags::PATH | OFlags::DIRECTORY;
    let folder = match open_at(CWD, &known, folder, Mode::empty(), ResolveFlags::NO_SYMLINKS) {
        Err(Errno::NOENT) => return Some(Err(Errno::NOENT)),
        opened => opened.ok()?,
    };
    let below = path.strip_prefix(&link).ok()?;
    Some(open_at(&folder, below, flags, Mode::empty(), resolve | ResolveFlags::BENEATH))
}

/// Where an absolute link leads that stays in the tree, from its root.
pub(super) fn inner_target(path: &TreePath, below: &Path) -> Option<PathBuf> {
    let root = path.folder().ok()?;
    // The first part of the way that is a link.
    let parts: Vec<_> = below.iter().collect();
    for end in 1..=parts.len() {
        let upto: PathBuf = parts.get(..end)?.iter().collect();
        let flags = OFlags::PATH | OFlags::NOFOLLOW;
        let found = open_at(root, &upto, flags, Mode::empty(), ResolveFlags::BENEATH).ok()?;
        if !Attributes::from(rustix::fs::fstat(&found).ok()?).is_link() {
            continue;
        }
        let said = readlinkat(&found, "", Vec::new()).ok()?.into_bytes();
        let target = PathBuf::from(OsString::from_vec(said));
        if !target.is_absolute() {
            continue;
        }
        let inside = target.strip_prefix(path.root_path()).ok()?;
        let mut way = inside.to_owned();
        way.extend(parts.get(end..)?);
        return Some(way);
    }
    None
}
