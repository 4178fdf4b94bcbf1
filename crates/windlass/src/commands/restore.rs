//! `restore`: puts files back.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use windlass_core::values::RunId;
use windlass_engine::recovery::uncommitted;
use windlass_engine::store::lock::{self, Holder};
use windlass_engine::store::run_folder::find_run;
use windlass_engine::store::session_folder::{find_session, is_session, names_session};
use windlass_engine::store::{Project, RunFolder, StoreError, index};
use windlass_git::git::{Found, GitError, ObjectFormat, Repository};
use windlass_git::inventory::{Place, Surveyor, as_path};
use windlass_git::snapshot::{
    LeftAlone, Moment, RepairScope, Repaired, Restored, Side, Snapshot, SnapshotError, SnapshotName, Store,
    WhyLeft, plan_restore, repair, restore,
};
use windlass_ui::{Line, Mark, Tone, one_line};

use super::print_lines;
use crate::args::{Point, RestoreArgs};
use crate::commands::app;
use windlass_app::here::{self, Here};
use windlass_app::run::launch;
use windlass_app::{AppError, Codes, Kind};

/// Paths that are named of those that were left alone; the others are counted.
const NAMED: usize = 10;

/// Does it.
pub fn run(args: &RestoreArgs) -> Result<ExitCode, AppError> {
    let here = Here::find_broken(&app()?)?;
    let project = project_of(&here, &args.run)?;
    let (run, directory) = named(&project, &args.run)?;
    refuse_other_directory(&here, &run, &directory, args)?;
    let mut store = open_store(&project, &run)?;
    let name = wanted(&store, &run, args)?;
    let here = Here { project, ..here };
    let mut target = store.load(&store.named(&name)?)?;
    let of_a_lane = is_of_a_lane(&here, &run, &target);
    if of_a_lane {
        refuse_lanes_repository(args)?;
        target = target.brought_to(&here.place().root);
    }
    refuse_live(&here, &target.place().root)?;
    let taken = launch::lock(&here, &run, Codes::AsConfigured)?;
    let done = if of_a_lane {
        bring_here(&here, &mut store, &target, &run)
    } else {
        put_back(&mut store, &target, &run, args.repository)
    };
    taken.lock.release()?;
    let mut lines = said(&done?, &name);
    if of_a_lane {
        lines.insert(1, note("it was worked on in a lane: what landed after it had begun is in git, and not in these files"));
    }
    print_lines(&lines)?;
    Ok(ExitCode::SUCCESS)
}

/// Was it taken of a lane's checkout? That is below the run's folder.
fn is_of_a_lane(here: &Here, run: &RunId, target: &Snapshot) -> bool {
    let root = target.place().root;
    root != here.place().root && root.starts_with(RunFolder::of(&here.project, run).path())
}

fn refuse_lanes_repository(args: &RestoreArgs) -> Result<(), AppError> {
    if args.repository {
        return Err(AppError::usage(
            "this iteration was worked on in a lane, whose repository is not yours: nothing happened to yours",
        )
        .hint("Its files can be brought back: the same without --repository"));
    }
    Ok(())
}

/// The run, or the interactive session, and where it works.
fn named(project: &Project, text: &str) -> Result<(RunId, PathBuf), StoreError> {
    if names_session(text) {
        return find_session(project, text).map(|(session, record)| (session, record.directory));
    }
    let run = find_run(project, text)?;
    let directory = match index::summarize(&RunFolder::of(project, &run)) {
        Ok(summary) => summary.directory,
        // Its files can be brought back all the same: the list of runs knows where it worked.
        Err(error) => index::look(project)?
            .runs
            .into_iter()
            .find(|known| known.run == run)
            .map(|known| known.directory)
            .ok_or(error)?,
    };
    Ok((run, directory))
}

/// Is it in this project?
fn knows(project: &Project, text: &str) -> Result<(), StoreError> {
    if names_session(text) {
        find_session(project, text).map(drop)
    } else {
        find_run(project, text).map(drop)
    }
}

/// The project that has the run. Without its repository a directory is another project: then the run is looked for in
/// all of them.
fn project_of(here: &Here, text: &str) -> Result<Project, AppError> {
    let missing = match knows(&here.project, text) {
        Err(missing @ (StoreError::NoSuchRun { .. } | StoreError::NoSuchSession { .. })) => missing,
        Err(other) => return Err(other.into()),
        Ok(()) => return Ok(here.project.clone()),
    };
    let mut having = Project::all(&here::state_root()?)?;
    having.retain(|project| knows(project, text).is_ok());
    match having.as_slice() {
        [one] => Ok(one.clone()),
        _ => Err(missing.into()),
    }
}

