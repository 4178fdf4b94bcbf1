//! Putting files back.

mod paths;
mod repository;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use windlass_core::fact::plan_of;
use windlass_core::values::RunId;
use windlass_engine::recovery::{PutBack as Noted, uncommitted};
use windlass_engine::store::lock::{self, Holder};
use windlass_engine::store::run_folder::find_run;
use windlass_engine::store::session_folder::{find_session, is_session, names_session};
use windlass_engine::store::{Project, RunFolder, StoreError, index, journal};
use windlass_engine::supervisor::take_repository_as_it_is;
use windlass_git::inventory::Surveyor;
pub use windlass_git::snapshot::{LeftAlone, Repaired, Restored, WhyLeft};
use windlass_git::snapshot::{
    Moment, RepairScope, Side, Snapshot, SnapshotError, SnapshotName, Store, plan_restore, repair, restore,
};
use windlass_host::tree;
use windlass_ui::one_line;

use crate::app::App;
use crate::error::{AppError, Codes};
use crate::fleet::{self, Depth};
use crate::here::{self, Here};
use crate::inspect::which;
use crate::run::launch;
use crate::snapshots::{RunSnapshots, unknown};
use crate::text::quoted;

/// Files that are to be put back.
#[derive(Clone, Debug)]
pub struct RestoreFiles {
    /// The run or session, or the beginning of its name.
    pub run: String,
    /// To what.
    pub to: RestoreTo,
    /// As before the iteration, not after it.
    pub before: bool,
    /// Branches, tags, HEAD and the index as well.
    pub repository: bool,
    /// Only these files and folders, relative to where it is asked for; without any all of them.
    pub paths: Vec<PathBuf>,
}

/// What files can be put back to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RestoreTo {
    /// An iteration of the run, from 1.
    Iteration(u32),
    /// A snapshot by its name.
    Moment(Moment),
}

/// Files that were put back.
pub struct RestoredFiles {
    /// As of when.
    pub name: SnapshotName,
    /// They were worked on in a lane: what landed after it had begun is not in them.
    pub of_a_lane: bool,
    /// What became of the repository, where that was asked for.
    pub repaired: Option<Repaired>,
    /// Commits that were on branches until then, and that no branch has any more: short names with subjects.
    pub unnamed: Vec<String>,
    /// What became of the files.
    pub restored: Restored,
}

impl RestoredFiles {
    /// As of when the files are, in words: `after iteration 2 of run …`.
    pub fn when(&self) -> String {
        let of = which::holder_in_words(&self.name.run);
        match self.name.moment {
            // A session has no iterations.
            Moment::Iteration { side, .. } if is_session(&self.name.run) => format!("{} {of}", word(side)),
            Moment::Iteration { iteration, side, .. } => {
                format!("{} iteration {iteration} of {of}", word(side))
            }
            Moment::BeforeRestore { number } => format!("before restore {number} of {of}"),
            Moment::SessionStart { number } => format!("when session {number} of {of} began"),
        }
    }

    /// The command that brings back what was there. Where the repository was put back that is the older snapshot, which
    /// holds the files as well.
    pub fn undo(&self) -> Option<String> {
        match self.repaired.as_ref().and_then(|repaired| repaired.before.as_ref()) {
            Some((name, _)) => Some(name.whole_restore()),
            None => self.restored.undo(),
        }
    }
}

const fn word(side: Side) -> &'static str {
    match side {
        Side::Before => "before",
        Side::After => "after",
    }
}

/// What was put back.
struct PutBack {
    repaired: Option<Repaired>,
    unnamed: Vec<String>,
    restored: Restored,
}

