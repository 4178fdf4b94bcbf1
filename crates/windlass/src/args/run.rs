//! `windlass run`.
#![expect(
    clippy::doc_markdown,
    reason = "these comments are the help; backticks around a default would be noise"
)]

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;
use clap::builder::PossibleValuesParser;
use windlass_core::spec::Mode;

use super::issues::WorkedIssuesArgs;
use super::pull_request::PullRequestArgs;
use super::shared::{LimitArgs, OutputArgs, TrustArgs};
use super::told::defaulting;

/// The modes that `--mode` takes.
fn modes() -> PossibleValuesParser {
    PossibleValuesParser::new(Mode::for_runs().map(<&'static str>::from))
}

const EXAMPLES: &str = "\
Examples:
  windlass run -p 'Make the tests pass' --gate 'make test'
      A claim of completion counts only when `make test` passes.
  windlass run -p 'Port lib/ to TypeScript' --until 'npx tsc --noEmit'
      Done when the command passes; what the agent claims does not matter.
  windlass run -f goal.md -m 20 --max-cost 15 --commit runner
      Twenty iterations or $15, a commit after each iteration.
  windlass run api
      Works on the workspace `api`, as `windlass init api` made it.
  git log -1 --format=%B | windlass run - --add-dir ../docs
      The goal from standard input; the agent may work in ../docs, too.
  windlass run -p 'Anything' --mock
      Try the loop with a scripted agent that costs nothing.

The goal may have at most 1 MiB. Defaults can be changed in
.windlass/config.toml, in the user's config.toml, or by variables such as
WINDLASS_LIMITS__MAX_COST; flags win.";

const PLAN_EXAMPLES: &str = "\
Reads specs/ and the code, and writes IMPLEMENTATION_PLAN.md, or the plan/ folder
where there is one. It ends when the plan is sound and a further pass changes
nothing. Whatever else the agent changes is undone; a snapshot keeps it.

Examples:
  windlass init --plan
      Makes specs/ and what else planning needs.
  windlass plan -m 5
      At most five passes.
  windlass verify --plan
      Looks at the plan without an agent.";

const BUILD_EXAMPLES: &str = "\
Works through IMPLEMENTATION_PLAN.md, or the plan/ folder: one open task per
iteration, those in progress first, then by priority. It ends when no box is open
and the gates pass, or when an iteration changes nothing.

Examples:
  windlass build --gate 'make test'
      Complete only when `make test` passes as well.
  windlass build --sandbox bwrap
      The agent can write the project and nothing else.";

/// What can be said to `windlass run`.
#[derive(Clone, Debug, Default, Args)]
#[command(after_help = EXAMPLES)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag that people give or not")]
pub struct RunArgs {
    /// The workspace to work on; `-` reads a goal from standard input
    #[arg(value_name = "WORKSPACE", conflicts_with_all = ["prompt", "file"])]
    pub source: Option<String>,

    /// The goal
    #[arg(
        short,
        long,
        value_name = "TEXT",
        help_heading = "Goal",
        allow_hyphen_values = true,
        conflicts_with = "file"
    )]
    pub prompt: Option<String>,
    /// The file that holds the goal, or the tasks
    #[arg(short, long, value_name = "FILE", help_heading = "Goal")]
    pub file: Option<PathBuf>,
    /// How an iteration is prompted and progress is read
    #[arg(long, value_name = "MODE", help_heading = "Goal", value_parser = modes())]
    pub mode: Option<String>,
    /// The feature whose tasks are worked through: requirements/NAME.md
    #[arg(long, value_name = "NAME", help_heading = "Goal")]
    pub feature: Option<String>,
    /// The issues of a forge that are worked through
    #[command(flatten)]
    pub issues: WorkedIssuesArgs,
    /// Notes that iterations leave for each other; '' = none [default: SHARED_TASK_NOTES.md]
    #[arg(long, value_name = "FILE", help_heading = "Goal")]
    pub notes_file: Option<String>,

    /// The file of decision principles [default: .windlass/principles.yaml, or .claude/principles.yaml]
    #[arg(long, value_name = "FILE", help_heading = "Goal")]
    pub principles_file: Option<String>,
    /// Where there are no principles yet, have the agent derive them in the first iteration
    #[arg(long, help_heading = "Goal")]
    pub collect_principles: bool,
    /// Put the principles that are there aside, and have the agent derive them anew
    #[arg(long, help_heading = "Goal")]
    pub reset_principles: bool,

    /// The phrase that claims completion [default: WINDLASS_JOB_COMPLETE]
    #[arg(long, value_name = "TEXT", help_heading = "Completion", allow_hyphen_values = true)]
    pub completion_signal: Option<String>,
    /// How many iterations in a row must claim it [default: 3]
    #[arg(long, value_name = "N", help_heading = "Completion")]
    pub completion_threshold: Option<String>,
    /// A workspace's status file from before this run counts as well
    #[arg(long, help_heading = "Completion")]
    pub trust_existing_status: bool,
    /// The boxes of TODO.md count while a workspace has no status file
    #[arg(long, help_heading = "Completion")]
    pub todo_fallback: bool,

    /// What every mode takes
    #[command(flatten)]
    pub work: WorkArgs,
}

