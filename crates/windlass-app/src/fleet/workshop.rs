//! What makes a fleet's run ready on a worker's machine: its agents, its sandbox, its folder.

use std::fs;
use std::os::fd::BorrowedFd;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use windlass_core::fleet::policy::Policy;
use windlass_core::spec::{AgentSpec, LanesSpec, RunSpec};
use windlass_core::values::ExitCodes;
use windlass_engine::executor::{Audience, Clock};
use windlass_engine::local::{RemoteLeftovers, Setting};
use windlass_engine::store::RunFolder;
use windlass_git::inventory::Surveyor;
use windlass_host::process::{ProcessError, become_subreaper};
use windlass_remote::Brief;
use windlass_remote::worker::{Ready, Workshop};

use crate::agent;
use crate::app::App;
use crate::error::AppError;
use crate::here::Here;
use crate::run::launch;
use crate::sandbox;
use crate::trusting::Trusted;
use crate::worktree;

/// A worker's machine.
pub(super) struct FleetWorkshop {
    pub app: App,
    /// What it is called.
    pub worker: String,
    pub policy: Policy,
    /// What agents and checks here are not shown, if they are locked in.
    pub hidden: Vec<PathBuf>,
    /// How long a lease of the fleet is: whoever stands still for longer has lost its lanes.
    pub lease: Duration,
}

impl Workshop for FleetWorkshop {
    fn refuses(&self, brief: &Brief) -> Option<String> {
        self.policy.refuses(&brief.project, &brief.spec)
    }

    fn open(
        &self,
        brief: &Brief,
        code: &Path,
        lanes: &Path,
        audience: Arc<dyn Audience>,
    ) -> Result<Ready, String> {
        self.ready(brief, code, lanes, audience).map_err(|error| error.message)
    }
}

impl FleetWorkshop {
    fn ready(
        &self,
        brief: &Brief,
        code: &Path,
        lanes: &Path,
        audience: Arc<dyn Audience>,
    ) -> Result<Ready, AppError> {
        become_subreaper()?;
        let below = brief.spec.lanes.as_ref().map(|lanes| lanes.below.clone()).unwrap_or_default();
        let directory = code.join(below);
        // outside: the state folder.
        fs::create_dir_all(&directory).map_err(AppError::system)?;
        let app = self.app.in_directory(&directory)?;
        let here = Here::find(&app)?.behind(&brief.spec.sandbox.kind)?;
        let spec = self.here_as_there(&here, &brief.spec, lanes)?;
        here.project.create()?;
        let folder = RunFolder::of(&here.project, &spec.run);
        // outside: the state folder.
        fs::create_dir_all(folder.path()).map_err(AppError::system)?;
        brief.put(&folder)?;
        let launch::Taken { lock, notices } = launch::lock(&here, &spec.mark(), spec.exit_codes)?;
        app.notices(&notices);
        let sandbox = sandbox::open(&here, &spec, &folder)?;
        let held = lock.descriptors().iter().map(BorrowedFd::try_clone_to_owned).collect::<Result<_, _>>();
        let main =
            here.repository.clone().ok_or_else(|| AppError::usage("a fleet's run needs a repository"))?;
        let setting = Setting {
            program: app.program().to_owned(),
            project: here.project.clone(),
            lock: held.map_err(ProcessError::system("hand on the lock"))?,
            surveyor: Surveyor::new(here.place()),
            snapshots: launch::snapshots(&here, &spec.run)?,
            environment: worktree::environment(&here),
            folder,
            plan: Arc::new(spec),
            sandbox,
            audience,
            clock: Arc::new(Clock::start()),
            leftovers: RemoteLeftovers::default(),
            standstill: Some(self.lease),
            own_commit: None,
        };
        Ok(Ready { setting, main, lock: Box::new(lock) })
    }

    /// The run as it is on this machine: in its own folders, with its own programs. What its runner does is left to that one.
    fn here_as_there(&self, here: &Here, spec: &RunSpec, lanes: &Path) -> Result<RunSpec, AppError> {
        let mut spec = spec.clone();
        spec.directory.clone_from(&here.directory);
        spec.lanes = spec.lanes.map(|there| LanesSpec {
            folder: lanes.to_owned(),
            fleet: None,
            worker: Some(self.worker.clone()),
            ..there
        });
        spec.hooks = Vec::new();
        spec.inputs = Vec::new();
        spec.links_out = Vec::new();
        spec.sandbox.writable = Vec::new();
        spec.sandbox.hidden.clone_from(&self.hidden);
        let codes = spec.exit_codes;
        for agent in spec.agents_mut() {
            *agent = self.ready_agent(here, agent.clone(), codes)?;
        }
        Ok(spec)
    }

    /// An agent as it is installed and logged in here.
    fn ready_agent(&self, here: &Here, agent: AgentSpec, codes: ExitCodes) -> Result<AgentSpec, AppError> {
        let mut agent = agent::installed_here(here, agent, codes, |name| self.policy.program(name))?;
        if agent::is_scripted(&agent) {
            return Ok(agent);
        }
        let trusted = Trusted { settings: agent.repository_settings.clone(), notices: Vec::new() };
        agent::check(&here.app, &mut agent, &trusted, codes)?;
        Ok(agent)
    }
}
