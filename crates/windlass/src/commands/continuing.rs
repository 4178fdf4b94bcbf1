//! `continue`: says what can go on here, and goes on with it.

use std::ffi::OsString;
use std::io::{self, BufRead as _, Write as _};
use std::process::ExitCode;

use windlass_engine::store::{RunSummary, index};
use windlass_ui::{Line, one_line};

use super::conversation::has_terminal;
use super::question;
use super::task_lines::{labelled, task_lines};
use super::task_session::TaskSession;
use super::{dispatch, print_lines, refuse_inside_a_run};
use crate::args::{ContinueArgs, Continued, ResumeArgs};
use crate::commands::app;
use windlass_app::Answer;
use windlass_app::here::Here;
use windlass_app::inspect::which;
use windlass_app::run::resume;
use windlass_app::task_place::TaskPlace;
use windlass_app::workspaces::Project;
use windlass_app::{AppError, Kind};

/// Runs and workspaces that are named; the others are counted.
const NAMED: usize = 5;

/// Does it.
///
/// # Errors
/// Nothing can go on here, or what was chosen cannot.
pub fn run(args: &ContinueArgs) -> Result<ExitCode, AppError> {
    let here = Here::find(&app()?)?;
    let place = TaskPlace::find(&here.directory, args.feature.as_deref())?;
    if let Some(what) = args.what {
        require_tasks(&place, what)?;
        return go_on(what, args, &place);
    }
    let standing = Choices::read(&here, place)?;
    if standing.is_nothing() {
        return Err(nothing(&standing.place));
    }
    print_lines(&standing.lines())?;
    if !has_terminal() || standing.live.is_some() {
        return Ok(ExitCode::SUCCESS);
    }
    if let Some(run) = standing.unfinished.first()
        && let command = format!("windlass resume {}", run.run)
        && question::ask(&format!("\nGo on with {}?", run.run), &command)? == Answer::Yes
    {
        refuse_inside_a_run()?;
        return super::resume::run(&ResumeArgs {
            run: Some(run.run.to_string()),
            trust: args.trust.clone(),
            ..ResumeArgs::default()
        });
    }
    if standing.place.found.is_none() {
        return Ok(ExitCode::SUCCESS);
    }
    match ask(&standing.place)? {
        Some(what) => {
            refuse_inside_a_run()?;
            go_on(what, args, &standing.place)
        }
        None => Ok(ExitCode::SUCCESS),
    }
}

/// What there is to go on with.
struct Choices {
    place: TaskPlace,
    /// The run that works here now.
    live: Option<String>,
    /// Runs of this directory that can simply go on, the newest first.
    unfinished: Vec<RunSummary>,
    workspaces: Vec<String>,
}

impl Choices {
    fn read(here: &Here, place: TaskPlace) -> Result<Choices, AppError> {
        let live = which::live(here)?.map(|holder| holder.run.to_string());
        let is_open = |run: &RunSummary| {
            run.directory == here.directory
                && resume::is_open(run)
                && resume::has_begun(run)
                && Some(run.run.to_string()) != live
        };
        let unfinished = index::look(&here.project)?.runs.into_iter().filter(is_open).collect();
        let listed = Project::find(&app()?)?.workspaces.list()?.workspaces;
        // Whoever names a feature does not ask for workspaces.
        let workspaces =
            listed.iter().filter(|_| place.feature.is_none()).map(|one| one.name().to_string()).collect();
        Ok(Choices { place, live, unfinished, workspaces })
    }

    fn is_nothing(&self) -> bool {
        self.place.found.is_none()
            && self.live.is_none()
            && self.unfinished.is_empty()
            && self.workspaces.is_empty()
    }

