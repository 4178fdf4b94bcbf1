//! Uncommitted work when a run begins whose commits the runner makes: a person's is left out of them, and an interrupted
//! run's is kept and committed under its own name.

use std::path::PathBuf;

use windlass_core::config::Resolved;
use windlass_core::recovery::{Unsettled, is_to_be_repeated, listed, may_have_half_landed, unsettled};
use windlass_core::run::Run;
use windlass_core::spec::{CommitPolicy, RunSpec};
use windlass_core::values::{RunId, StopReason};
use windlass_core::words::short_commit;
use windlass_engine::recovery::{self, Commits, Dirty, RecoveryError, Rules, Saved, Sorted, Uncommitted};
use windlass_engine::store::{RunFolder, index, journal};
use windlass_git::commit::CommitOutcome;
use windlass_git::git::{Head, Repository};
use windlass_git::snapshot::Store;

use crate::beginning;
use crate::error::{AppError, Kind};
use crate::here::Here;
use crate::run::lent;
use crate::run::prepared::Prepared;
use crate::run::tasks;

/// Before a new run. Returns what a person should know.
///
/// # Errors
/// There are uncommitted changes of a person, and `--allow-dirty` was not given; or they cannot be looked at.
pub fn before_run(
    here: &Here,
    plan: &RunSpec,
    folder: &RunFolder,
    request: &Prepared,
) -> Result<Vec<String>, AppError> {
    let allow_dirty = request.allow_dirty;
    let Some(repository) = &here.repository else {
        return match plan.commit {
            CommitPolicy::Runner => {
                Err(AppError::usage("`--commit runner` needs a git repository").hint("Make one: git init"))
            }
            CommitPolicy::None | CommitPolicy::Agent => Ok(Vec::new()),
        };
    };
    let former = former(here, plan)?;
    let on_no_branch = on_no_branch(repository, plan)?;
    if plan.commit != CommitPolicy::Runner {
        let kept = only_keep(here, repository, former)?;
        return Ok(on_no_branch.into_iter().chain(kept).collect());
    }
    refuse_stranger(repository)?;
    refuse_half_done(repository)?;
    let half_done = former
        .as_ref()
        .map_or(Ok(None), |(folder, run, _)| lent::take_over(here, repository, folder, run))?;
    let mut dirty = recovery::uncommitted(repository)?;
    let along = recovery::along(plan, &here.place(), &mut dirty);
    let scaffolds = scaffolds(&request.configuration.resolved);
    let ignored = beginning::lines(&here.directory);
    let rules = Rules { withholding: &plan.withholding, ignored: &ignored, scaffolds: &scaffolds };
    let mut set_apart = recovery::folders(repository, rules, &mut dirty)?;
    let mut notices: Vec<String> = on_no_branch.into_iter().collect();
    let (new, hidden) = (std::mem::take(&mut dirty.new), std::mem::take(&mut dirty.hidden));
    let mut of_a_person = Dirty { paths: dirty.paths.clone(), new, hidden };
    let former = former.zip(here.snapshots()?);
    let sorted = former
        .as_ref()
        .map(|((former, run, _), store)| recovery::sort(repository, store, former, run, dirty.paths))
        .transpose()?;
    if let Some(sorted) = &sorted {
        of_a_person.paths.clone_from(&sorted.of_a_person);
    }
    set_apart.extend(recovery::harmless(repository, &here.directory, rules, &mut of_a_person)?);
    if plan.delivery.is_some() {
        refuse_beside(&of_a_person.paths)?;
    }
    refuse_a_persons(
        sorted.as_ref(),
        &of_a_person.paths,
        former.as_ref().map(|((former, ..), _)| former),
        allow_dirty,
    )?;
    // A refusal leaves all of this as it is; what a guest had committed was taken over before.
    if let (Some(((_, run, unsettled), mut store)), Some(sorted)) = (former, sorted) {
        notices.extend(recovery::clear_locks(repository, &run));
        if !sorted.of_the_run.is_empty() {
            let commits = unless(half_done, &mut notices);
            let kept = save(here, &mut store, &run, &unsettled, &sorted.of_the_run, commits)?;
            notices.extend(kept.unless_refused(plan, !allow_dirty)?);
        }
    }
    notices.extend(take_along(here, plan, folder, &along)?);
    of_a_person.paths.extend(set_apart);
    notices.extend(left_out(&of_a_person.paths));
    recovery::add(repository, folder, &of_a_person.paths)?;
    Ok(notices)
}