/// What can be said to `windlass plan`.
#[derive(Clone, Debug, Default, Args)]
#[command(
    after_help = PLAN_EXAMPLES,
    mut_arg("max_iterations", |flag| defaulting(flag, "20")),
    mut_arg("stagnation_threshold", |flag| defaulting(flag, "3")),
    mut_arg("commit", |flag| defaulting(flag, "none")),
    mut_arg("model", |flag| defaulting(flag, "sonnet")),
    mut_arg("max_turns", |flag| defaulting(flag, "50")),
    mut_arg("lanes", |flag| flag.hide(true))
)]
pub struct PlanArgs {
    /// The plan to write [default: plan.file]
    #[arg(short, long, value_name = "FILE")]
    pub file: Option<PathBuf>,
    /// What every mode takes
    #[command(flatten)]
    pub work: WorkArgs,
}

/// What can be said to `windlass build`.
#[derive(Clone, Debug, Default, Args)]
#[command(
    after_help = BUILD_EXAMPLES,
    mut_arg("max_iterations", |flag| defaulting(flag, "50")),
    mut_arg("stagnation_threshold", |flag| defaulting(flag, "1")),
    mut_arg("commit", |flag| defaulting(flag, "agent")),
    mut_arg("model", |flag| defaulting(flag, "sonnet")),
    mut_arg("max_turns", |flag| defaulting(flag, "50")),
    mut_arg("lanes", |flag| flag.hide(true))
)]
pub struct BuildArgs {
    /// The plan to work through: a file with boxes, or a folder [default: plan.file]
    #[arg(short, long, value_name = "FILE")]
    pub file: Option<PathBuf>,
    /// What every mode takes
    #[command(flatten)]
    pub work: WorkArgs,
}

/// What can be said of a run in any mode.
#[derive(Clone, Debug, Default, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag that people give or not")]
pub struct WorkArgs {
    /// Arguments for the agent, as they are
    #[arg(last = true, value_name = "AGENT ARGUMENTS", help_heading = "Agent")]
    pub agent_arguments: Vec<OsString>,

    /// Start anew although an unfinished run of this job could be resumed
    #[arg(long, help_heading = "Iterations")]
    pub fresh: bool,
    /// A claim counts only when CMD passes; repeatable, replaces configured gates
    #[arg(long = "gate", value_name = "CMD", help_heading = "Completion", allow_hyphen_values = true)]
    pub gates: Vec<String>,
    /// Done when CMD passes, whatever is claimed; repeatable
    #[arg(long, value_name = "CMD", help_heading = "Completion", allow_hyphen_values = true)]
    pub until: Vec<String>,
    /// Begin although a gate's own program or file is missing: the job is to make it
    #[arg(long, help_heading = "Completion")]
    pub gate_later: bool,

    /// A fresh agent looks over the work of each iteration before it counts
    #[arg(long, help_heading = "Review")]
    pub review: bool,
    /// The same, and what it is to look for
    #[arg(short, long, value_name = "TEXT", help_heading = "Review", allow_hyphen_values = true)]
    pub review_prompt: Option<String>,
    /// The same, by this model [default: the agent's]
    #[arg(long, value_name = "MODEL", help_heading = "Review")]
    pub review_model: Option<String>,

