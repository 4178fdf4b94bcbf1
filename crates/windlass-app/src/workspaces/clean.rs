//! A workspace is archived, then deleted.

use jiff::Timestamp;
use windlass_engine::workspace::archive::{Afterwards, ArchiveError, Archived, Archives};

use super::{Project, note_removal, refuse_live};
use crate::app::App;
use crate::error::AppError;
use crate::front_end::Consent;

/// A workspace that is to be deleted.
#[derive(Clone, Debug)]
pub struct CleanWorkspace {
    /// Its name.
    pub name: String,
    /// Without an archive: for good.
    pub for_good: bool,
    /// Must a person be asked first?
    pub consent: Consent,
}

/// A workspace that is not there any more.
#[derive(Clone, Debug)]
pub enum CleanedWorkspace {
    /// It is in an archive.
    Archived(Archived),
    /// It is gone for good.
    Deleted,
}

impl App {
    /// Deletes a workspace when its archive has been read back, and not before. `None`: the person who was asked did not
    /// want that.
    ///
    /// # Errors
    /// There is none of this name, a run works on it, or it cannot be archived: it is as it was.
    pub fn clean_workspace(&self, request: &CleanWorkspace) -> Result<Option<CleanedWorkspace>, AppError> {
        let project = Project::find(self)?;
        let workspace = project.workspaces.find(&request.name)?;
        refuse_live(&project, &workspace)?;
        let name = workspace.name().to_string();
        let (question, flag) = if request.for_good {
            (format!("delete workspace {name} for good, without an archive?"), " --no-archive")
        } else {
            (format!("archive workspace {name} and delete it?"), "")
        };
        if !self.agrees(request.consent, &question, &format!("windlass clean {name} --yes{flag}"))? {
            return Ok(None);
        }
        note_removal(&project, &workspace)?;
        if request.for_good {
            workspace.delete(&project.here.project)?;
            return Ok(Some(CleanedWorkspace::Deleted));
        }
        let archived = Archives::of(&project.workspaces)
            .save(&workspace, &project.here.project, Afterwards::Remove, Timestamp::now())
            .map_err(|error| kept(error, &name))?;
        Ok(Some(CleanedWorkspace::Archived(archived)))
    }
}

/// Why there is no archive; the workspace is as it was.
fn kept(error: ArchiveError, name: &str) -> AppError {
    match error {
        ArchiveError::Workspace(error) => error.into(),
        error => AppError::system(error)
            .hint("Nothing was deleted.")
            .hint(format!("Without an archive: windlass clean {name} --no-archive")),
    }
}
