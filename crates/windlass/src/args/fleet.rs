//! Verbs about lanes on many machines.

use std::path::PathBuf;

use clap::{Args, Subcommand};

/// `fleet`
#[derive(Clone, Debug, Args)]
pub struct FleetArgs {
    /// What to do
    #[command(subcommand)]
    pub verb: FleetVerb,
}

/// What to do with a fleet.
#[derive(Clone, Debug, Subcommand)]
pub enum FleetVerb {
    /// Make what the fleet needs on its servers
    Init {
        /// Print what each role may do, for the servers' configuration, and ask nobody
        #[arg(long)]
        show_permissions: bool,
    },
}

/// `worker`
#[derive(Clone, Debug, Args)]
pub struct WorkerArgs {
    /// What it may do: a file [default: worker.toml beside the user's configuration]
    #[arg(long, value_name = "FILE")]
    pub policy: Option<PathBuf>,
    /// By which it is known in the fleet [default: the machine's name]
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,
    /// Lanes at once [default: 1]
    #[arg(short = 'j', long, value_name = "N")]
    pub lanes: Option<u16>,
    /// Write this file every few seconds while it works
    #[arg(long, value_name = "FILE")]
    pub health: Option<PathBuf>,
}
