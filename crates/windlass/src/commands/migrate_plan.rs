//! `migrate-plan`: a plan in one file becomes a folder, and back.

use std::process::ExitCode;

use windlass_core::config::{Layer, Unlimited};
use windlass_core::spec::{JobPlan, Mode};
use windlass_core::values::{ExitCodes, StopReason};
use windlass_engine::plan::{Migration, MigrationError, PlanForm, migration};
use windlass_engine::store::lock;
use windlass_ui::{Line, MigrationShown, MigrationState, migration_text};

use super::{print, print_lines, stdout, verify_plan};
use crate::args::{MigratePlanArgs, PlanTo};
use crate::commands::app;
use windlass_app::configuration::Configuration;
use windlass_app::here::Here;
use windlass_app::run::launch::holder_in_words;
use windlass_app::{AppError, Kind};

/// Does it.
pub fn run(args: &MigratePlanArgs) -> Result<ExitCode, AppError> {
    let here = Here::find(&app()?)?;
    let configuration =
        Configuration::load(&here.directory, None, Mode::Build, Layer::default(), Unlimited::Allowed)?;
    let settings = &configuration.resolved.plan;
    let places = verify_plan::places(&configuration);
    let form = match args.to {
        PlanTo::Folder => PlanForm::Folder,
        PlanTo::File => PlanForm::File,
    };
    let migration = match migration(&here.directory, &places, form) {
        Ok(migration) => migration,
        Err(already @ MigrationError::Already(_)) => {
            print_lines(&[Line::new().dim(format!("nothing to do: {already}"))])?;
            return Ok(ExitCode::SUCCESS);
        }
        Err(error) => return Err(told(error, &places)),
    };
    let few = form == PlanForm::Folder && migration.tasks < settings.migrate_at as usize;
    if few && !args.force {
        let (tasks, least) = (migration.tasks, settings.migrate_at);
        return Err(AppError::usage(format!(
            "the plan has {tasks} tasks: a folder is worth it from {least} (plan.migrate_at)"
        ))
        .hint("Do it all the same: windlass migrate-plan --force"));
    }
    if !args.dry_run {
        refuse_live(&here, configuration.resolved.exit_codes)?;
        migration.carry_out().map_err(|error| told(error, &places))?;
    }
    let state = if args.dry_run { MigrationState::LookedAt } else { MigrationState::Done };
    print(&migration_text(&shown(&migration, &places, state), &stdout()))?;
    Ok(ExitCode::SUCCESS)
}

/// A run that works here may be about to write what is to be changed.
pub fn refuse_live(here: &Here, codes: ExitCodes) -> Result<(), AppError> {
    match lock::holder(&here.project, &here.directory)?.filter(lock::Holder::is_alive) {
        None => Ok(()),
        Some(holder) => {
            let message = format!("{} works in {}", holder_in_words(&holder.run), here.directory.display());
            Err(AppError::new(Kind::stopped(StopReason::Locked, codes), message)
                .hint(format!("End it after its iteration: windlass stop {}", holder.run)))
        }
    }
}

fn shown(migration: &Migration, places: &JobPlan, state: MigrationState) -> MigrationShown {
    MigrationShown {
        from: migration.from.display().to_string(),
        to: verify_plan::shown_place(places, migration.to == PlanForm::Folder),
        backup: migration.backup.display().to_string(),
        tasks: migration.tasks as u64,
        files: migration
            .files
            .iter()
            .map(|(path, tasks)| (path.display().to_string(), *tasks as u64))
            .collect(),
        state,
    }
}

/// Where there is no plan it is said where one was looked for.
fn told(error: MigrationError, places: &JobPlan) -> AppError {
    match error {
        MigrationError::Missing => verify_plan::missing(places),
        other => other.into(),
    }
}
