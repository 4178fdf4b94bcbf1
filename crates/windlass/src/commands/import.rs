//! `import`: takes over the files of other tools.

use std::process::ExitCode;

use windlass_app::AppError;
use windlass_app::import::ImportFiles;
use windlass_ui::{ImportState, import_json, import_text};

use super::{app, print, print_bytes, stdout};
use crate::args::ImportArgs;

/// Does it.
pub fn run(args: &ImportArgs) -> Result<ExitCode, AppError> {
    let request = ImportFiles { from: args.from.clone(), with_users: args.user };
    let app = app()?;
    let (rows, state) = if args.dry_run {
        (app.look_at_import(&request)?, ImportState::LookedAt)
    } else {
        (app.import(&request)?, ImportState::Done)
    };
    if args.json {
        print_bytes(&import_json(&rows, state))?;
    } else {
        print(&import_text(&rows, state, &stdout()))?;
    }
    Ok(ExitCode::SUCCESS)
}
