//! Which files there are: what is tracked, and what is untracked and not ignored, as `git ls-files` has it, without a git.
//!
//! Parsers over bytes that were read through the room for guests' trees. They answer what git answers, or not at all: wherever
//! something is unusual, git itself is asked. Both are held against each other by tests.

mod index;
mod rules;
mod settings;
mod walk;
mod wildmatch;

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use self::index::Index;
use self::rules::{Rules, Said, Subject};
use self::settings::Settings;
use self::walk::{LONGEST_RULES, Walk};
use self::wildmatch::Effort;
use super::{Folders, GitError, ObjectFormat, Repository, sound};
use windlass_host::file;
use windlass_host::tree::{self, at};

/// The longest index that is read, in bytes: that of some two million files.
pub(crate) const LONGEST_INDEX: usize = 256 << 20;

/// Why git has to be asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Unsure(pub &'static str);

/// Lists the files of one repository again and again.
#[derive(Debug, Default)]
pub struct Listing {
    settings: Option<Settings>,
    unread: Vec<Vec<u8>>,
}

impl Listing {
    /// The same as [`Repository::list_files`].
    pub(crate) fn files(&mut self, repository: &Repository) -> Result<Vec<Vec<u8>>, GitError> {
        self.without_git(repository).or_else(|_| repository.list_files())
    }

    /// The folders that could not be looked into, since this was last asked: as for git, nothing that is not tracked is in them.
    pub(crate) fn take_unread(&mut self) -> Vec<Vec<u8>> {
        std::mem::take(&mut self.unread)
    }

    /// The same, unless git has to be asked.
    fn without_git(&mut self, repository: &Repository) -> Result<Vec<Vec<u8>>, Unsure> {
        let settings = match self.settings.take() {
            Some(settings) if settings.hold() => settings,
            _ => Settings::ask(repository)?,
        };
        let settings = self.settings.insert(settings);
        settings.sure?;
        is_as_found(repository)?;
        let index = read_index(repository)?;
        let exclude = at(&repository.common_dir).join("info/exclude").read(LONGEST_RULES);
        let exclude = exclude.map_err(|_| Unsure("info/exclude cannot be read"))?;
        let mut rules = Vec::new();
        for bytes in [settings.excluded()?, exclude].into_iter().flatten() {
            rules.push(Rules::parse(&bytes)?);
        }
        let top = at(&repository.top).open_real_folder().map_err(|_| Unsure("the top cannot be read"))?;
        let walked = Walk::new(&index, rules).through(&top)?;
        let mut paths = walked.found;
        self.unread = walked.unread;
        paths.extend(index.entries.into_iter().map(|entry| entry.path));
        paths.sort_unstable();
        paths.dedup();
        Ok(paths)
    }
}

/// The paths that an index tracks, each with its stage; `None` where git itself has to be asked.
pub fn tracked(content: &[u8], format: ObjectFormat) -> Option<Vec<(Vec<u8>, u8)>> {
    let index = Index::parse(content, format).ok()?;
    Some(index.entries.into_iter().map(|entry| (entry.path, entry.stage)).collect())
}

/// The paths that an index has the working tree do without; `None` where git itself has to be asked.
pub(crate) fn left_out(content: &[u8], format: ObjectFormat) -> Option<BTreeSet<Vec<u8>>> {
    let index = Index::parse(content, format).ok()?;
    Some(index.entries.into_iter().filter(|entry| entry.is_skipped).map(|entry| entry.path).collect())
}

/// The paths at which a repository's index has submodules; `None` where git itself has to be asked.
pub(crate) fn submodules(repository: &Repository) -> Option<Vec<Vec<u8>>> {
    let index = read_index(repository).ok()?;
    Some(index.entries.into_iter().filter(|entry| entry.is_submodule).map(|entry| entry.path).collect())
}

/// Does a repository's index say that git looks at every file of it? No answer where git itself has to be asked.
pub(crate) fn hides_nothing(repository: &Repository) -> Option<bool> {
    let index = read_index(repository).ok()?;
    Some(index.entries.iter().all(|entry| !entry.is_skipped && !entry.is_assumed))
}

/// Whether a file of patterns has a path ignored, which is a folder's where it ends in a slash; `None` where the file says
/// nothing of it, or git itself has to be asked.
pub fn ignored(rules: &[u8], path: &[u8]) -> Option<bool> {
    let (is_folder, path) = path.strip_suffix(b"/").map_or((false, path), |folder| (true, folder));
    let mut effort = Effort::ENOUGH;
    let said = Rules::parse(rules).ok()?.say(Subject { path, is_folder }, &mut effort).ok()?;
    (said != Said::Nothing).then_some(said == Said::Ignored)
}

/// Would git, called at the top, find this repository, and take it for one?
fn is_as_found(repository: &Repository) -> Result<(), Unsure> {
    if !(repository.is_apart() || is_plain(repository))
        && Folders::locate(&repository.top) != Some(repository.folders())
    {
        return Err(Unsure("the repository is not where it was"));
    }
    // What git would stumble over is damage, and git's words for it are told.
    let _open = tree::keep_open();
    if sound::unsound(repository).is_some() {
        return Err(Unsure("no git is run here"));
    }
    let common = at(&repository.common_dir);
    // git takes none for a repository into whose folders it may not look.
    let is_whole = ["objects", "refs"].iter().all(|name| {
        let folder = common.join(name);
        folder.holds_folder() && folder.join("HEAD").look().is_ok()
    });
    if is_whole { Ok(()) } else { Err(Unsure("the repository is not whole")) }
}

/// One whose folder lies at its top, which is the only one it has.
fn is_plain(repository: &Repository) -> bool {
    let own = at(&repository.top).join(".git");
    repository.common_dir == own.shown()
        && !repository.is_linked()
        && own.is_real_folder()
        && !own.join("commondir").is_taken()
}

fn read_index(repository: &Repository) -> Result<Index, Unsure> {
    let bytes = at(&repository.git_dir).join("index").read(LONGEST_INDEX);
    let Some(bytes) = bytes.map_err(|_| Unsure("the index cannot be read"))? else {
        return Ok(Index::default());
    };
    let index = Index::parse(&bytes, repository.object_format)?;
    let is_rules = |path: &[u8]| path == b".gitignore" || path.ends_with(b"/.gitignore");
    if index.entries.iter().any(|entry| entry.is_skipped && is_rules(&entry.path)) {
        return Err(Unsure("a .gitignore is in the index alone"));
    }
    Ok(index)
}

impl Settings {
    /// What the person's own file of what is ignored everywhere says; `None` where there is none.
    fn excluded(&self) -> Result<Option<Vec<u8>>, Unsure> {
        let Some(path) = &self.excludes else { return Ok(None) };
        let read = if tree::is_known(path) {
            at(path).read_beginning(LONGEST_RULES)
        } else {
            // outside: a person's own file.
            file::read_beginning(path, LONGEST_RULES)
        };
        match read {
            Ok(bytes) if bytes.as_ref().is_none_or(|bytes| bytes.len() <= LONGEST_RULES) => Ok(bytes),
            _ => Err(Unsure("the file of what is ignored everywhere is long or cannot be read")),
        }
    }
}
