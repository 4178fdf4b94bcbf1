//! Finding files without git.

use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use ignore::{DirEntry, WalkBuilder};

/// How many files are looked at without git.
pub const WALK_FILES: usize = 20_000;
/// How many bytes of files are looked at without git.
pub const WALK_BYTES: u64 = 512 * 1024 * 1024;

/// Where a walk stopped although there was more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bound {
    /// Files that were looked at.
    pub files: usize,
    /// Their bytes.
    pub bytes: u64,
}

/// Files below a folder, relative to it.
pub(super) struct Walked {
    pub paths: Vec<Vec<u8>>,
    pub bound: Option<Bound>,
}

/// Where version control keeps its own files.
const VERSION_CONTROL: [&str; 6] = [".git", ".hg", ".svn", ".jj", ".bzr", "_darcs"];

/// All files below a folder that its `.gitignore` files do not exclude, in the order of their names, up to a bound.
pub(super) fn unignored(root: &Path, limits: Bound) -> Walked {
    let mut builder = WalkBuilder::new(root);
    builder
        .hidden(false)
        .require_git(false)
        .parents(false)
        .git_global(false)
        .git_exclude(false)
        .ignore(false);
    walk(root, &mut builder, limits)
}

/// All files below a folder, ignored or not.
pub(super) fn everything(root: &Path, folder: &Path) -> Vec<Vec<u8>> {
    if !folder.symlink_metadata().is_ok_and(|metadata| metadata.is_dir()) {
        return Vec::new();
    }
    let mut builder = WalkBuilder::new(folder);
    builder.standard_filters(false);
    walk(root, &mut builder, Bound { files: usize::MAX, bytes: u64::MAX }).paths
}

fn walk(root: &Path, builder: &mut WalkBuilder, limits: Bound) -> Walked {
    builder.follow_links(false).sort_by_file_name(Ord::cmp).filter_entry(|entry| !is_version_control(entry));
    let mut walked = Walked { paths: Vec::new(), bound: None };
    let mut bytes = 0;
    // A folder that cannot be read is passed over: what is in it cannot be known.
    for entry in builder.build().flatten() {
        let is_folder = entry.file_type().is_none_or(|kind| kind.is_dir());
        let Ok(path) = entry.path().strip_prefix(root) else {
            continue;
        };
        if is_folder || path.as_os_str().is_empty() {
            continue;
        }
        let size = entry.metadata().map_or(0, |metadata| metadata.len());
        if walked.paths.len() >= limits.files || bytes + size > limits.bytes {
            walked.bound = Some(Bound { files: walked.paths.len(), bytes });
            break;
        }
        bytes += size;
        walked.paths.push(path.as_os_str().as_bytes().to_vec());
    }
    walked.paths.sort_unstable();
    walked
}

fn is_version_control(entry: &DirEntry) -> bool {
    entry.depth() > 0 && VERSION_CONTROL.iter().any(|name| entry.file_name() == *name)
}