/// What Windlass wrote at a person's command, and the job's own files: the first commit has them. Lanes begin with what is
/// committed, so there it is made before them.
fn take_along(
    here: &Here,
    plan: &RunSpec,
    folder: &RunFolder,
    along: &Uncommitted,
) -> Result<Option<String>, AppError> {
    if along.is_empty() {
        return Ok(None);
    }
    let listing = listed(along.keys().map(Vec::as_slice));
    let (Some(_), Some(mut store)) = (&plan.lanes, here.snapshots()?) else {
        recovery::take_along(folder, along).map_err(RecoveryError::from)?;
        return Ok(Some(format!(
            "the first commit takes along what was uncommitted of the job itself: {listing}"
        )));
    };
    match recovery::prepare(&here.place(), &mut store, plan, along)? {
        CommitOutcome::Committed { commit, .. } => {
            let short = short_commit(&commit.to_string());
            Ok(Some(format!("lanes begin with what is committed: {short} has {listing}")))
        }
        CommitOutcome::NothingToCommit => Ok(None),
        CommitOutcome::Refused(why) | CommitOutcome::RefusedByHook(why) | CommitOutcome::NeedsPerson(why) => {
            let why = in_one_line(&why);
            Err(AppError::usage(format!(
                "lanes begin with what is committed, and {listing} could not be: {why}"
            ))
            .hint("Commit it yourself, or do one task after another: without -j"))
        }
    }
}

/// What `init` makes for a person to write in.
fn scaffolds(resolved: &Resolved) -> Vec<PathBuf> {
    let specs = resolved.plan.specs.as_ref().map(|specs| specs.join("README.md"));
    specs.into_iter().chain(resolved.agents_file.clone()).collect()
}

/// Before a run goes on. What its interrupted attempt wrote is committed as such, where the agent will be called anew;
/// what else is uncommitted, somebody wrote meanwhile.
pub fn before_resumption(
    here: &Here,
    plan: &RunSpec,
    folder: &RunFolder,
    run: &Run,
) -> Result<Vec<String>, AppError> {
    let (Some(repository), CommitPolicy::Runner) = (&here.repository, plan.commit) else {
        return Ok(Vec::new());
    };
    let mut notices = recovery::clear_locks(repository, run);
    let half_done = lent::take_over(here, repository, folder, run)?;
    let mut dirty = recovery::uncommitted(repository)?;
    let along = recovery::along(plan, &here.place(), &mut dirty);
    // A landing that was cut off leaves other files of the runner's as they are.
    if plan.lanes.is_none() || tasks::lanes_miss_tasks(here, plan)? {
        take_along(here, plan, folder, &along)?;
    }
    let new = dirty.new;
    let mut dirty = dirty.paths;
    let Some(mut store) = here.snapshots()? else { return Ok(notices) };
    recovery::leave_out_checks(folder, &store, run, &mut dirty)?;
    recovery::leave_out_restored(folder, (repository, &store), &mut dirty)?;
    if dirty.is_empty() {
        return Ok(notices);
    }
    let Some(allowed) = recovery::read(folder).map_err(RecoveryError::from)? else {
        // Of runs of an earlier release nothing is known.
        return Ok(notices);
    };
    let sorted = recovery::sort(repository, &store, folder, run, dirty)?;
    if plan.lanes.is_some() && !may_have_half_landed(run) {
        refuse_in_the_way(plan, &sorted.of_a_person, |path| {
            new.contains(path) || allowed.contains_key(path)
        })?;
    }
    // What lanes are at is in their checkouts.
    let Some(unsettled) = unsettled(run) else { return Ok(notices) };
    notices.extend(left_out(&sorted.of_a_person));
    note_between(plan, folder, &sorted.of_a_person)?;
    if is_to_be_repeated(run) && !sorted.of_the_run.is_empty() {
        let commits = unless(half_done, &mut notices);
        let kept = save(here, &mut store, run, &unsettled, &sorted.of_the_run, commits)?;
        notices.extend(kept.unless_refused(plan, true)?);
    }
    recovery::add(repository, folder, &sorted.of_a_person)?;
    Ok(notices)
}

/// What lanes have done cannot land over files that somebody is changing: each task that changes them would be paid for, and parked.
/// What was there when the run began was allowed then.
fn refuse_in_the_way(
    plan: &RunSpec,
    of_a_person: &Uncommitted,
    is_allowed: impl Fn(&Vec<u8>) -> bool,
) -> Result<(), AppError> {
    let mut found = of_a_person.clone();
    found.retain(|path, _| !is_allowed(path));
    if found.is_empty() {
        return Ok(());
    }
    let listing = listed(found.keys().map(Vec::as_slice));
    Err(AppError::usage(format!("what the lanes do cannot land over uncommitted changes: {listing}"))
        .hint(format!("Commit or stash them first; then: windlass resume {}", plan.run)))
}

