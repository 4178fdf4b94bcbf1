//! `setup`, `edit`, `validate`, `verify`: around the instructions of a workspace, and around its work.

use std::path::PathBuf;

use clap::Args;

use super::shared::TrustArgs;

/// What can be said to `windlass setup` and `windlass edit`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
The agent gets this terminal: talk to it, and leave it with /exit. It may write
INSTRUCTIONS.md and TODO.md of the workspace; for all else it asks you. What it
did to other files is said afterwards, with the command that undoes it.")]
pub struct AuthoringArgs {
    /// The workspace
    pub name: String,
    /// The agent's model
    #[arg(long, value_name = "MODEL")]
    pub model: Option<String>,
    /// Talk to a scripted agent instead: the built-in one, or a script's (docs/mock-script.md)
    #[arg(long, value_name = "SCRIPT", num_args = 0..=1, require_equals = true, default_missing_value = "builtin:default")]
    pub mock: Option<String>,
    /// Trust
    #[command(flatten)]
    pub trust: TrustArgs,
}

/// What an agent that judges may be told.
#[derive(Clone, Debug, Default, Args)]
pub struct JudgeArgs {
    /// Print one JSON document on stdout, and nothing else there
    #[arg(long)]
    pub json: bool,
    /// Show every tool call and its result
    #[arg(short, long, conflicts_with = "quiet")]
    pub verbose: bool,
    /// Print nothing; the exit code says it
    #[arg(short, long)]
    pub quiet: bool,
    /// The agent's model
    #[arg(long, value_name = "MODEL")]
    pub model: Option<String>,
    /// Ask a scripted agent instead: the built-in one, or a script's (docs/mock-script.md)
    #[arg(long, value_name = "SCRIPT", num_args = 0..=1, require_equals = true, default_missing_value = "builtin:default")]
    pub mock: Option<String>,
    /// Trust
    #[command(flatten)]
    pub trust: TrustArgs,
}

/// What can be said to `windlass validate`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Exits with 0 when they are ready, with 1 when they need revision, have a major
flaw, or nobody could tell. The verdict is also in validation-report.md.

Examples:
  windlass validate api
  windlass validate api --json | jq -r .verdict")]
pub struct ValidateArgs {
    /// The workspace
    pub name: String,
    /// How the agent is asked
    #[command(flatten)]
    pub judge: JudgeArgs,
}

/// What can be said to `windlass verify`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Exits with 0 only when the work passes. A run does the same before it ends when
verify.on_completion is set, and goes on with what was found.

With --plan no agent is asked: the plan is read and compared with its specs.
Exits with 0 when it is valid, with 1 when something is wrong with it, and with
2 when there is none or it cannot be read.

Examples:
  windlass verify api --depth deep --show-report
  windlass verify api --json | jq -r .verdict
  windlass verify --plan")]
pub struct VerifyArgs {
    /// The workspace
    #[arg(required_unless_present = "plan")]
    pub name: Option<String>,
    /// Compare the plan (or the one at PATH, a file or a folder) with its specs
    #[arg(
        long,
        value_name = "PATH",
        num_args = 0..=1,
        require_equals = true,
        conflicts_with_all = [
            "name", "depth", "report_path", "show_report", "dangerously_skip_permissions", "verbose", "model",
            "mock",
        ]
    )]
    #[expect(clippy::option_option, reason = "it is not given, given without a path, or with one")]
    pub plan: Option<Option<PathBuf>>,
    /// How closely to look: quick, standard, deep [default: standard]
    #[arg(long, value_name = "DEPTH")]
    pub depth: Option<String>,
    /// Where the report goes [default: verification-report.md in the workspace]
    #[arg(long, value_name = "FILE")]
    pub report_path: Option<PathBuf>,
    /// Print the report as well
    #[arg(long, conflicts_with_all = ["json", "quiet"])]
    pub show_report: bool,
    /// Let the agent do anything without asking; never saved, refused for root
    #[arg(long)]
    pub dangerously_skip_permissions: bool,
    /// How the agent is asked
    #[command(flatten)]
    pub judge: JudgeArgs,
}
