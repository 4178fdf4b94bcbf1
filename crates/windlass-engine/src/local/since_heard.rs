//! What somebody has done to files since the agent of an attempt was last heard of, where this session did not see that attempt begin:
//! that is theirs, and no agent's.

use std::path::Path;
use std::time::SystemTime;

use windlass_core::message::RUN_TRAILER;
use windlass_core::run::TurnKey;

use super::work::WorkError;
use super::working_tree::WorkingTree;
use crate::recovery::{is_of_later, is_written_later, later_than};
use windlass_git::git::{Repository, TreeFiles};
use windlass_git::inventory::{Place, as_path};
use windlass_host::tree::at;

/// What tells it.
#[derive(Debug)]
pub(super) struct SinceHeard<'a> {
    place: &'a Place,
    /// When the agent was last heard of.
    heard: SystemTime,
    /// The repository and the files of the commit that is checked out, where a person may have made that since.
    committed: Option<(&'a Repository, TreeFiles)>,
}

impl SinceHeard<'_> {
    pub fn of(world: &WorkingTree, turn: TurnKey) -> Result<SinceHeard<'_>, WorkError> {
        let place = world.surveyor.place();
        let heard = world.folder.heard(&world.plan, turn);
        // What a guest has committed in a git directory of its own may have been taken over since.
        let is_lent = world.plan.sandbox.kind.has_mounts();
        // Where git keeps no log of that, nobody can say whether another commit was made.
        let has_moved = |repository: &&Repository| is_of_later(&repository.git_dir.join("logs/HEAD"), heard);
        let committed = match place.repository.as_ref().filter(|_| !is_lent).filter(has_moved) {
            Some(repository) => Some((repository, repository.files_of_head()?)),
            None => None,
        };
        Ok(SinceHeard { place, heard, committed })
    }

    /// Was what is there written since? What is gone was not.
    pub fn has_written(&self, path: &[u8]) -> bool {
        self.has_written_at(&self.place.root.join(as_path(path)))
    }

    fn has_written_at(&self, path: &Path) -> bool {
        is_written_later(path, self.heard)
    }

    /// Is it as a commit has it that a person has made since, also where that has nothing there? A commit of a runner says nothing: it may
    /// hold what an agent left.
    pub fn has_committed(&self, path: &[u8]) -> Result<bool, WorkError> {
        let Some((repository, files)) = &self.committed else { return Ok(false) };
        if self.place.content_now(path) != files.get(path).copied() {
            return Ok(false);
        }
        let Some(last) = repository.last_change_of(path)? else { return Ok(false) };
        let is_a_runners = last.message.lines().any(|line| line.starts_with(RUN_TRAILER));
        let written = repository.written_at(last.commit);
        Ok(!is_a_runners && written.is_some_and(|written| later_than(written, self.heard)))
    }

    /// Is it a person's, as far as anybody can tell? Absolute.
    pub fn is_a_persons(&self, file: &Path) -> Result<bool, WorkError> {
        Ok(self.has_written_at(file) || self.is_committed(file)?)
    }

    /// The same as `has_committed`, of an absolute path.
    pub fn is_committed(&self, file: &Path) -> Result<bool, WorkError> {
        self.place.relative(file).map_or(Ok(false), |path| self.has_committed(&path))
    }

    /// Is it gone, and may somebody have taken it away since? Where so late something happened in the folder that it was in.
    pub fn may_have_removed(&self, path: &[u8]) -> bool {
        if self.place.content_now(path).is_some() {
            return false;
        }
        let mut above = as_path(path).ancestors().skip(1).map(|above| self.place.root.join(above));
        above.find(|above| at(above).is_real_folder()).is_none_or(|folder| self.has_written_at(&folder))
    }
}
