//! Going to the project that tasks are worked on where the current directory has no job.

use std::env;

use windlass_app::configuration::default_project::{KEY, unusable};
use windlass_app::{AppError, quoted};
use windlass_ui::{one_line, typed_elsewhere};

use super::{app, warn};
use crate::args::Verb;

/// Is this verb about tasks, wherever they are?
pub fn concerns(verb: &Verb) -> bool {
    match verb {
        Verb::Continue(_) => true,
        Verb::Status(args) => args.run.is_none(),
        Verb::Report(args) => args.runs.is_empty() && !args.last_night,
        Verb::Run(args) => args.mode.as_deref() == Some("tasks"),
        // Who names a file means one from here.
        Verb::Tasks(args) => !args.names_a_file(),
        _ => false,
    }
}

/// Goes there, where the current directory has no job and a project is configured; says so.
pub fn enter() -> Result<(), AppError> {
    let Some(project) = app()?.default_project()? else { return Ok(()) };
    env::set_current_dir(&project).map_err(|error| unusable(&project, &error.to_string()))?;
    typed_elsewhere(&quoted(project.as_os_str()));
    warn(&format!(
        "there is no job here, so this is about {} ({KEY})",
        one_line(&project.display().to_string())
    ));
    Ok(())
}