    fn lines(&self) -> Vec<Line> {
        let mut lines = Vec::new();
        if self.place.found.is_some() {
            lines.push(Line::new().strong(self.place.shown()));
            lines.extend(task_lines(&self.place));
            lines.push(labelled("change it").command(self.place.command("continue requirements")));
            if self.place.has_open_tasks() {
                lines.push(labelled("work on it").command(self.place.command("run --mode tasks")));
            } else if self.place.total() > 0 {
                lines.push(labelled("").plain("all tasks are done"));
            }
        }
        lines.extend(self.live.as_ref().map(|run| {
            labelled("running").plain(format!("run {run} works here now; ")).command("windlass status")
        }));
        for run in self.unfinished.iter().take(NAMED) {
            let state = which::state(run, &[]).name();
            let what = format!("  {state}: {}", one_line(&run.title));
            lines.push(labelled("unfinished").command(format!("windlass resume {}", run.run)).dim(what));
        }
        lines.extend(more(self.unfinished.len(), "windlass runs"));
        for name in self.workspaces.iter().take(NAMED) {
            lines.push(labelled("workspace").command(format!("windlass run {name}")));
        }
        lines.extend(more(self.workspaces.len(), "windlass list"));
        lines
    }
}

fn more(count: usize, command: &str) -> Option<Line> {
    let rest = count.checked_sub(NAMED).filter(|rest| *rest > 0)?;
    Some(labelled("").dim(format!("{rest} more: ")).command(command))
}

fn nothing(place: &TaskPlace) -> AppError {
    let message = match &place.feature {
        Some(feature) => format!(
            "there is nothing to go on with: {} is missing, and there is no unfinished run of {feature}",
            place.shown()
        ),
        None => {
            "there is nothing to go on with here: no task file, no unfinished run, no workspace".to_owned()
        }
    };
    AppError::usage(message)
        .hint(format!("Make a task file: {}", place.command("init --tasks")))
        .hint("Or run a goal: windlass run -p \"what is to be done\"")
}

fn require_tasks(place: &TaskPlace, what: Continued) -> Result<(), AppError> {
    let make = || format!("Make it: {}", place.command("init --tasks"));
    match what {
        _ if place.found.is_none() => {
            Err(AppError::usage(format!("there is no task file: {} is missing", place.shown())).hint(make()))
        }
        Continued::Requirements if !has_terminal() => Err(AppError::usage(
            "this is a conversation with the agent, and there is no terminal to have it in",
        )
        .hint(format!("Write the tasks yourself: {}", place.shown()))),
        _ => Ok(()),
    }
}

fn go_on(what: Continued, args: &ContinueArgs, place: &TaskPlace) -> Result<ExitCode, AppError> {
    let (model, mock) = (args.model.as_ref(), args.mock.as_ref());
    match what {
        Continued::Requirements => {
            TaskSession { verb: "continue", place, model, mock, answers: &args.trust }.hold()
        }
        Continued::Run => {
            // As if it had been typed: there is one way to begin a run.
            let words = place.command("run --mode tasks");
            let mut words: Vec<OsString> = words.split(' ').map(OsString::from).collect();
            words.extend(model.into_iter().flat_map(|model| ["--model".into(), OsString::from(model)]));
            words.extend(mock.map(|script| OsString::from(format!("--mock={script}"))));
            let hash = args.trust.hash.trust.as_ref();
            words.extend(hash.map(|hash| OsString::from(format!("--trust={hash}"))));
            words.extend(args.trust.no_agent_settings.then(|| "--no-claude-settings".into()));
            dispatch(words.into_iter())
        }
    }
}

/// Asks which; `None` = nothing.
fn ask(place: &TaskPlace) -> Result<Option<Continued>, AppError> {
    let unreadable =
        |error: io::Error| AppError::new(Kind::System, format!("cannot ask on the terminal: {error}"));
    let mut options = vec![("requirements", Some(Continued::Requirements))];
    if place.has_open_tasks() {
        options.push(("run", Some(Continued::Run)));
    }
    options.push(("cancel", None));
    let listed: Vec<String> =
        options.iter().enumerate().map(|(index, (name, _))| format!("{} {name}", index + 1)).collect();
    let mut notes = io::stderr();
    notes
        .write_all(format!("\nGo on with: {} > ", listed.join(", ")).as_bytes())
        .and_then(|()| notes.flush())
        .map_err(unreadable)?;
    let mut line = String::new();
    io::stdin().lock().read_line(&mut line).map_err(unreadable)?;
    let answer = line.trim().to_ascii_lowercase();
    let is_it = |(index, (name, _)): &(usize, &(&str, Option<Continued>))| {
        answer == *name || answer == (index + 1).to_string()
    };
    // Whatever is none of them begins nothing.
    Ok(options.iter().enumerate().find(is_it).and_then(|(_, (_, what))| *what))
}
