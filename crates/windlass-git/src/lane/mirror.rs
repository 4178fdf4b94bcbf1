//! A lane of another machine, as it is known here: its commits, without its files.

use std::path::Path;

use super::clone::make_plain_folder;
use super::{Lane, LaneError};
use crate::git::{ObjectId, Repository};
use crate::parcel::{Limits, ParcelError, unpack};

/// A mirror that cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum MirrorError {
    /// As of any lane.
    #[error(transparent)]
    Lane(#[from] LaneError),
    /// What was brought is not taken.
    #[error(transparent)]
    Parcel(#[from] ParcelError),
}

impl Lane {
    /// Keeps a lane of another machine here: standing at a commit that the main repository or the pack has. `pack` is what was
    /// brought of it, with the commits that are expected in it. Its working tree is an empty folder: it can land, and what is left in
    /// it can be parked, since both are made of commits alone.
    pub fn mirror(
        main: &Repository,
        home: &Path,
        stands_at: ObjectId,
        pack: Option<(&Path, &[ObjectId], &Limits)>,
    ) -> Result<Lane, MirrorError> {
        let lane = Self::at(main, home);
        lane.make_empty()?;
        match pack {
            Some((from, expected, limits)) => unpack(lane.repository(), from, expected, limits)?,
            None if !lane.has(stands_at)? => return Err(ParcelError::Lacks(stands_at).into()),
            None => {}
        }
        lane.point_to(stands_at).map_err(LaneError::from)?;
        Ok(lane)
    }

    /// Where it stands; `None` where nothing says so.
    pub fn stands_at(&self) -> Option<ObjectId> {
        self.repository().plain_commit()
    }

    fn has(&self, commit: ObjectId) -> Result<bool, LaneError> {
        let call = self.call().args(["cat-file", "-e", &format!("{commit}^{{commit}}")]);
        Ok(call.succeeds()?)
    }

    /// Its folders and its repositories, with no files of a commit. Nobody works in it: once made it is as it was.
    fn make_empty(&self) -> Result<(), LaneError> {
        if Self::is_there(&self.main, &self.home) {
            return self.remove_locks();
        }
        windlass_host::tree::at(&self.home).make_folders_with(0o700)?;
        self.make_repository()?;
        make_plain_folder(&self.home.join("tree"))?;
        make_plain_folder(self.top())?;
        self.mend()
    }
}
