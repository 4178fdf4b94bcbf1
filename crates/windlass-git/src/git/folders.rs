//! Where a working tree and its git directories are, as plain files say: for what has to be done before any git is called.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use windlass_host::tree;
use windlass_host::tree::at;

/// The longest file that names a folder, in bytes.
const LONGEST_NAME: usize = 1 << 16;

/// The folders of a repository with a working tree. Absolute, without links.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Folders {
    /// The working tree's top folder.
    pub top: PathBuf,
    /// Where this working tree's HEAD and index are.
    pub git_dir: PathBuf,
    /// Where the references and objects are.
    pub common_dir: PathBuf,
}

impl Folders {
    /// Those that a directory (canonical) belongs to: its own, or those of the nearest folder above it.
    pub(crate) fn locate(directory: &Path) -> Option<Folders> {
        directory.ancestors().find_map(Folders::of)
    }

    /// Those of the working tree with this top.
    fn of(top: &Path) -> Option<Folders> {
        let entrance = top.join(".git");
        let git_dir = match at(&entrance).read(LONGEST_NAME) {
            Ok(None) => return None,
            Ok(Some(content)) => folder(top, content.strip_prefix(b"gitdir:")?)?,
            // A folder, or a link to one.
            Err(_) => entrance.canonicalize().ok().filter(|path| path.is_dir())?,
        };
        let common = at(&git_dir).join("commondir").read(LONGEST_NAME).ok().flatten();
        let common_dir = common.and_then(|name| folder(&git_dir, &name));
        let common_dir = common_dir.unwrap_or_else(|| git_dir.clone());
        Some(Folders { top: top.to_owned(), git_dir, common_dir })
    }

    /// Makes them known as trees that guests can write.
    pub(crate) fn hold(&self) {
        let mut held: Vec<&PathBuf> = Vec::new();
        for folder in [&self.top, &self.common_dir, &self.git_dir] {
            if !held.iter().any(|above| folder.starts_with(above)) {
                tree::hold(folder);
                held.push(folder);
            }
        }
    }
}

/// The folder that a file names, from the folder that it counts from.
fn folder(from: &Path, name: &[u8]) -> Option<PathBuf> {
    let found = from.join(OsStr::from_bytes(name.trim_ascii())).canonicalize().ok()?;
    found.is_dir().then_some(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::git::{FoundRepository, Repository};
    use crate::testing::Scratch;

    #[test]
    fn plain_files_say_what_git_says() {
        let scratch = Scratch::committed();
        let linked = scratch.top.with_file_name("linked");
        scratch.git(&["worktree", "add", "--quiet", linked.to_str().unwrap()]);
        std::fs::create_dir_all(scratch.top.join("a/b")).unwrap();
        for directory in [scratch.top.join("a/b"), scratch.top.clone(), linked.clone()] {
            let FoundRepository::Worktree(repository) = Repository::find(&directory).unwrap() else {
                panic!()
            };
            assert_eq!(Folders::locate(&directory), Some(repository.folders()));
        }
        std::fs::write(linked.join(".git"), "gitdir: /nowhere/at/all").unwrap();
        assert_eq!(Folders::of(&linked), None);
    }
}
