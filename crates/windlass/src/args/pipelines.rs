//! `windlass pipeline`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::run::WorkArgs;

const EXAMPLES: &str = "\
A goal becomes prd.md, architecture.md and tasks.md below .windlass/pipelines/ID/,
each by a run of its own, in which the agent may write that document and nothing
else. A run ends when nothing is wrong with its document. --max-cost, --max-tokens
and --max-duration hold for the whole pipeline, -m for each phase. The documents
are yours to edit.

Examples:
  windlass pipeline 'A command line tool that keeps to-do lists' --max-cost 5
      Plans, and says how the tasks are worked through.
  windlass pipeline -f goal.md --run --gate 'make test'
      Works them off as well.
  windlass pipeline --resume to-do
      Goes on with the first document that is not valid.
  windlass pipeline --resume to-do --redo-from architecture
      Plans again from there, after prd.md was edited.";

/// What can be said to `windlass pipeline`.
#[derive(Clone, Debug, Default, Args)]
#[command(after_help = EXAMPLES, args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub struct PipelineArgs {
    /// What to look at
    #[command(subcommand)]
    pub verb: Option<PipelineVerb>,

    /// The goal; `-` reads it from standard input
    #[arg(value_name = "GOAL", allow_hyphen_values = true, conflicts_with_all = ["file", "resume"])]
    pub source: Option<String>,
    /// The file that holds the goal
    #[arg(short, long, value_name = "FILE", help_heading = "Goal", conflicts_with = "resume")]
    pub file: Option<PathBuf>,
    /// Go on with this pipeline: its name, or the beginning of it
    #[arg(long, value_name = "ID", help_heading = "Goal")]
    pub resume: Option<String>,
    /// Plan this phase and those after it again: prd, architecture, tasks
    #[arg(long, value_name = "PHASE", help_heading = "Goal", requires = "resume")]
    pub redo_from: Option<String>,
    /// Work through the tasks once they are planned
    #[arg(long, help_heading = "Goal", conflicts_with = "plan_only")]
    pub run: bool,
    /// Plan and stop; the default
    #[arg(long, help_heading = "Goal")]
    pub plan_only: bool,

    /// What every mode takes
    #[command(flatten)]
    pub work: WorkArgs,
}

/// What can be looked at of pipelines.
#[derive(Clone, Debug, Subcommand)]
pub enum PipelineVerb {
    /// List all pipelines of this project
    #[command(visible_alias = "ls")]
    List {
        /// Print one JSON document
        #[arg(long)]
        json: bool,
    },
    /// Show how a pipeline stands, and what to do next
    Show(PipelineNamed),
    /// Say what is wrong with a pipeline's documents
    Validate(PipelineNamed),
}

/// A pipeline that is named.
#[derive(Clone, Debug, Args)]
pub struct PipelineNamed {
    /// Its name, or the beginning of it
    pub id: String,
    /// Print one JSON document
    #[arg(long)]
    pub json: bool,
}
