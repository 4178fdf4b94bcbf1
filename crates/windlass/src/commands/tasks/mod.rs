//! `tasks list|next|graph|validate|add|done|reopen`.

mod change;
mod look;

use std::process::ExitCode;

use windlass_core::config::{Layer, Unlimited};
use windlass_core::spec::Mode;
use windlass_core::values::ExitCodes;
use windlass_engine::tasks::{FoundTasks, TasksError, Wanted, find_tasks};

use super::configuration::Configuration;
use super::here::working_directory;
use crate::args::{TasksArgs, TasksPlaceArgs, TasksVerb};
use crate::error::{CliError, Kind};

/// Does it.
///
/// # Errors
/// There is no task file, or what is asked for cannot be done.
pub fn run(args: &TasksArgs) -> Result<ExitCode, CliError> {
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
fn find(place: &TasksPlaceArgs) -> Result<(FoundTasks, ExitCodes), CliError> {
    let directory = working_directory()?;
    let configuration =
        Configuration::load(&directory, None, Mode::Goal, Layer::default(), Unlimited::Allowed)?;
    let configured = configuration.resolved.tasks.file.as_deref();
    let wanted = match (&place.file, &place.feature, configured) {
        (Some(file), _, _) => Wanted::Place(file),
        (None, Some(feature), _) => Wanted::Feature(feature),
        (None, None, Some(file)) => Wanted::Place(file),
        (None, None, None) => Wanted::Usual,
    };
    let found = find_tasks(&directory, wanted).map_err(|error| told(&error))?;
    Ok((found, configuration.resolved.exit_codes))
}

/// An error of the engine for a person.
fn told(error: &TasksError) -> CliError {
    let message = error.to_string();
    match error {
        TasksError::Missing { .. } => CliError::new(Kind::Configuration, message)
            .hint("windlass tasks --file PATH   reads another one; tasks.file in the configuration names it for good"),
        TasksError::NotThere(_) => CliError::new(Kind::Configuration, message),
        TasksError::Unreadable(_) | TasksError::NoPlace { .. } | TasksError::Unclear { .. } => {
            CliError::usage(message).hint("See what is wrong: windlass tasks validate")
        }
        TasksError::NoTask { .. } => CliError::usage(message).hint("See which there are: windlass tasks list"),
        TasksError::NoFeature(_) | TasksError::Refused(_) | TasksError::InTheWay(_) => CliError::usage(message),
        TasksError::Changed(_) => CliError::new(Kind::System, message).hint("Do it again."),
        TasksError::File(_) => CliError::new(Kind::System, message).hint("The task file is as it was."),
    }
}
