//! Is everything ready for a run?

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use rustix::fs::Access;
use windlass_agents::{About, Login, of};
use windlass_core::config::{Layer, Unlimited};
use windlass_core::spec::{AgentSpec, Mode};
use windlass_git::git;
use windlass_git::git::{FoundRepository, GitError, Repository};
use windlass_host::process::{RUN_VARIABLE, become_subreaper};
use windlass_ui::{Finding, Health, format, one_line};

use crate::agent;
use crate::app::App;
use crate::configuration::Configuration;
use crate::error::AppError;
use crate::here::{self, Here};
use crate::trusting::{self, Asked, Purpose, TrustAnswers, Trusted};

mod sandbox;

/// The oldest git whose commands are used, major and minor.
const MINIMUM_GIT: (u32, u32) = (2, 39);

/// Less room for journals and snapshots than this is worth a word, in bytes.
const LITTLE_ROOM: u64 = 1024 * 1024 * 1024;
/// With less than this no run should begin, in bytes.
const NO_ROOM: u64 = 32 * 1024 * 1024;

impl App {
    /// What was found of all that a run here needs.
    pub fn examine(&self) -> Vec<Finding> {
        let directory = self.directory();
        let configuration =
            Configuration::load(directory, None, Mode::Goal, Layer::default(), Unlimited::Refused);
        let mut findings = vec![Finding::good("windlass", env!("CARGO_PKG_VERSION"))];
        findings.extend(inside_a_run());
        let git = git_finding(directory);
        let has_git = git.health == Health::Good;
        findings.push(git);
        if has_git {
            findings.push(project(self));
        }
        match &configuration {
            Ok(configuration) => {
                findings.push(files(configuration));
                findings.extend(agent_findings(self, configuration));
                findings.extend(keys(configuration));
            }
            Err(error) => findings.push(failed("configuration", error)),
        }
        findings.push(state());
        findings.push(processes());
        findings.extend(sandbox::findings(self, configuration.as_ref().ok()));
        findings.extend(root());
        findings
    }
}

fn failed(about: &str, error: &AppError) -> Finding {
    let hints = error.hints.iter().map(ToString::to_string);
    Finding::bad(about, error.message.replace('\n', "; ")).advise(hints)
}

fn inside_a_run() -> Option<Finding> {
    let run = env::var_os(RUN_VARIABLE).filter(|run| !run.is_empty())?;
    let found = format!("this was started by run {}; inside a run no run can start", run.to_string_lossy());
    Some(Finding::bad(RUN_VARIABLE, found).advise(["If this is not within a run: unset WINDLASS_RUN"]))
}

fn git_finding(directory: &Path) -> Finding {
    let (major, minor) = MINIMUM_GIT;
    match git::version(directory) {
        Ok(version) if version >= MINIMUM_GIT => Finding::good("git", format!("{}.{}", version.0, version.1)),
        Ok(version) => {
            Finding::bad("git", format!("{}.{} is too old: {major}.{minor} is needed", version.0, version.1))
                .advise(["Update git."])
        }
        Err(GitError::Missing) => Finding::doubtful(
            "git",
            "not installed: without it there are no snapshots, no commits and no restore",
        )
        .advise(["Install git."]),
        Err(error) => Finding::bad("git", error.to_string()),
    }
}

fn project(app: &App) -> Finding {
    const ABOUT: &str = "project";
    if let Err(error) = here::put_steering_back(app, app.directory()) {
        return failed(ABOUT, &error);
    }
    match Repository::find(app.directory()) {
        Ok(FoundRepository::Worktree(repository)) => match repository.in_the_way_of_git() {
            None => Finding::good(ABOUT, format!("the git repository {}", repository.top.display())),
            Some(why) => Finding::bad(ABOUT, format!("git cannot be used here: {}", one_line(&why))),
        },
        Ok(FoundRepository::None | FoundRepository::GitMissing) => {
            Finding::doubtful(ABOUT, "no git repository: there are no snapshots here, and no restore")
                .advise(["git init"])
        }
        Ok(FoundRepository::Bare) => Finding::bad(ABOUT, "a bare repository: there are no files to work on")
            .advise(["git worktree add ../work"]),
        Ok(FoundRepository::Unsafe(said)) => {
            Finding::bad(ABOUT, format!("git refuses to look at it. {said}"))
        }
        Err(error) => Finding::bad(ABOUT, error.to_string()),
    }
}

fn files(configuration: &Configuration) -> Finding {
    let paths: Vec<String> = configuration.files.iter().map(|(path, _)| path.display().to_string()).collect();
    let found = if paths.is_empty() { "defaults; there is no file".to_owned() } else { paths.join(", ") };
    Finding::good("configuration", found).advise(configuration.notices.clone())
}

/// What may be started of the repository to ask the agent; the finding where that is not trusted.
fn trusted(app: &App, configuration: &Configuration) -> Result<Trusted, Finding> {
    let here = Here::find(app).map_err(|error| failed("agent", &error))?;
    let asked = Asked {
        here: &here,
        configuration,
        purpose: Purpose::Session,
        reader: Some(agent::chosen(&configuration.resolved, None)),
        answers: &TrustAnswers::default(),
    };
    let looked = trusting::look(&asked);
    looked.trusted_so_far(&asked).ok_or_else(|| {
        let found = format!("not asked: this repository's own files would start {}", looked.count_in_words());
        Finding::bad("agent", found).advise(["windlass trust"])
    })
}