impl App {
    /// Puts files back to what they were; what is replaced is kept in a snapshot first.
    ///
    /// # Errors
    /// There is no such snapshot, or a run is live here.
    pub fn restore(&self, request: &RestoreFiles) -> Result<RestoredFiles, AppError> {
        let here = Here::find_broken(self)?;
        let brought = bring(&here, &request.run);
        let project = project_of(&here, &request.run).map_err(|error| brought.err().unwrap_or(error))?;
        let (run, directory) = named(&project, &request.run)?;
        let folder = RunFolder::of(&project, &run);
        follow_links(&folder);
        let is_copy = fleet::is_copy(&folder);
        if !is_copy {
            refuse_other_directory(&here, &run, &directory, request)?;
        }
        let RunSnapshots { mut store, refused } =
            RunSnapshots::open(&project, &run, here.repository.as_ref(), usize::MAX)?;
        let name = wanted(&store, &run, request).map_err(|error| refused.said(error))?;
        let here = Here { project, ..here };
        let near = another(&store, &run, &name);
        let lost = |error: AppError| {
            if error.is_of_lost_snapshots() { error.with_hints(near.clone()) } else { error }
        };
        let loaded = store.named(&name).and_then(|id| store.load(&id));
        let mut target = loaded.map_err(|error| lost(error.into()))?;
        let of_a_lane = is_of_a_lane(&here, &run, &target);
        if of_a_lane {
            refuse_lanes_repository(request)?;
            target = target.brought_to(&here.place().root);
        }
        refuse_live(&here, &target.place().root, request)?;
        let taken = launch::lock(&here, &run, Codes::AsConfigured)?;
        let done = if of_a_lane {
            bring_here(&here, &mut store, &target, (&run, request))
        } else if is_copy {
            Err(AppError::usage(format!(
                "{} of run {run} was taken of files on another machine",
                name.moment
            ))
            .hint(format!("Restore it there, in {}", directory.display())))
        } else {
            put_back(&here, &mut store, &target, (&name, request))
        };
        taken.lock.release()?;
        let PutBack { repaired, unnamed, restored } = done.map_err(lost)?;
        Ok(RestoredFiles { name, of_a_lane, repaired, unnamed, restored })
    }
}

/// What a person had linked when the run began is read and written where it lies.
fn follow_links(folder: &RunFolder) {
    if let Some(plan) = journal::read(&folder.journal()).ok().and_then(plan_of) {
        tree::follow(&plan.links_out);
    }
}

/// What workers have sent of a run comes here first; of others nothing is asked.
fn bring(here: &Here, text: &str) -> Result<(), AppError> {
    if names_session(text) { Ok(()) } else { which::shown_to(here, Some(text), Depth::Files).map(drop) }
}

/// Where an object of one snapshot is gone, the one before it, or after it, may be whole.
fn another(store: &Store, run: &RunId, but: &SnapshotName) -> Option<String> {
    let names: Vec<SnapshotName> = store.list(run).ok()?.into_iter().map(|(name, _)| name).collect();
    let at = names.iter().position(|name| name == but)?;
    let near = at.checked_sub(1).and_then(|before| names.get(before)).or_else(|| names.get(at + 1))?;
    Some(format!("Another one may be whole: windlass restore {run} {}", near.moment))
}

/// Was it taken of a lane's checkout? That is below the run's folder.
pub(crate) fn is_of_a_lane(here: &Here, run: &RunId, target: &Snapshot) -> bool {
    let root = target.place().root;
    root != here.place().root && root.starts_with(RunFolder::of(&here.project, run).path())
}

