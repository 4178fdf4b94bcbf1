//! What the ways to `init` have in common.

use windlass_app::beginning::RepositoryWanted;
use windlass_app::workspaces::guard::Guard;
use windlass_ui::{Line, Mark, Tone};

use super::from_here;
use crate::args::InitArgs;

/// What the command line says of the repository.
pub fn repository(args: &InitArgs) -> RepositoryWanted {
    RepositoryWanted { git: args.repository.git, gitignore: args.repository.gitignore }
}

/// What became of the guard.
pub fn guard_line(guard: &Guard) -> Line {
    let done = if guard.changed { "made" } else { "there already" };
    Line::hanging(4)
        .plain("  ")
        .mark(Tone::Good, Mark::Passed)
        .plain(format!(" the pre-commit guard is {done}"))
        .dim(format!(": {}", from_here(&guard.path)))
}

/// What was added to `.gitignore`.
pub fn ignored_line(lines: &[String]) -> Line {
    let said = if lines.is_empty() { "nothing was missing".to_owned() } else { lines.join(", ") };
    labelled("ignored").plain(said).dim("  in .gitignore")
}

/// A line of a list.
pub fn labelled(label: &str) -> Line {
    Line::hanging(11).dim(format!("  {label:<9}"))
}
