//! Tasks of a task file.

use std::path::PathBuf;

use clap::{ArgGroup, Args, Subcommand, ValueEnum};

use super::issues::IssuesArgs;

/// What can be said to `windlass tasks`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
The tasks are in requirements.md, tasks.md, .devloop/tasks.md, prd.json or the
folder tasks/ (the first that holds one), or where tasks.file says.

Examples:
  windlass tasks
  windlass tasks add 'Write the manual' --depends-on TASK-002
  windlass tasks graph --format mermaid")]
#[command(args_conflicts_with_subcommands = true)]
pub struct TasksArgs {
    /// What to do [default: list]
    #[command(subcommand)]
    pub verb: Option<TasksVerb>,
    /// Those that are listed, where nothing else is to be done
    #[command(flatten)]
    pub place: TasksPlaceArgs,
    /// Print one JSON document
    #[arg(long)]
    pub json: bool,
}

impl TasksArgs {
    /// Is a file named, relative to the current directory?
    pub const fn names_a_file(&self) -> bool {
        let place = match &self.verb {
            None => &self.place,
            Some(
                TasksVerb::List { place, .. }
                | TasksVerb::Next { place, .. }
                | TasksVerb::Graph { place, .. }
                | TasksVerb::Validate { place, .. },
            ) => place,
            Some(TasksVerb::Add(args)) => &args.place,
            Some(TasksVerb::Done(args) | TasksVerb::Reopen(args)) => &args.place,
            Some(TasksVerb::Park(_)) => return false,
        };
        place.file.is_some()
    }
}

/// What can be done with tasks.
#[derive(Clone, Debug, Subcommand)]
pub enum TasksVerb {
    /// List all tasks and how each stands
    #[command(visible_alias = "ls")]
    List {
        #[command(flatten)]
        place: TasksPlaceArgs,
        /// Print one JSON document
        #[arg(long)]
        json: bool,
    },
    /// Show the task that would be done next
    #[command(after_help = "\
The order: dependencies done, in progress first, priority, id (TASK-9 before
TASK-10), place in the file. Exit code 0 also when all are done; 1 when tasks
are left and none is ready.")]
    Next {
        #[command(flatten)]
        place: TasksPlaceArgs,
        /// Print one JSON document
        #[arg(long)]
        json: bool,
    },
    /// Show what waits for what
    Graph {
        #[command(flatten)]
        place: TasksPlaceArgs,
        /// How it is drawn
        #[arg(long, value_name = "FORM", default_value = "text")]
        format: GraphForm,
        /// Print one JSON document
        #[arg(long, conflicts_with = "format")]
        json: bool,
    },
    /// Say what is wrong with the task file
    #[command(after_help = "\
Exit code 0 when nothing is, 1 (detailed: 23) with problems, 2 when there is no
task file or it cannot be read.")]
    Validate {
        #[command(flatten)]
        place: TasksPlaceArgs,
        /// Print one JSON document
        #[arg(long)]
        json: bool,
        /// Print nothing; the exit code says it
        #[arg(short, long, conflicts_with = "json")]
        quiet: bool,
    },
    /// Add a task with the next free id
    Add(TasksAddArgs),
    /// Mark tasks as done
    Done(TasksMarkArgs),
    /// Mark tasks as open
    Reopen(TasksMarkArgs),
    /// Have the run that works here leave tasks, and go on with the others
    #[command(after_help = "\
A task that is worked on is parked after its attempt, unless that does it. In
its file it stays open: a new run takes it up again.")]
    Park(TasksParkArgs),
}

/// Which task file is meant.
#[derive(Clone, Debug, Default, Args)]
pub struct TasksPlaceArgs {
    /// The task file, or a folder with a file per task
    #[arg(short, long, value_name = "PATH", conflicts_with = "feature")]
    pub file: Option<PathBuf>,
    /// The tasks of a feature: requirements/NAME.md
    #[arg(long, value_name = "NAME")]
    pub feature: Option<String>,
    #[command(flatten)]
    pub issues: IssuesArgs,
}

/// What can be said to `windlass tasks add`.
#[derive(Clone, Debug, Args)]
#[command(group = ArgGroup::new("name").required(true).args(["title", "title_flag"]), after_help = "\
It is written as the others of its file are, after the last of them. Nothing
else of the file changes.")]
pub struct TasksAddArgs {
    /// What is to be done, in one line
    pub title: Option<String>,
    /// The same as an option
    #[arg(long = "title", value_name = "TITLE", id = "title_flag")]
    pub title_flag: Option<String>,
    /// high, medium, low or a number, 1 first
    #[arg(long, value_name = "PRIORITY")]
    pub priority: Option<String>,
    /// Tasks that have to be done before it (repeatable, or with commas)
    #[arg(long, value_name = "ID", value_delimiter = ',')]
    pub depends_on: Vec<String>,
    /// What is to be done; may have several lines
    #[arg(long, value_name = "TEXT")]
    pub description: Option<String>,
    #[command(flatten)]
    pub place: TasksPlaceArgs,
}

/// What can be said to `windlass tasks done` and `reopen`.
#[derive(Clone, Debug, Args)]
pub struct TasksMarkArgs {
    /// The tasks
    #[arg(value_name = "ID", required = true)]
    pub ids: Vec<String>,
    #[command(flatten)]
    pub place: TasksPlaceArgs,
}

/// What can be said to `windlass tasks park`.
#[derive(Clone, Debug, Args)]
pub struct TasksParkArgs {
    /// The tasks
    #[arg(value_name = "ID", required = true)]
    pub ids: Vec<String>,
    /// The run, where several work here
    #[arg(long, value_name = "RUN")]
    pub run: Option<String>,
}

/// How a graph is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum GraphForm {
    /// A tree
    Text,
    /// For Graphviz
    Dot,
    /// For Mermaid
    Mermaid,
}

impl TasksVerb {
    /// Would it change anything on this machine?
    pub const fn changes_something(&self) -> bool {
        matches!(self, TasksVerb::Add(_) | TasksVerb::Done(_) | TasksVerb::Reopen(_) | TasksVerb::Park(_))
    }
}
