//! Principles of a project.

use clap::{Args, Subcommand, ValueEnum};
use windlass_core::principles::Preset;

/// What can be said to `windlass principles`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
18 values from 1 to 10 say how trade-offs are decided here. They are in
.windlass/principles.yaml or .claude/principles.yaml, and go into the prompts of
runs (docs/principles.md).

Examples:
  windlass principles init --preset startup
  windlass principles set speed_correctness=8 blast_radius=9
  windlass principles reset speed_correctness")]
#[command(args_conflicts_with_subcommands = true)]
pub struct PrinciplesArgs {
    /// What to do [default: show]
    #[command(subcommand)]
    pub verb: Option<PrinciplesVerb>,
    /// Print one JSON document
    #[arg(long)]
    pub json: bool,
}

/// What can be done with principles.
#[derive(Clone, Debug, Subcommand)]
pub enum PrinciplesVerb {
    /// Show each value and what the ends of its scale mean
    Show {
        /// Print one JSON document
        #[arg(long)]
        json: bool,
    },
    /// Show what was decided about conflicts of principles, here and by claude-loop
    Decisions {
        /// Print one JSON document
        #[arg(long)]
        json: bool,
    },
    /// Begin a file of principles; at a terminal a few questions are asked
    Init {
        /// What the values come from; nothing is asked then
        #[arg(long, value_name = "PRESET")]
        preset: Option<PresetName>,
        /// Begin anew where there is a file already; it is kept under another name
        #[arg(long)]
        force: bool,
    },
    /// Change values, and leave the rest of the file as it is
    Set {
        /// Principles with their values, from 1 to 10
        #[arg(value_name = "KEY=VALUE", required = true)]
        changes: Vec<String>,
    },
    /// Give principles the values of the file's preset again
    Reset {
        /// Principles
        #[arg(value_name = "KEY", required = true)]
        keys: Vec<String>,
    },
}

impl PrinciplesVerb {
    /// Would it change anything on this machine?
    pub const fn changes_something(&self) -> bool {
        !matches!(self, PrinciplesVerb::Show { .. } | PrinciplesVerb::Decisions { .. })
    }
}

/// What values come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PresetName {
    /// A young product
    Startup,
    /// Software for organisations
    Enterprise,
    /// A project that others contribute to
    Opensource,
    /// None of these: all in the middle, to be changed
    Custom,
}

impl From<PresetName> for Preset {
    fn from(name: PresetName) -> Preset {
        match name {
            PresetName::Startup => Preset::Startup,
            PresetName::Enterprise => Preset::Enterprise,
            PresetName::Opensource => Preset::Opensource,
            PresetName::Custom => Preset::Custom,
        }
    }
}
