//! What is said after a run in a worktree.

use std::path::Path;

use windlass_app::here::Here;
use windlass_app::worktree::at;
use windlass_app::{App, AppError, quoted};
use windlass_engine::worktree::Worktree;
use windlass_ui::{Line, Mark, Tone};

use crate::commands::{print_lines, warn};

/// Says what became of a worktree, and what to do with it.
pub fn tell_end(app: &App, there: &Here) {
    let Some(worktree) = at(there) else { return };
    match ending(&worktree, app.directory()) {
        // Where standard output is closed nobody is there to be told.
        Ok(lines) => drop(print_lines(&lines)),
        Err(error) => {
            warn(&format!("what is in the worktree {} cannot be told: {}", worktree.name, error.message));
        }
    }
}

fn ending(worktree: &Worktree, called_in: &Path) -> Result<Vec<Line>, AppError> {
    let standing = worktree.standing(&worktree.repository()?)?;
    let (name, branch) = (&worktree.name, worktree.name.branch());
    let path = quoted(worktree.tree.path.as_os_str());
    let base = standing.base.unwrap_or_else(|| "the project".to_owned());
    let commits = match standing.ahead {
        0 => format!(" has no commit that {base} has not"),
        1 => format!(" has 1 commit that {base} has not"),
        ahead => format!(" has {ahead} commits that {base} has not"),
    };
    let mut lines = vec![Line::hanging(2).plain("the worktree ").strong(name.to_string()).plain(commits)];
    let work = worktree.work()?.uncommitted.len();
    if work > 0 {
        let files = if work == 1 { "1 file".to_owned() } else { format!("{work} files") };
        let said =
            format!(" {files} there are in no commit: ").replace("1 file there are", "1 file there is");
        lines.push(
            Line::hanging(4)
                .plain("  ")
                .mark(Tone::Warn, Mark::Notice)
                .plain(said)
                .command(format!("git -C {path} status")),
        );
    }
    let is_inside = worktree.holds(called_in);
    if standing.ahead > 0 && !is_inside {
        let merge = format!("git merge {branch}");
        lines.push(Line::hanging(2).dim("  look      ").command(format!("git log -p ..{branch}")));
        lines.push(Line::hanging(2).dim("  merge     ").command(merge));
    }
    if !is_inside {
        lines.push(Line::hanging(2).dim("  clean up  ").command(format!("windlass worktree clean {name}")));
    }
    Ok(lines)
}
