//! The plan of a project: compared with its specs, and moved from a file to a folder and back.

use std::path::{Path, PathBuf};

use windlass_core::spec::{JobPlan, Mode};
use windlass_core::values::{ExitCodes, Extent, StopReason};
use windlass_engine::plan::{
    FoundPlan, FoundSpecs, Migration, MigrationError, README, find_plan, find_specs, migration,
};
use windlass_engine::tasks::{near_places, read_tasks};
use windlass_host::tree;
use windlass_jobs::doc::plan::{Problem, ProblemKind, Spec, coverage};
use windlass_ui::{MigrationShown, PlanShown};

pub use windlass_engine::plan::PlanForm;

use crate::app::App;
use crate::configuration::Configuration;
use crate::error::{AppError, Kind};
use crate::here::Here;
use crate::inspect::which;
use crate::run::{Work, broken_records, has_records, unreadable, with_works};
use crate::text::quoted;

/// What a check ends with when the plan cannot be read.
const UNREADABLE: u8 = 2;

/// A plan that is to take another form.
#[derive(Clone, Copy, Debug)]
pub struct MigratePlan {
    /// Which.
    pub to: PlanForm,
    /// Also where a folder is hardly worth it.
    pub also_few: bool,
    /// Is it done?
    pub extent: Extent,
}

/// What became of it.
pub enum PlanMigrated {
    /// It has this form: a sentence.
    Already(String),
    /// What was done, or would be.
    Moved(MigrationShown),
}

impl App {
    /// Compares the plan with its specs, without an agent. `place` is a file or a folder; `None` = where the configuration
    /// says.
    ///
    /// # Errors
    /// There is no plan, or the configuration cannot be read.
    pub fn check_plan(&self, place: Option<&Path>) -> Result<PlanShown, AppError> {
        let directory = self.directory();
        let configuration = Configuration::read(directory, None, Mode::Build)?;
        let places = at(directory, configuration.resolved.plan.clone(), place)?;
        let FoundPlan { plan, .. } = find_plan(directory, &places);
        if plan.is_missing() {
            return Err(missing(&places));
        }
        if !plan.is_folder() {
            refuse_tasks(directory, &places.file)?;
        }
        let found = find_specs(directory, &places);
        let mut skipped: Vec<String> =
            found.skipped.iter().map(|one| format!("{} {}", one.path, one.why)).collect();
        let specs = read(&found, &mut skipped);
        let problems = plan.problems(&found.names);
        Ok(PlanShown {
            place: shown_place(&places, plan.is_folder()),
            coverage: coverage(&plan, &found.names, &specs),
            exit_code: exit_code(&problems, configuration.resolved.exit_codes),
            plan,
            specs: found.names,
            problems,
            skipped,
        })
    }

    /// Moves the plan from its file to a folder, or back.
    ///
    /// # Errors
    /// There is no plan, a run works here, or a folder is hardly worth it.
    pub fn migrate_plan(&self, request: &MigratePlan) -> Result<PlanMigrated, AppError> {
        let here = Here::find(self)?;
        let configuration = Configuration::read(&here.directory, None, Mode::Build)?;
        let places = configuration.resolved.plan.clone();
        let migration = match migration(&here.directory, &places, request.to) {
            Ok(migration) => migration,
            Err(already @ MigrationError::Already(_)) => {
                return Ok(PlanMigrated::Already(already.to_string()));
            }
            Err(error) => return Err(told(error, &places)),
        };
        if request.to == PlanForm::Folder {
            refuse_tasks(&here.directory, &places.file)?;
        }
        let (tasks, least) = (migration.tasks, configuration.resolved.migrate_at);
        if request.to == PlanForm::Folder && tasks < least as usize && !request.also_few {
            let tasks = if tasks == 1 { "1 task".to_owned() } else { format!("{tasks} tasks") };
            return Err(AppError::usage(format!(
                "the plan has {tasks}: a folder is worth it from {least} (plan.migrate_at)"
            ))
            .hint("Do it all the same: windlass migrate-plan --force"));
        }
        if request.extent == Extent::Act {
            which::refuse_live(&here)?;
            migration.carry_out().map_err(|error| told(error, &places))?;
        }
        Ok(PlanMigrated::Moved(shown(&migration, &places, request.extent)))
    }
}

