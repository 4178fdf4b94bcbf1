//! The other verbs.

use std::path::PathBuf;
use std::str::FromStr;

use clap::{Args, Subcommand, ValueEnum, ValueHint};
use windlass_app::restore::RestoreTo;

use super::shared::{LimitArgs, OutputArgs, TrustArgs, TrustHashArgs};
use super::told::as_before;

const RESUME_EXAMPLES: &str = "\
Examples:
  windlass resume
      The newest unfinished run here goes on where it was cut off.
  windlass resume r-7k2 --max-cost 40
      A run that ended at its limit goes on with a higher one.
  windlass resume --try-now
      The usage limit that a run waited for is known to be gone.";

/// What can be said to `windlass resume`.
#[derive(Clone, Debug, Default, Args)]
#[command(
    after_help = RESUME_EXAMPLES,
    mut_arg("max_iterations", as_before),
    mut_arg("max_cost", as_before),
    mut_arg("budget_scope", as_before),
    mut_arg("max_tokens", as_before),
    mut_arg("max_duration", as_before),
    mut_arg("max_failures", as_before),
    mut_arg("max_wait", as_before),
    mut_arg("stagnation_threshold", as_before)
)]
pub struct ResumeArgs {
    /// The run, or the beginning of its name [default: the newest unfinished here]
    pub run: Option<String>,
    /// The agent's model from now on [default: the run's]
    #[arg(long, value_name = "MODEL")]
    pub model: Option<String>,
    /// Pause between iterations from now on: seconds or 2s, 1m [default: the run's]
    #[arg(short, long, value_name = "TIME", allow_hyphen_values = true, conflicts_with = "no_delay")]
    pub delay: Option<String>,
    /// No pause between iterations from now on
    #[arg(long)]
    pub no_delay: bool,
    /// Try at once what is waited for: a usage limit, an outage
    #[arg(long)]
    pub try_now: bool,
    /// Accept what the guard has found until now: removed or skipped tests,
    /// changed checks; look at it first (windlass status)
    #[arg(long)]
    pub accept_findings: bool,
    /// Who asks for it through a view, as the run's journal says it: JSON
    #[arg(long, value_name = "JSON", hide = true)]
    pub asked: Option<String>,
    /// Limits
    #[command(flatten)]
    pub limits: LimitArgs,
    /// Trust
    #[command(flatten)]
    pub trust: TrustArgs,
    /// Output
    #[command(flatten)]
    pub output: OutputArgs,
}

/// What can be said to `windlass stop`.
#[derive(Clone, Debug, Default, Args)]
#[command(after_help = "The iteration that is under way ends and its result is kept; then the run stops.")]
pub struct StopArgs {
    /// The run, or the beginning of its name [default: the one running here]
    pub run: Option<String>,
}

/// What can be said to `windlass notify`.
#[derive(Clone, Debug, Args)]
pub struct NotifyArgs {
    /// What to do
    #[command(subcommand)]
    pub verb: NotifyVerb,
}

/// What `windlass notify` does.
#[derive(Clone, Debug, Subcommand)]
pub enum NotifyVerb {
    /// Send one notification by every way that is configured, and show what was sent and answered
    #[command(
        after_help = "Exit code 0 when each was accepted, 1 when one was not, 2 when none is configured."
    )]
    Test {
        /// As this workspace is configured [default: as the project is]
        #[arg(short, long, value_name = "NAME")]
        workspace: Option<String>,
        /// The event to send, whether or not it is in notify.events
        #[arg(long, value_name = "EVENT", default_value = "completion")]
        event: String,
        /// What it may start
        #[command(flatten)]
        trust: TrustHashArgs,
    },
}

/// What can be said to `windlass runs`.
#[derive(Clone, Debug, Default, Args)]
pub struct RunsArgs {
    /// Print them as one JSON document
    #[arg(long)]
    pub json: bool,
}

/// What can be said to `windlass diff`.
#[derive(Clone, Debug, Default, Args)]
#[command(after_help = "\
By the snapshots around each iteration: what git ignores is not shown. Into a
file or a pipe it goes as a patch that `git apply` takes.

Examples:
  windlass diff
      All that the newest run here changed.
  windlass diff r-7k2 4
      What its iteration 4 changed.
  windlass diff r-7k2 --stat
      Only which files, and how many lines.")]
