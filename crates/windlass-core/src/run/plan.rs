//! A run as it was resolved from flags, environment, files and defaults when it started.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::fact::{Check, Cost, ExitCodes, Grounds, Hook, LaneId, RunId, path_text};
use crate::guard::GuardPlan;
use crate::message::Wording;
use crate::price::Price;
use crate::run::{BootstrapPlan, RepositorySettings, SandboxPlan};

/// All that a run needs; journalled as its first fact, so that `resume` needs nothing else.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunPlan {
    /// The run's name.
    pub run: RunId,
    /// The working directory: canonical.
    #[serde(with = "path_text")]
    pub directory: PathBuf,
    /// Is it in a git repository?
    pub git: bool,
    /// What is to be done.
    pub job: Job,
    /// When it has to end.
    pub limits: Limits,
    /// How long to wait for what.
    pub clocks: Clocks,
    /// What proves or refutes a claim, in the order they are run: `until` first.
    pub checks: Vec<Check>,
    /// Names of secrets of the environment that checks and setup commands get all the same.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub environment: Vec<String>,
    /// Commands at the turns of the run, each at most once.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hooks: Vec<Hook>,
    /// Several lanes at once; `None` = one, in the working directory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lanes: Option<LanesPlan>,
    /// What locks in whatever the run starts.
    #[serde(default, skip_serializing_if = "SandboxPlan::is_default")]
    pub sandbox: SandboxPlan,
    /// What an agent may not change, and how its tests are looked at.
    #[serde(default, skip_serializing_if = "GuardPlan::is_default")]
    pub guard: GuardPlan,
    /// Who works.
    pub agent: AgentPlan,
    /// Who commits.
    pub commit: CommitPolicy,
    /// How the runner words its commits.
    #[serde(default, skip_serializing_if = "Wording::is_usual")]
    pub message: Wording,
    /// What is held back from the runner's commits.
    #[serde(default)]
    pub withholding: Withholding,
    /// What is done about damage to the repository.
    #[serde(default, skip_serializing_if = "UndoPolicy::is_ask")]
    pub undo: UndoPolicy,
    /// Which exit codes the run ends with.
    pub exit_codes: ExitCodes,
    /// Digests of what was read when the run started (configuration, prompt file): path and SHA-256.
    #[serde(default, skip_serializing_if = "Vec::is_empty", with = "path_text::keyed")]
    pub inputs: Vec<(PathBuf, String)>,
    /// Links out of the project that a person had there when the run started, and that are followed while they lead there.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub links_out: Vec<LinkOut>,
}

/// A link that leads out of the project.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LinkOut {
    /// Where it is: absolute.
    #[serde(with = "path_text")]
    pub path: PathBuf,
    /// Where it leads: absolute, without links.
    #[serde(with = "path_text")]
    pub target: PathBuf,
}

/// What is to be done.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Job {
    /// How an iteration is prompted and how progress is read.
    pub mode: Mode,
    /// Its first words, for lists: one line, at most 80 characters.
    pub title: String,
    /// The phrase that claims completion, on a line of its own in a result.
    pub completion_signal: String,
    /// In how many iterations in a row.
    pub completion_threshold: u32,
    /// Notes relayed between iterations, relative to the working directory; `None` = no notes.
    pub notes_file: Option<PathBuf>,
    /// What every agent of the project is told, relative to the working directory; `None` = nothing.
    #[serde(default = "usual_agents_file")]
    pub agents_file: Option<PathBuf>,
    /// The workspace it lives in; `None` for a free goal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workspace: Option<JobWorkspace>,
    /// The plan that is written or worked off; `None` in other modes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan: Option<JobPlan>,
    /// The tasks that are worked off; `None` in other modes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tasks: Option<JobTasks>,
    /// What a fresh agent is asked before a claim completes the job; `None` = nobody is asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verification: Option<Verification>,
}

/// What runs had before they could name another one.
#[expect(clippy::unnecessary_wraps, reason = "serde fills the field with it")]
fn usual_agents_file() -> Option<PathBuf> {
    Some("AGENTS.md".into())
}

/// Where the plan of a job lies. All paths are relative to the working directory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct JobPlan {
    /// The plan as one file.
    #[serde(with = "path_text")]
    pub file: PathBuf,
    /// The plan as a folder; it holds where its `README.md` exists. `None` = it is never looked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder: Option<PathBuf>,
    /// The folder of the specifications; `None` = none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub specs: Option<PathBuf>,
    /// Build: no open box completes the run, and an iteration without changes ends it (seed 002's smart termination).
    pub smart_termination: bool,
}

/// The tasks of a job. All paths are relative to the working directory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct JobTasks {
    /// The task file, or the folder of task files.
    #[serde(with = "path_text")]
    pub file: PathBuf,
    /// Where each iteration is noted for people; `None` = nowhere.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub progress: Option<PathBuf>,
    /// The feature it belongs to, where a project has several task files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub feature: Option<String>,
    /// So often a task may fail before it is parked.
    pub attempts: u32,
    /// What an attempt that failed has left is committed, and said to be that. Never in lanes, whose work is nobody else's.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub commits_attempts: bool,
}