/// The same with the plan at another place, where one is named.
fn at(directory: &Path, places: JobPlan, place: Option<&Path>) -> Result<JobPlan, AppError> {
    let Some(place) = place else { return Ok(places) };
    let there = tree::at(directory).join(place);
    let is_folder = there.holds_folder();
    if is_folder && !there.join(README).is_taken() {
        let message = format!("{} is not a plan: it has no {README}", place.display());
        let found = std::iter::once(read_tasks(directory, place)).chain(near_places(directory, place));
        let works: Vec<Work> = found.filter_map(|found| Work::of(&found)).collect();
        return Err(with_works(AppError::usage(message), &works, check));
    }
    let (file, folder) = (place.to_owned(), is_folder.then(|| place.to_owned()));
    Ok(JobPlan { file, folder, ..places })
}

/// A list of tasks with ids and states is not a plan, and is looked at as what it is.
fn refuse_tasks(directory: &Path, file: &Path) -> Result<(), AppError> {
    let found = read_tasks(directory, file);
    if let Some(problem) = unreadable(&found.list) {
        let near = near_places(directory, file);
        let works: Vec<Work> = near.iter().filter_map(Work::of).collect();
        let error = with_works(AppError::usage(problem.to_string()), &works, check);
        return if works.is_empty() && !has_records(file) { Ok(()) } else { Err(error) };
    }
    if let Some(problem) = broken_records(&found) {
        return Err(AppError::usage(problem.to_string()));
    }
    match Work::of(&found).filter(|work| work.mode == Mode::Tasks) {
        Some(work) => Err(AppError::usage(format!("{} holds {}, and is not a plan", work.place, work.holds))
            .hint(format!("See what is wrong with it: {}", check(&work)))),
        None => Ok(()),
    }
}

/// The command that says what is wrong with a list.
fn check(work: &Work) -> String {
    let place = quoted(work.place.as_ref());
    match work.mode {
        Mode::Build => format!("windlass verify --plan={place}"),
        _ => format!("windlass tasks validate -f {place}"),
    }
}

/// The error that says that there is no plan.
fn missing(places: &JobPlan) -> AppError {
    let folder = places.folder.as_ref().map(|folder| format!(" and no {}", folder.join(README).display()));
    let message = format!("there is no plan: no {}{}", places.file.display(), folder.unwrap_or_default());
    AppError::new(Kind::Configuration, message)
        .hint("Have one written from the specs: windlass plan")
        .hint("Make specs to plan from: windlass init --plan")
}

/// Where the plan is, for people.
fn shown_place(places: &JobPlan, is_folder: bool) -> String {
    let folder: Option<&PathBuf> = places.folder.as_ref().filter(|_| is_folder);
    folder.unwrap_or(&places.file).display().to_string()
}

fn read(found: &FoundSpecs, skipped: &mut Vec<String>) -> Vec<Spec> {
    let mut specs = Vec::new();
    for name in found.names.names() {
        match found.text(name) {
            Ok(text) => specs.push(Spec::parse(name, &text)),
            Err(file) => skipped.push(format!("{} {}", file.path, file.why)),
        }
    }
    specs
}

fn exit_code(problems: &[Problem], codes: ExitCodes) -> u8 {
    let is_unreadable = |problem: &Problem| {
        use ProblemKind::{NotUtf8, TooDeep, TooLong, Unreadable};
        matches!(problem.kind, Unreadable | NotUtf8 | TooLong | TooDeep)
    };
    if problems.is_empty() {
        0
    } else if problems.iter().any(is_unreadable) {
        UNREADABLE
    } else {
        StopReason::GatesFailing.exit_code(codes)
    }
}

fn shown(migration: &Migration, places: &JobPlan, extent: Extent) -> MigrationShown {
    MigrationShown {
        from: migration.from.display().to_string(),
        to: shown_place(places, migration.to == PlanForm::Folder),
        backup: migration.backup.display().to_string(),
        tasks: migration.tasks as u64,
        files: migration
            .files
            .iter()
            .map(|(path, tasks)| (path.display().to_string(), *tasks as u64))
            .collect(),
        extent,
    }
}

/// Where there is no plan it is said where one was looked for.
fn told(error: MigrationError, places: &JobPlan) -> AppError {
    match error {
        MigrationError::Missing => missing(places),
        other => other.into(),
    }
}
