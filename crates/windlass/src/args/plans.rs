//! Verbs around a plan.

use clap::{Args, ValueEnum};

/// What can be said to `windlass migrate-plan`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
A folder has a file per spec and a README.md with an overview and what cuts
across all of them. It is worth it from plan.migrate_at tasks on. No task and no
prose is lost, and the former plan is kept as a backup beside it.

Examples:
  windlass migrate-plan --dry-run
  windlass migrate-plan --to file")]
pub struct MigratePlanArgs {
    /// What the plan is to be
    #[arg(long, value_name = "FORM", default_value = "folder")]
    pub to: PlanTo,
    /// Say what would be done; touch nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Also when the plan has only few tasks
    #[arg(short, long)]
    pub force: bool,
}

/// What a plan is to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PlanTo {
    /// A folder with a file per spec
    Folder,
    /// One file
    File,
}