/// Several lanes at once, each in a checkout of its own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LanesPlan {
    /// How many, at least 2. Their numbers are 1 to this.
    pub count: u16,
    /// Where their checkouts are: absolute; a folder for each, named after its number.
    #[serde(with = "path_text")]
    pub folder: PathBuf,
    /// Where in the repository the run works: a folder below its top; empty = there.
    #[serde(with = "path_text")]
    pub below: PathBuf,
    /// The branch that landings go to, by its full name; `None` = what is checked out when the first one is due.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// How a checkout is made ready; `None` = it has what the repository has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bootstrap: Option<BootstrapPlan>,
}

impl RunPlan {
    /// The files of the project that the runner itself reads for a job, absolute.
    #[must_use]
    pub fn files_read(directory: &Path, job: &Job) -> Vec<PathBuf> {
        let plan =
            job.plan.iter().flat_map(|plan| [Some(&plan.file), plan.folder.as_ref(), plan.specs.as_ref()]);
        let tasks = job.tasks.iter().flat_map(|tasks| [Some(&tasks.file), tasks.progress.as_ref()]);
        let named = [job.notes_file.as_ref(), job.agents_file.as_ref()];
        named.into_iter().chain(plan).chain(tasks).flatten().map(|file| directory.join(file)).collect()
    }

    /// What it rests on when a run of this plan ends as complete.
    #[must_use]
    pub fn grounds(&self) -> Grounds {
        let by_agents = match self.job.mode {
            Mode::Goal | Mode::Loop | Mode::Iterative | Mode::Build | Mode::Tasks => true,
            // The plan itself was looked at, or a judgement is all that was wanted.
            Mode::Plan | Mode::Verify | Mode::Validate => false,
        };
        let is_looked_at = !self.checks.is_empty() || self.job.verification.is_some();
        if by_agents && !is_looked_at { Grounds::Claimed } else { Grounds::Shown }
    }

    /// The numbers of its lanes: 0 alone, which is the working directory itself, or those that have checkouts of their own.
    #[must_use]
    pub fn lane_ids(&self) -> Vec<LaneId> {
        match &self.lanes {
            Some(lanes) => (1..=lanes.count.max(1)).map(LaneId).collect(),
            None => vec![LaneId::default()],
        }
    }
}

/// The workspace that a job lives in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct JobWorkspace {
    /// Its name.
    pub name: String,
    /// Its folder: canonical.
    #[serde(with = "path_text")]
    pub folder: PathBuf,
    /// A status file from before this run counts as well (`--trust-existing-status`).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub trust_existing_status: bool,
    /// The boxes of `TODO.md` count where there is no readable status file (`--todo-fallback`).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub todo_fallback: bool,
    /// How these files are watched while an agent works; `None` = they are read after each call, and only then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub watch: Option<StatusWatch>,
    /// The log that each session of the run writes into the folder; `None` = none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub log: Option<JobLog>,
}

/// The log of a run in its workspace.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct JobLog {
    /// So many logs are kept in the folder, this one among them; `None` = all.
    pub keep: Option<u32>,
    /// They take so many bytes at most, this one aside; `None` = no limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub keep_bytes: Option<u64>,
    /// This session's file in the folder; `None` before it is made, and where it could not be.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
}

impl JobWorkspace {
    /// This session's log.
    #[must_use]
    pub fn log_file(&self) -> Option<PathBuf> {
        Some(self.folder.join(self.log.as_ref()?.file.as_ref()?))
    }
}

/// How a workspace's status file is watched while an agent works.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StatusWatch {
    /// So long after a change it is told, together with the changes that came meanwhile.
    pub debounce: Duration,
    /// Which changes are told.
    pub news: StatusNews,
}

/// Which changes of a status file are told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StatusNews {
    /// Those that say something else than before, whenever that was written.
    #[default]
    Meaningful,
    /// Every one, even if nothing but a time differs.
    EveryWrite,
}

/// How finished work is verified by a fresh agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verification {
    /// How closely it looks.
    pub depth: Depth,
    /// So many verifications may refuse the work before a person is needed.
    pub attempts: u32,
}

/// How closely a verifying agent looks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Depth {
    /// Are the main results there?
    Quick,
    /// Is each requirement met?
    #[default]
    Standard,
    /// Each requirement, tested, with edge cases and quality.
    Deep,
}

/// How an iteration is prompted and how progress is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// A free goal (seed 004).
    Goal,
    /// A workspace, one item per iteration (seed 000).
    Loop,
    /// A workspace, as much as possible per iteration (seed 000).
    Iterative,
    /// Specifications become a plan; nothing but the plan is written (seed 002).
    Plan,
    /// A plan is worked off, one open task per iteration (seed 002).
    Build,
    /// A file of tasks is worked off, by their dependencies and priorities (seed 003).
    Tasks,
    /// A workspace's finished work is judged by a fresh agent.
    Verify,
    /// A workspace's instructions are judged.
    Validate,
}

