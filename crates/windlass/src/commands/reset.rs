//! `reset`: a workspace's history begins anew.

use std::path::Path;

use windlass_app::workspaces::ResetWorkspace;
use windlass_app::{AppError, Consent};
use windlass_ui::{Line, one_line};

use super::{app, done, print_lines};
use crate::args::ResetArgs;

/// Does it.
pub fn run(args: &ResetArgs) -> Result<(), AppError> {
    match app()?.reset_workspace(&args.name, Consent::by_flag(args.yes))? {
        None => print_lines(&[Line::new().dim("nothing was changed")]),
        Some(reset) => print_lines(&said(&reset)),
    }
}

fn said(ResetWorkspace { name, has_instructions, unfinished, reset }: &ResetWorkspace) -> Vec<Line> {
    let mut lines = vec![done(&format!("workspace {name} is in progress, its counters are zero"))];
    let kept = [
        ("its history is kept as", &reset.metadata_kept_as),
        ("what the agent claimed is kept as", &reset.status_kept_as),
    ];
    lines.extend(kept.iter().filter_map(|(what, path)| {
        Some(Line::new().dim(format!("  {what} ")).plain(one_line(&file_name(path.as_deref()?))))
    }));
    lines.push(Line::new().dim("  instructions, list, options, work and runs are as they were"));
    let next = |command: String| Line::new().dim("  next  ").command(command);
    match unfinished {
        _ if !has_instructions => lines.push(next(format!("windlass setup {name}"))),
        None => lines.push(next(format!("windlass run {name}"))),
        Some(run) => {
            let other = Line::new().plain("        ").command(format!("windlass resume {run}"));
            lines.push(next(format!("windlass run {name} --fresh")));
            lines.push(other.dim(format!("  goes on with {run}")));
        }
    }
    lines
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}
