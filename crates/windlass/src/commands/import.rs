//! `import`: takes over the files of other tools.

use std::process::ExitCode;

use windlass_app::AppError;
use windlass_app::import::ImportFiles;
use windlass_core::values::Extent;
use windlass_ui::{import_json, import_text};

use super::{app, print, print_bytes, stdout};
use crate::args::ImportArgs;

/// Does it.
pub fn run(args: &ImportArgs) -> Result<ExitCode, AppError> {
    let request = ImportFiles { from: args.from.clone(), with_users: args.user };
    let extent = Extent::of(args.dry_run);
    let rows = app()?.import(&request, extent)?;
    if args.json {
        print_bytes(&import_json(&rows, extent))?;
    } else {
        print(&import_text(&rows, extent, &stdout()))?;
    }
    Ok(ExitCode::SUCCESS)
}