/// Interrupted work is committed unless something is under way in it, which is said: whoever is called next may finish that.
fn unless(half_done: Option<String>, notices: &mut Vec<String>) -> Commits {
    let commits = if half_done.is_none() { Commits::Yes } else { Commits::No };
    notices.extend(half_done);
    commits
}

type Former = (RunFolder, Run, Unsettled);

/// The latest run here whose commits the runner made, if it may have left something. One whose journal cannot be read
/// says nothing.
fn former(here: &Here, plan: &RunSpec) -> Result<Option<Former>, AppError> {
    let listing = index::look(&here.project)?;
    let here_too =
        |run: &&windlass_engine::store::RunSummary| run.directory == here.directory && run.run != plan.run;
    let Some(latest) = listing.iter().find(here_too) else {
        return Ok(None);
    };
    let folder = RunFolder::of(&here.project, &latest.run);
    let entries = journal::read(&folder.journal()).unwrap_or_default();
    let Ok(run) = Run::folded(&entries) else { return Ok(None) };
    let by_runner = run.spec().is_some_and(|plan| plan.commit == CommitPolicy::Runner);
    let left = unsettled(&run).filter(|_| by_runner);
    Ok(left.map(|unsettled| (folder, run, unsettled)))
}

/// The new run commits nothing: what the interrupted one left gets a name, so that it can be found again.
fn only_keep(here: &Here, repository: &Repository, former: Option<Former>) -> Result<Vec<String>, AppError> {
    let Some((folder, run, unsettled)) = former.filter(|(_, _, unsettled)| unsettled.interrupted) else {
        return Ok(Vec::new());
    };
    let Some(mut store) = here.snapshots()? else {
        return Ok(Vec::new());
    };
    let dirty = recovery::uncommitted(repository)?;
    let sorted = recovery::sort(repository, &store, &folder, &run, dirty.paths)?;
    if sorted.of_the_run.is_empty() {
        return Ok(Vec::new());
    }
    save(here, &mut store, &run, &unsettled, &sorted.of_the_run, Commits::No).map(|kept| kept.notices)
}

/// What became of interrupted work.
#[derive(Default)]
struct InterruptedWork {
    notices: Vec<String>,
    /// It could not be committed.
    is_refused: bool,
}

impl InterruptedWork {
    /// What is to be said of it. Where it could not be committed, whatever is worked on next could not be either: that is
    /// for a person to see before anything more is paid for.
    fn unless_refused(self, plan: &RunSpec, stops: bool) -> Result<Vec<String>, AppError> {
        if !self.is_refused || !stops {
            return Ok(self.notices);
        }
        let said = self.notices.join("; ");
        let kind = Kind::stopped(StopReason::NeedsHuman, plan.exit_codes);
        Err(AppError::new(kind, format!("{said}; nothing more was paid for"))
            .hint("See what refuses it, and commit the files yourself or put them away: git status")
            .hint("Then the same command again."))
    }
}

fn save(
    here: &Here,
    store: &mut Store,
    run: &Run,
    unsettled: &Unsettled,
    paths: &[Vec<u8>],
    commits: Commits,
) -> Result<InterruptedWork, AppError> {
    let Some(plan) = run.spec() else {
        return Ok(InterruptedWork::default());
    };
    let saved = recovery::save(&here.place(), store, plan, (unsettled, paths), commits)?;
    let said = said(&plan.run, unsettled, &saved);
    let is_refused =
        !matches!(saved.outcome, CommitOutcome::Committed { .. } | CommitOutcome::NothingToCommit);
    Ok(InterruptedWork { notices: std::iter::once(said).chain(saved.withheld).collect(), is_refused })
}

fn said(run: &RunId, unsettled: &Unsettled, saved: &Saved) -> String {
    let paths = &saved.paths;
    let files = if paths.len() == 1 { "1 file".to_owned() } else { format!("{} files", paths.len()) };
    let what = format!("interrupted work on {} of run {run} in {files}", unsettled.label);
    let listing = listed(paths.iter().map(Vec::as_slice));
    let kept = format!("`windlass restore {run} {}` brings it back", saved.snapshot.moment);
    match &saved.outcome {
        CommitOutcome::Committed { commit, .. } => {
            let short = short_commit(&commit.to_string());
            format!("{what} is committed as {short}: {listing}")
        }
        CommitOutcome::NothingToCommit => format!("{what} is kept and not committed: {listing}; {kept}"),
        CommitOutcome::Refused(why) | CommitOutcome::RefusedByHook(why) | CommitOutcome::NeedsPerson(why) => {
            let why = in_one_line(why);
            format!("{what} is kept, and could not be committed ({why}): {listing}; {kept}")
        }
    }
}

