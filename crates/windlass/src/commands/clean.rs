//! `clean`: a workspace is archived, then deleted.

use windlass_app::workspaces::archive::Afterwards;
use windlass_app::workspaces::guard::Guard;
use windlass_app::workspaces::{CleanWorkspace, CleanedWorkspace};
use windlass_app::{AppError, Consent};

use super::{app, archive, done, from_here, nothing_deleted, print_lines};
use crate::args::CleanArgs;

/// Does it.
pub fn run(args: &CleanArgs) -> Result<(), AppError> {
    let app = app()?;
    let Some(name) = &args.name else {
        return guard_removed(&app.remove_guard()?);
    };
    let request =
        CleanWorkspace { name: name.clone(), for_good: args.no_archive, consent: Consent::by_flag(args.yes) };
    match app.clean_workspace(&request)? {
        None => nothing_deleted(),
        Some(CleanedWorkspace::Archived(archived)) => archive::tell(name, &archived, Afterwards::Remove),
        Some(CleanedWorkspace::Deleted) => {
            let line = done(&format!("workspace {name} is deleted"));
            print_lines(&[line.dim("; its runs stay: windlass runs")])
        }
    }
}

fn guard_removed(guard: &Guard) -> Result<(), AppError> {
    let said =
        if guard.changed { "the pre-commit guard is removed: " } else { "there is no pre-commit guard: " };
    print_lines(&[done(&format!("{said}{}", from_here(&guard.path)))])
}