fn refuse_other_directory(
    here: &Here,
    run: &RunId,
    directory: &Path,
    args: &RestoreArgs,
) -> Result<(), AppError> {
    if directory == here.directory {
        return Ok(());
    }
    let directory = directory.display();
    let before = if args.before { " --before" } else { "" };
    let repository = if args.repository { " --repository" } else { "" };
    let point = match args.iteration {
        Point::Iteration(iteration) => iteration.to_string(),
        Point::Moment(moment) => moment.to_string(),
    };
    let what = launch::holder_in_words(run);
    Err(AppError::usage(format!("{what} works in {directory}"))
        .hint(format!("windlass -C '{directory}' restore {run} {point}{before}{repository}")))
}

fn open_store(project: &Project, run: &RunId) -> Result<Store, AppError> {
    // outside: the store of snapshots.
    if !project.snapshots().join("config").is_file() {
        return Err(AppError::usage(format!(
            "there are no snapshots of run {run}: it did not work in a git repository"
        )));
    }
    // The store keeps the format that it was created with.
    Ok(Store::open(project.path(), ObjectFormat::Sha1)?)
}

/// The snapshot that was asked for.
fn wanted(store: &Store, run: &RunId, args: &RestoreArgs) -> Result<SnapshotName, AppError> {
    let found = match args.iteration {
        Point::Moment(_) if args.before => {
            return Err(AppError::usage(
                "`--before` goes with the number of an iteration, not with a moment",
            ));
        }
        Point::Moment(moment) => {
            let name = SnapshotName { run: run.clone(), moment };
            store.named(&name).map(|_| name)
        }
        Point::Iteration(iteration) => {
            let side = if args.before { Side::Before } else { Side::After };
            store.find(run, iteration, side).map(|(name, _)| name)
        }
    };
    match found {
        Err(SnapshotError::Unknown(what)) => Err(unknown(store, run, &what)),
        other => Ok(other?),
    }
}

fn unknown(store: &Store, run: &RunId, what: &str) -> AppError {
    let error = AppError::usage(format!("there is no snapshot {what}"));
    let names: Vec<String> =
        store.list(run).unwrap_or_default().iter().map(|(name, _)| name.moment.to_string()).collect();
    match names.as_slice() {
        [] => error.hint("Nothing of this run was kept."),
        names => error.hint(format!("Kept are: {}", names.join(", "))),
    }
}

/// Another run may work in another folder of the same tree.
fn refuse_live(here: &Here, root: &Path) -> Result<(), AppError> {
    let holders = lock::holders(&here.project)?;
    let inside = |holder: &Holder| holder.directory != here.directory && holder.directory.starts_with(root);
    match holders.iter().find(|holder| inside(holder) && holder.is_alive()) {
        None => Ok(()),
        Some(holder) => {
            let end = if is_session(&holder.run) {
                "End it first.".to_owned()
            } else {
                format!("End it first: windlass stop {}", holder.run)
            };
            Err(AppError::usage(format!(
                "{} works in {}, whose files would be put back as well",
                launch::holder_in_words(&holder.run),
                holder.directory.display()
            ))
            .hint(end))
        }
    }
}

/// What was done.
struct Done {
    repaired: Option<Repaired>,
    restored: Restored,
}

fn put_back(
    store: &mut Store,
    target: &Snapshot,
    run: &RunId,
    with_repository: bool,
) -> Result<Done, AppError> {
    let repaired =
        with_repository.then(|| repair(store, target, run, RepairScope::Everything)).transpose()?;
    let mut surveyor = Surveyor::new(place_now(target)?);
    let plan = plan_restore(&mut surveyor, store, target)?;
    let restored = restore(store, &plan, run)?;
    Ok(Done { repaired, restored })
}

/// A lane's files, in the directory that it works for. What is there and in no commit was never in the lane: it stays, but
/// where the lane has another file of that name.
fn bring_here(here: &Here, store: &mut Store, target: &Snapshot, run: &RunId) -> Result<Done, AppError> {
    let place = place_now(target)?;
    let uncommitted = match &here.repository {
        Some(repository) => uncommitted(repository)?.paths,
        None => BTreeMap::new(),
    };
    let mut surveyor = Surveyor::new(place);
    let mut plan = plan_restore(&mut surveyor, store, target)?;
    plan.remove.retain(|path| !uncommitted.contains_key(path));
    let restored = restore(store, &plan, run)?;
    Ok(Done { repaired: None, restored })
}

