//! The verbs around workspaces.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::shared::TrustArgs;

/// What can be said to `windlass init`.
#[derive(Clone, Debug, Default, Args)]
#[command(after_help = "\
Without a name it makes .windlass/ with a config.toml in which every key is
explained. With a name it makes a workspace below .windlass/workspaces/. What is
there already is kept as it is; what is missing is added.

A name has 1 to 64 ASCII letters, digits, _ and -. Options that are given are
written to the workspace's config.toml, and nothing else is.

Examples:
  windlass init api --mode iterative -m 30 --delay 0
      A workspace; each iteration does as much as fits.
  windlass init --plan
      Also specs/, AGENTS.md with this project's commands, and sample hooks.
  windlass init --tasks
      Also requirements.md; at a terminal the agent and you write its tasks.
  windlass init --pre-commit-guard
      Keeps workspaces out of commits with a hook of git;
      `windlass clean --pre-commit-guard` takes it away again.")]
pub struct InitArgs {
    /// The workspace; without it the project itself
    pub name: Option<String>,
    /// One item per iteration (loop), or as much as fits (iterative) [default: loop]
    #[arg(long, value_name = "MODE", requires = "name")]
    pub mode: Option<WorkspaceMode>,
    /// Stop its runs after N iterations; failed ones count
    #[arg(short = 'm', long, value_name = "N", requires = "name")]
    pub max_iterations: Option<String>,
    /// Pause between iterations: seconds or 2s, 1m
    #[arg(short, long, value_name = "TIME", requires = "name", allow_hyphen_values = true)]
    pub delay: Option<String>,
    /// Stop after N iterations in a row without progress; 0 = never
    #[arg(long, value_name = "N", requires = "name")]
    pub stagnation_threshold: Option<String>,
    /// The address of an ntfy topic that notifications go to
    #[arg(long, value_name = "URL", requires = "name")]
    pub notify_url: Option<String>,
    /// Which events are sent there: names separated by commas, or all
    #[arg(long, value_name = "EVENTS", requires = "name")]
    pub notify_events: Option<String>,
    /// Keep workspaces out of commits with a hook of git
    #[arg(long)]
    pub pre_commit_guard: bool,
    /// Make what `windlass plan` and `windlass build` begin with: specs/, AGENTS.md, sample hooks
    #[arg(long, conflicts_with = "name")]
    pub plan: bool,
    /// Make or adopt a task file: requirements.md, or that of a feature
    #[command(flatten)]
    pub task_file: TaskFileArgs,
    /// What git is to know
    #[command(flatten)]
    pub repository: RepositoryArgs,
}

/// What can be said to `windlass init --tasks`.
#[derive(Clone, Debug, Default, Args)]
pub struct TaskFileArgs {
    /// Make or adopt a task file, and write its tasks together with the agent
    #[arg(long, conflicts_with_all = ["name", "plan"])]
    pub tasks: bool,
    /// That of a feature: requirements/NAME.md
    #[arg(long, value_name = "NAME", requires = "tasks")]
    pub feature: Option<String>,
    /// Begin a new task file; the one that is there is kept beside it
    #[arg(long, requires = "tasks")]
    pub force: bool,
    /// Make the file and do not call the agent
    #[arg(long, requires = "tasks")]
    pub no_session: bool,
    /// The agent's model
    #[arg(long, value_name = "MODEL", requires = "tasks")]
    pub model: Option<String>,
    /// Talk to a scripted agent instead: the built-in one, or a script's (docs/mock-script.md)
    #[arg(long, value_name = "SCRIPT", num_args = 0..=1, require_equals = true, default_missing_value = "builtin:default", requires = "tasks")]
    pub mock: Option<String>,
    /// What the session may start
    #[command(flatten)]
    pub trust: TrustArgs,
}

/// What can be said to `windlass continue`.
#[derive(Clone, Debug, Default, Args)]
#[command(after_help = "\
Without a word it says how the tasks stand and what can go on here; at a
terminal it then asks.

Examples:
  windlass continue
  windlass continue requirements
      The agent and you change the task file at this terminal.
  windlass continue run --feature pay
      The tasks of requirements/pay.md are worked through.")]
