//! The untracked files that are not ignored: git's walk through a working tree, step by step as it decides.

use std::io::ErrorKind;
use std::os::unix::ffi::OsStrExt as _;

use super::Unsure;
use super::index::{Below, Index};
use super::rules::{Rules, Said, Subject};
use super::wildmatch::Effort;
use windlass_host::tree::{Folder, Kind, TreeEntry};

/// Folders within each other that are walked; each is open meanwhile.
const DEEPEST: usize = 100;
/// A longer path is none that the system takes.
const LONGEST_PATH: usize = 4000;
/// The longest file of patterns, in bytes.
pub(super) const LONGEST_RULES: usize = 1 << 20;

/// A walk.
pub(super) struct Walk<'index> {
    index: &'index Index,
    /// Rules, and how much of a path lies above the folder they are of; those that decide first stand last.
    rules: Vec<(usize, Rules)>,
    effort: Effort,
    /// The folder that is walked, with a slash behind it.
    path: Vec<u8>,
    depth: usize,
    walked: Walked,
}

/// What a walk found.
#[derive(Debug, Default)]
pub(super) struct Walked {
    pub found: Vec<Vec<u8>>,
    /// Folders that it may not look into.
    pub unread: Vec<Vec<u8>>,
}

impl<'index> Walk<'index> {
    /// With rules that are of the whole tree; the last ones decide first.
    pub fn new(index: &'index Index, rules: Vec<Rules>) -> Self {
        let rules = rules.into_iter().map(|rules| (0, rules)).collect();
        Self { index, rules, effort: Effort::ENOUGH, path: Vec::new(), depth: 0, walked: Walked::default() }
    }

    /// What is found from the top.
    pub fn through(mut self, top: &Folder) -> Result<Walked, Unsure> {
        self.enter(top, Below::Files)?;
        Ok(self.walked)
    }

    fn enter(&mut self, folder: &Folder, below: Below) -> Result<(), Unsure> {
        if self.depth > DEEPEST || self.path.len() > LONGEST_PATH {
            return Err(Unsure("folders lie very deep"));
        }
        let entries = folder.entries().map_err(|_| UNREADABLE)?;
        if below == Below::Nothing && entries.iter().any(|entry| entry.name == ".git") {
            return Err(Unsure("there is a repository inside this one"));
        }
        let rules = entries.iter().find(|entry| entry.name == ".gitignore");
        let rules = rules.map_or(Ok(None), |entry| rules_of(folder, entry))?;
        let outer = self.rules.len();
        self.rules.extend(rules.map(|rules| (self.path.len(), rules)));
        let above = self.path.len();
        for entry in entries.iter().filter(|entry| entry.name != ".git") {
            self.path.extend_from_slice(entry.name.as_bytes());
            self.take(folder, entry)?;
            self.path.truncate(above);
        }
        self.rules.truncate(outer);
        Ok(())
    }

    /// Something in a folder, to which the path leads.
    fn take(&mut self, folder: &Folder, entry: &TreeEntry) -> Result<(), Unsure> {
        match entry.kind {
            Kind::Folder if !self.ignores(true)? => {
                let below = self.index.below(&self.path);
                if below == Below::Submodule {
                    return Ok(());
                }
                let inner = match folder.enter(&entry.name) {
                    Err(error) if error.kind() == ErrorKind::PermissionDenied => {
                        self.walked.unread.push(self.path.clone());
                        return Ok(());
                    }
                    // What went away meanwhile is git's to look for.
                    inner => inner.map_err(|_| UNREADABLE)?,
                };
                self.path.push(b'/');
                self.depth += 1;
                self.enter(&inner, below)?;
                self.depth -= 1;
            }
            Kind::File | Kind::Link if !self.index.has(&self.path) && !self.ignores(false)? => {
                self.walked.found.push(self.path.clone());
            }
            // Pipes and devices are nothing to git.
            _ => {}
        }
        Ok(())
    }

    fn ignores(&mut self, is_folder: bool) -> Result<bool, Unsure> {
        for (above, rules) in self.rules.iter().rev() {
            let subject = Subject { path: self.path.get(*above..).unwrap_or_default(), is_folder };
            match rules.say(subject, &mut self.effort)? {
                Said::Nothing => {}
                said => return Ok(said == Said::Ignored),
            }
        }
        Ok(false)
    }
}

const UNREADABLE: Unsure = Unsure("something cannot be read");

/// The rules of a folder. A folder of their name has none.
fn rules_of(folder: &Folder, entry: &TreeEntry) -> Result<Option<Rules>, Unsure> {
    match entry.kind {
        Kind::Folder => Ok(None),
        Kind::File => {
            let read = folder.read(&entry.name, LONGEST_RULES);
            let bytes = read.ok().flatten().ok_or(Unsure("a .gitignore is long or cannot be read"))?;
            Rules::parse(&bytes).map(Some)
        }
        Kind::Link | Kind::Other(_) => Err(Unsure("a .gitignore is not a file")),
    }
}
