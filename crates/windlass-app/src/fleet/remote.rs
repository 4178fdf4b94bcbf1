//! A run whose lanes are on the workers of a fleet.

use std::process;
use std::sync::Arc;
use std::time::Duration;

use windlass_core::config::{FleetSettings, Resolved};
use windlass_core::fact::Fact;
use windlass_core::spec::{CodeWay, LanesSpec, RunSpec};
use windlass_core::values::TaskRow;
use windlass_engine::executor::{EngineError, Executor};
use windlass_engine::local::RemoteLeftovers;
use windlass_engine::store::RunFolder;
use windlass_engine::supervisor::RemoteSession;
use windlass_fleet::journal::LONGEST_LINE;
use windlass_fleet::layout::check;
use windlass_fleet::orders::CodePart;
use windlass_fleet::settings::Role;
use windlass_fleet::{Deadline, Fleet};
use windlass_git::git::{ObjectId, Repository};
use windlass_git::large_files::LargeFiles;
use windlass_git::remote::{RemoteError, try_push};
use windlass_remote::Brief;
use windlass_remote::copy::{self, Depth, copied_from};
use windlass_remote::journal::{FleetJournal, JournalError};
use windlass_remote::runner::{RemoteLanes, RunnerSetting};

use super::connect::{connect, explained, machine_name};
use super::wanted::{FleetUse, LastDriven, lanes_of};
use crate::error::{AppError, Kind};
use crate::here::Here;

/// How long looking at what the fleet has may take.
const LOOKING: Duration = Duration::from_secs(10);

/// So many bytes of a journal's line are beside its fact.
const BESIDE: usize = 1024;

/// A fleet that a run is about to use.
pub(crate) struct FleetRun {
    fleet: Fleet,
    settings: FleetSettings,
    /// How its commits travel.
    code: CodeWay,
    /// The commits of its branch, of a run that goes on.
    landed: Vec<CodePart>,
}

/// The fleet of a new run, where it uses one: asked before anything is on record.
///
/// # Errors
/// One is wanted and none can be used.
pub(crate) fn for_run(
    here: &Here,
    resolved: &Resolved,
    wanted: FleetUse,
) -> Result<Option<FleetRun>, AppError> {
    refuse_without_lanes(resolved, wanted)?;
    if wanted == FleetUse::AsConfigured && (resolved.fleet.urls.is_empty() || !has_lanes(resolved)) {
        return Ok(None);
    }
    let code = way_of(here, &resolved.fleet)?;
    begin(here, &resolved.fleet, code).map(Some)
}

/// A fleet has lanes.
///
/// # Errors
/// One is wanted, and the run has none.
pub(crate) fn refuse_without_lanes(resolved: &Resolved, wanted: FleetUse) -> Result<(), AppError> {
    if wanted != FleetUse::Required || has_lanes(resolved) {
        return Ok(());
    }
    Err(AppError::usage("a fleet has lanes, and this run has none of its own")
        .hint("Say how many tasks are worked on at once: windlass run --mode tasks -j 6 --fleet"))
}

fn has_lanes(resolved: &Resolved) -> bool {
    resolved.tasks.lanes > 1
}

/// How the commits of a new run travel.
fn way_of(here: &Here, settings: &FleetSettings) -> Result<CodeWay, AppError> {
    let repository = here.repository.as_ref().filter(|_| settings.remote.is_some());
    let head = repository.map(Repository::head).transpose().map_err(AppError::system)?;
    // Without a commit there are no lanes either.
    let begun_at = head.and_then(|head| head.commit());
    Ok(begun_at.map_or(CodeWay::Packs, |commit| CodeWay::Remote { base: commit.to_string() }))
}

/// The same of a run that goes on, and where it was driven last. Its journal on this machine is what the fleet has of it
/// afterwards, so that nothing is decided anew that was decided elsewhere.
///
/// # Errors
/// Its fleet cannot be used, or the journal cannot be written.
pub(crate) fn for_resumption(
    here: &Here,
    resolved: &Resolved,
    folder: &RunFolder,
) -> Result<Option<(FleetRun, LastDriven)>, AppError> {
    let Some(LanesSpec { fleet: Some(name), code, .. }) = lanes_of(folder)? else { return Ok(None) };
    let mut fleet = begin(here, &FleetSettings { name, ..resolved.fleet.clone() }, code)?;
    let there = FleetJournal::read(&fleet.fleet, folder.run()).map_err(explained)?;
    // It is this one that goes on with it.
    let brought = copy::bring(&fleet.fleet, folder, &there, Depth::Files, || false).map_err(not_brought)?;
    let elsewhere = copied_from(folder).is_some();
    fleet.landed = there.code;
    Ok(Some((fleet, LastDriven { elsewhere, notice: brought.sentence() })))
}

/// What a fleet has of a run cannot be brought here.
pub(super) fn not_brought(error: JournalError) -> AppError {
    match error {
        JournalError::Fleet(error) => explained(error),
        JournalError::Store(error) => error.into(),
        other => AppError::system(other),
    }
}

