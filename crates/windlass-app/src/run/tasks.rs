//! What a run of tasks is by default, and what several lanes need.

use std::path::Path;

use windlass_core::config::keys;
use windlass_core::spec::{CommitPolicy, LanesSpec, Limits, RunSpec};
use windlass_core::values::{RunId, StopReason};
use windlass_engine::store::RunFolder;
use windlass_engine::tasks::{FoundTasks, Unlike, kept_places, read_tasks, unlike_committed, usual_places};
use windlass_git::git::{GitError, Head, Repository};
use windlass_ui::one_line;

use crate::error::{AppError, Codes, Kind};
use crate::here::Here;
use crate::run::Work;
use crate::run::prepared::Prepared;
use crate::text::quoted;

/// The folder of the lanes' checkouts in a run's folder.
pub(super) const LANES: &str = "lanes";

/// So many lists in other places are named.
const MOST_NAMED: usize = 3;

/// More lanes than any machine has use for, and as many as the largest worker of a fleet has.
const MOST_LANES: u16 = 256;

/// The limits of a run. Tasks may take two iterations each, unless somebody says otherwise.
pub fn limits(request: &Prepared) -> Limits {
    let resolved = &request.configuration.resolved;
    let usual = resolved.limits.clone();
    if !resolved.origin(&keys::MAX_ITERATIONS).is_default() {
        return usual;
    }
    let Some(Ok(found)) = request.assignment.find_tasks(&resolved.tasks) else {
        return usual;
    };
    let twice = u32::try_from(open(&found)).unwrap_or(u32::MAX).saturating_mul(2).max(1);
    Limits { iterations: Some(twice), ..usual }
}

/// How many tasks are not done.
fn open(found: &FoundTasks) -> usize {
    let counts = found.list.schedule().counts();
    counts.total - counts.done
}

/// What is wrong with the file that is about to be worked off: what cannot be read of a task is taken as if it were not there.
pub fn problems(request: &Prepared) -> Option<String> {
    let found = request.assignment.find_tasks(&request.configuration.resolved.tasks)?.ok()?;
    let (first, more) = found.list.problems().split_first()?;
    let more = match more.len() {
        0 => String::new(),
        1 => " (and 1 problem more)".to_owned(),
        more => format!(" (and {more} problems more)"),
    };
    let which = match &request.assignment.issues {
        Some(issues) => issues.flags(),
        None => format!("-f {}", quoted(found.place.as_os_str())),
    };
    Some(format!("{first}{more}: windlass tasks validate {which}"))
}

/// Lists with open tasks, where nobody has named one and the one that is meant has none.
pub fn open_elsewhere(request: &Prepared) -> Option<String> {
    let settings = &request.configuration.resolved.tasks;
    let assignment = &request.assignment;
    if assignment.tasks.is_named() || settings.file.is_some() || assignment.issues.is_some() {
        return None;
    }
    let meant = assignment.find_tasks(settings)?.ok().filter(|found| open(found) == 0)?;
    let others = usual_places(&assignment.directory).into_iter().chain(kept_places(&assignment.directory));
    let others = others.filter(|found| found.place != meant.place && open(found) > 0);
    let named = others.take(MOST_NAMED).filter_map(|found| {
        let work = Work::of(&found)?;
        Some(format!("{} has {} open: {}", work.place, open(&found), work.command()))
    });
    let named: Vec<String> = named.collect();
    let place = one_line(&meant.place.display().to_string());
    (!named.is_empty()).then(|| format!("no task of {place} is open, and {}", named.join("; ")))
}

/// The tasks that are meant, and the bound that follows, for people who only look.
pub fn preview(request: &Prepared) -> Option<String> {
    let found = request.assignment.find_tasks(&request.configuration.resolved.tasks)?.ok()?;
    let open = open(&found);
    let most =
        limits(request).iterations.map(|most| format!(", at most {most} iterations")).unwrap_or_default();
    Some(format!("{}: {open} open{most}", found.place.display()))
}

/// Who commits. Without git, tasks are worked off without commits where nobody asked for them.
pub fn commit(here: &Here, request: &Prepared) -> CommitPolicy {
    let resolved = &request.configuration.resolved;
    let asked = !resolved.origin(&keys::COMMIT).is_default();
    if request.assignment.mode.has_tasks() && here.repository.is_none() && !asked {
        return CommitPolicy::None;
    }
    resolved.commit
}

