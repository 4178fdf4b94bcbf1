//! Plans and specs on disk: where they are, how a job that has one stands, and moving a plan. How it is read: [`tasks`](crate::tasks).

mod migrate;
mod specs;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use windlass_core::spec::{ClaimSource, JobPlan, Mode};
use windlass_core::values::JobStatus;
use windlass_jobs::doc::plan::{Plan, SpecNames, standing_for_build, standing_for_planning};
use windlass_jobs::doc::tasks::TaskFile;
use windlass_jobs::doc::tasks::sources::Boxes;

pub use migrate::{Migration, MigrationError, PlanForm, migration};
pub use specs::{FoundSpecs, SkippedFile, find_specs};

pub use windlass_jobs::doc::tasks::sources::INDEX as README;

use crate::document;
use crate::tasks::{Latest, read};
use windlass_host::tree::at;

/// A plan as it was found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FoundPlan {
    /// What it says.
    pub plan: Arc<Plan>,
    /// A digest of all its files' names and bytes; empty where there is no plan.
    pub mark: String,
}

/// Reads the plan of a job: its folder where that has a `README.md`, else its file. Never fails: what cannot be read is named
/// by [`Plan::faults`], and no file at all is [`Plan::is_missing`].
pub fn find_plan(directory: &Path, places: &JobPlan) -> FoundPlan {
    static LATEST: Latest<Plan> = Latest::new();
    let (plan, mark) = LATEST.read(files(directory, places), Plan::parse);
    FoundPlan { plan, mark }
}

/// The files of the plan that is in force. None when there is none.
fn files(directory: &Path, places: &JobPlan) -> Vec<TaskFile> {
    let is_there = |folder: &&PathBuf| at(directory).join(folder).join(README).is_taken();
    match places.folder.as_ref().filter(is_there) {
        Some(folder) => read::folder(directory, folder, &Boxes),
        None => read::alone(directory, &places.file, &Boxes).into_iter().collect(),
    }
}

/// How a job in mode plan or build stands; `None` in other modes.
pub fn standing(directory: &Path, places: &JobPlan, mode: Mode) -> Option<JobStatus> {
    match mode.claim() {
        ClaimSource::Boxes => {
            let FoundPlan { plan, mark } = find_plan(directory, places);
            Some(standing_for_build(&plan, &mark))
        }
        ClaimSource::UnchangedPlan => {
            let FoundPlan { plan, mark } = find_plan(directory, places);
            Some(standing_for_planning(&plan, &spec_names(directory, places), &mark))
        }
        ClaimSource::Phrase
        | ClaimSource::StatusFile
        | ClaimSource::Document
        | ClaimSource::Tasks
        | ClaimSource::Judgement => None,
    }
}

/// The names of a job's specs.
pub fn spec_names(directory: &Path, places: &JobPlan) -> SpecNames {
    find_specs(directory, places).names
}

/// Whether a path, relative to the working directory, belongs to the plan: it may be written while planning.
pub fn is_plan(path: &Path, places: &JobPlan) -> bool {
    let in_folder = |folder: &PathBuf| path.strip_prefix(folder).is_ok_and(is_plan_document);
    path == places.file || places.folder.as_ref().is_some_and(in_folder)
}

/// A document of the folder or of its archive, by the ending that its reader goes by. A folder of this name can hold other
/// things, and code.
fn is_plan_document(path: &Path) -> bool {
    let within = path.strip_prefix(".archive").unwrap_or(path);
    within.components().count() == 1
        && within.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("md"))
}

/// The [`FoundPlan::mark`] of the plan that is in force, without reading what it says.
pub fn mark(directory: &Path, places: &JobPlan) -> String {
    document::shown(&document::whole_mark(&files(directory, places)))
}

/// What shows that the plan has changed: its file, its folder, and the files in there.
pub fn watched(directory: &Path, places: &JobPlan) -> Vec<PathBuf> {
    /// A look at each file costs a call of the system; what is beyond these is seen when the agent has ended.
    const MOST_WATCHED: usize = 200;
    let folder = places.folder.as_ref().map(|folder| directory.join(folder));
    let files = files(directory, places).into_iter().map(|file| directory.join(file.name));
    let mut watched: Vec<PathBuf> =
        folder.into_iter().chain([directory.join(&places.file)]).chain(files).take(MOST_WATCHED).collect();
    watched.dedup();
    watched
}
