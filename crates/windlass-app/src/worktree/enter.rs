//! `run --worktree NAME`: going there, running there, and saying what to do with it.

use std::path::{Path, PathBuf};

use jiff::Timestamp;
use windlass_core::fact::Entry;
use windlass_core::recovery::WayBack;
use windlass_core::spec::{CommitPolicy, Mode};
use windlass_core::values::Extent;
use windlass_engine::store::{RunFolder, RunSummary, index, journal};
use windlass_engine::worktree::{
    How, Made, Order, Removal, Stage, Worktree, WorktreeName, base_folder, make,
};
use windlass_git::git::Repository;
use windlass_ui::{Board, RunState, RunStatus};

use crate::app::App;
use crate::configuration::{Configuration, exit_codes_in};
use crate::error::{AppError, Kind};
use crate::here::{Here, home};
use crate::inspect::which;
use crate::run::{
    self, Prepared, Rehearsal, ResumeRun, RunEnd, StartRun, WantedJob, going_on, launch, rehearsal, tasks,
    uncommitted,
};
use crate::text::quoted;
use crate::trusting;

/// Runs in the worktree that is named.
pub(crate) fn run_in(app: &App, request: &StartRun) -> Result<RunEnd, AppError> {
    let here = Here::find(app)?;
    let repository = super::repository(&here)?;
    let name = WorktreeName::parse(request.worktree.as_deref().unwrap_or_default())?;
    let request = &from_anywhere(request, &here.directory);
    refuse_unfit(&here, repository, &name, request)?;
    let made = made(&here, repository, &name)?;
    let place = place(&here, repository, &made.worktree);
    let as_there = |error: AppError| error.with_codes(request.exit_codes().or_else(|| exit_codes_in(&place)));
    let begun = in_there(app, &place, &made, request).map_err(as_there);
    let (there, prepared) = begun.map_err(|error| without_traces(&here, repository, &made, error))?;
    run::begin(&there, prepared, request).map_err(as_there)
}

/// The same request, whatever directory it is read in.
fn from_anywhere(request: &StartRun, directory: &Path) -> StartRun {
    let mut request = request.clone();
    if let WantedJob::Tasks(tasks) = &mut request.job {
        tasks.file = tasks.file.take().map(|file| directory.join(file));
    }
    request
}

/// One that is there has to be one that a run can begin in.
fn refuse_unfit(
    here: &Here,
    repository: &Repository,
    name: &WorktreeName,
    request: &StartRun,
) -> Result<(), AppError> {
    let all = Worktree::all(repository)?;
    let Some(worktree) = all.into_iter().find(|worktree| worktree.name == *name) else { return Ok(()) };
    if !worktree.tree.is_there() || worktree.stage() != Stage::Ready || request.allow_dirty {
        return Ok(());
    }
    let runs = index::list(&here.project)?;
    let goes_on = runs.iter().find(|run| worktree.holds(&run.directory)).is_some_and(going_on::is_open);
    if goes_on {
        return Ok(());
    }
    let path = quoted(worktree.tree.path.as_os_str());
    if let Some(what) = worktree.tree.under_way() {
        return Err(AppError::usage(format!("{what} is under way in the worktree {name}"))
            .hint(format!("End it first: git -C {path} status")));
    }
    let work = worktree.work()?.uncommitted;
    if let Some(first) = work.first() {
        let (count, first) = (work.len(), windlass_ui::one_line(&first.display().to_string()));
        let files = if count == 1 { "1 file".to_owned() } else { format!("{count} files") };
        let message = format!("the worktree {name} is there, with {files} in no commit, such as {first}");
        return Err(AppError::usage(message)
            .hint(format!("Commit or delete what is there: git -C {path} status"))
            .hint("Or go on with it as it is: the same command with --allow-dirty"));
    }
    Ok(())
}

fn made(here: &Here, repository: &Repository, name: &WorktreeName) -> Result<Made, AppError> {
    let base = base(here, repository)?;
    let settings = settings(here)?;
    let (project, bootstrap) = (&here.project, &settings.resolved.worktree.bootstrap);
    Ok(make(&Order { repository, project, base: &base, name, bootstrap })?)
}

