//! A run of this machine, of whatever project.

use std::fmt;
use std::path::Path;

use windlass_core::fact::plan_of;
use windlass_core::values::RunId;
use windlass_core::words::quoted;
use windlass_engine::store::journal::Follower;
use windlass_engine::store::run_folder::find_run;
use windlass_engine::store::{Project, RunFolder, StoreError, index};

use super::which;
use crate::app::App;
use crate::error::AppError;
use crate::here::{Here, state_root};

/// A run of this machine, of whatever project: found once, and then known by its folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownRun {
    project: Project,
    run: RunId,
}

impl KnownRun {
    pub(super) fn of(project: &Project, run: &RunId) -> KnownRun {
        KnownRun { project: project.clone(), run: run.clone() }
    }

    /// Which.
    pub const fn run(&self) -> &RunId {
        &self.run
    }

    /// The name of its project's folder: two projects never have the same.
    pub fn project_name(&self) -> String {
        self.project.path().file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
    }

    pub(crate) const fn project(&self) -> &Project {
        &self.project
    }

    pub(crate) fn folder(&self) -> RunFolder {
        RunFolder::of(&self.project, &self.run)
    }
}

impl fmt::Display for KnownRun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.run().fmt(f)
    }
}

impl App {
    /// The run of this name (or of this beginning of one) of the project that the directory belongs to, else of any project of this
    /// machine. Without a name the live or newest one here.
    ///
    /// # Errors
    /// There is none, or several begin so.
    pub fn known_run(&self, named: Option<&str>) -> Result<KnownRun, AppError> {
        let here = Here::find_broken(self)?;
        let of_project = which::shown(&here, named).map(|folder| KnownRun::of(&here.project, folder.run()));
        match (of_project, named) {
            (Err(error), Some(named)) => known_anywhere(named)?.ok_or(error),
            (found, _) => found,
        }
    }
}

/// Says of a directory that is gone how its runs are found, where there are any.
pub fn ways_to_runs_of(directory: &Path) -> Option<String> {
    let projects = state_root().and_then(|root| Ok(Project::all(&root)?)).unwrap_or_default();
    let is_known = |project: &Project| {
        index::look(project).is_ok_and(|listing| listing.iter().any(|run| run.directory == directory))
    };
    let place = quoted(directory.as_os_str());
    let way = format!("What is kept of the runs there is found again once it exists: mkdir -p {place}");
    projects.iter().any(is_known).then_some(way)
}

/// Says where a run works that has this name, or whose name begins so, in whatever project; `None` where there is none.
pub(super) fn way_to(named: &str) -> Option<String> {
    let known = known_anywhere(named).ok()??;
    // Its beginning says so: nothing more of a long journal is read.
    let directory = plan_of(Follower::new(&known.folder().journal()).poll().ok()?)?.directory;
    let place = quoted(directory.as_os_str());
    Some(format!("{} works in another project; there it is known: windlass -C {place} …", known.run()))
}

/// The run that this is the name, or the beginning of the name, of; `None` where there is none, an error where there are several.
fn known_anywhere(named: &str) -> Result<Option<KnownRun>, AppError> {
    let mut found: Option<KnownRun> = None;
    let mut closed = None;
    for project in Project::all(&state_root()?)? {
        let run = match find_run(&project, named) {
            Ok(run) => run,
            Err(StoreError::NoSuchRun { .. }) => continue,
            Err(error @ StoreError::AmbiguousRun { .. }) => return Err(error.into()),
            // A project that cannot be read hides no other.
            Err(error) => {
                closed = closed.or(Some(error));
                continue;
            }
        };
        if let Some(other) = found.replace(KnownRun::of(&project, &run)) {
            let some = vec![other.run().clone(), run];
            return Err(StoreError::AmbiguousRun { text: named.to_owned(), some, more: 0 }.into());
        }
    }
    match (found, closed) {
        (None, Some(error)) => Err(error.into()),
        (found, _) => Ok(found),
    }
}
