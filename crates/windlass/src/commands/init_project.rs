//! `init` without a name: the project's own folder.

use std::process::ExitCode;

use windlass_core::config::commented_file;
use windlass_engine::workspace::{PROJECT_FOLDER, guard};
use windlass_ui::{Line, Mark, Tone};

use super::init::{guard_line, repository};
use super::print_lines;
use super::workspaces::{Project, from_here};
use crate::args::InitArgs;
use crate::error::CliError;

/// Does it.
///
/// # Errors
/// Whatever a person should read.
pub fn run(args: &InitArgs) -> Result<ExitCode, CliError> {
    let project = Project::find()?;
    let guarded =
        args.pre_commit_guard.then(|| guard::install(repository(&project.here)?).map_err(CliError::from));
    let guarded = guarded.transpose()?;
    let done = project.workspaces.make_project(&commented_file()?)?;
    let folder = project.workspaces.project().join(PROJECT_FOLDER);
    let what = if done.made.is_empty() { "is complete; nothing was missing" } else { "is ready" };
    let shown = from_here(&folder);
    let mut lines = vec![Line::hanging(2).mark(Tone::Good, Mark::Passed).plain(format!(" {shown} {what}"))];
    for (label, names) in [("added", &done.made), ("kept", &done.kept)] {
        if !names.is_empty() {
            lines.push(Line::hanging(11).dim(format!("  {label:<9}")).plain(names.join(", ")));
        }
    }
    lines.extend(guarded.iter().map(guard_line));
    lines.push(Line::new().dim("  next     ").command("windlass init NAME").dim("  makes a workspace"));
    print_lines(&lines)?;
    Ok(ExitCode::SUCCESS)
}
