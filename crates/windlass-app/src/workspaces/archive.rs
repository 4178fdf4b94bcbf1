//! Archives of workspaces: made, looked at, made workspaces again, deleted.

use jiff::Timestamp;
use windlass_core::values::Named;
use windlass_core::workspace::{Metadata, WorkspaceName};
use windlass_engine::workspace::WorkspaceError;
pub use windlass_engine::workspace::archive::{Afterwards, Archived, OutsideLinks, Restored};
use windlass_engine::workspace::archive::{Archive, ArchiveError, ArchiveHeader, Archives};
use windlass_jobs::doc::status::{self, StatusFile};
use windlass_ui::{ArchiveRow, ArchiveShown, one_line};

use super::{Project, note_removal, refuse_live};
use crate::app::App;
use crate::error::AppError;
use crate::front_end::Consent;
use crate::text::first_lines;

impl App {
    /// Archives a workspace.
    ///
    /// # Errors
    /// There is none of this name, a run works on it, or it cannot be archived: it is as it was.
    pub fn save_archive(&self, workspace: &str, afterwards: Afterwards) -> Result<Archived, AppError> {
        let project = Project::find(self)?;
        let workspace = project.workspaces.find(workspace)?;
        refuse_live(&project, &workspace)?;
        if afterwards == Afterwards::Remove {
            note_removal(&project, &workspace)?;
        }
        let archives = Archives::of(&project.workspaces);
        Ok(archives.save(&workspace, &project.here.project, afterwards, Timestamp::now())?)
    }

    /// All archives, the newest first; one that cannot be read is a row that says why.
    pub fn archives(&self) -> Result<Vec<ArchiveRow>, AppError> {
        let listed = Archives::of(&Project::find(self)?.workspaces).list()?;
        let rows = listed.iter().map(|listed| match &listed.told {
            Ok(told) => row(&listed.archive, listed.bytes, told),
            Err(error) => {
                let unknown =
                    ArchiveHeader { workspace: "?".to_owned(), at: listed.at(), ..ArchiveHeader::default() };
                let row = row(&listed.archive, listed.bytes, &unknown);
                ArchiveRow { problem: Some(error.to_string()), ..row }
            }
        });
        Ok(rows.collect())
    }

    /// What is in an archive: all of it is read.
    pub fn archive(&self, name: &str) -> Result<ArchiveShown, AppError> {
        let archives = Archives::of(&Project::find(self)?.workspaces);
        let archive = archives.find(name)?;
        let shown = archives.show(&archive)?;
        let metadata = metadata(&shown.told);
        let (instructions, more_lines) = first_lines(shown.instructions.as_deref().unwrap_or_default());
        let said = shown.status.as_deref().map(|bytes| {
            let standing = status::standing(Some(StatusFile { bytes, mark: "" }), None);
            one_line(&standing.problem.clone().unwrap_or_else(|| standing.line(None)))
        });
        let outside = shown.outside.iter();
        Ok(ArchiveShown {
            row: row(&archive, shown.bytes, &shown.told),
            from: shown.told.from.clone(),
            mode: metadata.as_ref().map(|metadata| metadata.mode.name().to_owned()),
            status: metadata.as_ref().map(|metadata| metadata.status.name().to_owned()),
            said,
            files: shown.files,
            unpacked_bytes: shown.unpacked,
            instructions,
            more_lines,
            outside: outside.map(|(link, to)| format!("{} -> {}", link.display(), to.display())).collect(),
        })
    }

    /// Makes a workspace of an archive, which stays.
    ///
    /// # Errors
    /// There is no such archive, or there is such a workspace; the archive is damaged, or holds what is not unpacked.
    pub fn restore_archive(
        &self,
        archive: &str,
        name: Option<&str>,
        outside: OutsideLinks,
    ) -> Result<Restored, AppError> {
        let archives = Archives::of(&Project::to_change(self)?.workspaces);
        let archive = archives.find(archive)?;
        let name = match name {
            Some(name) => name.to_owned(),
            None => archives.identify(&archive)?.workspace,
        };
        let name = WorkspaceName::parse(&name).map_err(WorkspaceError::from)?;
        archives.restore(&archive, &name, outside).map_err(|error| match &error {
            ArchiveError::Exists { free, .. } => {
                let hint = format!("windlass archive restore {} {free}", archive.name);
                AppError::from(error).hint(hint)
            }
            _ => error.into(),
        })
    }

    /// Deletes an archive for good; its name. `None`: the person who was asked did not want that.
    pub fn delete_archive(&self, name: &str, consent: Consent) -> Result<Option<String>, AppError> {
        let archives = Archives::of(&Project::find(self)?.workspaces);
        let archive = archives.find(name)?;
        let question = format!("delete archive {} for good?", archive.name);
        if !self.agrees(consent, &question, &format!("windlass archive delete {} --yes", archive.name))? {
            return Ok(None);
        }
        archives.delete(&archive)?;
        Ok(Some(archive.name))
    }
}

fn metadata(told: &ArchiveHeader) -> Option<Metadata> {
    Metadata::parse(told.metadata.as_deref()?).ok().map(|(metadata, _)| metadata)
}

fn row(archive: &Archive, bytes: u64, told: &ArchiveHeader) -> ArchiveRow {
    ArchiveRow {
        name: archive.name.clone(),
        workspace: told.workspace.clone(),
        archived: told.at,
        bytes,
        iterations: metadata(told).map(|metadata| metadata.total_iterations),
        path: archive.path.display().to_string(),
        problem: None,
    }
}
