//! `run --worktree NAME`: going there, running there, and saying what to do with it.

use std::env;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use windlass_core::config::{Layer, Unlimited};
use windlass_core::spec::{CommitPolicy, Mode};
use windlass_engine::git::Repository;
use windlass_engine::store::{RunSummary, index};
use windlass_engine::worktree::{
    How, Made, Order, Removal, Stage, Worktree, WorktreeName, base_folder, make,
};
use windlass_ui::{Level, Line, Mark, Tone};

use crate::args::RunArgs;
use crate::commands::audience::Show;
use crate::commands::configuration::Configuration;
use crate::commands::dry_run::{self, quoted};
use crate::commands::here::{Here, home};
use crate::commands::run::{self, Request};
use crate::commands::{flags, launch, print_lines, resume, tasks_run, trusting, uncommitted, warn, which};
use crate::error::{CliError, Kind};

/// Runs in the worktree that is named.
pub fn run_in(args: &RunArgs) -> Result<ExitCode, CliError> {
    // What is wrong with the command line is said before anything is made.
    flags::run(args)?;
    let here = Here::find()?;
    let repository = super::repository(&here)?;
    let name = WorktreeName::parse(args.work.worktree.as_deref().unwrap_or_default())?;
    let args = from_anywhere(args, &here.directory);
    if args.work.dry_run {
        return rehearse(&here, repository, &name, &args);
    }
    refuse_unfit(&here, repository, &name, &args)?;
    let made = made(&here, repository, &name)?;
    let begun = in_there(&here, repository, &made, &args);
    let (there, request) = match begun {
        Ok(begun) => begun,
        Err(error) => return Err(without_traces(&here, repository, &made, error)),
    };
    let show = request.show(&args);
    let code = run::begin(&there, request, &args, show)?;
    tell_end(&there, &here, show);
    Ok(code)
}

/// The same arguments, whatever directory they are read in.
fn from_anywhere(args: &RunArgs, directory: &Path) -> RunArgs {
    let mut args = args.clone();
    args.file = args.file.map(|file| directory.join(file));
    let is_built_in = |script: &str| script.is_empty() || script.starts_with("builtin:");
    if let Some(script) = args.work.mock.as_ref().filter(|script| !is_built_in(script)) {
        // One that is not UTF-8 is refused where it is read.
        args.work.mock = directory.join(script).to_str().map(str::to_owned).or(args.work.mock);
    }
    args
}

/// One that is there has to be one that a run can begin in.
fn refuse_unfit(
    here: &Here,
    repository: &Repository,
    name: &WorktreeName,
    args: &RunArgs,
) -> Result<(), CliError> {
    let all = Worktree::all(repository)?;
    let Some(worktree) = all.into_iter().find(|worktree| worktree.name == *name) else { return Ok(()) };
    if !worktree.tree.is_there() || worktree.stage() != Stage::Ready || args.work.allow_dirty {
        return Ok(());
    }
    let runs = index::list(&here.project)?.runs;
    let goes_on = runs.iter().find(|run| worktree.holds(&run.directory)).is_some_and(resume::is_open);
    if goes_on {
        return Ok(());
    }
    let path = quoted(worktree.tree.path.as_os_str());
    if let Some(what) = worktree.tree.under_way() {
        return Err(CliError::usage(format!("{what} is under way in the worktree {name}"))
            .hint(format!("End it first: git -C {path} status")));
    }
    let work = worktree.work()?.uncommitted;
    if let Some(first) = work.first() {
        let (count, first) = (work.len(), windlass_ui::one_line(&first.display().to_string()));
        let files = if count == 1 { "1 file".to_owned() } else { format!("{count} files") };
        let message = format!("the worktree {name} is there, with {files} in no commit, such as {first}");
        return Err(CliError::usage(message)
            .hint(format!("Commit or delete what is there: git -C {path} status"))
            .hint("Or go on with it as it is: the same command with --allow-dirty"));
    }
    Ok(())
}

fn made(here: &Here, repository: &Repository, name: &WorktreeName) -> Result<Made, CliError> {
    let base = base(here, repository)?;
    let settings = settings(here)?;
    let (project, bootstrap) = (&here.project, &settings.resolved.worktree.bootstrap);
    Ok(make(&Order { repository, project, base: &base, name, bootstrap })?)
}

fn settings(here: &Here) -> Result<Configuration, CliError> {
    Configuration::load(&here.directory, None, Mode::Loop, Layer::default(), Unlimited::NotAsked)
}

/// Where worktrees of this project are made.
fn base(here: &Here, repository: &Repository) -> Result<PathBuf, CliError> {
    let settings = settings(here)?;
    Ok(base_folder(repository, settings.resolved.worktree.base.as_deref(), home().as_deref()))
}

/// Goes there and reads what the run is to be.
fn in_there(
    here: &Here,
    repository: &Repository,
    made: &Made,
    args: &RunArgs,
) -> Result<(Here, Request), CliError> {
    go_to(&place(here, repository, &made.worktree))?;
    let mut request = Request::read(args)?;
    let there = Here::at(request.directory.clone())?;
    if tasks_run::commit(&there, &request) == CommitPolicy::Runner
        && let Some(repository) = &there.repository
    {
        uncommitted::refuse_stranger(repository)?;
    }
    // Before what was made for it has to be kept. Whoever answered is not asked again.
    let trusted = trusting::require(&launch::asked(&there, &request))?;
    request.trust.no_claude_settings |= !trusted.settings.are_used();
    request.trust.hash.trust = None;
    request.configuration.notices.splice(0..0, notices(made));
    Ok((there, request))
}

