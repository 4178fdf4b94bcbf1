//! What the command line asks to be done: a goal, a workspace, a plan, tasks.

use std::io;
use std::path::Path;
use windlass_core::values::Named;

use windlass_app::run::{Goal, NamedTasks, WantedJob, Work, with_works};
use windlass_app::{App, AppError, Kind, Reply, quoted};
use windlass_core::spec::Mode;
use windlass_ui::one_line;

use super::question;
use super::terminal::has_terminal;
use crate::args::RunArgs;
use crate::scripted_agent::Script;

/// The job that is named.
///
/// # Errors
/// What is said does not go together, or a goal cannot be read.
pub fn job(args: &RunArgs) -> Result<WantedJob, AppError> {
    let mode = args.mode.as_deref().map(parse_mode).transpose()?;
    if let Some(flag) = args.issues.given().filter(|_| !mode.is_some_and(Mode::has_tasks)) {
        return Err(AppError::usage(format!(
            "`{flag}` belongs to tasks: windlass run --mode tasks --source github:OWNER/NAME"
        )));
    }
    if let Some(mode) = mode.filter(|mode| mode.has_plan()) {
        refuse_job_flags(args, mode)?;
        let file = args.file.clone();
        return Ok(WantedJob::Plan { file, mode });
    }
    if mode.is_some_and(Mode::has_tasks) {
        refuse_foreign_flags(args)?;
        return Ok(WantedJob::Tasks(NamedTasks { file: args.file.clone(), feature: args.feature.clone() }));
    }
    if args.feature.is_some() {
        return Err(AppError::usage(
            "`--feature` belongs to tasks: windlass run --mode tasks --feature NAME",
        ));
    }
    let has_goal = args.prompt.is_some() || args.file.is_some() || args.source.as_deref() == Some("-");
    if has_goal || mode.is_some_and(Mode::has_goal) {
        if let Some(mode) = mode.filter(|mode| !mode.has_goal()) {
            let name = mode.name();
            return Err(AppError::usage(format!("mode {name} works on a workspace, not on a goal"))
                .hint("Make one: windlass init NAME, then windlass run NAME"));
        }
        refuse_workspace_flags(args)?;
        refuse_lists(args, mode)?;
        let mode = mode.unwrap_or(Mode::Goal);
        return Ok(WantedJob::Goal { goal: goal(args)?, mode });
    }
    Ok(WantedJob::Workspace { name: args.source.clone(), mode })
}

/// A mode that `--mode` may name.
fn parse_mode(name: &str) -> Result<Mode, AppError> {
    Mode::for_runs().find(|mode| mode.name() == name).ok_or_else(|| {
        let names: Vec<&str> = Mode::for_runs().map(Into::into).collect();
        AppError::usage(format!("there is no mode `{name}`: {}", names.join(", ")))
    })
}

