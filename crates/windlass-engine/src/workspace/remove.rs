//! Deleting a workspace.

use std::fs;
use std::path::PathBuf;

use super::{Workspace, WorkspaceError};
use crate::file::{AtPath as _, remove_folder};
use crate::store::Project;

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
        self.clear_up(root)?;
        let aside = root.join(format!("{DELETING}{}", self.name()));
        fs::rename(self.folder(), &aside).at("move", self.folder())?;
        // A run may have begun between the question and the answer.
        if let Err(live) = self.refuse_live(project) {
            fs::rename(&aside, self.folder()).at("move", &aside)?;
            return Err(live);
        }
        Ok(remove_folder(&aside)?)
    }

    /// What a deletion that was cut off left.
    fn clear_up(&self, root: &std::path::Path) -> Result<(), WorkspaceError> {
        let entries = fs::read_dir(root).at("read", root)?.flatten();
        let left: Vec<PathBuf> = entries
            .filter(|entry| entry.file_name().to_string_lossy().starts_with(DELETING))
            .map(|entry| entry.path())
            .collect();
        for path in left {
            remove_folder(&path)?;
        }
        Ok(())
    }
}
