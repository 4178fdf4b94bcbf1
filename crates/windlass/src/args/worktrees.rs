//! Worktrees.

use clap::{Args, Subcommand};

/// What can be said to `windlass worktree`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
`windlass run --worktree NAME` makes one, on the branch windlass/NAME, beside
the project (worktree.base), and runs there. It is merged with `git merge
windlass/NAME`. Working trees that windlass did not make are never touched.")]
pub struct WorktreeArgs {
    /// What to do
    #[command(subcommand)]
    pub verb: WorktreeVerb,
}

/// What can be done with worktrees.
#[derive(Clone, Debug, Subcommand)]
pub enum WorktreeVerb {
    /// List the worktrees that windlass made, with what is in them
    #[command(visible_alias = "ls")]
    List {
        /// Print one JSON document
        #[arg(long)]
        json: bool,
    },
    /// Remove worktrees in which nothing would be lost, with their branches
    #[command(after_help = "\
One stays, and it is said why, while a run works in it, while something in it is
in no commit, and while its branch has commits that neither the branch it came
from nor the default branch has. What git ignores goes with it. Exit code 1 when
one that was named stays.")]
    Clean {
        /// The worktrees
        #[arg(value_name = "NAME", required_unless_present = "all")]
        names: Vec<String>,
        /// All of them
        #[arg(long, conflicts_with = "names")]
        all: bool,
        /// Only say what would be removed
        #[arg(long)]
        dry_run: bool,
    },
}

impl WorktreeVerb {
    /// Would it change anything?
    pub const fn changes_something(&self) -> bool {
        matches!(self, WorktreeVerb::Clean { dry_run: false, .. })
    }
}
