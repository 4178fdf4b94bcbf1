//! `clean`: a workspace is archived, then deleted.

use std::process::ExitCode;

use jiff::Timestamp;
use windlass_engine::workspace::archive::{Afterwards, ArchiveError, Archives};
use windlass_engine::workspace::{Workspace, guard};
use windlass_ui::{Line, Mark, Tone};

use super::question::ask;
use super::{archive, init, print_lines};
use crate::args::CleanArgs;
use crate::commands::app;
use crate::commands::from_here;
use windlass_app::Answer;
use windlass_app::workspaces::Project;
use windlass_app::{AppError, Kind};

/// Does it.
pub fn run(args: &CleanArgs) -> Result<ExitCode, AppError> {
    let project = Project::find(&app()?)?;
    let Some(name) = &args.name else {
        return remove_guard(&project);
    };
    let workspace = project.workspaces.find(name)?;
    workspace.refuse_live(&project.here.project)?;
    if !args.force && ask(&question(args, &workspace), &command(args, &workspace))? == Answer::No {
        print_lines(&[Line::new().dim("nothing was deleted")])?;
        return Ok(ExitCode::SUCCESS);
    }
    let name = workspace.name().to_string();
    if args.no_archive {
        workspace.delete(&project.here.project)?;
        print_lines(&[deleted(&name)])?;
        return Ok(ExitCode::SUCCESS);
    }
    // It deletes the workspace when the archive has been read back, and not before.
    let archived = Archives::of(&project.workspaces)
        .save(&workspace, &project.here.project, Afterwards::Remove, Timestamp::now())
        .map_err(|error| kept(error, &name))?;
    print_lines(&archive::said(&name, &archived, Afterwards::Remove))?;
    match archived.not_removed {
        None => Ok(ExitCode::SUCCESS),
        Some(why) => {
            Err(AppError::new(Kind::System, format!("workspace {name} is archived, but not deleted: {why}")))
        }
    }
}

fn question(args: &CleanArgs, workspace: &Workspace) -> String {
    let name = workspace.name();
    if args.no_archive {
        format!("delete workspace {name} for good, without an archive?")
    } else {
        format!("archive workspace {name} and delete it?")
    }
}

fn command(args: &CleanArgs, workspace: &Workspace) -> String {
    let flag = if args.no_archive { " --no-archive" } else { "" };
    format!("windlass clean {} --force{flag}", workspace.name())
}

/// Why there is no archive; the workspace is as it was.
fn kept(error: ArchiveError, name: &str) -> AppError {
    match error {
        ArchiveError::Workspace(error) => error.into(),
        error => AppError::new(Kind::System, error.to_string())
            .hint("Nothing was deleted.")
            .hint(format!("Without an archive: windlass clean {name} --no-archive")),
    }
}

fn deleted(name: &str) -> Line {
    let line = Line::hanging(2).mark(Tone::Good, Mark::Passed).plain(format!(" workspace {name} is deleted"));
    line.dim("; its runs stay: windlass runs")
}

fn remove_guard(project: &Project) -> Result<ExitCode, AppError> {
    let guard = guard::remove(init::repository(&project.here)?)?;
    let path = from_here(&guard.path);
    let said =
        if guard.changed { "the pre-commit guard is removed: " } else { "there is no pre-commit guard: " };
    print_lines(&[Line::hanging(2).mark(Tone::Good, Mark::Passed).plain(format!(" {said}{path}"))])?;
    Ok(ExitCode::SUCCESS)
}
