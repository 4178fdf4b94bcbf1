//! Deleting a workspace.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::time::{Duration, UNIX_EPOCH};

use super::{Workspace, WorkspaceError};
use crate::file::{AtPath as _, remove_folder};
use crate::store::Project;

/// What the name of a workspace that is being deleted begins with; no workspace is called so.
const DELETING: &str = ".deleting-";
/// A deletion takes seconds.
const ABANDONED: Duration = Duration::from_hours(1);

impl Workspace {
    /// Deletes it with all that is in it. It gets out of sight first, in one step: when the deletion is cut off, there is
    /// no half a workspace, and the next deletion clears up.
    ///
    /// # Errors
    /// A run works on it; or something cannot be deleted.
    pub fn delete(self, project: &Project) -> Result<(), WorkspaceError> {
        self.refuse_live(project)?;
        let Some(root) = self.folder().parent() else {
            return Err(WorkspaceError::NotAFolder { path: self.folder().to_owned() });
        };
        // Found through a link, it is known under another name.
        if self.folder().file_name() != Some(self.name().as_str().as_ref()) {
            return Err(WorkspaceError::NotAFolder { path: root.join(self.name().as_str()) });
        }
        let aside = root.join(format!("{DELETING}{}", self.name()));
        clear_up(root, &aside)?;
        fs::rename(self.folder(), &aside).at("move", self.folder())?;
        // A run may have begun between the question and the answer.
        if let Err(live) = self.refuse_live(project) {
            fs::rename(&aside, self.folder()).at("move", &aside)?;
            return Err(live);
        }
        Ok(remove_folder(&aside)?)
    }
}

/// What deletions that were cut off left: the one of this name, and others that are so old that nobody is at them.
fn clear_up(root: &Path, own: &Path) -> Result<(), WorkspaceError> {
    for entry in fs::read_dir(root).at("read", root)?.flatten() {
        let path = entry.path();
        let is_left = entry.file_name().as_encoded_bytes().starts_with(DELETING.as_bytes());
        if is_left && (path == own || is_old(&path)) {
            remove_folder(&path)?;
        }
    }
    Ok(())
}

fn is_old(path: &Path) -> bool {
    let changed =
        path.symlink_metadata().map(|found| UNIX_EPOCH + Duration::from_secs(found.ctime().unsigned_abs()));
    changed.is_ok_and(|changed| changed.elapsed().is_ok_and(|age| age > ABANDONED))
}
