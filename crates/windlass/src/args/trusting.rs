//! What can be said to `windlass trust`.

use clap::Args;

/// What can be said to `windlass trust`.
#[derive(Clone, Debug, Default, Args)]
#[command(after_help = "\
Shows what the files of this repository start or redirect (gates, hooks and other
commands of .windlass; hooks, variables, helpers and MCP servers of .claude) with
the scripts that they name, and asks. It is asked once per content, for all
checkouts of the repository. What you type or keep in your own configuration is
yours and needs no trust.

Examples:
  windlass trust
      Look, and say yes or no.
  windlass trust 3f2a…
      Without a terminal: trust exactly the content that this names.
  windlass run -f goal.md --trust=3f2a…
      The same in one step, as in CI.")]
pub struct TrustVerbArgs {
    /// Trust what is there, if it is what this names
    #[arg(value_name = "HASH", conflicts_with_all = ["list", "revoke", "json"])]
    pub hash: Option<String>,
    /// List what there is and what of it is trusted; change nothing
    #[arg(long, conflicts_with = "revoke")]
    pub list: bool,
    /// Forget all that was trusted of this repository
    #[arg(long)]
    pub revoke: bool,
    /// The list as one JSON document
    #[arg(long, conflicts_with = "revoke")]
    pub json: bool,
}