/// A run in a folder of the project runs in the same folder of the worktree.
fn place(here: &Here, repository: &Repository, worktree: &Worktree) -> PathBuf {
    worktree.tree.path.join(here.directory.strip_prefix(&repository.top).unwrap_or(Path::new("")))
}

fn go_to(directory: &Path) -> Result<(), CliError> {
    env::set_current_dir(directory).map_err(|error| {
        CliError::usage(format!("cannot work in {}: {error}", directory.display()))
            .hint("A worktree holds what is committed: is this folder?")
    })
}

/// A worktree that was made for a run that cannot begin goes again.
fn without_traces(here: &Here, repository: &Repository, made: &Made, error: CliError) -> CliError {
    if made.how != How::Anew {
        return error;
    }
    // It holds nothing yet; where it cannot be removed it stays, and is listed.
    let _ = env::set_current_dir(&here.directory);
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
fn rehearse(
    here: &Here,
    repository: &Repository,
    name: &WorktreeName,
    args: &RunArgs,
) -> Result<ExitCode, CliError> {
    let all = Worktree::all(repository)?;
    let there = all.into_iter().find(|worktree| worktree.name == *name && worktree.tree.is_there());
    if let Some(worktree) = there {
        go_to(&place(here, repository, &worktree))?;
    } else {
        let path = base(here, repository)?.join(name.as_str());
        let branch = name.branch();
        let path = path.display();
        warn(&format!(
            "the run would work in a new worktree, {path}, on the branch {branch}; shown is what it would do here"
        ));
    }
    let request = Request::read(args)?;
    dry_run::show(&Here::at(request.directory.clone())?, &request)?;
    Ok(ExitCode::SUCCESS)
}

/// The directory of a run that works in a worktree, which is gone to; `None` where it works elsewhere.
pub fn follow(here: &Here, run: &RunSummary) -> Result<Option<Here>, CliError> {
    let Some(repository) = here.repository.as_ref().filter(|_| run.directory != here.directory) else {
        return Ok(None);
    };
    let all = Worktree::all(repository)?;
    let ours = all.into_iter().find(|worktree| worktree.holds(&run.directory));
    // outside: where a run was; nothing of it is opened.
    if !run.directory.is_dir() {
        return match lost(repository, run, ours.as_ref())? {
            Some((branch, path)) => Err(gone(run, &branch, &path)),
            None => Ok(None),
        };
    }
    let Some(worktree) = ours.filter(|worktree| worktree.tree.is_there()) else { return Ok(None) };
    go_to(&run.directory)?;
    let there = Here::find()?;
    if which::live(&there)?.is_none() {
        warn(&format!(
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
) -> Result<Option<(String, PathBuf)>, CliError> {
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

fn gone(run: &RunSummary, branch: &str, path: &Path) -> CliError {
    let id = &run.run;
    let (shown, path) = (path.display().to_string(), quoted(path.as_os_str()));
    CliError::new(Kind::Usage, format!("run {id} works in the worktree {shown}, which is gone"))
        .hint(format!("What it committed is on the branch {branch}."))
        .hint(format!("Put the worktree there again: git worktree prune && git worktree add {path} {branch}"))
        .hint(format!(
            "What was in no commit is in the run's snapshots: windlass -C {path} restore {id} {}",
            run.iterations.max(1)
        ))
        .hint(format!("Then go on: windlass resume {id}"))
}

/// Says what became of a worktree, and what to do with it. `called_in` is where the person is.
pub fn tell_end(there: &Here, called_in: &Here, show: Show) {
    if show.json || show.level == Level::Quiet {
        return;
    }
    let Some(worktree) = super::ready::at(there) else { return };
    match ending(&worktree, called_in) {
        // Where standard output is closed nobody is there to be told.
        Ok(lines) => drop(print_lines(&lines)),
        Err(error) => {
            warn(&format!("what is in the worktree {} cannot be told: {}", worktree.name, error.message));
        }
    }
}

fn ending(worktree: &Worktree, called_in: &Here) -> Result<Vec<Line>, CliError> {
    let standing = worktree.standing(&worktree.repository()?)?;
    let (name, branch) = (&worktree.name, worktree.name.branch());
    let path = quoted(worktree.tree.path.as_os_str());
    let base = standing.base.unwrap_or_else(|| "the project".to_owned());
    let commits = match standing.ahead {
        0 => format!(" has no commit that {base} has not"),
        1 => format!(" has 1 commit that {base} has not"),
        ahead => format!(" has {ahead} commits that {base} has not"),
    };
    let mut lines = vec![Line::hanging(2).plain("the worktree ").strong(name.to_string()).plain(commits)];
    let work = worktree.work()?.uncommitted.len();
    if work > 0 {
        let files = if work == 1 { "1 file".to_owned() } else { format!("{work} files") };
        let said =
            format!(" {files} there are in no commit: ").replace("1 file there are", "1 file there is");
        lines.push(
            Line::hanging(4)
                .plain("  ")
                .mark(Tone::Warn, Mark::Notice)
                .plain(said)
                .command(format!("git -C {path} status")),
        );
    }
    let is_inside = worktree.holds(&called_in.directory);
    if standing.ahead > 0 && !is_inside {
        let merge = format!("git merge {branch}");
        lines.push(Line::hanging(2).dim("  look      ").command(format!("git log -p ..{branch}")));
        lines.push(Line::hanging(2).dim("  merge     ").command(merge));
    }
    if !is_inside {
        lines.push(Line::hanging(2).dim("  clean up  ").command(format!("windlass worktree clean {name}")));
    }
    Ok(lines)
}