    /// Note what is decided about conflicts of principles in .windlass/decisions.jsonl
    #[arg(long, help_heading = "Review")]
    pub log_decisions: bool,

    /// Limits
    #[command(flatten)]
    pub limits: LimitArgs,

    /// Pause between iterations: seconds or 2s, 1m [default: 2s]
    #[arg(
        short,
        long,
        value_name = "TIME",
        help_heading = "Iterations",
        allow_hyphen_values = true,
        conflicts_with = "no_delay"
    )]
    pub delay: Option<String>,
    /// No pause between iterations
    #[arg(long, help_heading = "Iterations")]
    pub no_delay: bool,
    /// Tasks worked on at once, each in a checkout of its own [default: 1]
    #[arg(short = 'j', long, value_name = "N", help_heading = "Iterations")]
    pub lanes: Option<String>,
    /// Have workers of a fleet do it: fleet.url, fleet.name (docs/fleet.md)
    #[arg(long, help_heading = "Iterations")]
    pub fleet: bool,
    /// Work in a checkout of its own, on the branch windlass/NAME; made from HEAD if it is not there (docs/worktrees.md)
    #[arg(long, value_name = "NAME", help_heading = "Iterations")]
    pub worktree: Option<String>,
    /// The folder that worktrees are made in: worktree.base
    #[arg(long = "worktree-base-dir", value_name = "DIR", hide = true)]
    pub worktree_base: Option<String>,
    /// Windlass never looks for updates by itself: this holds without being said
    #[arg(long, hide = true)]
    pub disable_updates: bool,
    /// Who commits: none, agent, runner [default: none; build: agent; tasks: runner]
    #[arg(long, value_name = "WHO", help_heading = "Iterations")]
    pub commit: Option<String>,
    /// Where there is no git repository, make one with a first commit of what is there
    #[arg(long, help_heading = "Iterations")]
    pub git_init: bool,
    /// Start although there are uncommitted changes
    #[arg(long, help_heading = "Iterations")]
    pub allow_dirty: bool,

    /// Branches and pull requests
    #[command(flatten)]
    pub pull_request: PullRequestArgs,

    /// What locks in the agent, its checks and its hooks: none, landlock, bwrap, docker[:IMAGE], podman[:IMAGE] [default: none]
    #[arg(long, value_name = "KIND", help_heading = "Sandbox")]
    pub sandbox: Option<String>,
    /// The network in there: on, off, hosts (those of sandbox.hosts) [default: on]
    #[arg(long, value_name = "WHICH", help_heading = "Sandbox")]
    pub network: Option<String>,

    /// The agent's model [default: its own; plan, build: sonnet]
    #[arg(long, value_name = "MODEL", help_heading = "Agent")]
    pub model: Option<String>,
    /// Turns the agent may take per iteration [default: its own; plan, build: 50]
    #[arg(long, value_name = "N", help_heading = "Agent")]
    pub max_turns: Option<String>,
    /// A folder beyond the project that the agent may work in; repeatable
    #[arg(long = "add-dir", value_name = "DIR", help_heading = "Agent")]
    pub add_dirs: Vec<String>,
    /// Let the agent do anything without asking; never saved, refused for root
    #[arg(long, help_heading = "Agent")]
    pub dangerously_skip_permissions: bool,
    /// Play a scripted agent instead: the built-in one, or a script's (docs/mock-script.md)
    #[arg(long, value_name = "SCRIPT", help_heading = "Agent", num_args = 0..=1, require_equals = true, default_missing_value = "builtin:default")]
    pub mock: Option<String>,

    /// Trust
    #[command(flatten)]
    pub trust: TrustArgs,
    /// Output
    #[command(flatten)]
    pub output: OutputArgs,
    /// Print the resolved configuration, prompt and command line; touch nothing
    #[arg(long, help_heading = "Output")]
    pub dry_run: bool,
    /// Run on its own, and watch that on a full screen; leaving the view leaves the run (docs/watch.md)
    #[arg(long, help_heading = "Output", conflicts_with_all = ["dry_run", "json", "quiet"])]
    pub watch: bool,
    /// Say in FILE which run this is, and nothing at a terminal: what --watch starts
    #[arg(long, value_name = "FILE", hide = true)]
    pub apart: Option<PathBuf>,
}