pub struct DiffArgs {
    /// The run, or the beginning of its name [default: the live or newest one here]
    pub run: Option<String>,
    /// One of its iterations, from 1 [default: all of them]
    #[arg(value_parser = clap::value_parser!(u32).range(1..))]
    pub iteration: Option<u32>,
    /// Show only which files changed, and how many lines
    #[arg(long)]
    pub stat: bool,
    /// Print which files changed as one JSON document
    #[arg(long, conflicts_with = "stat")]
    pub json: bool,
}

/// What can be said to `windlass report`.
#[derive(Clone, Debug, Default, Args)]
#[command(after_help = "\
The first 24 lines answer: what happened, is it right, what do I merge, what did
it cost and how much of that was wasted, what was put aside, who is waited for.
Tables follow. The commands are as they are typed, with git asked beforehand.

Examples:
  windlass report
      The live or newest run here.
  windlass report --last-night
      Every run on this machine that was live after 18:00 yesterday.
  windlass report r-7k2 --markdown > report.md
      One run, to be sent to somebody.
  windlass report --last-night --html night.html --open
      The same with charts and changes: one file, without a script.")]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag that people give or not")]
pub struct ReportArgs {
    /// Runs, or the beginnings of their names [default: the live or newest one here]
    pub runs: Vec<String>,
    /// Report every run on this machine that was live after 18:00 yesterday
    #[arg(long, conflicts_with = "runs")]
    pub last_night: bool,
    /// Print it as Markdown
    #[arg(long)]
    pub markdown: bool,
    /// Print one JSON document
    #[arg(long, conflicts_with = "markdown")]
    pub json: bool,
    /// Write it as one HTML file, with charts and changes; secrets are left out
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with_all = ["markdown", "json"])]
    pub html: Option<PathBuf>,
    /// Open that file in the browser; without --html a file among those for a moment
    #[arg(long, conflicts_with_all = ["markdown", "json"])]
    pub open: bool,
}

/// What can be said to `windlass status`.
#[derive(Clone, Debug, Default, Args)]
#[command(after_help = "\
With --watch it is drawn again in its place until the run is over, and then printed
once more; Ctrl-C ends the watching, not the run. Into a file or a pipe it is
printed again whenever something changed.")]
pub struct StatusArgs {
    /// The run, or the beginning of its name [default: the live or newest one here]
    pub run: Option<String>,
    /// Show it again and again until the run is over
    #[arg(short, long)]
    pub watch: bool,
    /// Print one JSON document
    #[arg(long)]
    pub json: bool,
}

/// What can be said to `windlass logs`.
#[derive(Clone, Debug, Default, Args)]
#[command(after_help = "\
With -v the same as `run -v` showed, and with --json the same lines as
`run --json` printed, save what a slow terminal left out. Only the times of what
the agent said and did may differ, by a quarter of a second, and where one of
those lies that close to a line of windlass's own, their order.

--tools lists every tool call in the order in which they were made, each once it
is answered: ok, error, denied, or open where there is no answer. With --json
each comes with its whole input.

Examples:
  windlass logs -f
      Watch the run that is live here; Ctrl-C ends the watching, not the run.
  windlass logs r-7k2 --iteration 3 -v | less -R
      Everything that happened in its third iteration.
  windlass logs --tools=Bash
      The commands that the agents of the newest run executed.")]
pub struct LogsArgs {
    /// The run, or the beginning of its name [default: the live or newest one here]
    pub run: Option<String>,
    /// Go on showing what comes until the run ends
    #[arg(short, long)]
    pub follow: bool,
    /// Show tool calls and their results as well
    #[arg(short, long)]
    pub verbose: bool,
    /// List tool calls instead, all or those of these tools: Bash,Edit
    #[arg(long, value_name = "NAMES", num_args = 0..=1, require_equals = true, default_missing_value = "", conflicts_with = "verbose")]
    pub tools: Option<String>,
    /// Only this iteration, from 1
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub iteration: Option<u32>,
    /// Print one JSON object per line
    #[arg(long)]
    pub json: bool,
}