/// The snapshot's place, with the repository that is there now.
fn place_now(target: &Snapshot) -> Result<Place, AppError> {
    let root = target.place().root;
    let missing = || {
        AppError::usage(format!("the git repository of {} is not there any more, or broken", root.display()))
            .hint("Bring it back as well: add --repository")
    };
    here::put_steering_back(&app()?, &root)?;
    let found = match Repository::find(&root) {
        Err(GitError::Failed { said, .. }) => return Err(missing().hint(said)),
        found => found.map_err(|error| AppError::new(Kind::System, error.to_string()))?,
    };
    match found {
        Found::Worktree(repository) if repository.top == root => Ok(Place::new(&root, Some(repository))),
        Found::GitMissing => Err(AppError::new(Kind::System, "git is not installed, or not in PATH")),
        Found::Unsafe(said) => {
            Err(AppError::new(Kind::System, "git refuses to look at the repository").hint(said))
        }
        _ => Err(missing()),
    }
}

fn said(done: &Done, name: &SnapshotName) -> Vec<Line> {
    let Done { repaired, restored } = done;
    let mut lines = vec![headline(restored, name)];
    if let Some(repaired) = repaired {
        lines.push(repository_line(repaired));
        lines.extend(repaired.left_alone.iter().map(|sentence| note(sentence)));
    }
    lines.extend(restored.left_alone.iter().take(NAMED).map(|left| note(&left_alone(left))));
    if restored.left_alone.len() > NAMED {
        lines.push(note(&format!("{} more paths were left alone", restored.left_alone.len() - NAMED)));
    }
    lines.extend(undo(done).map(|command| Line::new().dim("  undo  ").command(command)));
    lines
}

fn headline(restored: &Restored, name: &SnapshotName) -> Line {
    let Restored { written, removed, unchanged, .. } = restored;
    let line = Line::hanging(2).mark(Tone::Good, Mark::Passed);
    let of = launch::holder_in_words(&name.run);
    // A session has no iterations.
    let when = match name.moment {
        Moment::Iteration { side, .. } if is_session(&name.run) => match side {
            Side::Before => format!("before {of}"),
            Side::After => format!("after {of}"),
        },
        moment => format!("{} of {of}", self::moment(moment)),
    };
    if written.is_empty() && removed.is_empty() {
        return line.plain(format!(" nothing to do: the files are as they were {when}"));
    }
    line.plain(format!(" the files are as they were {when}")).dim(format!(
        ": {} written, {} removed, {unchanged} unchanged",
        written.len(),
        removed.len()
    ))
}

fn moment(moment: Moment) -> String {
    match moment {
        Moment::Iteration { iteration, side: Side::Before, .. } => format!("before iteration {iteration}"),
        Moment::Iteration { iteration, side: Side::After, .. } => format!("after iteration {iteration}"),
        Moment::BeforeRestore { number } => format!("before restore {number}"),
    }
}

fn repository_line(repaired: &Repaired) -> Line {
    let line = Line::hanging(2).mark(Tone::Good, Mark::Passed);
    match repaired.done {
        0 => line.plain(" branches, tags, HEAD, index, settings and hooks are as they were"),
        1 => line.plain(" branches, tags, HEAD, index, settings and hooks are put back: 1 step"),
        done => {
            line.plain(format!(" branches, tags, HEAD, index, settings and hooks are put back: {done} steps"))
        }
    }
}

fn note(sentence: &str) -> Line {
    Line::hanging(4).plain("  ").mark(Tone::Warn, Mark::Notice).plain(format!(" {}", one_line(sentence)))
}

fn left_alone(left: &LeftAlone) -> String {
    let why = match &left.why {
        WhyLeft::NotInSnapshot(reason) => format!("the snapshot does not hold it ({})", reason.name()),
        WhyLeft::CannotBeKept => "what is there now is too large to be kept first, or unreadable".to_owned(),
        WhyLeft::Ignored => "git ignores it".to_owned(),
        WhyLeft::Submodule => "it is a repository of its own".to_owned(),
        WhyLeft::InTheWay => "something that no snapshot holds is in the way".to_owned(),
        WhyLeft::Failed(said) => said.clone(),
    };
    format!("left alone: {}: {why}", as_path(&left.path).display())
}

/// What was there before the repository was repaired is the older snapshot: it holds the files as well.
fn undo(done: &Done) -> Option<String> {
    let repaired = done.repaired.as_ref().and_then(|repaired| repaired.before.as_ref());
    match repaired {
        Some((name, _)) => Some(format!("windlass restore {} {} --repository", name.run, name.moment)),
        None => done.restored.undo(),
    }
}
