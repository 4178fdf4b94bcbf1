//! `continue`: says what can go on here, and goes on with it.

use std::ffi::OsString;
use std::process::ExitCode;

use windlass_app::inspect::Choices;
use windlass_app::run::NamedTasks;
use windlass_app::task_place::TaskPlace;
use windlass_app::{App, AppError, Reply};
use windlass_core::spec::Mode;
use windlass_ui::{Line, one_line};

use super::task_lines::{labelled, task_lines};
use super::task_session::TaskSession;
use super::terminal::has_terminal;
use super::{app, dispatch, print_lines, question, refuse_below_a_keeper};
use crate::args::{ContinueArgs, Continued, ResumeArgs};

/// Runs and workspaces that are named; the others are counted.
const NAMED: usize = 5;

/// How tasks are worked off.
const TASKS: &[&str] = &["windlass", "run", "--mode", "tasks"];

/// How a plan is.
const BUILD: &[&str] = &["windlass", "build"];

/// Does it.
///
/// # Errors
/// Nothing can go on here, or what was chosen cannot.
pub fn run(args: &ContinueArgs) -> Result<ExitCode, AppError> {
    let app = app()?;
    match args.what {
        Some(Continued::Run) if app.source_of_tasks(&named(args))?.is_some() => {
            return begin(args, TASKS, Vec::new());
        }
        Some(what) => return go_on(&app, what, args, &app.tasks_to_go_on(&named(args))?),
        None => {}
    }
    let choices = app.choices(&named(args))?;
    print_lines(&lines(&choices))?;
    if !has_terminal() || choices.live.is_some() {
        return Ok(ExitCode::SUCCESS);
    }
    if let Some(run) = choices.unfinished.first().map(|unfinished| &unfinished.run)
        && let command = format!("windlass resume {run}")
        && question::ask(&format!("\nGo on with {run}?"), &command)? == Reply::Yes
    {
        refuse_below_a_keeper()?;
        return super::resume::run(&ResumeArgs {
            run: Some(run.to_string()),
            trust: args.trust.clone(),
            ..ResumeArgs::default()
        });
    }
    if choices.tasks.found.is_none() {
        return Ok(ExitCode::SUCCESS);
    }
    match ask(&choices.tasks)? {
        Some(what) => {
            refuse_below_a_keeper()?;
            go_on(&app, what, args, &choices.tasks)
        }
        None => Ok(ExitCode::SUCCESS),
    }
}

fn named(args: &ContinueArgs) -> NamedTasks {
    NamedTasks { file: args.file.clone(), feature: args.feature.clone() }
}

fn lines(choices: &Choices) -> Vec<Line> {
    let Choices { tasks, source, live, unfinished, workspaces, elsewhere } = choices;
    let mut lines = Vec::new();
    if tasks.found.is_some() {
        lines.push(Line::new().strong(tasks.shown()));
        lines.extend(task_lines(tasks));
        lines.push(labelled("change it").command(tasks.command("continue requirements")));
        if tasks.has_open_tasks() {
            lines.push(labelled("work on it").command(tasks.work_command()));
        } else if tasks.total() > 0 {
            lines.push(labelled("").plain("all tasks are done"));
        }
    }
    lines.extend(source.as_ref().map(|source| {
        let what = format!("  the issues of {}", one_line(source));
        labelled("work on").command("windlass run --mode tasks").dim(what)
    }));
    lines.extend(live.as_ref().map(|run| {
        labelled("running").plain(format!("run {run} works here now; ")).command("windlass status")
    }));
    lines.extend(offers("unfinished", unfinished.iter(), |run| {
        (format!("windlass resume {}", run.run), format!("{}: {}", run.state.name(), one_line(&run.title)))
    }));
    lines.extend(more(unfinished.len(), "windlass runs"));
    lines.extend(offers("tasks", elsewhere.iter(), |tasks| (tasks.command.clone(), tasks.about.clone())));
    for name in workspaces.iter().take(NAMED) {
        lines.push(labelled("workspace").command(format!("windlass run {name}")));
    }
    lines.extend(more(workspaces.len(), "windlass list"));
    lines
}

/// Commands below each other, and behind each, in a column, what it is about.
fn offers<T>(label: &str, of: impl Iterator<Item = T>, say: impl Fn(T) -> (String, String)) -> Vec<Line> {
    let said: Vec<(String, String)> = of.take(NAMED).map(say).collect();
    let widest = said.iter().map(|(command, _)| command.chars().count()).max().unwrap_or(0);
    let line = |(command, about): (String, String)| {
        let gap = " ".repeat(widest - command.chars().count() + 2);
        labelled(label).command(command).dim(format!("{gap}{about}"))
    };
    said.into_iter().map(line).collect()
}

fn more(count: usize, command: &str) -> Option<Line> {
    let rest = count.checked_sub(NAMED).filter(|rest| *rest > 0)?;
    Some(labelled("").dim(format!("{rest} more: ")).command(command))
}

fn go_on(app: &App, what: Continued, args: &ContinueArgs, place: &TaskPlace) -> Result<ExitCode, AppError> {
    let (model, mock) = (args.model.as_ref(), args.mock.as_ref());
    match what {
        Continued::Requirements => {
            TaskSession { verb: "continue", place, model, mock, answers: &args.trust }.hold(app)
        }
        Continued::Run if place.mode() == Mode::Build => begin(args, BUILD, named_file(place)),
        Continued::Run => begin(args, TASKS, named_tasks(place)),
    }
}

/// What says to a run of tasks that this place is meant; nothing where it is found without.
fn named_tasks(place: &TaskPlace) -> Vec<OsString> {
    let feature = place.feature.as_ref().map(|feature| ["--feature".into(), feature.to_string().into()]);
    let file = place.file.clone().map(|file| ["-f".into(), file.into_os_string()]);
    feature.into_iter().chain(file).flatten().collect()
}

/// What says to a build that this file is its plan: it looks elsewhere for one.
fn named_file(place: &TaskPlace) -> Vec<OsString> {
    vec!["-f".into(), place.place.clone().into_os_string()]
}

/// As if it had been typed: there is one way to begin a run.
fn begin(args: &ContinueArgs, verb: &[&str], place: Vec<OsString>) -> Result<ExitCode, AppError> {
    let mut words: Vec<OsString> = verb.iter().map(OsString::from).chain(place).collect();
    words.extend(args.model.iter().flat_map(|model| ["--model".into(), OsString::from(model)]));
    words.extend(args.mock.iter().map(|script| OsString::from(format!("--mock={script}"))));
    let hash = args.trust.hash.trust.as_ref();
    words.extend(hash.map(|hash| OsString::from(format!("--trust={hash}"))));
    words.extend(args.trust.no_agent_settings.then(|| "--no-claude-settings".into()));
    dispatch(words.into_iter())
}

/// Asks which; `None` = nothing.
fn ask(place: &TaskPlace) -> Result<Option<Continued>, AppError> {
    let mut options = vec![("requirements", Some(Continued::Requirements))];
    if place.has_open_tasks() {
        options.push(("run", Some(Continued::Run)));
    }
    options.push(("cancel", None));
    let listed: Vec<String> =
        options.iter().enumerate().map(|(index, (name, _))| format!("{} {name}", index + 1)).collect();
    let answer = question::typed(&format!("\nGo on with: {} > ", listed.join(", ")))?;
    let is_it = |(index, (name, _)): &(usize, &(&str, Option<Continued>))| {
        answer == *name || answer == (index + 1).to_string()
    };
    // Whatever is none of them begins nothing.
    Ok(options.iter().enumerate().find(is_it).and_then(|(_, (_, what))| *what))
}