/// What is said about a goal or a workspace, and whether it was.
fn goal_flags(args: &RunArgs) -> [(&'static str, bool); 7] {
    [
        ("--notes-file", args.notes_file.is_some()),
        ("--collect-principles", args.collect_principles),
        ("--reset-principles", args.reset_principles),
        ("--completion-signal", args.completion_signal.is_some()),
        ("--completion-threshold", args.completion_threshold.is_some()),
        ("--trust-existing-status", args.trust_existing_status),
        ("--todo-fallback", args.todo_fallback),
    ]
}

/// Plans have neither a goal nor a workspace.
fn refuse_job_flags(args: &RunArgs, mode: Mode) -> Result<(), AppError> {
    let given = [("-p", args.prompt.is_some()), ("workspace", args.source.is_some())];
    match given.iter().chain(&goal_flags(args)).find(|(_, given)| *given) {
        Some((what, _)) => Err(AppError::usage(format!(
            "mode {} works on the project's plan and takes no {what}",
            mode.name()
        ))),
        None => Ok(()),
    }
}

/// Tasks have neither a goal nor a workspace; the whole job is done when each of them is.
fn refuse_foreign_flags(args: &RunArgs) -> Result<(), AppError> {
    let given = [
        ("-p", args.prompt.is_some()),
        ("workspace", args.source.is_some()),
        ("--until", !args.work.until.is_empty()),
    ];
    match given.iter().chain(&goal_flags(args)).find(|(_, given)| *given) {
        Some(("--until", _)) => {
            Err(AppError::usage("mode tasks is done when every task is, and takes no --until")
                .hint("A check that every task has to pass is a gate: --gate CMD"))
        }
        Some((what, _)) => {
            Err(AppError::usage(format!("mode tasks works on a file of tasks and takes no {what}")))
        }
        None => Ok(()),
    }
}

/// A file that is a list of tasks is hardly a goal: which of the two is meant has to be said.
fn refuse_lists(args: &RunArgs, mode: Option<Mode>) -> Result<(), AppError> {
    let Some(file) = args.file.as_ref().filter(|_| mode.is_none()) else { return Ok(()) };
    let app = super::app()?;
    let goal = format!("windlass run --mode goal -f {}", quoted(file.as_os_str()));
    let Some(work) = app.work_in(file) else {
        return match app.broken_list(file) {
            Some(problem) => Err(AppError::usage(problem).hint(format!("As one goal: {goal}"))),
            None => refuse_folder(&app, file),
        };
    };
    // outside: a place that a person named.
    if file.is_dir() {
        return Err(folder(file).hint(format!("It holds {}: {}", work.holds, work.command())));
    }
    if has_terminal() {
        let question = format!("{} holds {}. Is its text the goal all the same?", work.place, work.holds);
        if question::ask(&question, &goal)? == Reply::Yes {
            return Ok(());
        }
    }
    Err(AppError::usage(format!(
        "{} holds {}: is that the work, or is its text a goal?",
        work.place, work.holds
    ))
    .hint(format!("Work through it: {}", work.command()))
    .hint(format!("As one goal: {goal}")))
}

/// A folder is no goal; what lies in it may be the work.
fn refuse_folder(app: &App, place: &Path) -> Result<(), AppError> {
    // outside: a place that a person named.
    if !place.is_dir() {
        return Ok(());
    }
    Err(with_works(folder(place), &app.near_work(place), Work::command))
}

fn folder(place: &Path) -> AppError {
    let shown = one_line(&place.display().to_string());
    AppError::usage(format!("{shown} is a directory; `-f` takes the file that holds the goal"))
}

/// What only workspaces have.
fn refuse_workspace_flags(args: &RunArgs) -> Result<(), AppError> {
    let given =
        [("--trust-existing-status", args.trust_existing_status), ("--todo-fallback", args.todo_fallback)];
    match given.iter().find(|(_, given)| *given) {
        Some((flag, _)) => {
            Err(AppError::usage(format!("`{flag}` belongs to workspaces; a goal is claimed by its phrase"))
                .hint("Make one: windlass init NAME, then windlass run NAME"))
        }
        None => Ok(()),
    }
}

/// The goal that is named.
fn goal(args: &RunArgs) -> Result<Goal, AppError> {
    if let Some(text) = &args.prompt {
        return Goal::new(text.as_str(), "the goal given with `-p`", None);
    }
    if let Some(path) = &args.file {
        return Goal::read(path);
    }
    match args.source.as_deref() {
        Some("-") => Goal::read_from(io::stdin().lock()),
        _ => Err(missing("there is no goal: say what is to be done")),
    }
}

fn missing(message: &str) -> AppError {
    AppError::usage(message)
        .hint("windlass run -p 'Make the tests pass' --gate 'make test'")
        .hint("windlass run -f FILE                     (the goal in a file; - reads standard input)")
        .hint("windlass run -p 'Anything' --mock        (a scripted agent, costs nothing)")
}

/// A script's name for a process that may be started elsewhere; a wrong script is refused before anything begins.
pub fn script(source: &str) -> Result<String, AppError> {
    Script::load(source).map_err(|error| AppError::of(Kind::Configuration, error))?;
    if source.starts_with("builtin:") {
        return Ok(source.to_owned());
    }
    // outside: a script that a person named.
    let path = Path::new(source).canonicalize().map_err(|error| {
        AppError::new(Kind::Configuration, format!("cannot read the script {source}: {error}"))
    })?;
    path.into_os_string().into_string().map_err(|path| {
        AppError::new(
            Kind::Configuration,
            format!("the script's path {} is not UTF-8", path.to_string_lossy()),
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mode_that_is_named_is_the_one_that_is_run() {
        for mode in Mode::for_runs() {
            let named = RunArgs {
                mode: Some(mode.name().to_owned()),
                prompt: mode.has_goal().then(|| "Do it".to_owned()),
                source: mode.works_on_workspace().then(|| "port".to_owned()),
                ..RunArgs::default()
            };
            let wanted = match job(&named).unwrap() {
                WantedJob::Goal { mode, .. } | WantedJob::Plan { mode, .. } => mode,
                WantedJob::Workspace { mode, .. } => mode.unwrap(),
                WantedJob::Tasks(_) => Mode::Tasks,
                WantedJob::Phase(_) => Mode::Phase,
            };
            assert_eq!(wanted, mode);
        }
    }
}
