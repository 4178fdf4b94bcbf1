//! What a run is to do, as it was resolved from flags, environment, files and defaults when it started.

mod agent;
mod bootstrap;
mod commit;
mod council;
mod delivery;
mod follow_up;
mod guard;
mod issues;
mod job;
mod lanes;
mod limits;
mod mode;
mod pipeline;
mod principles;
mod repository_settings;
mod review;
mod sandbox;
mod workspace;

pub use agent::{AgentSpec, Specialist};
pub use bootstrap::{BootstrapSpec, PortPlace, PortSpec};
pub use commit::{CommitPolicy, UndoPolicy, Withholding};
pub use council::CouncilSpec;
pub use delivery::{DeliverySpec, NoChecks, PullRequestPer, Readiness};
pub use follow_up::{Due, FollowUp};
pub use guard::{GuardAction, GuardSpec, GuardedFile, GuardedTool, TestsAction, Unfollowed};
pub use issues::IssuesSpec;
pub use job::{Depth, Job, JobPlan, JobTasks, Verification};
pub use lanes::{CodeWay, LanesSpec};
pub use limits::{BudgetScope, Clocks, Limits, WholePipeline};
pub use mode::{ClaimSource, Mode, ModeDefault};
pub use pipeline::{GOAL, JobPhase, PIPELINES, PipelinePart, PipelinePhase};
pub use principles::PrinciplesSpec;
pub use repository_settings::RepositorySettings;
pub use review::{Judge, JudgedCriterion, ReviewScope, ReviewSpec};
pub use sandbox::{Network, Preset, SandboxKind, SandboxLogin, SandboxSpec};
pub use workspace::{JobLog, JobWorkspace, StatusNews, StatusWatch};

use std::iter;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::message::Wording;
use crate::values::{Check, CheckKind, ExitCodes, Grounds, Hook, LaneId, RunId, path_text};

/// All that a run needs; journalled as its first fact, so that `resume` needs nothing else.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunSpec {
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
    pub lanes: Option<LanesSpec>,
    /// What locks in whatever the run starts.
    #[serde(default, skip_serializing_if = "SandboxSpec::is_default")]
    pub sandbox: SandboxSpec,
    /// What an agent may not change, and how its tests are looked at.
    #[serde(default, skip_serializing_if = "GuardSpec::is_default")]
    pub guard: GuardSpec,
    /// By which principles its agents decide; `None` = by none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub principles: Option<PrinciplesSpec>,
    /// Who works.
    pub agent: AgentSpec,
    /// Who takes over where that one cannot work, in this order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub substitutes: Vec<AgentSpec>,
    /// Who is asked first for calls of one purpose, and works otherwise not; the others take over there as well.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub specialists: Vec<Specialist>,
    /// Who works on tasks that name it, and works otherwise not.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub named: Vec<AgentSpec>,
    /// How a fresh agent looks over the work of each iteration; `None` = nobody does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub review: Option<ReviewSpec>,
    /// How conflicts of principles are settled; `None` = by the agent who meets them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub council: Option<CouncilSpec>,
    /// Who commits.
    pub commit: CommitPolicy,
    /// How the work leaves this machine; `None` = it does not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delivery: Option<DeliverySpec>,
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
    /// Where it is shown to whoever follows a link, if anywhere.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page: Option<String>,
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

impl RunSpec {
    /// All who may work, each with what it is told.
    pub fn agents_mut(&mut self) -> impl Iterator<Item = &mut AgentSpec> {
        let specialists = self.specialists.iter_mut().map(|specialist| &mut specialist.agent);
        iter::once(&mut self.agent).chain(&mut self.substitutes).chain(specialists).chain(&mut self.named)
    }

    /// The files of the project that the runner itself reads for a job, absolute.
    pub fn files_read(directory: &Path, job: &Job) -> Vec<PathBuf> {
        let plan =
            job.plan.iter().flat_map(|plan| [Some(&plan.file), plan.folder.as_ref(), plan.specs.as_ref()]);
        let tasks = job.tasks.iter().flat_map(|tasks| [Some(&tasks.file), tasks.progress.as_ref()]);
        let named = [job.notes_file.as_ref(), job.agents_file.as_ref()];
        let files = named.into_iter().chain(plan).chain(tasks).flatten().cloned();
        let documents = job.phase.iter().flat_map(JobPhase::files_read);
        files.chain(documents).map(|file| directory.join(file)).collect()
    }

    /// Has it lanes whose agents nothing keeps out of the directory that they work for?
    pub fn has_open_lanes(&self) -> bool {
        let here = |lanes: &LanesSpec| lanes.worker.is_none() && lanes.fleet.is_none();
        self.lanes.as_ref().is_some_and(here) && !self.sandbox.is_on()
    }

    /// The runner's own files in the project, relative to its directory: never evidence, and of no lane's work.
    pub fn own_files(&self) -> impl Iterator<Item = PathBuf> {
        let places = self.job.tasks.iter().filter(|_| self.job.mode.has_tasks());
        places.flat_map(|places| iter::once(places.file.clone()).chain(places.progress.clone()))
    }

    /// In the file of the tasks only the status of the task at hand is written: of the others, other branches know more.
    pub fn keeps_to_own_task(&self) -> bool {
        let per = self.delivery.as_ref().map(|delivery| delivery.per).unwrap_or_default();
        self.lanes.is_some() || per == PullRequestPer::Task
    }

    /// What it rests on when a run of this plan ends as complete.
    pub fn grounds(&self) -> Grounds {
        // Criteria show a task, not that there is nothing else to be done.
        let is_checked = self.checks.iter().any(|check| check.kind != CheckKind::Criterion);
        let is_looked_at = is_checked || self.job.verification.is_some();
        if self.job.mode.claim().is_an_agents_word() && !is_looked_at {
            Grounds::Claimed
        } else {
            Grounds::Shown
        }
    }

    /// Are its lanes on the workers of a fleet, or is this one of those?
    pub fn is_of_fleet(&self) -> bool {
        self.lanes.as_ref().is_some_and(|lanes| lanes.fleet.is_some() || lanes.worker.is_some())
    }

    /// What marks the processes that are started for it on this machine: there may be several workers of a fleet here, beside the run
    /// itself, and none of them ends what another one has started.
    pub fn mark(&self) -> RunId {
        match self.lanes.as_ref().and_then(|lanes| lanes.worker.as_ref()) {
            Some(worker) => RunId(format!("{}@{worker}", self.run)),
            None => self.run.clone(),
        }
    }

    /// The numbers of its lanes: 0 alone, which is the working directory itself, or those that have checkouts of their own.
    pub fn lane_ids(&self) -> Vec<LaneId> {
        match &self.lanes {
            Some(lanes) => (1..=lanes.count.max(1)).map(LaneId).collect(),
            None => vec![LaneId::default()],
        }
    }
}
