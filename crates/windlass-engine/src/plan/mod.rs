//! Plans and specs on disk: found, read within bounds, and what cannot be read said.

mod migrate;
mod read;
mod specs;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

use windlass_core::spec::{ClaimSource, JobPlan, Mode};
use windlass_core::values::JobStatus;
use windlass_jobs::doc::plan::{
    FileRole, Plan, PlanFile, SpecNames, standing_for_build, standing_for_planning,
};

pub use migrate::{Migration, MigrationError, PlanForm, migration};
pub use specs::{FoundSpecs, SkippedFile, find_specs};

use crate::document;

/// The file that makes a folder a plan.
pub const README: &str = "README.md";

/// A plan as it was found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FoundPlan {
    /// What it says.
    pub plan: Plan,
    /// A digest of all its files' names and bytes; empty where there is no plan.
    pub mark: String,
}

/// Reads the plan of a job: its folder where that has a `README.md`, else its file. Never fails: what cannot be read is named
/// by [`Plan::faults`], and no file at all is [`Plan::is_missing`].
pub fn find_plan(directory: &Path, places: &JobPlan) -> FoundPlan {
    let files = read::files(directory, places);
    let mark = mark_of(&files);
    FoundPlan { plan: Plan::parse(files), mark }
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
        ClaimSource::Phrase | ClaimSource::StatusFile | ClaimSource::Tasks | ClaimSource::Judgement => None,
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

/// A document of the folder or of its archive. A folder of this name can hold other things, and code.
fn is_plan_document(path: &Path) -> bool {
    let within = path.strip_prefix(".archive").unwrap_or(path);
    within.components().count() == 1 && within.extension().is_some_and(|ending| ending == "md")
}

/// The [`FoundPlan::mark`] of the plan that is in force, without reading what it says.
pub fn mark(directory: &Path, places: &JobPlan) -> String {
    mark_of(&read::files(directory, places))
}

/// What shows that the plan has changed: its file, its folder, and the files in there.
pub fn watched(directory: &Path, places: &JobPlan) -> Vec<PathBuf> {
    /// A look at each file costs a call of the system; what is beyond these is seen when the agent has ended.
    const MOST_WATCHED: usize = 200;
    let folder = places.folder.as_ref().map(|folder| directory.join(folder));
    let files = read::files(directory, places).into_iter().map(|file| directory.join(file.name));
    let mut watched: Vec<PathBuf> =
        folder.into_iter().chain([directory.join(&places.file)]).chain(files).take(MOST_WATCHED).collect();
    watched.dedup();
    watched
}

fn mark_of(files: &[PlanFile]) -> String {
    document::mark(files.iter().map(|file| (file.name.as_str(), &file.content)))
}

/// What a file of a folder is in the plan.
fn role(name: &str) -> FileRole {
    if name == README { FileRole::Index } else { FileRole::Feature }
}
