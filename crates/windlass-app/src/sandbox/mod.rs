//! The sandbox that a run asks for, and what it is made around; those of this machine, and a project's image.

mod image;
mod project;
mod shell;

use std::path::{Path, PathBuf};

use jiff::Timestamp;
use windlass_core::config::{Resolved, SandboxSettings};
use windlass_core::spec::{RunSpec, SandboxKind, SandboxSpec};
use windlass_core::values::RunId;
use windlass_engine::sandbox::container::image::Recipe;
use windlass_engine::sandbox::{Sandbox, SandboxAgent, SandboxError, SandboxRoom};
use windlass_engine::store::session_folder::SessionRecord;
use windlass_engine::store::{RunFolder, SessionFolder};
use windlass_engine::supervisor::put_back_before_a_run;
use windlass_engine::workspace::project_folder;
use windlass_git::loan::Loan;

pub use image::{ImageBuild, ImageCache, ImageFiles, Overwrite, WriteImageFiles, Written};
pub use project::{MadeOf, Probe, SandboxOverview, UsedImage};

use crate::agent;
use crate::app::App;
use crate::error::{AppError, Kind};
use crate::helper::SCRIPTED_AGENT;
use crate::here::{self, Here, home, named_path};

/// The settings of git that say who commits.
const IDENTITY: [&str; 2] = ["user.name", "user.email"];

/// What a new run is locked in by.
pub fn plan(here: &Here, resolved: &Resolved) -> SandboxSpec {
    let SandboxSettings { kind, network, memory, processes, millicpus, .. } = resolved.sandbox.clone();
    let kind = with_image(&project_folder(&here.directory), kind, &resolved.sandbox);
    let settings = &resolved.sandbox;
    let paths = |texts: &[String]| texts.iter().map(|text| named_path(&here.directory, text)).collect();
    SandboxSpec {
        kind,
        network,
        memory,
        processes,
        millicpus,
        environment: settings.environment.clone(),
        writable: paths(&settings.writable),
        unix_sockets: settings.unix_sockets,
        hidden: hidden(&here.directory, resolved),
        login: settings.login,
    }
}

/// What guests here are not shown beyond what none ever is: what the user names, and what lets this machine in to its fleet.
pub(crate) fn hidden(directory: &Path, resolved: &Resolved) -> Vec<PathBuf> {
    let named = resolved.sandbox.hidden.iter().map(String::as_str);
    named.chain(resolved.fleet.login.file()).map(|text| named_path(directory, text)).collect()
}

/// The same, with further folders that may be written.
pub(crate) fn with_folders(plan: SandboxSpec, folders: &[PathBuf]) -> SandboxSpec {
    let writable = plan.writable.iter().chain(folders).cloned().collect();
    SandboxSpec { writable, ..plan }
}

/// The same kind, with the image that the project's files stand for where none is named: what a run was begun in is what
/// it is resumed in. Where they cannot be read none is named, which is said when the sandbox is opened.
pub(crate) fn with_image(project: &Path, kind: SandboxKind, settings: &SandboxSettings) -> SandboxKind {
    let image = || Recipe::read(project, &settings.presets, settings.setup_script.as_deref()).ok();
    match kind {
        SandboxKind::Docker(None) => SandboxKind::Docker(image().map(|recipe| recipe.image())),
        SandboxKind::Podman(None) => SandboxKind::Podman(image().map(|recipe| recipe.image())),
        other => other,
    }
}

/// The sandbox of a run, ready to be entered.
pub fn open(here: &Here, plan: &RunSpec, folder: &RunFolder) -> Result<Sandbox, AppError> {
    refuse_after_kill(here)?;
    if !plan.sandbox.is_on() {
        return Ok(Sandbox::none());
    }
    let sandbox = Sandbox::open(&plan.sandbox, of(here, plan, folder)?)?;
    if plan.lanes.is_some() { Ok(sandbox.beside_lanes()?) } else { Ok(sandbox) }
}

/// What a guest changed beside a runner that was killed was put back before anything was read, unless something of it was
/// still at work then.
fn refuse_after_kill(here: &Here) -> Result<(), AppError> {
    let said = put_back_before_a_run(&here.project, &here.directory);
    if said.is_empty() {
        return Ok(());
    }
    Err(AppError::new(Kind::Configuration, said.join("\n"))
        .hint("Nothing was started, since some of it was read already; the same command works now."))
}

