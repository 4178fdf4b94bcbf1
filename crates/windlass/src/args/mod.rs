//! The command line as types: what can be typed, and the help that says so. No logic.
//!
//! Values of configuration keys stay texts here: `windlass_core::config` reads them, so that a flag, a variable and a
//! line in a file are checked by the same rule and refused in the same words.

mod config;
mod fleet;
mod hooks;
mod issues;
mod keeping;
mod pipelines;
mod plans;
mod principles;
mod pull_request;
mod run;
mod sandbox;
mod sessions;
mod shared;
mod tasks;
mod told;
mod trusting;
mod verbs;
mod web;
mod workspaces;
mod worktrees;

#[cfg(test)]
mod tests;

use std::path::PathBuf;

use clap::{Parser, Subcommand};

pub use config::{
    ConfigArgs, ConfigGetArgs, ConfigKeysArgs, ConfigListArgs, ConfigPathArgs, ConfigSetArgs,
    ConfigUnsetArgs, ConfigVerb, ScopeArgs,
};
pub use fleet::{FleetArgs, WorkerArgs};
#[cfg(feature = "fleet")]
pub use fleet::{FleetDevArgs, FleetServers, FleetVerb};
pub use hooks::{FinishType, HookKind, HooksArgs, HooksVerb};
pub use issues::IssuesArgs;
pub use keeping::{ArchiveArgs, ArchiveVerb, TemplateArgs, TemplateVerb};
pub use pipelines::{PipelineArgs, PipelineVerb};
pub use plans::{MigratePlanArgs, PlanTo};
pub use principles::{PrinciplesArgs, PrinciplesVerb};
pub use pull_request::PullRequestArgs;
pub use run::{BuildArgs, PlanArgs, RunArgs, WorkArgs};
pub use sandbox::{SandboxArgs, SandboxBuildArgs, SandboxInitArgs, SandboxShellArgs, SandboxVerb};
pub use sessions::{AuthoringArgs, JudgeArgs, ValidateArgs, VerifyArgs};
pub use shared::{LimitArgs, OutputArgs, TrustArgs};
pub use tasks::{
    GraphForm, TasksAddArgs, TasksArgs, TasksMarkArgs, TasksParkArgs, TasksPlaceArgs, TasksVerb,
};
#[cfg_attr(not(test), allow(unused_imports, reason = "manual pages are made of it"))]
pub use told::command;
pub use told::parse;
pub use trusting::TrustVerbArgs;
pub use verbs::{
    CompletionsArgs, DemoArgs, DiffArgs, DoctorArgs, LogsArgs, NotifyArgs, NotifyVerb, ReportArgs,
    RestoreArgs, ResumeArgs, RunsArgs, Shell, StatusArgs, StopArgs, UpdateArgs, WatchArgs,
};
pub use web::WebArgs;
pub use workspaces::{
    CleanArgs, ContinueArgs, Continued, ImportArgs, InitArgs, ListArgs, ListedStatus, ResetArgs, ShowArgs,
    WorkspaceMode,
};
pub use worktrees::{WorktreeArgs, WorktreeVerb};

/// The verbs, grouped; a test keeps it complete.
const VERBS: &str = "\
Work:
  run          Iterate on a goal or a workspace until it is shown to be done
  plan         Turn specifications into a plan, and change nothing else
  build        Work through a plan, one open task per iteration
  pipeline     Plan a goal in phases, down to tasks, and work through them
  continue     Show what can be continued here: tasks and unfinished runs
  resume       Continue an unfinished run, or an ended one with a raised limit
  stop         End a run after its current iteration
  worktree     List worktrees of runs, and remove those that are merged
  tasks        Show and change the tasks of a task file

Look:
  runs         List all runs of this project
  status       Show one run: by default the live or newest one here
  watch        Watch runs on a full screen, live and past ones
  report       Report on runs: is it right, what to merge, what it cost
  logs         Show what an agent said and did, as it happened
  diff         Show what a run, or one of its iterations, changed
  web          Serve a page that shows all runs of this machine, live

Workspaces:
  init         Make a workspace, or the project's own folder
  setup        Write a workspace's instructions together with the agent
  edit         Change a workspace's instructions together with the agent
  validate     Have an agent judge a workspace's instructions
  verify       Have a fresh agent judge a workspace's finished work
  list         List the workspaces of this project
  show         Show one workspace and what to do next
  reset        Start a workspace's history over; its files stay
  clean        Archive a workspace, then delete it
  archive      Put workspaces away and bring them back
  template     Reuse the instructions and options of a workspace
  migrate-plan Turn the plan's file into a folder, or its folder into one file
  import       Take over another tool's files (claude-iterate, Fresher, ralph …)

Many machines:
  fleet        Make, look at and try a fleet: lanes on many machines
  worker       Take orders of a fleet and carry them out here

Go back:
  restore      Put the files back as they were after an iteration

