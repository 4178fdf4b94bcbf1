//! Before git is run in a repository that guests can write: what it would open by name is what it should be.
//!
//! git waits without end for the other end of a pipe, and follows links: what it writes into `COMMIT_EDITMSG` or a log goes where
//! a link leads. So no git of ours is run where one of these is a pipe, a device, or a link that leads out.

use std::ffi::OsStr;
use std::fmt::Display;
use std::path::{Path, PathBuf};

use super::{Folders, Repository, named_files};
use windlass_host::tree;
use windlass_host::tree::{Kind, TreeEntry, TreePath, at};

/// In the folder of the working tree itself; never a link that leads out.
const OF_THE_TREE: [&str; 19] = [
    "HEAD",
    "index",
    "COMMIT_EDITMSG",
    "MERGE_HEAD",
    "MERGE_MSG",
    "MERGE_MODE",
    "SQUASH_MSG",
    "AUTO_MERGE",
    "CHERRY_PICK_HEAD",
    "REVERT_HEAD",
    "ORIG_HEAD",
    "FETCH_HEAD",
    "config.worktree",
    "commondir",
    "gitdir",
    "sequencer",
    "rebase-merge",
    "rebase-apply",
    "info/sparse-checkout",
];

/// In the same folder; where that is the one that all share, a person's own tools make links of these at times.
const LOGS_OF_THE_TREE: [&str; 2] = ["logs", "logs/HEAD"];

/// In the folder that working trees share. A person's own tools make links of these at times.
const SHARED: [&str; 21] = [
    "config",
    "packed-refs",
    "refs",
    "refs/heads",
    "refs/tags",
    "refs/remotes",
    "refs/stash",
    "logs",
    "logs/refs",
    "logs/refs/heads",
    "logs/refs/stash",
    "info",
    "info/exclude",
    "info/attributes",
    "info/grafts",
    "objects",
    "objects/info",
    "objects/info/alternates",
    "objects/pack",
    "logs/HEAD",
    "shallow",
];

/// Those among them that git never writes.
const ONLY_READ: [&str; 2] = ["info/exclude", "info/attributes"];

/// At the top of the files.
const AT_THE_TOP: [&str; 4] = [".gitignore", ".gitattributes", ".gitmodules", ".mailmap"];

/// What is said of a link.
const NOT_RUN: &str = "no git is run with it";

/// What is said of a pipe.
const WAITS: &str = "for which git would wait without end";

/// What git says of objects and settings that it cannot use.
const BROKEN: [&str; 15] = [
    "unexpected line in ",
    "unterminated line in ",
    ".idx is ",
    "non-monotonic index ",
    "cannot read commit object ",
    "invalid object ",
    "bad object ",
    "missing blob ",
    "missing object ",
    "unable to read tree",
    "unable to read ",
    "is corrupt",
    "cannot be accessed",
    "bad config line ",
    "bad numeric config value",
];

/// Does it come of what somebody did to the repository?
pub(super) fn says_broken(said: &str) -> bool {
    said.contains(NOT_RUN) || said.contains(WAITS) || BROKEN.iter().any(|words| said.contains(words))
}

/// So deep is looked for pipes.
const DEEPEST: usize = 64;

impl Repository {
    /// What of its folders a person's own tools make links of at times.
    pub fn shared_paths(&self) -> Vec<PathBuf> {
        SHARED.iter().map(|name| self.common_dir.join(name)).collect()
    }

    /// What git could not be run with once guests are at work, as a sentence: to be asked before anybody is paid.
    pub fn in_the_way_of_git(&self) -> Option<String> {
        unsound(self).or_else(|| self.shared_paths().iter().find_map(|path| astray(path)))
    }
}

/// What in the repository must not be opened by git, as a sentence; `None` where nothing is.
pub(crate) fn unsound(repository: &Repository) -> Option<String> {
    let top = at(&repository.top);
    // git itself does not follow links there.
    let files = || AT_THE_TOP.iter().find_map(|name| wrong(&top.join(name), Links::NotFollowed));
    unsound_folders(&repository.folders()).or_else(files)
}

/// The same of its git directories alone.
pub(crate) fn unsound_folders(folders: &Folders) -> Option<String> {
    let (own, shared) = (at(&folders.git_dir), at(&folders.common_dir));
    let logs = LOGS_OF_THE_TREE.iter().map(|name| (own.join(name), Links::AsAtFirst));
    let own = OF_THE_TREE.iter().map(|name| (own.join(name), Links::Never)).chain(logs);
    let shared = SHARED.iter().map(|name| (shared.join(name), Links::AsAtFirst));
    let named = || named_files::pipe(folders).map(|path| is_a_pipe(&path.display()));
    own.chain(shared).find_map(|(path, links)| wrong(&path, links)).or_else(named)
}

/// Pipes and devices among references, their logs and objects, and files by which git is steered anywhere in the tree: looked
/// for where a git does not come to its end.
pub(crate) fn pipe_within(repository: &Repository) -> Option<String> {
    let Repository { top, common_dir, git_dir, .. } = repository;
    let steers = |name: &OsStr| AT_THE_TOP.iter().any(|known| name == *known);
    let folders = ["refs", "logs", "objects", "info"];
    let shared = folders.iter().find_map(|name| pipe_below(&at(common_dir).join(name), &|_| true, 0));
    let found = shared.or_else(|| pipe_below(&at(git_dir).join("logs"), &|_| true, 0));
    found.or_else(|| pipe_below(&at(top), &steers, 0)).map(|path| is_a_pipe(&path.display()))
}