/// What can be said to `windlass watch`.
#[derive(Clone, Debug, Default, Args)]
#[command(after_help = "\
A view is a process of its own: leaving it (q, Ctrl-C), losing its terminal or
killing it does nothing to the run. `?` shows the keys. Without a terminal, with
TERM=dumb or ACCESSIBLE=1 it is `windlass logs --follow`.

Examples:
  windlass watch
      The live or newest run here; in a folder without runs, all of this machine.
  windlass watch r-7k2
      That run, of whatever project.
  windlass run -p 'Make the tests pass' --watch
      Starts a run, and watches it.")]
pub struct WatchArgs {
    /// The run, or the beginning of its name [default: the live or newest one here]
    pub run: Option<String>,
    /// Begin with the list of all runs of this machine
    #[arg(short, long, conflicts_with = "run")]
    pub all: bool,
}

/// What can be said to `windlass restore`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
What is replaced is kept in a snapshot first, and the command that brings it
back is printed. Refused while a run is live here; with --repository, while one
is live in any working tree of the repository. Branches that have gone on since,
or that another working tree has checked out, stay where they are; the branch
that is checked out here goes back.

Examples:
  windlass restore r-7k2 4
      The files as they were after iteration 4.
  windlass restore r-7k2 1 --before
      The files as they were before the run touched anything.
  windlass restore r-7k2 4 -- src notes.md
      These alone, as they were after iteration 4.")]
pub struct RestoreArgs {
    /// The run, or the beginning of its name
    pub run: String,
    /// The iteration, or a moment as a restore names it: before-restore-1, 3-1-after,
    /// start-1
    pub iteration: Point,
    /// As before the iteration, not after it
    #[arg(long)]
    pub before: bool,
    /// Put back branches, tags, HEAD and the index as well
    #[arg(long, conflicts_with = "paths")]
    pub repository: bool,
    /// Only these files and folders
    #[arg(last = true)]
    pub paths: Vec<PathBuf>,
}

/// What files can be put back to, as it is typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Point(pub RestoreTo);

impl FromStr for Point {
    type Err = String;

    fn from_str(text: &str) -> Result<Point, String> {
        if let Ok(iteration) = text.parse() {
            return match iteration {
                0 => Err("iterations are counted from 1; `1 --before` is the beginning".to_owned()),
                iteration => Ok(Point(RestoreTo::Iteration(iteration))),
            };
        }
        let wrong = |_| {
            "expected the number of an iteration, or a moment such as before-restore-1 or start-1".to_owned()
        };
        text.parse().map(|moment| Point(RestoreTo::Moment(moment))).map_err(wrong)
    }
}

/// What can be said to `windlass doctor`.
#[derive(Clone, Debug, Default, Args)]
#[command(after_help = "Exits with 0 when a run could start here, with 1 when not. Changes nothing.")]
pub struct DoctorArgs {
    /// Print one JSON document
    #[arg(long)]
    pub json: bool,
}

/// What can be said to `windlass demo`.
#[derive(Clone, Debug, Default, Args)]
#[command(after_help = "\
A small project with a failing test, a scripted agent, a claim that a gate
refuses, a usage limit that is waited out, and completion. Needs no account,
costs nothing, takes less than 20 seconds and says where it left its files.")]
pub struct DemoArgs {
    /// Output
    #[command(flatten)]
    pub output: OutputArgs,
}

/// What can be said to `windlass update`.
#[derive(Clone, Debug, Default, Args)]
#[command(after_help = "\
Only what update.url of your own configuration names is fetched, and only what
is signed by the key in this program is installed. The former program stays
beside it as windlass.previous. Refused while windlass is at work, and where a
package manager installed the program.")]
pub struct UpdateArgs {
    /// Only say whether there is a newer release
    #[arg(long)]
    pub check: bool,
}

/// What can be said to `windlass completions`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
They offer verbs and flags, and what is here: workspaces, runs, configuration
keys, tasks, archives, templates and pipelines. Packages bring them along.

Examples:
  windlass completions bash > ~/.local/share/bash-completion/completions/windlass
  windlass completions zsh > ~/.zfunc/_windlass
  windlass completions fish > ~/.config/fish/completions/windlass.fish")]
pub struct CompletionsArgs {
    /// The shell
    pub shell: Shell,
}

/// A shell for which there is a completion script.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Shell {
    /// bash
    Bash,
    /// zsh
    Zsh,
    /// fish
    Fish,
}
