//! `archive list`, `archive show`.

use jiff::Timestamp;
use windlass_core::workspace::Metadata;
use windlass_engine::workspace::archive::{Archive, ArchiveError, Archives, Told};
use windlass_jobs::doc::status;
use windlass_jobs::doc::status::StatusFile;
use windlass_ui::{
    ArchiveRow, ArchiveShown, archive_json, archive_text, archives_json, archives_table, one_line,
};

use super::super::{Shape, first_lines, print, print_bytes, stdout};
use windlass_app::AppError;
use windlass_app::workspaces::Project;

pub(super) fn list(project: &Project, shape: Shape) -> Result<(), AppError> {
    let listed = Archives::of(&project.workspaces).list()?;
    let rows: Vec<ArchiveRow> = listed
        .iter()
        .map(|listed| match &listed.told {
            Ok(told) => row(&listed.archive, listed.bytes, told),
            Err(error) => broken(&listed.archive, listed.bytes, listed.at(), error),
        })
        .collect();
    if shape == Shape::Json {
        return print_bytes(&archives_json(&rows));
    }
    print(&archives_table(&rows, Timestamp::now(), &stdout()))
}

pub(super) fn show(project: &Project, name: &str, shape: Shape) -> Result<(), AppError> {
    let archives = Archives::of(&project.workspaces);
    let archive = archives.find(name)?;
    let shown = archives.show(&archive)?;
    let metadata = metadata(&shown.told);
    let (instructions, more_lines) = first_lines(shown.instructions.as_deref().unwrap_or_default());
    let said = shown.status.as_deref().map(|bytes| {
        let standing = status::standing(Some(StatusFile { bytes, mark: "" }), None);
        one_line(&standing.problem.clone().unwrap_or_else(|| standing.line(None)))
    });
    let links =
        shown.outside.iter().map(|(link, target)| format!("{} -> {}", link.display(), target.display()));
    let shown = ArchiveShown {
        row: row(&archive, shown.bytes, &shown.told),
        from: shown.told.from.clone(),
        mode: metadata.as_ref().map(|metadata| metadata.mode.name().to_owned()),
        status: metadata.as_ref().map(|metadata| metadata.status.name().to_owned()),
        said,
        files: shown.files,
        unpacked_bytes: shown.unpacked,
        instructions,
        more_lines,
        outside: links.collect(),
    };
    if shape == Shape::Json {
        return print_bytes(&archive_json(&shown));
    }
    print(&archive_text(&shown, Timestamp::now(), &stdout()))
}

fn metadata(told: &Told) -> Option<Metadata> {
    Metadata::parse(told.metadata.as_deref()?).ok().map(|(metadata, _)| metadata)
}

fn row(archive: &Archive, bytes: u64, told: &Told) -> ArchiveRow {
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

fn broken(archive: &Archive, bytes: u64, at: Option<Timestamp>, error: &ArchiveError) -> ArchiveRow {
    ArchiveRow {
        name: archive.name.clone(),
        workspace: "?".to_owned(),
        archived: at,
        bytes,
        iterations: None,
        path: archive.path.display().to_string(),
        problem: Some(error.to_string()),
    }
}
