//! `reset`: a workspace's history begins anew.

use std::path::Path;
use std::process::ExitCode;

use jiff::Timestamp;
use windlass_ui::{Line, Mark, Tone, one_line};

use super::question::ask;
use super::{print_lines, warn};
use crate::args::ResetArgs;
use crate::commands::app;
use windlass_app::Answer;
use windlass_app::AppError;
use windlass_app::workspaces::Project;

/// Does it.
pub fn run(args: &ResetArgs) -> Result<ExitCode, AppError> {
    let project = Project::find(&app()?)?;
    let workspace = project.workspaces.find(&args.name)?;
    workspace.refuse_live(&project.here.project)?;
    let name = workspace.name();
    if !args.yes {
        let question = format!("begin the history of workspace {name} anew?");
        if ask(&question, &format!("windlass reset {name} --yes"))? == Answer::No {
            print_lines(&[Line::new().dim("nothing was changed")])?;
            return Ok(ExitCode::SUCCESS);
        }
    }
    let reset = workspace.reset(&project.here.project, Timestamp::now())?;
    if let Some(mended) = &reset.updated.mended {
        warn(&mended.sentence(&workspace.metadata_file()));
    }
    let mut lines = vec![
        Line::hanging(2)
            .mark(Tone::Good, Mark::Passed)
            .plain(format!(" workspace {name} is in progress, its counters are zero")),
    ];
    let kept = [
        ("its history is kept as", reset.metadata_kept_as),
        ("what the agent claimed is kept as", reset.status_kept_as),
    ];
    lines.extend(kept.iter().filter_map(|(what, path)| {
        Some(Line::new().dim(format!("  {what} ")).plain(one_line(&file_name(path.as_deref()?))))
    }));
    lines.push(Line::new().dim("  instructions, list, options, work and runs are as they were"));
    let verb = if workspace.has_instructions() { "run" } else { "setup" };
    lines.push(Line::new().dim("  next  ").command(format!("windlass {verb} {name}")));
    print_lines(&lines)?;
    Ok(ExitCode::SUCCESS)
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}