/// Pipes, devices and links that lead out among what is written with a reference, however deep: git adds to a log where a link leads.
pub(crate) fn in_the_way_of_references(repository: &Repository) -> Option<String> {
    let (own, common) = (at(&repository.git_dir), at(&repository.common_dir));
    let written = [common.join("refs"), common.join("logs"), own.join("logs")];
    let below = || written.iter().find_map(|folder| wrong_below(folder, 0));
    in_the_way_of_objects(repository).or_else(below)
}

/// The same among the folders of objects.
pub(crate) fn in_the_way_of_objects(repository: &Repository) -> Option<String> {
    let objects = at(&repository.common_dir).join("objects");
    first_wrong(&objects, &entries_of(&objects)?)
}

fn wrong_below(folder: &TreePath, depth: usize) -> Option<String> {
    let entries = entries_of(folder).filter(|_| depth < DEEPEST)?;
    let folders = entries.iter().filter(|entry| entry.kind == Kind::Folder);
    let deeper = || folders.into_iter().find_map(|entry| wrong_below(&folder.join(&entry.name), depth + 1));
    first_wrong(folder, &entries).or_else(deeper)
}

fn first_wrong(folder: &TreePath, entries: &[TreeEntry]) -> Option<String> {
    let suspicious = entries.iter().filter(|entry| matches!(entry.kind, Kind::Link | Kind::Other(_)));
    suspicious.into_iter().find_map(|entry| wrong(&folder.join(&entry.name), Links::AsAtFirst))
}

fn entries_of(folder: &TreePath) -> Option<Vec<TreeEntry>> {
    folder.open_real_folder().and_then(|open| open.entries()).ok()
}

/// What may be a link that leads out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Links {
    Never,
    /// What was one when the run began.
    AsAtFirst,
    NotFollowed,
}

/// A link that leads to where it will not be followed: to a device, or to what guests can write.
fn astray(path: &Path) -> Option<String> {
    let place = at(path);
    let leads_out = place.look_through().is_err_and(|error| tree::leads_out(&error));
    let links = tree::links_out(&[path.to_owned()]);
    let is_followed = || links.iter().any(|link| !tree::is_known(&link.target));
    (leads_out && !is_emptied(&place) && !is_followed()).then(|| is_a_link_out(&place))
}

fn wrong(path: &TreePath, links: Links) -> Option<String> {
    let found = match path.look() {
        Ok(found) => found?,
        // A folder on the way to it is one; that is said of the folder.
        Err(_) => return None,
    };
    match found.kind {
        Kind::File | Kind::Folder => None,
        Kind::Other(_) => Some(is_a_pipe(&path.display())),
        Kind::Link if links == Links::NotFollowed => None,
        Kind::Link if is_emptied(path) => None,
        Kind::Link => match path.look_through() {
            Ok(Some(found)) if matches!(found.kind, Kind::Other(_)) => Some(is_a_pipe(&path.display())),
            Err(error)
                if tree::leads_out(&error) && !(links == Links::AsAtFirst && tree::was_there(path)) =>
            {
                Some(is_a_link_out(path))
            }
            _ => None,
        },
    }
}

/// Is it a file that git only reads, and that a person wants empty?
fn is_emptied(path: &TreePath) -> bool {
    let path = path.shown();
    ONLY_READ.iter().any(|name| path.ends_with(name)) && named_files::is_nothing(&path)
}

fn is_a_link_out(path: &TreePath) -> String {
    format!("{} is a link that leads out of the repository: {NOT_RUN}; remove the link", path.display())
}

fn is_a_pipe(path: &impl Display) -> String {
    format!("{path} is a pipe or a device, {WAITS}: remove it")
}

fn pipe_below(folder: &TreePath, steers: &impl Fn(&OsStr) -> bool, depth: usize) -> Option<TreePath> {
    let entries = entries_of(folder).filter(|_| depth < DEEPEST)?;
    let pipe = entries.iter().find(|entry| matches!(entry.kind, Kind::Other(_)) && steers(&entry.name));
    if let Some(pipe) = pipe {
        return Some(folder.join(&pipe.name));
    }
    let folders = entries
        .iter()
        .filter(|entry| entry.kind == Kind::Folder && Path::new(&entry.name) != Path::new(".git"));
    folders.into_iter().find_map(|entry| pipe_below(&folder.join(&entry.name), steers, depth + 1))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use rustix::fs::{CWD, FileType, mknodat};

    use super::*;
    use crate::testing::Scratch;

    #[test]
    fn pipes_that_git_would_read_are_found_however_deep_and_no_others() {
        let scratch = Scratch::committed();
        let pipe = |below: &str| {
            let path = scratch.path(below);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            mknodat(CWD, path, FileType::Fifo, 0o600.into(), 0).unwrap();
        };
        let found = || pipe_within(&scratch.found());
        for passed_over in ["sub/pipe", ".git/hooks/.gitignore"] {
            pipe(passed_over);
            assert_eq!(found(), None, "{passed_over}");
        }
        for read in ["sub/deep/.gitattributes", ".git/refs/heads/topic"] {
            pipe(read);
            let said = found().unwrap();
            assert!(said.contains(read), "{said}");
            fs::remove_file(scratch.path(read)).unwrap();
        }
    }
}
