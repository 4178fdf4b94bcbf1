//! `worktree list`, `worktree clean`, and what runs left in worktrees.

use std::process::ExitCode;

use windlass_app::run::RunEnd;
use windlass_app::worktree::{CleanedWorktree, WorktreeLeft};
use windlass_app::{App, AppError, quoted};
use windlass_core::values::Extent;
use windlass_ui::{Line, Mark, Tone, one_line, worktrees_json, worktrees_table};

use super::{Shape, app, print_lines, stdout, success, warn};
use crate::args::{WorktreeArgs, WorktreeVerb};

/// Does it.
pub fn run(args: &WorktreeArgs) -> Result<ExitCode, AppError> {
    match &args.verb {
        WorktreeVerb::List { json } => {
            let rows = app()?.worktrees()?;
            Shape::of(*json)
                .print(|| worktrees_json(&rows), || worktrees_table(&rows, &stdout()))
                .map(success)
        }
        WorktreeVerb::Clean { names, dry_run, .. } => clean(names, Extent::of(*dry_run)),
    }
}

fn clean(names: &[String], extent: Extent) -> Result<ExitCode, AppError> {
    let (mut none, mut stayed) = (true, false);
    app()?.clean_worktrees(names, extent, |cleaned| {
        none = false;
        stayed |= matches!(cleaned, CleanedWorktree::Stays { .. });
        print_lines(&[said(&cleaned, extent)])
    })?;
    if none {
        print_lines(&[Line::new().dim("there are no worktrees")])?;
    }
    let failed = stayed && !names.is_empty();
    Ok(if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

fn said(cleaned: &CleanedWorktree, extent: Extent) -> Line {
    let line = |tone, mark| Line::hanging(2).mark(tone, mark).plain(" the worktree ");
    match cleaned {
        CleanedWorktree::Removed { name, branch } => {
            let verb = if extent == Extent::Look { "would be removed" } else { "is removed" };
            let branch =
                branch.as_ref().map_or_else(String::new, |branch| format!(", with its branch {branch}"));
            line(Tone::Good, Mark::Passed).strong(name).plain(format!(" {verb}{branch}"))
        }
        CleanedWorktree::Stays { name, why, remedy } => {
            let said = format!(" stays: {}; {}", one_line(why), one_line(remedy));
            line(Tone::Warn, Mark::Notice).strong(name).plain(said)
        }
    }
}

/// Says what a run left in its worktree, and what to do with it.
pub fn tell_left(app: &App, end: &RunEnd) {
    match app.worktree_left(end) {
        // Where standard output is closed nobody is there to be told.
        Ok(left) => drop(left.map(|left| print_lines(&lines_of(&left)))),
        Err(error) => warn(&error.message),
    }
}

fn lines_of(left: &WorktreeLeft) -> Vec<Line> {
    let WorktreeLeft { name, branch, .. } = left;
    let path = quoted(left.path.as_os_str());
    let base = left.base.as_deref().unwrap_or("the project");
    let commits = match left.ahead {
        0 => format!(" has no commit that {base} has not"),
        1 => format!(" has 1 commit that {base} has not"),
        ahead => format!(" has {ahead} commits that {base} has not"),
    };
    let mut lines = vec![Line::hanging(2).plain("the worktree ").strong(name).plain(commits)];
    let files = match left.uncommitted {
        0 => None,
        1 => Some("1 file there is".to_owned()),
        count => Some(format!("{count} files there are")),
    };
    lines.extend(files.map(|files| {
        let line = Line::hanging(4).plain("  ").mark(Tone::Warn, Mark::Notice);
        line.plain(format!(" {files} in no commit: ")).command(format!("git -C {path} status"))
    }));
    if left.is_merged {
        lines.push(Line::hanging(2).dim("  merged    its pull request is merged"));
    } else if left.ahead > 0 && !left.is_here {
        lines.push(
            Line::hanging(2)
                .dim("  look      ")
                .command(format!("git log -p {}", quoted(format!("..{branch}").as_ref()))),
        );
        lines.push(
            Line::hanging(2).dim("  merge     ").command(format!("git merge {}", quoted(branch.as_ref()))),
        );
    }
    if !left.is_here {
        lines.push(Line::hanging(2).dim("  clean up  ").command(format!("windlass worktree clean {name}")));
    }
    lines
}