fn refuse_lanes_repository(request: &RestoreFiles) -> Result<(), AppError> {
    if request.repository {
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
            .iter()
            .find(|known| known.run == run)
            .map(|known| known.directory.clone())
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
    request: &RestoreFiles,
) -> Result<(), AppError> {
    if directory == here.directory {
        return Ok(());
    }
    let (shown, typed) = (one_line(&directory.display().to_string()), quoted(directory.as_os_str()));
    let before = if request.before { " --before" } else { "" };
    let repository = if request.repository { " --repository" } else { "" };
    let point = match request.to {
        RestoreTo::Iteration(iteration) => iteration.to_string(),
        RestoreTo::Moment(moment) => moment.to_string(),
    };
    let paths = request.paths.iter().map(|path| paths::as_typed_there(path, &here.directory, directory));
    let paths: Vec<String> = paths.map(|path| quoted(path.as_os_str())).collect();
    let paths = if paths.is_empty() { String::new() } else { format!(" -- {}", paths.join(" ")) };
    let what = which::holder_in_words(run);
    Err(AppError::usage(format!("{what} works in {shown}"))
        .hint(format!("windlass -C {typed} restore {run} {point}{before}{repository}{paths}")))
}

/// The snapshot that was asked for.
fn wanted(store: &Store, run: &RunId, request: &RestoreFiles) -> Result<SnapshotName, AppError> {
    let found = match request.to {
        RestoreTo::Moment(_) if request.before => {
            return Err(AppError::usage(
                "`--before` goes with the number of an iteration, not with a moment",
            ));
        }
        RestoreTo::Moment(moment) => {
            let name = SnapshotName { run: run.clone(), moment };
            store.named(&name).map(|_| name)
        }
        RestoreTo::Iteration(iteration) => {
            let side = if request.before { Side::Before } else { Side::After };
            store.find(run, iteration, side).map(|(name, _)| name)
        }
    };
    match found {
        Err(SnapshotError::Unknown(what)) => Err(unknown(store, run, &what)),
        other => Ok(other?),
    }
}

/// Another run may work in another folder of the same tree, or on a branch of the same repository in another one.
fn refuse_live(here: &Here, root: &Path, request: &RestoreFiles) -> Result<(), AppError> {
    let holders = lock::holders(&here.project)?;
    let mut others = holders.iter().filter(|holder| holder.directory != here.directory && holder.is_alive());
    let is_inside = |holder: &&Holder| holder.directory.starts_with(root);
    let what = |holder: &Holder| if is_inside(&holder) { "files" } else { "branches" };
    match others.find(|holder| request.repository || is_inside(holder)) {
        None => Ok(()),
        Some(holder) => {
            let end = if is_session(&holder.run) {
                "End it first.".to_owned()
            } else {
                format!("End it first: windlass stop {}", holder.run)
            };
            Err(AppError::usage(format!(
                "{} works in {}, whose {} would be put back as well",
                which::holder_in_words(&holder.run),
                holder.directory.display(),
                what(holder)
            ))
            .hint(end))
        }
    }
}

fn put_back(
    here: &Here,
    store: &mut Store,
    target: &Snapshot,
    (name, request): (&SnapshotName, &RestoreFiles),
) -> Result<PutBack, AppError> {
    let run = &name.run;
    repository::refuse_without(store, name, target, request)?;
    let folder = RunFolder::of(&here.project, run);
    let former = Noted::read(&folder).map_err(AppError::system)?;
    let head = here.repository.as_ref().and_then(|repository| repository.head().ok()?.commit());
    let repaired =
        request.repository.then(|| repair(store, target, run, RepairScope::Everything)).transpose()?;
    if let Some(repaired) = &repaired {
        take_repository_as_it_is(&here::state_root()?, &target.place().root).map_err(AppError::system)?;
        if let Some((before, _)) = &repaired.before {
            keep_before(&former, &folder, before)?;
        }
    }
    let place =
        repository::place_now(&here.app, target, || repository::way_back(store, name, target, request))?;
    let unnamed = repository::unnamed(&place, head, repaired.as_ref());
    let mut surveyor = Surveyor::new(place);
    let mut plan = plan_restore(&mut surveyor, store, target)?;
    let paths = paths::narrow(&mut plan, target, here, request)?;
    if is_session(run) {
        // Nobody commits for it.
        return Ok(PutBack { repaired, unnamed, restored: restore(store, &plan, run)? });
    }
    // Before anything is written: a restore that is killed has put back what it has.
    keep_before(&former, &folder, &store.next_before_restore(run)?)?;
    let noted = former.after(&folder, (name.moment, &target.id), &paths);
    noted.and_then(|noted| noted.write(&folder)).map_err(AppError::system)?;
    match restore(store, &plan, run) {
        Ok(restored) => Ok(PutBack { repaired, unnamed, restored }),
        Err(error) => {
            former.write(&folder).map_err(AppError::system)?;
            Err(error.into())
        }
    }
}

/// Whoever takes this restore back has what was noted before it as well.
fn keep_before(former: &Noted, folder: &RunFolder, name: &SnapshotName) -> Result<(), AppError> {
    match name.moment {
        Moment::BeforeRestore { number } => former.keep_before(folder, number).map_err(AppError::system),
        Moment::Iteration { .. } | Moment::SessionStart { .. } => Ok(()),
    }
}

/// A lane's files, in the directory that it works for. What is there and in no commit was never in the lane: it stays, but
/// where the lane has another file of that name.
fn bring_here(
    here: &Here,
    store: &mut Store,
    target: &Snapshot,
    (run, request): (&RunId, &RestoreFiles),
) -> Result<PutBack, AppError> {
    let place = repository::place_now(&here.app, target, || None)?;
    let uncommitted = match &here.repository {
        Some(repository) => uncommitted(repository)?.paths,
        None => BTreeMap::new(),
    };
    let mut surveyor = Surveyor::new(place);
    let mut plan = plan_restore(&mut surveyor, store, target)?;
    plan.remove.retain(|path| !uncommitted.contains_key(path));
    // What no snapshot holds was in the lane, and never here.
    plan.left_alone.retain(|left| !matches!(left.why, WhyLeft::Gone(_) | WhyLeft::RepositoryGone));
    paths::narrow(&mut plan, target, here, request)?;
    let restored = restore(store, &plan, run)?;
    Ok(PutBack { repaired: None, unnamed: Vec::new(), restored })
}
