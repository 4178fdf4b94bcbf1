//! `diff`: shows what a run changed.

use std::io::{self, IsTerminal};

use windlass_app::AppError;
use windlass_app::diff::{DiffRun, RunDiff};
use windlass_ui::{DiffShown, FileShown, Line, diff_json, diff_stat_text, patch_text};

use super::{app, print, print_bytes, print_lines, stdout};
use crate::args::DiffArgs;

/// Does it.
pub fn run(args: &DiffArgs) -> Result<(), AppError> {
    let diff = app()?.diff(&DiffRun { run: args.run.clone(), iteration: args.iteration })?;
    let shown = shown(&diff);
    if args.json {
        print_bytes(&diff_json(&shown))
    } else if args.stat {
        print(&diff_stat_text(&shown, &stdout()))
    } else if !io::stdout().is_terminal() {
        // A patch that somebody may apply: as it is.
        print_bytes(&diff.patch)
    } else if diff.patch.is_empty() {
        print_lines(&[Line::new().dim(format!("nothing changed from {} to {}", shown.from, shown.to))])
    } else {
        print(&patch_text(&diff.patch, &stdout()))
    }
}

fn shown(diff: &RunDiff) -> DiffShown<'_> {
    let files = diff.files.iter().map(|file| FileShown {
        path: String::from_utf8_lossy(&file.path).into_owned(),
        added: file.added,
        removed: file.removed,
    });
    DiffShown {
        run: &diff.run,
        from: diff.from.moment.to_string(),
        to: diff.to.moment.to_string(),
        files: files.collect(),
    }
}
