//! Deleting a workspace.

use std::path::Path;

use super::{Workspace, WorkspaceError};
use crate::store::Project;
use windlass_host::tree::at;

/// What the name of a workspace that is being deleted begins with; no workspace is called so.
const DELETING: &str = ".deleting-";

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
        // Nobody else is at it: what is aside now was cut off.
        let _lock = self.lock_deletions(project)?;
        clear_up(root)?;
        at(self.folder()).rename_to(&at(&aside))?;
        // A run may have begun between the question and the answer.
        if let Err(live) = self.refuse_live(project) {
            at(&aside).rename_to(&at(self.folder()))?;
            return Err(live);
        }
        Ok(at(&aside).remove_folder()?)
    }
}

/// What deletions that were cut off left.
fn clear_up(root: &Path) -> Result<(), WorkspaceError> {
    for entry in at(root).entries()? {
        if entry.name.as_encoded_bytes().starts_with(DELETING.as_bytes()) {
            at(root).join(&entry.name).remove_folder()?;
        }
    }
    Ok(())
}
