//! `init --tasks`: makes a task file, or adopts the one that is there. No file of a person's is touched.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use jiff::{Timestamp, Zoned};
use windlass_core::config::commented_file;
use windlass_core::project::{offers, scaffold as texts};
use windlass_engine::scaffold;
use windlass_engine::workspace::guard;
use windlass_host::file::Made;
use windlass_host::tree;
use windlass_ui::{Line, Mark, Tone, one_line};

use super::conversation::has_terminal;
use super::init::{guard_line, repository};
use super::init_project::{ignored_line, resolved};
use super::print_lines;
use super::task_lines::{labelled, task_lines};
use super::task_session::TaskSession;
use crate::args::{InitArgs, TaskFileArgs};
use crate::commands::app;
use crate::commands::from_here;
use windlass_app::beginning;
use windlass_app::task_place::TaskPlace;
use windlass_app::workspaces::Project;
use windlass_app::{AppError, Kind};

/// Does it.
pub fn run(args: &InitArgs) -> Result<ExitCode, AppError> {
    let directory = app()?.directory().to_owned();
    let before = TaskPlace::find(&directory, args.task_file.feature.as_deref())?;
    refuse_what_is_no_file(&before)?;
    let project = Project::find(&app()?)?;
    let root = project.workspaces.project().to_owned();
    if args.repository.git {
        beginning::make_repository(&app()?, &root)?;
    }
    // The guard needs the repository that was made.
    let project = if args.repository.git { Project::find(&app()?)? } else { project };
    let ignored = args.repository.gitignore.then(|| beginning::add_missing(&root)).transpose()?;
    // Asked first, so that nothing is made where it has to be refused.
    let guarded =
        args.pre_commit_guard.then(|| guard::install(repository(&project.here)?).map_err(AppError::from));
    let guarded = guarded.transpose()?;
    let clues = scaffold::clues(&directory);
    let offered = offers(&clues);
    let commands: Vec<&str> = offered.iter().map(|offer| offer.command).collect();
    let ours = project.workspaces.make_project(&commented_file(&commands)?)?;
    let became = make(&before, &args.task_file)?;
    let place = before.again()?;
    let mut lines = vec![became.line(&place, ours.made.is_empty())];
    if !became.fresh {
        lines.extend(task_lines(&place));
    }
    lines.extend(became.kept.iter().map(|kept| labelled("kept").plain(from_here(kept))));
    lines.extend((!ours.made.is_empty()).then(|| labelled("added").plain(one_line(&ours.made.join(", ")))));
    lines.extend(guarded.iter().map(guard_line));
    lines.extend(ignored.as_ref().map(ignored_line));
    let talks = became.fresh && has_terminal() && !args.task_file.no_session;
    if !talks {
        lines.extend(first_commit(args, &root)?);
        lines.extend(next(&place));
    }
    print_lines(&lines)?;
    if talks { talk(args, &place, &root) } else { Ok(ExitCode::SUCCESS) }
}

/// The agent and a person write the tasks; the first commit has them.
fn talk(args: &InitArgs, place: &TaskPlace, root: &Path) -> Result<ExitCode, AppError> {
    let (model, mock) = (args.task_file.model.as_ref(), args.task_file.mock.as_ref());
    let ended = TaskSession { verb: "init", place, model, mock, answers: &args.task_file.trust }
        .hold()
        .map_err(|error| {
            error.hint(format!(
                "{} is made; the session: {}",
                place.shown(),
                place.command("continue requirements")
            ))
        })?;
    if ended == ExitCode::SUCCESS {
        print_lines(&first_commit(args, root)?.into_iter().collect::<Vec<_>>())?;
    }
    Ok(ended)
}

/// Of a repository that was asked for, where there is no commit yet.
fn first_commit(args: &InitArgs, root: &Path) -> Result<Option<Line>, AppError> {
    let begun = if args.repository.git { beginning::begin(root, &resolved(root)?)? } else { None };
    Ok(begun.map(|begun| labelled("git").plain(one_line(&beginning::sentence(&begun)))))
}

/// A folder, a pipe or a link to nothing in the file's place stays what it is.
fn refuse_what_is_no_file(place: &TaskPlace) -> Result<(), AppError> {
    let path = place.path();
    let there = tree::at(&path);
    if !there.is_taken() || there.holds_file() || (place.total() > 0 && there.holds_folder()) {
        return Ok(());
    }
    Err(AppError::usage(format!("{} is there and is no file", from_here(&path)))
        .hint("Move it away, or name a feature: windlass init --tasks --feature NAME"))
}

/// What became of the task file.
struct Became {
    /// It is new, and without a task.
    fresh: bool,
    /// What was in it before, where it was begun anew.
    kept: Option<PathBuf>,
}

impl Became {
    fn line(&self, place: &TaskPlace, nothing_made: bool) -> Line {
        let shown = place.shown();
        let said = match (self.fresh, nothing_made) {
            (true, _) => format!(" {shown} is made; there is no task in it yet"),
            (false, false) => format!(" {shown} is adopted as it is"),
            (false, true) => format!(" {shown} is here already; nothing was changed"),
        };
        Line::hanging(2).mark(Tone::Good, Mark::Passed).plain(said)
    }
}

fn make(place: &TaskPlace, args: &TaskFileArgs) -> Result<Became, AppError> {
    let wrong = |error: windlass_host::file::FileError| AppError::new(Kind::System, error.to_string());
    let path = place.path();
    let there = tree::at(&path);
    if there.is_taken() {
        if !args.force {
            return Ok(Became { fresh: false, kept: None });
        }
        if !there.holds_file() {
            return Err(AppError::usage(format!(
                "{} is a folder of tasks; --force is for a file",
                place.shown()
            )));
        }
        let kept = kept_name(&path);
        scaffold::begin_anew(&path, &kept, &text(place)).map_err(wrong)?;
        return Ok(Became { fresh: true, kept: Some(kept) });
    }
    let files = vec![(place.place.clone(), text(place))];
    let made = scaffold::make(&place.directory, files).map_err(wrong)?;
    Ok(Became { fresh: made.iter().all(|(_, made)| *made == Made::Anew), kept: None })
}

fn text(place: &TaskPlace) -> String {
    let folder =
        place.directory.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    let title = match (&place.feature, folder.is_empty()) {
        (Some(feature), _) => feature.to_string(),
        (None, true) => "Tasks".to_owned(),
        (None, false) => folder,
    };
    texts::task_file(&title, Zoned::now().date())
}

/// `requirements.md.before-init-2026-03-01T12-00-05`
fn kept_name(path: &Path) -> PathBuf {
    let stamp = Timestamp::now().strftime("%Y-%m-%dT%H-%M-%S").to_string();
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".before-init-{stamp}"));
    PathBuf::from(name)
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
