//! `clean`: a workspace is archived, then deleted.

use std::path::PathBuf;
use std::process::ExitCode;

use windlass_engine::workspace::{Workspace, guard};
use windlass_ui::{Line, Mark, Tone, one_line};

use super::question::{Answer, ask};
use super::workspaces::Project;
use super::{init, print_lines};
use crate::args::CleanArgs;
use crate::error::CliError;

/// Does it.
///
/// # Errors
/// Whatever a person should read.
pub fn run(args: &CleanArgs) -> Result<ExitCode, CliError> {
    let project = Project::find()?;
    let Some(name) = &args.name else {
        return remove_guard(&project);
    };
    let workspace = project.workspaces.find(name)?;
    workspace.refuse_live(&project.here.project)?;
    if !args.force && ask(&question(args, &workspace), &command(args, &workspace))? == Answer::No {
        print_lines(&[Line::new().dim("nothing was deleted")])?;
        return Ok(ExitCode::SUCCESS);
    }
    let archive = if args.no_archive { None } else { Some(archive(&workspace)?) };
    let name = workspace.name().clone();
    workspace.delete(&project.here.project)?;
    print_lines(&said(name.as_str(), archive.as_ref()))?;
    Ok(ExitCode::SUCCESS)
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

/// Archives it; what is answered has been read back.
fn archive(workspace: &Workspace) -> Result<PathBuf, CliError> {
    Err(CliError::usage(format!(
        "workspace {} cannot be archived yet, so it is not deleted",
        workspace.name()
    ))
    .hint(format!("Delete it without an archive: windlass clean {} --no-archive", workspace.name())))
}

fn said(name: &str, archive: Option<&PathBuf>) -> Vec<Line> {
    let line = Line::hanging(2).mark(Tone::Good, Mark::Passed);
    match archive {
        None => {
            vec![line.plain(format!(" workspace {name} is deleted")).dim("; its runs stay: windlass runs")]
        }
        Some(path) => vec![
            line.plain(format!(" workspace {name} is archived and deleted")),
            Line::new().dim("  archive  ").plain(one_line(&path.display().to_string())),
            Line::new().dim("  undo     ").command(format!(
                "windlass archive restore {}",
                path.file_stem().unwrap_or_default().to_string_lossy().trim_end_matches(".tar")
            )),
        ],
    }
}

fn remove_guard(project: &Project) -> Result<ExitCode, CliError> {
    let guard = guard::remove(init::repository(&project.here)?)?;
    let path = one_line(&guard.path.display().to_string());
    let said =
        if guard.changed { "the pre-commit guard is removed: " } else { "there is no pre-commit guard: " };
    print_lines(&[Line::hanging(2).mark(Tone::Good, Mark::Passed).plain(format!(" {said}{path}"))])?;
    Ok(ExitCode::SUCCESS)
}
