//! `verify --plan`: the plan beside its specs, without an agent.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use windlass_core::config::{Layer, Unlimited};
use windlass_core::spec::{JobPlan, Mode};
use windlass_core::values::{ExitCodes, StopReason};
use windlass_engine::plan::{FoundPlan, FoundSpecs, README, find_plan, find_specs};
use windlass_host::tree;
use windlass_jobs::doc::plan::{Problem, ProblemKind, Spec, coverage};
use windlass_ui::{PlanShown, plan_json, plan_text};

use super::{print, print_bytes, stdout};
use crate::commands::app;
use windlass_app::configuration::Configuration;
use windlass_app::{AppError, Kind};

/// What it ends with when the plan cannot be read.
const UNREADABLE: u8 = 2;

/// How the answer is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// For people.
    Text,
    /// One JSON document.
    Json,
    /// Only by the exit code.
    ExitCode,
}

/// Does it. `place` is a file or a folder; `None` = where the configuration says.
///
/// # Errors
/// There is no plan, or the configuration cannot be read.
pub fn run(place: Option<&Path>, answer: Answer) -> Result<ExitCode, AppError> {
    let directory = app()?.directory().to_owned();
    let configuration =
        Configuration::load(&directory, None, Mode::Build, Layer::default(), Unlimited::Allowed)?;
    let places = at(&directory, places(&configuration), place)?;
    let FoundPlan { plan, .. } = find_plan(&directory, &places);
    if plan.is_missing() {
        return Err(missing(&places));
    }
    let found = find_specs(&directory, &places);
    let mut skipped: Vec<String> =
        found.skipped.iter().map(|one| format!("{} {}", one.path, one.why)).collect();
    let specs = read(&found, &mut skipped);
    let problems = plan.problems(&found.names);
    let exit_code = exit_code(&problems, configuration.resolved.exit_codes);
    let shown = PlanShown {
        place: &shown_place(&places, plan.is_folder()),
        plan: &plan,
        specs: &found.names,
        coverage: &coverage(&plan, &found.names, &specs),
        problems: &problems,
        skipped: &skipped,
        exit_code,
    };
    match answer {
        Answer::Text => print(&plan_text(&shown, &stdout()))?,
        Answer::Json => print_bytes(&plan_json(&shown))?,
        Answer::ExitCode => {}
    }
    Ok(ExitCode::from(exit_code))
}

/// Where the configuration says that plan and specs are.
pub fn places(configuration: &Configuration) -> JobPlan {
    let plan = &configuration.resolved.plan;
    JobPlan {
        file: plan.file.clone(),
        folder: plan.folder.clone(),
        specs: plan.specs.clone(),
        smart_termination: plan.smart_termination,
    }
}

/// The same with the plan at another place, where one is named.
fn at(directory: &Path, places: JobPlan, place: Option<&Path>) -> Result<JobPlan, AppError> {
    let Some(place) = place else { return Ok(places) };
    let there = tree::at(directory).join(place);
    let is_folder = there.holds_folder();
    if is_folder && !there.join(README).is_taken() {
        let message = format!("{} is no plan: it has no {README}", place.display());
        return Err(AppError::usage(message));
    }
    let (file, folder) = (place.to_owned(), is_folder.then(|| place.to_owned()));
    Ok(JobPlan { file, folder, ..places })
}

/// The error that says that there is no plan.
pub fn missing(places: &JobPlan) -> AppError {
    let folder = places.folder.as_ref().map(|folder| format!(" and no {}", folder.join(README).display()));
    let message = format!("there is no plan: no {}{}", places.file.display(), folder.unwrap_or_default());
    AppError::new(Kind::Configuration, message)
        .hint("windlass plan            writes one from the specs")
        .hint("windlass init --plan     makes specs/, from which `windlass plan` writes one")
}

/// Where the plan is, for people.
pub fn shown_place(places: &JobPlan, is_folder: bool) -> String {
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
