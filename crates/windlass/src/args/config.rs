//! What can be said to `windlass config`.
#![expect(
    clippy::doc_markdown,
    reason = "these comments are the help; backticks around a default would be noise"
)]

use clap::{Args, Subcommand};

/// What can be said to `windlass config`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Who wins: flag, environment, workspace, project, user, default.

Examples:
  windlass config list
  windlass config set limits.max_cost 15
  windlass config set gates.commands --add 'make lint'
  windlass config get limits.max_cost")]
pub struct ConfigArgs {
    /// What to do
    #[command(subcommand)]
    pub verb: ConfigVerb,
}

/// What to do with the configuration.
#[derive(Clone, Debug, Subcommand)]
pub enum ConfigVerb {
    /// Show every value and where it comes from
    List(ConfigListArgs),
    /// Print one value
    Get(ConfigGetArgs),
    /// Write one value into a file, and leave the rest of it as it is
    Set(ConfigSetArgs),
    /// Take one value out of a file, and leave the rest of it as it is
    Unset(ConfigUnsetArgs),
    /// List every key: its default, what it is for, what it holds
    Keys(ConfigKeysArgs),
    /// Say which files there are
    Path(ConfigPathArgs),
}

/// What can be said to `windlass config list`.
#[derive(Clone, Debug, Args)]
pub struct ConfigListArgs {
    /// As a run of this workspace would see it
    #[arg(short, long, value_name = "NAME")]
    pub workspace: Option<String>,
    /// Only what is set somewhere
    #[arg(long)]
    pub set: bool,
    /// Print one JSON document
    #[arg(long)]
    pub json: bool,
}

/// What can be said to `windlass config get`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
A text is printed without quotes, a list with one item per line. Without a value
nothing is printed, and the exit code is 1.")]
pub struct ConfigGetArgs {
    /// The key, such as limits.max_cost
    pub key: String,
    /// As a run of this workspace would see it
    #[arg(short, long, value_name = "NAME")]
    pub workspace: Option<String>,
    /// Say where it comes from, as is said at a terminal anyway
    #[arg(long)]
    pub origin: bool,
    /// Print one JSON document
    #[arg(long)]
    pub json: bool,
}

/// Which file is changed.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Which file")]
pub struct ScopeArgs {
    /// The project's: .windlass/config.toml [default]
    #[arg(long, conflicts_with_all = ["user", "workspace"])]
    pub project: bool,
    /// Yours, for all projects (also --global)
    #[arg(short = 'g', long, alias = "global", conflicts_with = "workspace")]
    pub user: bool,
    /// This workspace's
    #[arg(short, long, value_name = "NAME")]
    pub workspace: Option<String>,
}

/// What can be said to `windlass config set`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Comments, order and line ends of the file stay as they are.

Examples:
  windlass config set clocks.delay 5s
  windlass config set --user notify.url https://ntfy.sh/my-topic
  windlass config set notify.events completion error needs_human
  windlass config set permissions.allow --add 'Bash(make test)'
  windlass config set -w api limits.max_duration 1h30m
  windlass config set --user notify.secret - < secret.txt")]
pub struct ConfigSetArgs {
    /// The key, such as limits.max_cost
    pub key: String,
    /// The value; of a list, its items; of a secret, - for standard input
    #[arg(required_unless_present_any = ["add", "remove"], conflicts_with_all = ["add", "remove"])]
    pub value: Vec<String>,
    /// Add this to a list, if it is not in it; can be repeated
    #[arg(long, value_name = "ITEM", allow_hyphen_values = true)]
    pub add: Vec<String>,
    /// Take this out of a list; can be repeated
    #[arg(long, value_name = "ITEM", allow_hyphen_values = true)]
    pub remove: Vec<String>,
    /// Which file
    #[command(flatten)]
    pub scope: ScopeArgs,
}

/// What can be said to `windlass config unset`.
#[derive(Clone, Debug, Args)]
pub struct ConfigUnsetArgs {
    /// The key, such as limits.max_cost
    pub key: String,
    /// Which file
    #[command(flatten)]
    pub scope: ScopeArgs,
}

/// What can be said to `windlass config keys`.
#[derive(Clone, Debug, Args)]
pub struct ConfigKeysArgs {
    /// Print one JSON document
    #[arg(long)]
    pub json: bool,
}

/// What can be said to `windlass config path`.
#[derive(Clone, Debug, Args)]
pub struct ConfigPathArgs {
    /// This workspace's as well
    #[arg(short, long, value_name = "NAME")]
    pub workspace: Option<String>,
    /// Print one JSON document
    #[arg(long)]
    pub json: bool,
}