This machine:
  config       Show and change the configuration
  principles   Show and change how trade-offs are decided here
  hooks        Show and try hooks: commands that a run calls as it goes
  trust        Show and trust what a repository's own files start
  doctor       Check this machine, and say what to do where it is not ready
  sandbox      Show which sandboxes work here, and make their image
  notify       Send a notification, to try what is configured
  demo         Show the whole loop in a scratch repository, without an account
  update       Replace this program with a newer release
  completions  Print a shell's completion script
";

const EXAMPLES: &str = "\
Examples:
  windlass run -p 'Make the tests pass' --gate 'make test'
  windlass run -f goal.md --max-cost 20 --max-duration 8h
  windlass init api && windlass setup api
  windlass status
  windlass resume

`windlass help VERB` says more about each verb.";

/// Drives a coding agent, iteration after iteration, until a job is shown to be done
#[derive(Debug, Parser)]
#[command(
    name = "windlass",
    version,
    max_term_width = 120,
    subcommand_required = true,
    arg_required_else_help = true,
    help_template = "{about}\n\n{usage-heading} {usage}\n\n{before-help}Options:\n{options}{after-help}",
    before_help = VERBS,
    after_help = EXAMPLES
)]
pub struct Cli {
    /// Do everything as if started in DIR
    #[arg(short = 'C', value_name = "DIR", global = true)]
    pub directory: Option<PathBuf>,

    /// What to do
    #[command(subcommand)]
    pub verb: Verb,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Iterate on a goal or a workspace until it is shown to be done
    Run(Box<RunArgs>),
    /// Turn specifications into a plan, and change nothing else
    Plan(Box<PlanArgs>),
    /// Work through a plan, one open task per iteration
    Build(Box<BuildArgs>),
    /// Plan a goal in phases, down to tasks, and work through them
    Pipeline(Box<PipelineArgs>),
    /// Show what can be continued here: tasks and unfinished runs
    Continue(ContinueArgs),
    /// Continue an unfinished run, or an ended one with a raised limit
    Resume(Box<ResumeArgs>),
    /// End a run after its current iteration
    Stop(StopArgs),
    /// List worktrees of runs, and remove those that are merged
    Worktree(WorktreeArgs),
    /// Show and change the tasks of a task file
    Tasks(TasksArgs),
    /// Make a workspace, or the project's own folder
    Init(InitArgs),
    /// List the workspaces of this project
    #[command(visible_alias = "ls")]
    List(ListArgs),
    /// Show one workspace and what to do next
    Show(ShowArgs),
    /// Start a workspace's history over; its files stay
    Reset(ResetArgs),
    /// Archive a workspace, then delete it
    Clean(CleanArgs),
    /// Write a workspace's instructions together with the agent
    Setup(AuthoringArgs),
    /// Change a workspace's instructions together with the agent
    Edit(AuthoringArgs),
    /// Have an agent judge a workspace's instructions
    Validate(ValidateArgs),
    /// Have a fresh agent judge a workspace's finished work
    Verify(VerifyArgs),
    /// Put workspaces away and bring them back
    Archive(ArchiveArgs),
    /// Reuse the instructions and options of a workspace
    Template(TemplateArgs),
    /// List all runs of this project
    Runs(RunsArgs),
    /// Show one run: by default the live or newest one here
    Status(StatusArgs),
    /// Watch runs on a full screen, live and past ones
    Watch(WatchArgs),
    /// Report on runs: is it right, what to merge, what it cost
    Report(ReportArgs),
    /// Show what an agent said and did, as it happened
    Logs(LogsArgs),
    /// Show what a run, or one of its iterations, changed
    Diff(DiffArgs),
    /// Serve a page that shows all runs of this machine, live
    Web(WebArgs),
    /// Turn the plan's file into a folder, or its folder into one file
    MigratePlan(MigratePlanArgs),
    /// Take over another tool's files (claude-iterate, Fresher, ralph …)
    Import(ImportArgs),
    /// Make, look at and try a fleet: lanes on many machines
    Fleet(FleetArgs),
    /// Take orders of a fleet and carry them out here
    Worker(WorkerArgs),
    /// Put the files back as they were after an iteration
    Restore(RestoreArgs),
    /// Show and change the configuration
    Config(ConfigArgs),
    /// Show and change how trade-offs are decided here
    Principles(PrinciplesArgs),
    /// Show and try hooks: commands that a run calls as it goes
    Hooks(HooksArgs),
    /// Show and trust what a repository's own files start
    Trust(TrustVerbArgs),
    /// Show which sandboxes work here, and make their image
    Sandbox(SandboxArgs),
    /// Send a notification, to try what is configured
    Notify(NotifyArgs),
    /// Check this machine, and say what to do where it is not ready
    Doctor(DoctorArgs),
    /// Show the whole loop in a scratch repository, without an account
    Demo(DemoArgs),
    /// Replace this program with a newer release
    Update(UpdateArgs),
    /// Print a shell's completion script
    Completions(CompletionsArgs),
}