/// The lanes of a run; `None` = one, in the working directory.
pub fn lanes(here: &Here, request: &Prepared, run: &RunId) -> Option<LanesSpec> {
    let count = u16::try_from(request.configuration.resolved.tasks.lanes).unwrap_or(u16::MAX);
    if !request.assignment.mode.has_tasks() || count < 2 {
        return None;
    }
    let top = &here.repository.as_ref()?.top;
    let below = here.directory.strip_prefix(top).unwrap_or(Path::new("")).to_owned();
    let folder = RunFolder::of(&here.project, run).path().join(LANES);
    let bootstrap = Some(request.configuration.resolved.worktree.bootstrap.clone());
    let branch = branch_of(here.repository.as_ref()?);
    Some(LanesSpec { below, branch, bootstrap, ..LanesSpec::of(count, folder) })
}

/// What is said on the command line has to be possible.
pub fn refuse_impossible_lanes(here: &Here, request: &Prepared) -> Result<(), AppError> {
    let resolved = &request.configuration.resolved;
    let asked = matches!(resolved.origin(&keys::LANES), windlass_core::config::Origin::Flag(_));
    if !request.assignment.mode.has_tasks() {
        if asked && resolved.tasks.lanes > 1 {
            return Err(AppError::usage("`-j` belongs to tasks: windlass run --mode tasks -j 4"));
        }
        return Ok(());
    }
    if resolved.tasks.lanes < 2 {
        return Ok(());
    }
    if resolved.tasks.lanes > u32::from(MOST_LANES) {
        return Err(AppError::usage(format!(
            "{} lanes are too many: at most {MOST_LANES}",
            resolved.tasks.lanes
        )));
    }
    if here.repository.is_none() {
        return Err(AppError::usage("several lanes need a git repository: what they make is merged there")
            .hint("Make one: git init, and commit what is there."));
    }
    if commit(here, request) != CommitPolicy::Runner {
        return Err(AppError::usage(
            "several lanes need `--commit runner`: only what is committed can be merged",
        ));
    }
    if resolved.tasks.commits_attempts {
        return Err(AppError::usage(
            "commit.attempts does not go with several lanes, whose work reaches the branch only when it holds",
        )
        .hint("Run with -j 1, or without commit.attempts."));
    }
    refuse_without_commit(here)?;
    refuse_promised(here)?;
    match request.assignment.find_tasks(&resolved.tasks) {
        // Issues are in no commit: each lane gets its own copy of them.
        Some(Ok(found)) if request.assignment.issues.is_none() => refuse_unlike_commit(here, &found),
        _ => Ok(()),
    }
}

/// Before a run goes on: without its task file nothing could be claimed. With another branch checked out than the one that lanes
/// or parts land on, the file need not be here; issues are written anew.
pub fn refuse_lost_tasks(here: &Here, plan: &RunSpec) -> Result<(), AppError> {
    let Some(places) = plan.job.tasks.as_ref().filter(|_| plan.job.mode.has_tasks()) else { return Ok(()) };
    let is_elsewhere = match (&plan.lanes, &here.repository) {
        (Some(lanes), Some(repository)) => lanes.branch != branch_of(repository),
        (None, _) => plan.keeps_to_own_task(),
        (Some(_), None) => false,
    };
    let is_there = || !read_tasks(&here.directory, &places.file).list.is_missing();
    if is_elsewhere || places.issues.is_some() || is_there() {
        return Ok(());
    }
    let kind = Kind::Stopped(StopReason::Missing, Codes::AsConfigured);
    let said =
        format!("there is no {} any more, and this run works through its tasks", places.file.display());
    let command = format!(
        "Put it back as it was; where it was committed: git log -1 -- {}",
        quoted(places.file.as_os_str())
    );
    Err(AppError::new(kind, said).hint(command))
}

/// The same before a run with lanes goes on. With another branch checked out its file of tasks is not here.
pub fn refuse_changed_tasks(here: &Here, plan: &RunSpec) -> Result<(), AppError> {
    let (Some(lanes), Some(places), Some(repository)) = (&plan.lanes, &plan.job.tasks, &here.repository)
    else {
        return Ok(());
    };
    if lanes.branch != branch_of(repository) || places.issues.is_some() {
        return Ok(());
    }
    refuse_without_commit(here)?;
    refuse_promised(here)?;
    refuse_unlike_commit(here, &read_tasks(&here.directory, &places.file))
}