fn begin(here: &Here, settings: &FleetSettings, code: CodeWay) -> Result<FleetRun, AppError> {
    if let Some(repository) = &here.repository {
        refuse_without_large_files(repository)?;
    }
    let fleet = connect(&here.directory, settings, Role::Runner)?;
    let problems = check(&fleet, settings.replicas, Deadline::after(LOOKING)).map_err(explained)?;
    if let Some(problem) = problems.into_iter().next() {
        return Err(explained(problem));
    }
    if !code.is_packs() {
        check_remote(here, settings)?;
    }
    Ok(FleetRun { fleet, settings: settings.clone(), code, landed: Vec::new() })
}

/// Workers get files of Git LFS from here: all of them have to be.
fn refuse_without_large_files(repository: &Repository) -> Result<(), AppError> {
    let Some(head) = repository.head().map_err(AppError::system)?.commit() else { return Ok(()) };
    let mut files = LargeFiles::of(repository);
    let named = files.named_by(repository, head).map_err(AppError::system)?;
    let missing = named.iter().filter(|file| !files.has(file)).count();
    if missing == 0 {
        return Ok(());
    }
    let files = if missing == 1 { "file" } else { "files" };
    let message = format!("{missing} {files} of Git LFS cannot be had here, nor by a fleet's workers");
    Err(AppError::usage(message).hint("Bring them first: git lfs pull"))
}

/// Is there a git remote that this machine may push to?
fn check_remote(here: &Here, settings: &FleetSettings) -> Result<(), AppError> {
    let Some(url) = &settings.remote else {
        let error = "the commits of this run travel through a git remote, and fleet.remote names none here";
        return Err(AppError::new(Kind::Configuration, error)
            .hint("Name the one that its workers have: windlass config set --user fleet.remote URL"));
    };
    let Some(repository) = &here.repository else { return Ok(()) };
    let Some(commit) = repository.head().map_err(AppError::system)?.commit() else { return Ok(()) };
    here.project.create()?;
    try_push(url, repository, commit, here.project.path()).map_err(refused_by_remote)
}

/// The error with what to do about it.
fn refused_by_remote(error: RemoteError) -> AppError {
    let hint = error.hint();
    let said = AppError::system(error);
    if hint.is_empty() { said } else { said.hint(hint) }
}

/// A list of tasks is one line of the run's journal.
///
/// # Errors
/// It is longer than a line that the fleet takes.
pub(crate) fn refuse_long_list(tasks: Vec<TaskRow>) -> Result<(), AppError> {
    let count = tasks.len();
    let size = serde_json::to_vec(&Fact::TasksRead { tasks }).map_err(AppError::system)?.len();
    if size + BESIDE < LONGEST_LINE {
        return Ok(());
    }
    let message = format!(
        "the {count} tasks of this list are {} KiB in a journal, and a fleet's takes {} KiB at once",
        size / 1024,
        LONGEST_LINE / 1024
    );
    Err(AppError::usage(message)
        .hint("Divide the list into files, and work them off one after another: windlass run -f FILE"))
}

impl FleetRun {
    /// Lanes are on it from now on.
    pub fn takes(&self, lanes: &mut LanesSpec) {
        lanes.fleet = Some(self.settings.name.clone());
        lanes.code = self.code.clone();
    }

    /// Brings the commits that a run has landed, where the repository lacks them. Gives the last one.
    ///
    /// # Errors
    /// The fleet cannot be used, what it has is not what it should be, or the clone lacks what the run began with.
    pub fn bring_landed(&self, folder: &RunFolder, main: &Repository) -> Result<Option<ObjectId>, AppError> {
        if let CodeWay::Remote { base } = &self.code
            && let Some(begun_at) = ObjectId::from_hex(base.as_bytes())
            && !main.has_commit(begun_at).map_err(AppError::system)?
        {
            let run = folder.run();
            return Err(AppError::usage(format!(
                "run {run} began with the commit {base}, which this clone lacks"
            ))
            .hint("Fetch the branch that it began on: git fetch"));
        }
        copy::bring_landed(&self.fleet, folder, &self.landed, main).map_err(not_brought)
    }
}

/// What the supervisor needs to have the lanes on a fleet.
pub(crate) fn remote(
    here: &Here,
    plan: &RunSpec,
    folder: &RunFolder,
    fleet: FleetRun,
) -> Result<RemoteSession, AppError> {
    let Some(main) = here.repository.clone() else {
        return Err(AppError::usage("a fleet needs a git repository"));
    };
    let leftovers = RemoteLeftovers::default();
    let told = here.app.clone();
    let setting = RunnerSetting {
        fleet: fleet.fleet,
        lease: fleet.settings.lease,
        patience: fleet.settings.patience,
        name: machine_name(&format!("-{}", process::id()))?,
        brief: Brief::of(plan, folder, &main).map_err(AppError::system)?,
        main,
        folder: folder.clone(),
        leftovers: leftovers.clone(),
        remote: fleet.settings.remote,
        told: Arc::new(move |text: &str| told.notice(text)),
    };
    let begin = Box::new(move |local, wake| {
        let lanes =
            RemoteLanes::start(local, setting, wake).map_err(|error| EngineError::Remote(Box::new(error)))?;
        let executor: Box<dyn Executor> = Box::new(lanes);
        Ok(executor)
    });
    Ok(RemoteSession { leftovers, begin })
}
