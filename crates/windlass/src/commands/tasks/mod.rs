//! `tasks list|next|graph|validate|add|done|reopen`.

mod change;
mod look;

use std::process::ExitCode;

use windlass_core::config::{Layer, Unlimited};
use windlass_core::spec::Mode;
use windlass_core::values::ExitCodes;
use windlass_engine::tasks::{FoundTasks, Wanted, find_tasks};

use crate::args::{TasksArgs, TasksPlaceArgs, TasksVerb};
use crate::commands::app;
use windlass_app::AppError;
use windlass_app::configuration::Configuration;

/// Does it.
///
/// # Errors
/// There is no task file, or what is asked for cannot be done.
pub fn run(args: &TasksArgs) -> Result<ExitCode, AppError> {
    let default = TasksVerb::List { place: args.place.clone(), json: args.json };
    match args.verb.as_ref().unwrap_or(&default) {
        TasksVerb::List { place, json } => look::list(place, super::Shape::of(*json)),
        TasksVerb::Next { place, json } => look::next(place, super::Shape::of(*json)),
        TasksVerb::Graph { place, json: true, .. } => look::list(place, super::Shape::Json),
        TasksVerb::Graph { place, format, .. } => look::graph(place, *format),
        TasksVerb::Validate { place, json, quiet } => look::validate(place, look::Answer::of(*json, *quiet)),
        TasksVerb::Add(args) => change::add(args),
        TasksVerb::Done(args) => change::mark(args, windlass_core::values::TaskState::Done),
        TasksVerb::Reopen(args) => change::mark(args, windlass_core::values::TaskState::Open),
    }
}

/// Finds and reads the tasks that are meant.
fn find(place: &TasksPlaceArgs) -> Result<(FoundTasks, ExitCodes), AppError> {
    let directory = app()?.directory().to_owned();
    let configuration =
        Configuration::load(&directory, None, Mode::Goal, Layer::default(), Unlimited::Allowed)?;
    let configured = configuration.resolved.tasks.file.as_deref();
    let wanted = match (&place.file, &place.feature, configured) {
        (Some(file), _, _) => Wanted::Place(file),
        (None, Some(feature), _) => Wanted::Feature(feature),
        (None, None, Some(file)) => Wanted::Place(file),
        (None, None, None) => Wanted::Usual,
    };
    let found = find_tasks(&directory, wanted)?;
    Ok((found, configuration.resolved.exit_codes))
}