/// Are tasks here that lanes, which begin with what is committed, would not see? How far they are may differ.
pub fn lanes_miss_tasks(here: &Here, plan: &RunSpec) -> Result<bool, AppError> {
    let (Some(_), Some(places), Some(repository)) = (&plan.lanes, &plan.job.tasks, &here.repository) else {
        return Ok(false);
    };
    if places.issues.is_some() {
        return Ok(false);
    }
    let unlike = unlike_committed(repository, &here.directory, &read_tasks(&here.directory, &places.file))
        .map_err(AppError::system)?;
    Ok(matches!(unlike, Some(Unlike::Changed(_) | Unlike::NotCommitted(_))))
}

/// Parts begin with the base, and leave the file as their branches have it: nothing of it may be only here.
pub fn refuse_uncommitted_tasks(here: &Here, request: &Prepared) -> Result<(), AppError> {
    let found = request.assignment.find_tasks(&request.configuration.resolved.tasks);
    let (Some(Ok(found)), Some(repository)) = (found, &here.repository) else { return Ok(()) };
    let paths = repository.uncommitted_paths().map_err(AppError::system)?;
    let is_open = |name: &&str| {
        let path = here.place().relative(&here.directory.join(name));
        paths.iter().any(|found| Some(&found.path) == path.as_ref())
    };
    match found.list.files().find(is_open) {
        None => Ok(()),
        Some(file) => Err(AppError::usage(format!(
            "{file} has changes that are in no commit: with a pull request per task each begins with what is merged"
        ))
        .hint("Commit and push it first, or have git ignore it")),
    }
}

/// The branch that is checked out, where it has a commit.
fn branch_of(repository: &Repository) -> Option<String> {
    match repository.head() {
        Ok(Head::Branch { branch, .. }) => String::from_utf8(branch).ok(),
        _ => None,
    }
}

/// Lanes begin with a commit.
fn refuse_without_commit(here: &Here) -> Result<(), AppError> {
    let Some(repository) = &here.repository else { return Ok(()) };
    if repository.head().map_err(AppError::system)?.commit().is_some() {
        return Ok(());
    }
    Err(AppError::usage("lanes begin with the last commit, and there is none yet")
        .hint("Make one: git add --all && git commit -m 'First commit'"))
}

/// Lanes have all files of the commit, and ask no remote for them.
fn refuse_promised(here: &Here) -> Result<(), AppError> {
    let Some(repository) = &here.repository else { return Ok(()) };
    let head = repository.head().map_err(AppError::system)?.commit();
    let count = head.map_or(Ok(0), |commit| repository.count_promised(&commit.to_string()));
    match count.map_err(AppError::system)? {
        0 => Ok(()),
        count => {
            let objects = if count == 1 { "1 object is" } else { &format!("{count} objects are") };
            Err(AppError::usage(format!(
                "this is a partial clone, and lanes have all files of the last commit: {objects} not here"
            ))
            .hint("Fetch what is missing: git diff --shortstat $(git hash-object -t tree /dev/null) HEAD")
            .hint("Or do one task after another: without -j"))
        }
    }
}

/// Lanes begin with what is committed: tasks that are not could be worked on there, and never be claimed.
fn refuse_unlike_commit(here: &Here, found: &FoundTasks) -> Result<(), AppError> {
    let Some(repository) = &here.repository else { return Ok(()) };
    let system = |error: GitError| AppError::system(error);
    let unlike = unlike_committed(repository, &here.directory, found).map_err(system)?;
    let (sentence, hint) = match unlike {
        // Committed before the lanes begin.
        None | Some(Unlike::Changed(_)) => return Ok(()),
        Some(Unlike::NotCommitted(file)) => {
            let path = here.place().relative(file.as_ref());
            let paths = repository.uncommitted_paths().map_err(system)?;
            if paths.iter().any(|found| Some(&found.path) == path.as_ref()) {
                return Ok(());
            }
            (
                format!("git ignores {file}: lanes begin with the last commit, and it cannot be in it"),
                "Take it out of the .gitignore that names it (git check-ignore -v FILE says which)"
                    .to_owned(),
            )
        }
        Some(Unlike::Link(file)) => (
            format!("{file} is a link, which lanes cannot work through"),
            "Name the file itself, if it is in the repository: -f FILE".to_owned(),
        ),
        Some(Unlike::Outside(file)) => (
            format!("{file} lies outside the repository, where lanes do not see it"),
            "Move it into the repository and commit it".to_owned(),
        ),
    };
    Err(AppError::usage(sentence).hint(hint).hint("Or do one task after another: without -j"))
}