fn in_one_line(said: &str) -> String {
    said.lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" / ")
}

fn refuse_a_persons(
    sorted: Option<&Sorted>,
    of_a_person: &Uncommitted,
    former: Option<&RunFolder>,
    allow_dirty: bool,
) -> Result<(), AppError> {
    if allow_dirty || of_a_person.is_empty() {
        return Ok(());
    }
    let listing = listed(of_a_person.keys().map(Vec::as_slice));
    let error = dirty_tree();
    let (Some(sorted), Some(former)) = (sorted.filter(|sorted| !sorted.of_the_run.is_empty()), former) else {
        return Err(error.hint(format!("They are: {listing}")));
    };
    Err(error.hint(format!(
        "Of the interrupted run {} are {} of them, and would be committed as its work; these are not: {listing}",
        former.run(),
        sorted.of_the_run.len(),
    )))
}

/// Commits that no branch holds are lost with the next checkout.
fn on_no_branch(repository: &Repository, plan: &RunSpec) -> Result<Option<String>, AppError> {
    if plan.commit == CommitPolicy::None {
        return Ok(None);
    }
    let Head::Detached { commit } = repository.head().map_err(AppError::system)? else { return Ok(None) };
    let short = short_commit(&commit.to_string());
    Ok(Some(format!(
        "no branch is checked out (but the commit {short}): the commits of this run will be on none; `git branch NAME` keeps \
         them once it has ended, `git switch -c NAME` before it begins"
    )))
}

/// Nothing can be committed in nobody's name.
///
/// # Errors
/// git does not know who commits, or could not be asked.
pub fn refuse_stranger(repository: &Repository) -> Result<(), AppError> {
    let hint = "`--commit runner` commits in your name; then run it again.";
    let missing = repository.missing_identity().map_err(AppError::system)?;
    missing.map_or(Ok(()), |why| Err(AppError::usage(why).hint(hint)))
}

/// Nothing can be committed meanwhile: each iteration would be paid for and refused.
pub fn refuse_half_done(repository: &Repository) -> Result<(), AppError> {
    let half_done = repository.half_done().map_err(AppError::system)?;
    let refused = |what| AppError::usage(format!("`--commit runner` cannot commit here: {what}"));
    half_done.map_or(Ok(()), |what| Err(refused(what)))
}

/// What the gates pass on is what is pushed: nothing may lie beside it.
fn refuse_beside(of_a_person: &Uncommitted) -> Result<(), AppError> {
    if of_a_person.is_empty() {
        return Ok(());
    }
    let listing = listed(of_a_person.keys().map(Vec::as_slice));
    Err(AppError::usage(
        "a pull request is refused while there are uncommitted changes: the gates would judge files that are not pushed",
    )
    .hint(format!("They are: {listing}"))
    .hint("Commit or stash them, or let the run work in a tree of its own: --worktree NAME.")
    .hint("What only this machine needs, git can ignore: .git/info/exclude"))
}

/// What was not there when the run began keeps its work from being pushed.
fn note_between(plan: &RunSpec, folder: &RunFolder, of_a_person: &Uncommitted) -> Result<(), AppError> {
    if plan.delivery.is_none() {
        return Ok(());
    }
    let before = recovery::read(folder).map_err(RecoveryError::from)?.unwrap_or_default();
    let is_later = |path: &[u8]| recovery::holding(&before, path).is_none();
    let later = of_a_person.iter().filter(|(path, _)| is_later(path));
    let later: Uncommitted = later.map(|(path, content)| (path.clone(), *content)).collect();
    if !later.is_empty() {
        recovery::add_between(folder, &later).map_err(RecoveryError::from)?;
    }
    Ok(())
}

fn dirty_tree() -> AppError {
    AppError::usage("`--commit runner` is refused while there are uncommitted changes")
        .hint("Commit or stash them first; or give --allow-dirty: files with uncommitted changes are then left out of its commits.")
}

/// What the runner's commits will not have.
fn left_out(of_a_person: &Uncommitted) -> Option<String> {
    (!of_a_person.is_empty()).then(|| {
        let listing = listed(of_a_person.keys().map(Vec::as_slice));
        format!("the runner's commits leave out what was uncommitted before: {listing}")
    })
}