/// The configured sandbox where there is no run, and the folder that it is in: for this verb, about this. No agent has
/// to be there.
pub(crate) fn open_session(
    here: &Here,
    resolved: &Resolved,
    verb: &str,
    about: &str,
) -> Result<(Sandbox, SessionFolder), AppError> {
    let record = SessionRecord {
        verb: verb.to_owned(),
        about: about.to_owned(),
        directory: here.directory.clone(),
        started: Timestamp::now(),
    };
    let session = SessionFolder::create(&here.project, &record)?;
    let name = agent::chosen(resolved, None).about().name;
    let nobody = SandboxAgent { name, program: here.app.program().to_owned() };
    let plan = plan(here, resolved);
    let room = around(here, session.session(), &plan.kind, session.path().join("sandbox"), nobody)?;
    Ok((Sandbox::open(&plan, room)?, session))
}

/// The last of a sandbox without a run: what it has to say is said, and what was committed inside becomes the
/// repository's, as far as it may; what did not is said.
///
/// # Errors
/// It cannot be taken over now; it stays in the session's folder.
pub(crate) fn leave(app: &App, sandbox: &Sandbox, session: &RunId) -> Result<(), AppError> {
    std::iter::from_fn(|| sandbox.news()).for_each(|news| app.notice(&news));
    let Some(loan) = sandbox.loan() else { return Ok(()) };
    let taken = loan.take_over(&session.0, "left").map_err(|error| {
        AppError::new(Kind::System, format!("what was committed is not taken over: {error}"))
    })?;
    loan.close();
    let damage = taken.damage.into_iter().map(|damage| damage.sentence);
    damage.chain(taken.notices).chain(taken.needs_person).for_each(|notice| app.notice(&notice));
    Ok(())
}

/// What the sandbox of a run is made around.
pub fn of(here: &Here, plan: &RunSpec, folder: &RunFolder) -> Result<SandboxRoom, AppError> {
    let agent = SandboxAgent::of(&plan.agent);
    let room = around(here, &plan.run, &plan.sandbox.kind, folder.sandbox(), agent)?;
    let other_agents = plan.agents().skip(1).map(|(_, other)| SandboxAgent::of(other)).collect();
    Ok(SandboxRoom { files: script(plan).into_iter().collect(), other_agents, ..room })
}

/// What a sandbox here is made around, for a run or a session.
pub fn around(
    here: &Here,
    run: &RunId,
    kind: &SandboxKind,
    scratch: PathBuf,
    agent: SandboxAgent,
) -> Result<SandboxRoom, AppError> {
    let repository = here.repository.as_ref();
    let mut git_directories: Vec<PathBuf> =
        repository.iter().flat_map(|found| [found.common_dir.clone(), found.git_dir.clone()]).collect();
    git_directories.dedup();
    // Who cannot be asked who commits commits as nobody in particular.
    let git_settings = repository.and_then(|found| found.settings(&IDENTITY).ok()).unwrap_or_default();
    Ok(SandboxRoom {
        run: run.clone(),
        directory: here.directory.clone(),
        tree: repository.map_or_else(|| here.directory.clone(), |found| found.top.clone()),
        git_directories,
        loan: repository
            .filter(|_| kind.has_mounts())
            .map(|found| Loan::of(found, scratch.with_file_name("loan")))
            .transpose()
            .map_err(SandboxError::from)?,
        git_settings,
        state: here::state_root()?,
        files: Vec::new(),
        closed: Vec::new(),
        scratch,
        windlass: here.app.program().to_owned(),
        home: home().unwrap_or_else(|| PathBuf::from("/")),
        agent,
        other_agents: Vec::new(),
    })
}

/// What a scripted agent plays.
fn script(plan: &RunSpec) -> Option<PathBuf> {
    match plan.agent.arguments.as_slice() {
        [verb, script, ..] if verb == SCRIPTED_AGENT => {
            Some(PathBuf::from(script)).filter(|path| path.is_absolute())
        }
        _ => None,
    }
}
