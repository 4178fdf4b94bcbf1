//! `archive`: workspaces are put away, and come back.

mod delete;
mod look;
mod restore;
mod save;

use std::process::ExitCode;

use windlass_engine::workspace::archive::{Afterwards, ArchiveError, OutsideLinks};

pub use save::said;

use super::Shape;
use super::question::Consent;
use super::workspaces::Project;
use crate::args::{ArchiveArgs, ArchiveVerb};
use crate::error::{CliError, Kind};

/// Does it.
pub fn run(args: &ArchiveArgs) -> Result<ExitCode, CliError> {
    let project = Project::find()?;
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

impl From<ArchiveError> for CliError {
    fn from(error: ArchiveError) -> CliError {
        let said = |kind| CliError::new(kind, error.to_string());
        match &error {
            ArchiveError::BadName(_) => said(Kind::Usage).hint("All there are: windlass archive list"),
            ArchiveError::NoSuch { near, .. } if near.is_empty() => {
                said(Kind::Usage).hint("All there are: windlass archive list")
            }
            ArchiveError::NoSuch { near, .. } => {
                let names = near.iter().map(|name| format!("  {name}"));
                names.fold(said(Kind::Usage).hint("Perhaps one of these:"), CliError::hint)
            }
            ArchiveError::NoArchive { .. }
            | ArchiveError::Exists { .. }
            | ArchiveError::NoFolder { .. }
            | ArchiveError::Unarchivable { .. } => said(Kind::Usage),
            ArchiveError::Damaged { .. } => {
                said(Kind::System).hint("It was left as it is; nothing was made of it.")
            }
            ArchiveError::LeadsOutside { .. } => said(Kind::System)
                .hint("Nothing was made of it. To make such links as well, add --outside-links"),
            ArchiveError::Hostile { .. } | ArchiveError::TooLarge { .. } => {
                said(Kind::System).hint("Nothing was made of it.")
            }
            _ if error.is_disk_full() => said(crate::error::DISK_FULL),
            ArchiveError::File(_) | ArchiveError::Changed { .. } | ArchiveError::Unfaithful { .. } => {
                said(Kind::System)
            }
            ArchiveError::Workspace(_) => match error {
                ArchiveError::Workspace(error) => error.into(),
                _ => said(Kind::Internal),
            },
        }
    }
}
