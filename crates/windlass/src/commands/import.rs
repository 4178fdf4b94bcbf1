//! `import`: takes over the files of other tools.

use windlass_app::AppError;
use windlass_app::import::ImportFiles;
use windlass_core::values::Extent;
use windlass_ui::{import_json, import_text};

use super::{Shape, app, stdout};
use crate::args::ImportArgs;

/// Does it.
pub fn run(args: &ImportArgs) -> Result<(), AppError> {
    let request = ImportFiles { from: args.from.clone(), with_users: args.user };
    let extent = Extent::of(args.dry_run);
    let rows = app()?.import(&request, extent)?;
    Shape::of(args.json).print(|| import_json(&rows, extent), || import_text(&rows, extent, &stdout()))
}
