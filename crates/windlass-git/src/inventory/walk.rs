//! Finding files without git.

use std::ffi::OsStr;
use std::fs::File;
use std::io::Read as _;
use std::ops::ControlFlow;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use ignore::gitignore::{Gitignore, GitignoreBuilder};

use windlass_host::tree::{Kind, TreePath, at};

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

/// The longest `.gitignore` that is read, in bytes.
const LONGEST_RULES: u64 = 1 << 20;

/// Files below a folder, relative to it.
pub(super) struct Walked {
    pub paths: Vec<Vec<u8>>,
    pub bound: Option<Bound>,
}

/// Where version control keeps its own files.
const VERSION_CONTROL: [&str; 6] = [".git", ".hg", ".svn", ".jj", ".bzr", "_darcs"];

/// All files below a folder that its `.gitignore` files do not exclude, in the order of their names, up to a bound.
pub(super) fn unignored(root: &Path, limits: Bound) -> Walked {
    let mut walk = Walk::new(root, Some(Vec::new()), limits);
    let _ = walk.enter(Path::new(""));
    walk.end()
}

/// All files below a folder, ignored or not.
pub(super) fn everything(root: &Path, folder: &Path) -> Vec<Vec<u8>> {
    let Ok(folder) = folder.strip_prefix(root) else { return Vec::new() };
    let mut walk = Walk::new(root, None, Bound { files: usize::MAX, bytes: u64::MAX });
    let _ = walk.enter(folder);
    walk.end().paths
}

/// The rules of a `.gitignore` file. A line that git would not understand either hides nothing.
pub fn rules_of(content: &str) -> Gitignore {
    let mut builder = GitignoreBuilder::new("");
    for line in content.lines() {
        drop(builder.add_line(None, line));
    }
    builder.build().unwrap_or_else(|_| Gitignore::empty())
}

struct Walk {
    root: TreePath,
    /// The rules of the folders that the walk is in, with what they belong to; `None`: they do not count.
    rules: Option<Vec<(PathBuf, Gitignore)>>,
    limits: Bound,
    bytes: u64,
    walked: Walked,
}

impl Walk {
    fn new(root: &Path, rules: Option<Vec<(PathBuf, Gitignore)>>, limits: Bound) -> Walk {
        Walk { root: at(root), rules, limits, bytes: 0, walked: Walked { paths: Vec::new(), bound: None } }
    }

    fn end(mut self) -> Walked {
        self.walked.paths.sort_unstable();
        self.walked
    }

    /// Breaks where there is more than the bound. What cannot be read is passed over: what is in it cannot be known.
    fn enter(&mut self, folder: &Path) -> ControlFlow<()> {
        let Ok(open) = self.root.join(folder).open_real_folder() else { return ControlFlow::Continue(()) };
        let mut entries = open.entries().unwrap_or_default();
        entries.sort_unstable_by(|one, other| one.name.cmp(&other.name));
        if self.rules.is_some()
            && let Some(rules) = open.open(OsStr::new(".gitignore")).ok().and_then(read_rules)
        {
            self.rules.get_or_insert_default().push((folder.to_owned(), rules));
        }
        for entry in entries {
            let path = folder.join(&entry.name);
            let is_folder = entry.kind == Kind::Folder;
            if VERSION_CONTROL.iter().any(|name| entry.name == *name) || self.ignores(&path, is_folder) {
                continue;
            }
            if is_folder {
                self.enter(&path)?;
            } else {
                let size = open.look(&entry.name).ok().flatten().map_or(0, |found| found.size);
                self.take(&path, size)?;
            }
        }
        if let Some(rules) = &mut self.rules {
            rules.pop_if(|(of, _)| of == folder);
        }
        ControlFlow::Continue(())
    }

    fn take(&mut self, path: &Path, size: u64) -> ControlFlow<()> {
        let Bound { files, bytes } = self.limits;
        if self.walked.paths.len() >= files || self.bytes.saturating_add(size) > bytes {
            self.walked.bound = Some(Bound { files: self.walked.paths.len(), bytes: self.bytes });
            return ControlFlow::Break(());
        }
        self.bytes += size;
        self.walked.paths.push(path.as_os_str().as_bytes().to_vec());
        ControlFlow::Continue(())
    }

    fn ignores(&self, path: &Path, is_folder: bool) -> bool {
        is_ignored(self.rules.iter().flatten().rev(), path, is_folder)
    }
}

/// Does the first of these rules that says anything about a path hide it? Each stands with its folder, the deepest first.
pub fn is_ignored<'a>(
    rules: impl Iterator<Item = &'a (PathBuf, Gitignore)>,
    path: &Path,
    is_folder: bool,
) -> bool {
    let matched = |(folder, rules): &'a (PathBuf, Gitignore)| {
        rules.matched(path.strip_prefix(folder).unwrap_or(path), is_folder)
    };
    rules.map(matched).find(|found| !found.is_none()).is_some_and(|found| found.is_ignore())
}

fn read_rules(file: File) -> Option<Gitignore> {
    let mut bytes = Vec::new();
    file.take(LONGEST_RULES).read_to_end(&mut bytes).ok()?;
    Some(rules_of(&String::from_utf8_lossy(&bytes)))
}
