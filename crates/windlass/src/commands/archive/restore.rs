//! `archive restore`: an archive becomes a workspace.

use windlass_core::workspace::WorkspaceName;
use windlass_engine::workspace::archive::{ArchiveError, Archives, OutsideLinks};
use windlass_engine::workspace::{WorkspaceError, archive::Archive};
use windlass_ui::{Line, Mark, Tone, format, one_line};

use super::super::print_lines;
use windlass_app::AppError;
use windlass_app::workspaces::Project;

pub(super) fn run(
    project: &Project,
    archive: &str,
    name: Option<&str>,
    outside: OutsideLinks,
) -> Result<(), AppError> {
    let archives = Archives::of(&project.workspaces);
    let archive = archives.find(archive)?;
    let name = match name {
        Some(name) => name.to_owned(),
        None => archives.identify(&archive)?.workspace,
    };
    let name = WorkspaceName::parse(&name).map_err(WorkspaceError::from)?;
    let restored = archives.restore(&archive, &name, outside).map_err(|error| hinted(error, &archive))?;
    let size = format!(" · {}, {}", format::count(restored.files, "file"), format::bytes(restored.bytes));
    print_lines(&[
        Line::hanging(2)
            .mark(Tone::Good, Mark::Passed)
            .plain(format!(" workspace {name} is restored"))
            .dim(size),
        Line::new().dim("  from  ").plain(one_line(&archive.name)).dim(", which stays"),
        Line::new().dim("  next  ").command(format!("windlass show {name}")),
    ])
}

fn hinted(error: ArchiveError, archive: &Archive) -> AppError {
    let command = match &error {
        ArchiveError::Exists { free, .. } => {
            Some(format!("windlass archive restore {} {free}", archive.name))
        }
        _ => None,
    };
    command.into_iter().fold(error.into(), AppError::hint)
}
