//! `show`: one workspace.

use std::path::Path;

use jiff::Timestamp;
use windlass_app::AppError;
use windlass_ui::{workspace_json, workspace_text};

use super::{app, from_here, print, print_bytes, stdout};
use crate::args::ShowArgs;

/// Does it.
pub fn run(args: &ShowArgs) -> Result<(), AppError> {
    let mut shown = app()?.workspace(&args.name)?;
    if args.json {
        print_bytes(&workspace_json(&shown))
    } else {
        shown.folder = from_here(Path::new(&shown.folder));
        print(&workspace_text(&shown, Timestamp::now(), &stdout()))
    }
}
