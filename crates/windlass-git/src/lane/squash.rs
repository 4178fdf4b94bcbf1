//! A lane's work as one commit.

use super::Lane;
use crate::commit::{Candidate, CommitError, CommitOutcome, Made, commit};
use crate::git::GitError;
use crate::inventory::{EntryKind, Inventory};
use crate::snapshot::Store;

impl Lane {
    /// Commits the lane's work on where the lane stands, which moves there. What the agent has done with its own
    /// repository does not matter: the files count.
    ///
    /// Hooks of a commit are run here, once, where the agent can still mend what they refuse; merging and landing run none.
    ///
    /// What the candidate does not name stays as it is where the lane stands: [`Lane::to_commit`] says what may be named.
    ///
    /// Where hooks have made something else of the commit, and there is an objection to that, it is not kept.
    pub fn squash(
        &self,
        store: &Store,
        candidate: &Candidate<'_>,
        objection: impl FnOnce(&Made) -> Result<Option<String>, CommitError>,
    ) -> Result<CommitOutcome, CommitError> {
        let mut changed = candidate.changed.to_vec();
        if let Some(path) = self.repository_inside(candidate.inventory, &mut changed)? {
            return Ok(CommitOutcome::Refused(no_repositories_inside(&path)));
        }
        commit(&self.repository, store, &Candidate { changed: &changed, ..*candidate }, objection)
    }

    /// The paths that a commit of the lane's work would have: these, and all whose files differ now from where the lane stands, as what
    /// an earlier commit left out. It does no harm to name too many: what is committed is always what the inventory says.
    pub fn to_commit(&self, mut named: Vec<Vec<u8>>) -> Result<Vec<Vec<u8>>, GitError> {
        named.extend(self.differing()?);
        named.sort_unstable();
        named.dedup();
        Ok(named)
    }

    /// A submodule that was moved or added. One whose folder was merely removed, empty as it is, was not: it is taken out
    /// of the paths that changed.
    fn repository_inside(
        &self,
        inventory: &Inventory,
        changed: &mut Vec<Vec<u8>>,
    ) -> Result<Option<Vec<u8>>, GitError> {
        let is_file =
            |path: &Vec<u8>| inventory.entry(path).is_some_and(|entry| entry.kind != EntryKind::Submodule);
        if changed.iter().all(is_file) {
            return Ok(None);
        }
        let tracked = self.submodules()?;
        let registered = changed.iter().any(|path| path == b".gitmodules");
        let is_there = |path: &&Vec<u8>| {
            let inside = inventory.entry(path).is_some_and(|entry| entry.kind == EntryKind::Submodule);
            inside && (registered || tracked.contains(path))
        };
        let moved = changed.iter().find(is_there).cloned();
        if !registered {
            changed.retain(|path| inventory.entry(path).is_some() || !tracked.contains(path));
        }
        Ok(moved)
    }
}

/// A lane hands over its own objects alone, so the branch would name a commit that is nowhere.
fn no_repositories_inside(path: &[u8]) -> String {
    let path = String::from_utf8_lossy(path);
    format!(
        "{path} is a repository of its own, and what is committed in it does not leave this directory: \
         make it what it was, or remove it if it is new"
    )
}
