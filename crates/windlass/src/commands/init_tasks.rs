//! `init --tasks`: makes a task file, or adopts the one that is there. No file of a person's is touched.

use std::process::ExitCode;

use windlass_app::beginning::{InitTasks, InitedTasks};
use windlass_app::task_place::TaskPlace;
use windlass_app::{App, AppError};
use windlass_ui::{Line, one_line};

use super::init_lines::{guard_line, ignored_line, repository};
use super::task_lines::{labelled, task_lines};
use super::task_session::TaskSession;
use super::terminal::has_terminal;
use super::{app, done, from_here, print_lines};
use crate::args::InitArgs;

/// Does it.
pub fn run(args: &InitArgs) -> Result<ExitCode, AppError> {
    let app = app()?;
    let inited = app.init_tasks(&InitTasks {
        feature: args.task_file.feature.clone(),
        anew: args.task_file.force,
        guard: args.pre_commit_guard,
        repository: repository(args),
    })?;
    let mut lines = said(&inited);
    let place = &inited.place;
    let talks = inited.fresh && has_terminal() && !args.task_file.no_session;
    if !talks {
        lines.extend(first_commit(&app, args)?);
        lines.extend(next(place));
    }
    print_lines(&lines)?;
    if talks { talk(&app, args, place) } else { Ok(ExitCode::SUCCESS) }
}

fn said(inited: &InitedTasks) -> Vec<Line> {
    let InitedTasks { place, fresh, made, .. } = inited;
    let became = match (fresh, made.is_empty()) {
        (true, _) => "is made; there is no task in it yet",
        (false, false) => "is adopted as it is",
        (false, true) => "is here already; nothing was changed",
    };
    let mut lines = vec![done(&format!("{} {became}", place.shown()))];
    if !fresh {
        lines.extend(task_lines(place));
    }
    lines.extend(inited.kept.iter().map(|kept| labelled("kept").plain(from_here(kept))));
    lines.extend((!made.is_empty()).then(|| labelled("added").plain(one_line(&made.join(", ")))));
    lines.extend(inited.guard.iter().map(guard_line));
    lines.extend(inited.ignored.as_deref().map(ignored_line));
    lines
}

/// The agent and a person write the tasks; the first commit has them.
fn talk(app: &App, args: &InitArgs, place: &TaskPlace) -> Result<ExitCode, AppError> {
    let (model, mock) = (args.task_file.model.as_ref(), args.task_file.mock.as_ref());
    let ended = TaskSession { verb: "init", place, model, mock, answers: &args.task_file.trust }
        .hold(app)
        .map_err(|error| {
            error.hint(format!(
                "{} is made; the session: {}",
                place.shown(),
                place.command("continue requirements")
            ))
        })?;
    if ended == ExitCode::SUCCESS {
        print_lines(&first_commit(app, args)?.into_iter().collect::<Vec<_>>())?;
    }
    Ok(ended)
}

/// Of a repository that was asked for, where there is no commit yet.
fn first_commit(app: &App, args: &InitArgs) -> Result<Option<Line>, AppError> {
    let begun = app.first_commit(repository(args))?;
    Ok(begun.map(|begun| labelled("git").plain(one_line(&begun))))
}

fn next(place: &TaskPlace) -> Vec<Line> {
    if place.total() > 0 {
        return vec![labelled("next").command(place.command("continue"))];
    }
    vec![
        labelled("next").plain(format!("write tasks into {}, as the comment in it says", place.shown())),
        labelled("or").command(place.command("continue requirements")).dim("  together with the agent"),
    ]
}
