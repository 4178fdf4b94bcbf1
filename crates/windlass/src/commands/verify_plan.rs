//! `verify --plan`: the plan beside its specs, without an agent.

use std::path::Path;
use std::process::ExitCode;

use windlass_app::AppError;
use windlass_ui::{plan_json, plan_text};

use super::{app, print, print_bytes, stdout};

/// How the answer is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnswerFormat {
    /// For people.
    Text,
    /// One JSON document.
    Json,
    /// Only by the exit code.
    ExitCode,
}

/// Does it. `place` is a file or a folder; `None` = where the configuration says.
///
/// # Errors
/// There is no plan, or the configuration cannot be read.
pub fn run(place: Option<&Path>, answer: AnswerFormat) -> Result<ExitCode, AppError> {
    let plan = app()?.check_plan(place)?;
    match answer {
        AnswerFormat::Text => print(&plan_text(&plan, &stdout()))?,
        AnswerFormat::Json => print_bytes(&plan_json(&plan))?,
        AnswerFormat::ExitCode => {}
    }
    Ok(ExitCode::from(plan.exit_code))
}