impl Mode {
    /// Every mode.
    pub const ALL: [Mode; 8] = [
        Mode::Goal,
        Mode::Loop,
        Mode::Iterative,
        Mode::Plan,
        Mode::Build,
        Mode::Tasks,
        Mode::Verify,
        Mode::Validate,
    ];

    /// Its name, as in a journal.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Mode::Goal => "goal",
            Mode::Loop => "loop",
            Mode::Iterative => "iterative",
            Mode::Plan => "plan",
            Mode::Build => "build",
            Mode::Tasks => "tasks",
            Mode::Verify => "verify",
            Mode::Validate => "validate",
        }
    }
}

/// When a run has to end; `None` = no such limit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Limits {
    /// Iterations; failed ones count.
    pub iterations: Option<u32>,
    /// Money.
    #[serde(rename = "cost_usd")]
    pub cost: Option<Cost>,
    /// Tokens of all kinds.
    pub tokens: Option<u64>,
    /// Time, without waits for usage limits and without the time between a crash and its resume.
    pub duration: Option<Duration>,
    /// Failed iterations in a row.
    pub failures: u32,
    /// Iterations in a row without progress; `None` = never.
    pub stagnation: Option<u32>,
    /// One wait for a usage limit.
    pub wait: Duration,
    /// Retries of one outage.
    pub outage_retries: u32,
    /// Time that one outage may take.
    pub outage_time: Duration,
    /// Usage beyond the plan is allowed.
    pub overage: bool,
    /// What earlier runs of the same job cost; counts against `cost` (`--budget-scope job`). Nothing otherwise.
    #[serde(rename = "spent_before_usd", default, skip_serializing_if = "Cost::is_zero")]
    pub spent_before: Cost,
}

/// What a budget is for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BudgetScope {
    /// One run.
    #[default]
    Run,
    /// All runs of the same job in this project.
    Job,
}

impl Limits {
    /// The money that this run may spend; `None` = no limit.
    #[must_use]
    pub fn budget(&self) -> Option<Cost> {
        self.cost.map(|cost| cost.minus(self.spent_before))
    }
}

/// How long to wait for what.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Clocks {
    /// Between two iterations.
    pub delay: Duration,
    /// The first pause of an outage; each further one is twice as long, up to ten minutes.
    pub backoff: Duration,
    /// Without a byte from the agent.
    pub silence: Duration,
    /// A whole call.
    pub call: Duration,
    /// From SIGTERM to SIGKILL.
    pub grace: Duration,
    /// After the last result, until the process must have ended.
    pub linger: Duration,
    /// The same while background tasks run.
    pub linger_background: Duration,
}

/// Who works, and what it may do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentPlan {
    /// Its name: `claude`, or `mock` for the scripted one.
    pub name: String,
    /// The program, absolute.
    #[serde(with = "path_text")]
    pub program: PathBuf,
    /// Its version, as it said.
    pub version: String,
    /// The model; `None` = the agent's own choice.
    pub model: Option<String>,
    /// Turns per call; `None` = the agent's own limit.
    pub max_turns: Option<u32>,
    /// Arguments before ours: configuration's, and what followed `--`.
    pub arguments: Vec<String>,
    /// `--dangerously-skip-permissions`.
    pub skip_permissions: bool,
    /// Rules that allow tools: the gates, detected project commands, git reading, `permissions.allow`.
    pub allow: Vec<String>,
    /// Hand API keys of the environment to the agent.
    pub api_keys: bool,
    /// Let it start background tasks.
    pub background: bool,
    /// Folders beyond the working directory that it may work in: canonical.
    #[serde(default, skip_serializing_if = "Vec::is_empty", with = "path_text::list")]
    pub add_dirs: Vec<PathBuf>,
    /// What becomes of the agent's settings that lie in the repository.
    #[serde(default, skip_serializing_if = "RepositorySettings::are_used")]
    pub repository_settings: RepositorySettings,
    /// What a person said that models cost; it goes before the list of the agent.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub prices: Vec<Price>,
}

/// What is held back from commits until a person says otherwise; what looks like a secret always is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Withholding {
    /// Files that are committed all the same: patterns as in `.gitignore`, from the repository's top.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub allow: Vec<String>,
    /// Files beyond so many bytes are held back; `None` = none is for its size.
    pub large_file: Option<u64>,
}

impl Default for Withholding {
    fn default() -> Withholding {
        Withholding { allow: Vec::new(), large_file: Some(5 * 1024 * 1024) }
    }
}

/// Who commits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CommitPolicy {
    /// Nobody.
    None,
    /// The agent is asked to.
    Agent,
    /// The runner commits what an iteration changed.
    Runner,
}

/// What is done about damage that an agent does to the repository.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UndoPolicy {
    /// The command that undoes it is printed; the run ends where going on would make it worse.
    #[default]
    Ask,
    /// The runner undoes it at once.
    Auto,
}

impl UndoPolicy {
    /// For plans that leave it out.
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde gives a reference")]
    fn is_ask(&self) -> bool {
        *self == UndoPolicy::Ask
    }
}