fn settings(here: &Here) -> Result<Configuration, AppError> {
    Configuration::read(&here.directory, None, Mode::Loop)
}

/// Where worktrees of this project are made.
fn base(here: &Here, repository: &Repository) -> Result<PathBuf, AppError> {
    let settings = settings(here)?;
    Ok(base_folder(repository, settings.resolved.worktree.base.as_deref(), home().as_deref()))
}

/// Goes there and reads what the run is to be.
fn in_there(app: &App, place: &Path, made: &Made, request: &StartRun) -> Result<(Here, Prepared), AppError> {
    let app = go_to(app, place)?;
    let mut prepared = run::read_settled(&app, request)?;
    let there = Here::at(&app, prepared.directory.clone())?;
    if tasks::commit(&there, &prepared) == CommitPolicy::Runner
        && let Some(repository) = &there.repository
    {
        uncommitted::refuse_stranger(repository)?;
    }
    // Before what was made for it has to be kept. Whoever answered is not asked again.
    let trusted = trusting::require(&launch::asked(&there, &prepared))?;
    prepared.trust.without_agent_settings |= !trusted.settings.are_used();
    prepared.trust.hash = None;
    prepared.configuration.notices.splice(0..0, notices(made));
    Ok((there, prepared))
}

/// A run in a folder of the project runs in the same folder of the worktree.
fn place(here: &Here, repository: &Repository, worktree: &Worktree) -> PathBuf {
    worktree.tree.path.join(here.directory.strip_prefix(&repository.top).unwrap_or(Path::new("")))
}

fn go_to(app: &App, directory: &Path) -> Result<App, AppError> {
    app.in_directory(directory)
        .map_err(|error| error.hint("A worktree holds what is committed: this folder is in no commit. Commit it first, or start from the top of the repository."))
}

/// A worktree that was made for a run that cannot begin goes again.
fn without_traces(here: &Here, repository: &Repository, made: &Made, error: AppError) -> AppError {
    if made.how != How::Anew {
        return error;
    }
    // It holds nothing yet; where it cannot be removed it stays, and is listed.
    let (worktree, project) = (&made.worktree, &here.project);
    let _ = Removal { worktree, repository, project, from: &here.directory }.carry_out();
    match repository.is_clean() {
        Ok(false) => error.hint("A worktree holds what is committed, and here something is not."),
        _ => error,
    }
}

/// What a person should know when the run begins.
fn notices(made: &Made) -> Vec<String> {
    let Made { worktree, how, copied, notices } = made;
    let what = match how {
        How::Anew => "is new",
        How::WasThere => "was there",
        How::FromItsBranch => {
            "had lost its folder and was made again from its branch: it holds what was committed"
        }
    };
    let path = worktree.tree.path.display();
    let first = format!(
        "the worktree {} {what}; it lies in {path}, on the branch {}",
        worktree.name,
        worktree.name.branch()
    );
    let copies = match copied.files.len() {
        0 => None,
        1 => Some("1 file that git does not track was copied into it".to_owned()),
        files => Some(format!("{files} files that git does not track were copied into it")),
    };
    std::iter::once(first).chain(copies).chain(copied.left_out.clone()).chain(notices.clone()).collect()
}

/// What a run would be, without making anything: in the worktree if it is there.
pub(crate) fn rehearse(app: &App, request: &StartRun) -> Result<Rehearsal, AppError> {
    let here = Here::find(app)?;
    let repository = super::repository(&here)?;
    let name = WorktreeName::parse(request.worktree.as_deref().unwrap_or_default())?;
    let request = &from_anywhere(request, &here.directory);
    let all = Worktree::all(repository)?;
    let there = all.into_iter().find(|worktree| worktree.name == name && worktree.tree.is_there());
    let app = if let Some(worktree) = there {
        go_to(app, &place(&here, repository, &worktree))?
    } else {
        let path = base(&here, repository)?.join(name.as_str());
        let branch = name.branch();
        let path = path.display();
        app.notice(&format!(
            "the run would work in a new worktree, {path}, on the branch {branch}; shown is what it would do here"
        ));
        app.clone()
    };
    let prepared = Prepared::read(&app, request, Extent::Look)?;
    rehearsal::rehearse(&Here::at(&app, prepared.directory.clone())?, &prepared)
}

