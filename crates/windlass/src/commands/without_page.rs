//! `web`, in a program that was built without the page.

use windlass_app::AppError;

use crate::args::WebArgs;

/// Says so.
pub fn run(_: &WebArgs) -> Result<(), AppError> {
    Err(AppError::usage("this windlass was built without the page")
        .hint("What it would show, as text: windlass report --last-night")
        .hint("A program with it: cargo install --path crates/windlass"))
}