/// The agents that are configured, each as what is looked at.
fn agent_findings(app: &App, configuration: &Configuration) -> Vec<Finding> {
    (0..agent::count(&configuration.resolved)).map(|index| agent_finding(app, configuration, index)).collect()
}

fn agent_finding(app: &App, configuration: &Configuration, index: usize) -> Finding {
    const ABOUT: &str = "agent";
    let resolved = &configuration.resolved;
    let wanted =
        agent::Wanted { app, resolved, mock: None, skip_permissions: false, directory: app.directory() };
    let trusted = match trusted(app, configuration) {
        Ok(trusted) => trusted,
        Err(finding) => return finding,
    };
    let checked = agent::plan_one(&wanted, index).and_then(|mut plan| {
        let login = agent::check(app, &mut plan, &trusted, resolved.exit_codes)?;
        Ok((plan, login))
    });
    let (plan, login) = match checked {
        Ok(checked) => checked,
        Err(error) => return failed(ABOUT, &error),
    };
    let about = of(&plan).about();
    let found = format!("{} {}, {}", about.product, plan.version, plan.program.display());
    let mut advice = good_to_know(&plan);
    let finding = match login {
        Some(Login { method, .. }) if method.is_empty() => {
            Finding::good(ABOUT, format!("{found}; logged in"))
        }
        Some(Login { method, .. }) => Finding::good(ABOUT, format!("{found}; logged in ({method})")),
        None if about.words.login_command.is_empty() => {
            Finding::good(ABOUT, plan.program.display().to_string())
        }
        None => {
            advice.insert(0, about.words.login_command.to_owned());
            Finding::doubtful(ABOUT, format!("{found}; it does not say whether it is logged in"))
        }
    };
    finding.advise(advice)
}

/// What a person should know of an agent before it works all night.
fn good_to_know(plan: &AgentSpec) -> Vec<String> {
    let About { tested, words, .. } = of(plan).about();
    let mut lines = Vec::new();
    if !tested.is_empty() && !plan.version.is_empty() && plan.version != *tested {
        lines.push(format!("It was tried with {tested}."));
    }
    if plan.model.is_none() && !words.hosted.is_empty() {
        lines.push(words.hosted.to_owned());
    }
    if !words.sent_home.is_empty() {
        lines.push(words.sent_home.to_owned());
    }
    lines
}

fn keys(configuration: &Configuration) -> Option<Finding> {
    let keys = agent::chosen(&configuration.resolved, None).about().variables.inherited.api_keys;
    let set: Vec<&str> =
        keys.iter().copied().filter(|name| env::var_os(name).is_some_and(|key| !key.is_empty())).collect();
    if set.is_empty() {
        return None;
    }
    let names = set.join(" and ");
    Some(if configuration.resolved.agent.api_keys {
        Finding::doubtful("API keys", format!("{names}: handed to the agent, which is charged per token"))
    } else {
        Finding::doubtful(
            "API keys",
            format!("{names}: set, and kept from the agent, so that a subscription is not paid twice"),
        )
        .advise(["To hand it on: WINDLASS_AGENT__API_KEYS=true"])
    })
}

fn state() -> Finding {
    const ABOUT: &str = "state";
    let folder = match here::state_root() {
        Ok(folder) => folder,
        Err(error) => return failed(ABOUT, &error),
    };
    let shown = folder.display();
    // Nothing is created here: a run makes the folder in the nearest one that exists.
    let there: PathBuf = folder.ancestors().find(|above| above.exists()).unwrap_or(Path::new("/")).to_owned();
    if let Err(error) = rustix::fs::access(&there, Access::WRITE_OK | Access::EXEC_OK) {
        let found = format!("{shown}: {} cannot be written ({error})", there.display());
        return Finding::bad(ABOUT, found).advise(["Put it elsewhere: WINDLASS_STATE_DIR=/a/folder"]);
    }
    let Ok(disk) = rustix::fs::statvfs(&there) else {
        return Finding::good(ABOUT, shown.to_string());
    };
    let free = disk.f_bavail.saturating_mul(disk.f_frsize);
    let found = format!("{shown}, {} free", format::bytes(free));
    match free {
        ..NO_ROOM => Finding::bad(ABOUT, found)
            .advise(["Make room, or put it elsewhere: WINDLASS_STATE_DIR=/a/folder"]),
        NO_ROOM..LITTLE_ROOM => {
            Finding::doubtful(ABOUT, found).advise(["Snapshots of many iterations may need more."])
        }
        _ => Finding::good(ABOUT, found),
    }
}

fn processes() -> Finding {
    const ABOUT: &str = "processes";
    if fs::read("/proc/self/stat").is_err() {
        return Finding::bad(ABOUT, "/proc is not there: what an agent leaves behind cannot be found")
            .advise(["Mount it: mount -t proc proc /proc"]);
    }
    match become_subreaper() {
        Ok(()) => Finding::good(ABOUT, "all that a run starts can be found and ended"),
        Err(error) => Finding::bad(ABOUT, error.to_string()),
    }
}

fn root() -> Option<Finding> {
    rustix::process::geteuid().is_root().then(|| {
        Finding::doubtful(
            "user",
            "root: the agent may change anything on this machine; --dangerously-skip-permissions is refused",
        )
        .advise(["Run as an ordinary user."])
    })
}