/// The directory of a run that works in a worktree, which is gone to; `None` where it works elsewhere.
pub fn follow(here: &Here, run: &RunSummary, request: &ResumeRun) -> Result<Option<Here>, AppError> {
    let Some(repository) = here.repository.as_ref().filter(|_| run.directory != here.directory) else {
        return Ok(None);
    };
    let all = Worktree::all(repository)?;
    let ours = all.into_iter().find(|worktree| worktree.holds(&run.directory));
    // outside: where a run was; nothing of it is opened.
    if !run.directory.is_dir() {
        let lost = lost(repository, run, ours.as_ref())?;
        let gone = |(branch, path): (String, PathBuf)| gone(here, (run, request), (&branch, &path));
        return lost.map_or(Ok(None), |lost| Err(gone(lost)));
    }
    let Some(worktree) = ours.filter(|worktree| worktree.tree.is_there()) else { return Ok(None) };
    let there = Here::find(&go_to(&here.app, &run.directory)?)?;
    if which::live(&there)?.is_none() {
        here.app.notice(&format!(
            "run {} works in the worktree {}, {}",
            run.run,
            worktree.name,
            run.directory.display()
        ));
    }
    Ok(Some(there))
}

/// The branch and the folder of the worktree that a run worked in, and that is gone.
fn lost(
    repository: &Repository,
    run: &RunSummary,
    known: Option<&Worktree>,
) -> Result<Option<(String, PathBuf)>, AppError> {
    if let Some(worktree) = known {
        return Ok(Some((worktree.name.branch(), worktree.tree.path.clone())));
    }
    // git has forgotten it; its branch is called like its folder.
    for folder in run.directory.ancestors() {
        let name = folder.file_name().and_then(|name| WorktreeName::parse(name.to_str()?).ok());
        let Some(name) = name else { continue };
        let commit = repository
            .commit_of(&name.full_branch())
            .map_err(windlass_engine::worktree::WorktreeError::from)?;
        if commit.is_some() {
            return Ok(Some((name.branch(), folder.to_owned())));
        }
    }
    Ok(None)
}

fn gone(here: &Here, (run, request): (&RunSummary, &ResumeRun), (branch, path): (&str, &Path)) -> AppError {
    let id = &run.run;
    let (shown, path) = (path.display().to_string(), quoted(path.as_os_str()));
    // A run in a folder of the project worked in the same folder of the worktree.
    let there = quoted(run.directory.as_os_str());
    // What cannot be read is known to nobody: then less is advised.
    let entries = journal::read(&RunFolder::of(&here.project, id).journal()).unwrap_or_default();
    let mut board = Board::default();
    for entry in &entries {
        board.fact(entry);
    }
    let error = AppError::new(Kind::Usage, format!("run {id} works in the worktree {shown}, which is gone"))
        .hint(format!("What it committed is on the branch {branch}."))
        .hint(format!(
            "Put the worktree there again: git worktree prune && git worktree add {path} {}",
            quoted(branch.as_ref())
        ));
    let kept = kept_last(&board, &entries).map(|point| {
        format!(
            "All files as they were kept last are brought back by: windlass -C {there} restore {id} {point}"
        )
    });
    let options = goes_on_with(&board, request);
    let goes_on = options.map(|options| format!("Then go on: windlass -C {there} resume {id}{options}"));
    error.with_hints(kept.into_iter().chain(goes_on))
}

/// The snapshot that holds most; `None` where there is none, and with lanes, of which none has all that was there.
fn kept_last(board: &Board, entries: &[Entry]) -> Option<String> {
    board.plan().filter(|plan| plan.lanes.is_none())?;
    WayBack::of(entries.iter().map(|entry| &entry.fact)).point()
}

/// The options of the `resume` that goes on with it: those that were typed, else those that its end has told; `None` where it does not
/// go on.
fn goes_on_with(board: &Board, request: &ResumeRun) -> Option<String> {
    let status = RunStatus::new(board, RunState::Interrupted, None, Timestamp::now());
    let resume = format!("windlass resume {}", status.run?);
    let told = status.next.iter().find_map(|command| command.strip_prefix(&resume))?;
    let typed = request.typed_options();
    Some(if typed.is_empty() { told.to_owned() } else { typed })
}
