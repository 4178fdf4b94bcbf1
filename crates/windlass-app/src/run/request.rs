//! What can be asked for about runs.

use std::path::{Path, PathBuf};

use windlass_core::config::{Layer, Unlimited, keys};
use windlass_core::report::ActionAsked;
use windlass_core::spec::{JobPhase, Mode};
use windlass_core::values::{ExitCodes, RunId, StopReason, StopSource};
use windlass_engine::supervisor::OpenWait;
use windlass_engine::tasks::{FoundTasks, TasksError, Wanted, find_tasks};

use super::goal::Goal;
use crate::app::App;
use crate::fleet::FleetUse;
use crate::here::Here;
use crate::principles::KeptPrinciples;
use crate::trusting::TrustAnswers;

/// A run that is to be started.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is something that a person says or does not say")]
pub struct StartRun {
    /// What is to be done.
    pub job: WantedJob,
    /// Values that go before those of the environment and of all files.
    pub settings: Layer,
    /// May it go on without any bound?
    pub unlimited: Unlimited,
    /// A scripted agent plays this instead of a real one: `builtin:NAME` or an absolute path.
    pub script: Option<String>,
    /// The agent may do anything without asking.
    pub skip_permissions: bool,
    /// Begin although there are uncommitted changes.
    pub allow_dirty: bool,
    /// Begin although a check cannot pass yet.
    pub gate_later: bool,
    /// What becomes of the project's principles.
    pub principles: KeptPrinciples,
    /// Begin anew although an unfinished run of this job could go on.
    pub fresh: bool,
    /// Make a repository where there is none.
    pub git_init: bool,
    /// The pipeline whose limits it shares: what its other runs used counts; `None` = it has its own.
    pub part_of: Option<String>,
    /// The worktree to run in; it is made where it is not there.
    pub worktree: Option<String>,
    /// Are its lanes to be on a fleet?
    pub fleet: FleetUse,
    /// What is said of trust.
    pub trust: TrustAnswers,
}

impl StartRun {
    /// This job, as configured.
    pub fn of(job: WantedJob) -> StartRun {
        StartRun {
            job,
            settings: Layer::default(),
            unlimited: Unlimited::Refused,
            script: None,
            skip_permissions: false,
            allow_dirty: false,
            gate_later: false,
            principles: KeptPrinciples::AsTheyAre,
            fresh: false,
            git_init: false,
            part_of: None,
            worktree: None,
            fleet: FleetUse::AsConfigured,
            trust: TrustAnswers::default(),
        }
    }

    /// The exit codes that it names itself.
    pub fn exit_codes(&self) -> Option<ExitCodes> {
        said_codes(&self.settings)
    }

    /// The same with a scripted agent: `builtin:default` plays along with any mode.
    pub fn scripted(self, script: impl Into<String>) -> StartRun {
        StartRun { script: Some(script.into()), ..self }
    }
}

/// What is to be done.
#[derive(Clone, Debug)]
pub enum WantedJob {
    /// A free goal.
    Goal {
        /// What is to be reached.
        goal: Goal,
        /// How: one of the modes that [take a goal](Mode::has_goal).
        mode: Mode,
    },
    /// What a workspace's instructions say.
    Workspace {
        /// Its name; `None` = the only one there is.
        name: Option<String>,
        /// Its own mode, unless another one is named.
        mode: Option<Mode>,
    },
    /// A plan.
    Plan {
        /// The file that is named for it.
        file: Option<PathBuf>,
        /// Whether it is written from specifications or worked off: one of the modes that [have a plan](Mode::has_plan).
        mode: Mode,
    },
    /// Tasks, worked off.
    Tasks(NamedTasks),
    /// The document of a pipeline's phase, written.
    Phase(WantedPhase),
}

impl WantedJob {
    /// A free goal, in the usual mode.
    pub const fn goal(goal: Goal) -> WantedJob {
        WantedJob::Goal { goal, mode: Mode::Goal }
    }
}

/// A phase of a pipeline.
#[derive(Clone, Debug)]
pub struct WantedPhase {
    /// Which.
    pub phase: JobPhase,
    /// The pipeline's goal.
    pub goal: Goal,
}

/// Which tasks are meant; usually those of the only task file there is.
#[derive(Clone, Debug, Default)]
pub struct NamedTasks {
    /// The file that holds them.
    pub file: Option<PathBuf>,
    /// The feature whose they are.
    pub feature: Option<String>,
}

impl NamedTasks {
    /// Is anything named? Otherwise configuration says where they are.
    pub(crate) const fn is_named(&self) -> bool {
        self.file.is_some() || self.feature.is_some()
    }

    /// Finds and reads them; `configured` is the file that holds them where nothing is named.
    pub(crate) fn find(&self, directory: &Path, configured: Option<&Path>) -> Result<FoundTasks, TasksError> {
        let wanted = match (&self.feature, self.file.as_deref().or(configured)) {
            (Some(feature), _) => Wanted::Feature(feature),
            (None, Some(place)) => Wanted::Place(place),
            (None, None) => Wanted::Usual,
        };
        find_tasks(directory, wanted)
    }
}

/// A run that is to go on.
#[derive(Clone, Debug)]
pub struct ResumeRun {
    /// The run, or the beginning of its name; `None` = the newest unfinished one here.
    pub run: Option<String>,
    /// What of its limits is raised, and how it is shown: values that go before those of all files.
    pub settings: Layer,
    /// May it go on without any bound?
    pub unlimited: Unlimited,
    /// What the guard found until now is accepted.
    pub accept_findings: bool,
    /// What becomes of a wait that it was in.
    pub wait: OpenWait,
    /// Who asks for it, where somebody does through a view.
    pub asked: Option<ActionAsked>,
    /// What is said of trust.
    pub trust: TrustAnswers,
}

impl ResumeRun {
    /// This run, as it is.
    pub fn of(run: Option<String>) -> ResumeRun {
        ResumeRun {
            run,
            settings: Layer::default(),
            unlimited: Unlimited::Refused,
            accept_findings: false,
            wait: OpenWait::default(),
            asked: None,
            trust: TrustAnswers::default(),
        }
    }
}

/// Named beside what is configured in files.
pub(super) fn said_codes(settings: &Layer) -> Option<ExitCodes> {
    match settings.value(keys::EXIT_CODES.name)?.as_str()? {
        "simple" => Some(ExitCodes::Simple),
        "detailed" => Some(ExitCodes::Detailed),
        _ => None,
    }
}

/// How a run ended, or this session of it.
#[derive(Clone, Debug)]
pub struct RunEnd {
    /// The run.
    pub run: RunId,
    /// Why it ended.
    pub stop_reason: StopReason,
    /// What a process ends with that was about this run alone.
    pub exit_code: u8,
    /// Who asked it to stop, if only when it had come to its end.
    pub asked: Option<StopSource>,
    /// Where it worked.
    pub there: Here,
    /// What a verification of its finished work came to, where one was asked for.
    pub verification: Option<Verified>,
}

impl RunEnd {
    /// Did it work in another directory than the one it was started about: in a worktree?
    pub fn is_elsewhere(&self, app: &App) -> bool {
        self.there.app.directory() != app.directory()
    }
}

/// A verification's report that was kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verified {
    /// Where.
    pub report: PathBuf,
    /// Did the work pass?
    pub passes: bool,
}
