//! `archive`: workspaces are put away, and come back.

mod delete;
mod look;
mod restore;
mod save;

use std::process::ExitCode;

use windlass_engine::workspace::archive::{Afterwards, OutsideLinks};

pub use save::said;

use super::Shape;
use super::question::Consent;
use crate::args::{ArchiveArgs, ArchiveVerb};
use crate::commands::app;
use windlass_app::AppError;
use windlass_app::workspaces::Project;

/// Does it.
pub fn run(args: &ArchiveArgs) -> Result<ExitCode, AppError> {
    let project = Project::find(&app()?)?;
    match &args.verb {
        ArchiveVerb::Save { workspace, keep } => {
            let afterwards = if *keep { Afterwards::Keep } else { Afterwards::Remove };
            save::run(&project, workspace, afterwards)
        }
        ArchiveVerb::List { json } => look::list(&project, Shape::of(*json)),
        ArchiveVerb::Restore { archive, name, outside_links } => {
            let outside = if *outside_links { OutsideLinks::Allow } else { OutsideLinks::Refuse };
            restore::run(&project, archive, name.as_deref(), outside)
        }
        ArchiveVerb::Show { archive, json } => look::show(&project, archive, Shape::of(*json)),
        ArchiveVerb::Delete { archive, force } => delete::run(&project, archive, Consent::by_flag(*force)),
    }?;
    Ok(ExitCode::SUCCESS)
}
