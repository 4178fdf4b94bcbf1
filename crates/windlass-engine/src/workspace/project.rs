//! Making a project's `.windlass`, and completing one that is there.

use super::metadata::PERMISSIONS;
use super::{CONFIG_FILE, PROJECT_FOLDER, WorkspaceError, Workspaces};
use windlass_host::file::Made;
use windlass_host::tree::at;

/// Folders in it.
const FOLDERS: &[&str] = &["workspaces", "prompts", "templates"];

/// What was made of a project's folder.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProjectMade {
    /// By name in `.windlass`.
    pub made: Vec<&'static str>,
    /// What was there, and stays as it is.
    pub kept: Vec<&'static str>,
}

impl Workspaces {
    /// Makes the project's folder with a configuration file of this text, or what is missing of it.
    ///
    /// # Errors
    /// Something else is in the way, or the file system refuses.
    pub fn make_project(&self, config: &str) -> Result<ProjectMade, WorkspaceError> {
        let ours = at(self.project()).join(PROJECT_FOLDER);
        ours.make_folder()?;
        let mut result = ProjectMade::default();
        let mut note = |name, made| match made {
            Made::Anew => result.made.push(name),
            Made::WasThere => result.kept.push(name),
        };
        for folder in FOLDERS {
            note(folder, ours.join(folder).make_folder()?);
        }
        note(CONFIG_FILE, ours.join(CONFIG_FILE).create_new(config.as_bytes(), PERMISSIONS)?);
        ours.sync_folder()?;
        Ok(result)
    }
}
