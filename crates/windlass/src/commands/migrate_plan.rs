//! `migrate-plan`: a plan in one file becomes a folder, and back.

use windlass_app::AppError;
use windlass_app::plan::{MigratePlan, PlanForm, PlanMigrated};
use windlass_core::values::Extent;
use windlass_ui::{Line, migration_text};

use super::{app, print, print_lines, stdout};
use crate::args::{MigratePlanArgs, PlanTo};

/// Does it.
pub fn run(args: &MigratePlanArgs) -> Result<(), AppError> {
    let migrated = app()?.migrate_plan(&MigratePlan {
        to: match args.to {
            PlanTo::Folder => PlanForm::Folder,
            PlanTo::File => PlanForm::File,
        },
        also_few: args.force,
        extent: Extent::of(args.dry_run),
    })?;
    match migrated {
        PlanMigrated::Already(why) => print_lines(&[Line::new().dim(format!("nothing to do: {why}"))]),
        PlanMigrated::Moved(shown) => print(&migration_text(&shown, &stdout())),
    }
}
