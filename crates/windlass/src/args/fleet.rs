//! `fleet`: lanes on many machines.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

/// What can be said to `windlass fleet`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
A fleet is one or three servers of NATS, which you run, and workers that take
orders for lanes. How it is reached is configuration of your own: fleet.url,
and a file to log in with (docs/fleet.md).

Examples:
  windlass fleet dev
      Servers and workers on this machine, to try it, until Ctrl-C.
  windlass fleet init
      Makes what a fleet keeps on its servers. Once, as its administrator.
  windlass fleet status
      Who is there, who holds what, and which orders wait.")]
pub struct FleetArgs {
    /// What to do
    #[command(subcommand)]
    pub verb: FleetVerb,
}

/// What `windlass fleet` does.
#[derive(Clone, Debug, Subcommand)]
pub enum FleetVerb {
    /// Make what the fleet keeps on its servers; what is there stays as it is
    Init {
        /// Print what each role may do, for the servers' configuration, and ask nobody
        #[arg(long)]
        show_permissions: bool,
    },
    /// Show who is there, who holds what, and which orders wait
    #[command(after_help = "\
Who is there is seen by two looks: for some seconds, and for as long as a lease
where somebody is not heard of. No clocks are compared.")]
    Status {
        /// Print it as one JSON document
        #[arg(long)]
        json: bool,
    },
    /// Tell a worker to take no further orders, and to end when it has none
    Drain {
        /// The worker's name
        #[arg(value_name = "WORKER")]
        worker: String,
    },
    /// Have a fleet on this machine, to try it, until Ctrl-C
    #[command(after_help = "\
It needs nats-server in PATH, or named by WINDLASS_NATS_SERVER. When it ends,
nothing of it is left: no process, no file.")]
    Dev(FleetDevArgs),
}

/// What can be said to `windlass fleet dev`.
#[derive(Clone, Debug, Args)]
pub struct FleetDevArgs {
    /// Servers: one, or three of which one may be killed
    #[arg(long, value_name = "1|3", default_value = "1", hide_possible_values = true)]
    pub servers: FleetServers,
    /// Workers; 0 = servers alone
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u16).range(0..=64))]
    pub workers: u16,
    /// Lanes of each worker
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u16).range(1..=256))]
    pub lanes: u16,
}

/// How many servers there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FleetServers {
    /// One
    #[value(name = "1")]
    One,
    /// Three
    #[value(name = "3")]
    Three,
}

impl FleetVerb {
    /// Would it change anything, here or on the servers?
    pub const fn changes_something(&self) -> bool {
        match self {
            FleetVerb::Init { show_permissions } => !*show_permissions,
            FleetVerb::Status { .. } => false,
            FleetVerb::Drain { .. } | FleetVerb::Dev(_) => true,
        }
    }
}

/// What can be said to `windlass worker`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
It takes orders until it is drained: by SIGTERM, by Ctrl-C or by `fleet drain` it
ends the tasks it has and takes no others; a second signal ends it at once.
Its agent is this machine's own, with a login of its own (docs/fleet.md).")]
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