pub struct ContinueArgs {
    /// What to go on with, without being asked
    pub what: Option<Continued>,
    /// The task file, or a folder with a file per task
    #[arg(short, long, value_name = "PATH", conflicts_with = "feature")]
    pub file: Option<PathBuf>,
    /// The feature whose task file is meant: requirements/NAME.md
    #[arg(long, value_name = "NAME")]
    pub feature: Option<String>,
    /// The agent's model
    #[arg(long, value_name = "MODEL")]
    pub model: Option<String>,
    /// A scripted agent instead: the built-in one, or a script's (docs/mock-script.md)
    #[arg(long, value_name = "SCRIPT", num_args = 0..=1, require_equals = true, default_missing_value = "builtin:default")]
    pub mock: Option<String>,
    /// What it may start
    #[command(flatten)]
    pub trust: TrustArgs,
}

/// What can go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Continued {
    /// Changing the task file together with the agent
    Requirements,
    /// Working through the tasks
    Run,
}

/// What `windlass init` does about git, where it is asked to.
#[derive(Clone, Copy, Debug, Default, Args)]
pub struct RepositoryArgs {
    /// Where there is no git repository, make one with a first commit of what is there
    #[arg(long, conflicts_with = "name")]
    pub git: bool,
    /// Add to .gitignore what a project of this kind keeps out of commits, where it is missing
    #[arg(long, conflicts_with = "name")]
    pub gitignore: bool,
}

/// How a workspace is worked on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum WorkspaceMode {
    /// One item per iteration
    Loop,
    /// As much per iteration as fits
    Iterative,
}

/// What can be said to `windlass list`.
#[derive(Clone, Debug, Default, Args)]
pub struct ListArgs {
    /// Only workspaces with this status
    #[arg(long, value_name = "STATUS")]
    pub status: Option<ListedStatus>,
    /// Print one JSON document
    #[arg(long)]
    pub json: bool,
}

/// How a workspace that is listed stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "snake_case")]
pub enum ListedStatus {
    /// There is something left to do; a run may work on it
    InProgress,
    /// Its last run showed the job to be done
    Completed,
    /// Its last run ended with an error
    Error,
    /// A run works on it
    Running,
}

/// What can be said to `windlass show`.
#[derive(Clone, Debug, Args)]
pub struct ShowArgs {
    /// The workspace
    pub name: String,
    /// Print one JSON document
    #[arg(long)]
    pub json: bool,
}

/// What can be said to `windlass reset`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
The history and the status file as they were are kept beside the new ones. No
other file is touched: instructions, TODO.md, options and work stay.")]
pub struct ResetArgs {
    /// The workspace
    pub name: String,
    /// Do not ask
    #[arg(short, long)]
    pub yes: bool,
}

/// What can be said to `windlass clean`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Nothing is deleted before its archive is written and read back. Runs of the
workspace stay: `windlass runs` lists them. Without a terminal --yes is needed.")]
pub struct CleanArgs {
    /// The workspace
    #[arg(required_unless_present = "pre_commit_guard")]
    pub name: Option<String>,
    /// Do not ask
    #[arg(short, long, short_alias = 'f', alias = "force", requires = "name")]
    pub yes: bool,
    /// Delete it without an archive: it cannot be brought back
    #[arg(long, requires = "name")]
    pub no_archive: bool,
    /// Take the pre-commit guard away
    #[arg(long, conflicts_with = "name")]
    pub pre_commit_guard: bool,
}

/// What can be said to `windlass import`.
#[derive(Clone, Debug, Default, Args)]
#[command(after_help = "\
Takes over workspaces, templates, archives and the configuration of
claude-iterate; the configuration, prompts, hooks, agents file and plan of
Fresher; the configuration of DevLoop, whose task files and journals are used
where they are; principles and notes of claude-loop. What is there is copied and never changed or executed; what is
here already is never replaced.

Examples:
  windlass import --dry-run
      Says what would be taken and what would be left.
  windlass import --from ../other-project --user
      From another project, with the user's own configuration.")]
pub struct ImportArgs {
    /// The project to take from [default: this one]
    #[arg(long, value_name = "DIR")]
    pub from: Option<PathBuf>,
    /// Take over the user's configuration as well
    #[arg(long)]
    pub user: bool,
    /// Say what would be done; touch nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Print one JSON document
    #[arg(long)]
    pub json: bool,
}
