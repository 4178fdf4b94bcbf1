//! Hooks: commands at the turns of a run.

use clap::{Args, Subcommand, ValueEnum};

use super::shared::TrustHashArgs;

/// What can be said to `windlass hooks`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
A hook is an executable file .windlass/hooks/NAME, or a command hooks.NAME in
the configuration: started, next_iteration, finished. Exit code 0 goes on, 1
skips the iteration, 2 ends the run; anything else is said and passed over.")]
pub struct HooksArgs {
    /// What to do
    #[command(subcommand)]
    pub verb: HooksVerb,
}

/// What can be done with hooks.
#[derive(Clone, Debug, Subcommand)]
pub enum HooksVerb {
    /// List the hooks that a run here would call
    #[command(visible_alias = "ls")]
    List {
        /// Print one JSON document
        #[arg(long)]
        json: bool,
    },
    /// Call one hook now, outside a run, as a run would call it
    #[command(after_help = "\
Exit code 0 when a run would go on, 1 when it would not, or when the hook went
wrong. Nothing is recorded; what the hook leaves running is ended.")]
    Test {
        /// The hook
        #[arg(value_name = "NAME")]
        hook: HookKind,
        /// The iteration that it is told of
        #[arg(long, value_name = "N", default_value_t = 1)]
        iteration: u32,
        /// How the run ended, as `finished` is told
        #[arg(long, value_name = "TYPE", default_value = "complete")]
        finish_type: FinishType,
        /// What it may start
        #[command(flatten)]
        trust: TrustHashArgs,
    },
}

/// A hook's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "snake_case")]
pub enum HookKind {
    /// At each start and resumption
    Started,
    /// Before each iteration
    NextIteration,
    /// On every way out
    Finished,
}

/// The seed's words for how a run ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "snake_case")]
pub enum FinishType {
    /// A person stopped it
    Manual,
    /// A limit was reached
    MaxIterations,
    /// The job is done
    Complete,
    /// Nothing moved any more
    NoChanges,
    /// It failed
    Error,
}
