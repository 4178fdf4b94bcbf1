//! What a person has done to the repository between two sessions of a run, so that it cannot go on: another branch is checked
//! out, and its commits may not be there; or something is under way, and nothing can be committed.

use windlass_core::damage::Scene;
use windlass_core::fact::{Entry, Fact};
use windlass_core::recovery::is_to_be_repeated;
use windlass_core::report;
use windlass_core::run::Run;
use windlass_core::spec::{CommitPolicy, LanesSpec, PullRequestPer, RunSpec};
use windlass_core::values::{LandOutcome, LaneId, SnapshotId, StopReason};
use windlass_core::words::{quoted, short_commit};
use windlass_engine::recovery;
use windlass_engine::store::RunFolder;
use windlass_git::git::{Head, ObjectId, Repository};
use windlass_host::tree::at;

use crate::error::{AppError, Kind};
use crate::here::Here;
use crate::run::uncommitted::refuse_half_done;

/// What is to be said where the branch that is checked out has the run's work as well.
///
/// # Errors
/// It does not have it, or the run's pull request is of the other branch: with the command that goes back. Or something of a
/// person's is under way.
pub fn before_resumption(
    here: &Here,
    (plan, folder): (&RunSpec, &RunFolder),
    (run, entries): (&Run, &[Entry]),
) -> Result<Option<String>, AppError> {
    let seen = last_seen(here, run, entries);
    refuse_under_way(here, plan, run, seen.as_ref())?;
    // Each part of a delivery has a branch of its own.
    let has_parts = plan.delivery.as_ref().is_some_and(|delivery| delivery.per != PullRequestPer::Run);
    let Some(repository) = here.repository.as_ref().filter(|_| !has_parts) else {
        return Ok(None);
    };
    if let Some(lanes) = &plan.lanes {
        return refuse_other_than_lanes(here, repository, plan, (lanes, entries)).map(|()| None);
    }
    let Some(LastSeen { scene: Scene { branch: was, .. }, commit: Some(commit) }) = seen else {
        return Ok(None);
    };
    let head = repository.head().map_err(AppError::system)?;
    let (now, at) = match &head {
        Head::Branch { branch, commit } => (Some(branch), *commit),
        Head::Detached { commit } => (None, *commit),
        Head::Unborn { .. } => return Ok(None),
    };
    // An agent that was cut off may have gone there: that is looked at with what else it left.
    let is_of_agent = || recovery::may_be_of_agent(&repository.git_dir.join("HEAD"), folder, run);
    if now == was.as_ref() || is_of_agent() || is_put_back(here, folder, now) {
        return Ok(None);
    }
    let has_work = repository.is_in_history_of(&commit, &at.to_string()).map_err(AppError::system)?;
    let (was_shown, now_shown) = (shown(was.as_deref()), shown(now.map(Vec::as_slice)));
    if has_work && plan.delivery.is_none() {
        return Ok(Some(format!(
            "the run worked on {was_shown}, and goes on on {now_shown}, which has its work"
        )));
    }
    let kind = Kind::stopped(StopReason::NeedsHuman, plan.exit_codes);
    let short = short_commit(&commit);
    let lacks = if has_work {
        "its pull request is of that".to_owned()
    } else {
        format!("its commit {short} is not in it")
    };
    let message = format!("run {} worked on {was_shown}, and {now_shown} is checked out: {lacks}", plan.run);
    let again = format!("Then go on: windlass resume {}", plan.run);
    let way_back = match (way_back(here, was.as_deref(), &commit), &was) {
        (GoBack::Switch(command), Some(_)) => {
            format!(
                "Go back to it: {command}; or bring its work here: git merge {}",
                quoted(was_shown.as_ref())
            )
        }
        (way_back, _) => way_back.hint(),
    };
    Err(AppError::new(kind, message).hint(way_back).hint(again))
}

/// Lanes land on the branch that they began with, and how their tasks stand is read from the files that are checked out.
fn refuse_other_than_lanes(
    here: &Here,
    repository: &Repository,
    plan: &RunSpec,
    (lanes, entries): (&LanesSpec, &[Entry]),
) -> Result<(), AppError> {
    let head = repository.head().map_err(AppError::system)?;
    let now = match &head {
        Head::Branch { branch, .. } | Head::Unborn { branch } => Some(branch.as_slice()),
        Head::Detached { .. } => None,
    };
    let Some(was) = lanes.branch.as_ref().map(String::as_bytes).filter(|was| now != Some(*was)) else {
        return Ok(());
    };
    let landed = entries.iter().rev().find_map(|entry| match &entry.fact {
        Fact::Landed(report::Landed { outcome: LandOutcome::Landed { commit }, .. }) => Some(commit),
        Fact::BaselineCaptured(report::BaselineCaptured { evidence, .. }) => evidence.head.as_ref(),
        _ => None,
    });
    let kind = Kind::stopped(StopReason::NeedsHuman, plan.exit_codes);
    let (was_shown, now_shown) = (shown(Some(was)), shown(now));
    let message = format!("run {} lands on {was_shown}, and {now_shown} is checked out", plan.run);
    let again = format!("Then go on: windlass resume {}", plan.run);
    let way_back = way_back(here, Some(was), landed.map_or("HEAD", String::as_str));
    Err(AppError::new(kind, message).hint(way_back.hint()).hint(again))
}

/// What an agent had begun and not finished, its run knows of.
fn refuse_under_way(here: &Here, plan: &RunSpec, run: &Run, seen: Option<&LastSeen>) -> Result<(), AppError> {
    let was_under_way = seen.is_some_and(|seen| !seen.scene.under_way.is_empty());
    match &here.repository {
        Some(repository)
            if plan.commit == CommitPolicy::Runner && !is_to_be_repeated(run) && !was_under_way =>
        {
            refuse_half_done(repository)
        }
        _ => Ok(()),
    }
}

/// Is it the branch of the snapshot that somebody has put back since?
fn is_put_back(here: &Here, folder: &RunFolder, now: Option<&Vec<u8>>) -> bool {
    let put_back = recovery::PutBack::read(folder).unwrap_or_default();
    let scene = put_back.latest().and_then(|snapshot| scene_of(here, snapshot));
    scene.is_some_and(|scene| scene.branch.as_ref() == now)
}

/// Why what is here is not what a run worked on: somebody has checked out a branch that lacks its work, or put another repository in
/// the place. What an agent that was cut off has done is not meant. `None` where it is.
pub(super) fn gone_elsewhere(
    here: &Here,
    folder: &RunFolder,
    (run, entries): (&Run, &[Entry]),
) -> Result<Option<String>, AppError> {
    let (Some(repository), Some(seen)) = (&here.repository, last_seen(here, run, entries)) else {
        return Ok(None);
    };
    let id = folder.run();
    if is_made_anew(repository, folder, run)
        && recovery::PutBack::read(folder).unwrap_or_default().latest().is_none()
    {
        return Ok(Some(format!("another repository is in this place than the one that run {id} worked in")));
    }
    let head = repository.head().map_err(AppError::system)?;
    let now = match &head {
        Head::Branch { branch, .. } | Head::Unborn { branch } => Some(branch),
        Head::Detached { .. } => None,
    };
    // After `commit --amend` or a rebase its commit is in no history, and still there.
    let is_known = seen.commit.as_deref().map_or(Ok(true), |commit| has_commit(repository, commit))?;
    let is_same = now == seen.scene.branch.as_ref() && is_known;
    if is_same || recovery::may_be_of_agent(&repository.git_dir.join("HEAD"), folder, run) {
        return Ok(None);
    }
    let has_work = match (&seen.commit, head.commit()) {
        (Some(was), Some(at)) => {
            repository.is_in_history_of(was, &at.to_string()).map_err(AppError::system)?
        }
        _ => false,
    };
    Ok((!has_work).then(|| format!("another branch is checked out than the one that run {id} worked on")))
}

fn has_commit(repository: &Repository, commit: &str) -> Result<bool, AppError> {
    let commit = ObjectId::from_hex(commit.as_bytes());
    commit.map_or(Ok(false), |commit| repository.has_commit(commit)).map_err(AppError::system)
}

/// Was the whole repository made after an agent of the run could have done that? Some of these no work in a repository writes again.
fn is_made_anew(repository: &Repository, folder: &RunFolder, run: &Run) -> bool {
    let first = ["HEAD", "config", "description", "info/exclude", "refs/tags", "objects/info"];
    let mut there = first
        .iter()
        .map(|name| repository.common_dir.join(name))
        .filter(|path| at(path).is_taken())
        .peekable();
    there.peek().is_some() && there.all(|path| recovery::is_written_since(&path, folder, run))
}

/// The repository as the run knew it last.
struct LastSeen {
    /// What its newest snapshot says of it.
    scene: Scene,
    /// The commit that was checked out when the run last looked.
    commit: Option<String>,
}

fn last_seen(here: &Here, run: &Run, entries: &[Entry]) -> Option<LastSeen> {
    let snapshot = entries.iter().rev().find_map(|entry| match &entry.fact {
        Fact::SnapshotTaken(report::SnapshotTaken { snapshot, .. })
        | Fact::BaselineCaptured(report::BaselineCaptured { snapshot, .. }) => snapshot.as_ref(),
        _ => None,
    })?;
    let commit = run.latest_evidence(LaneId::default()).and_then(|seen| seen.head.clone());
    Some(LastSeen { scene: scene_of(here, snapshot)?, commit })
}

/// What a snapshot says of its repository; of one that is gone nothing is known.
fn scene_of(here: &Here, snapshot: &SnapshotId) -> Option<Scene> {
    let store = here.snapshots().ok()??;
    store.scene(&store.own_files(snapshot).ok()?).ok()
}

/// How a person gets back to what the run worked on.
enum GoBack {
    Switch(String),
    MakeAgain(String),
}

impl GoBack {
    fn hint(self) -> String {
        match self {
            GoBack::Switch(command) => format!("Go back to it: {command}"),
            GoBack::MakeAgain(command) => format!("That branch is gone; make it again: {command}"),
        }
    }
}

fn way_back(here: &Here, was: Option<&[u8]>, commit: &str) -> GoBack {
    let Some(name) = was else { return GoBack::Switch(format!("git switch --detach {commit}")) };
    let branch = shown(Some(name));
    let typed = quoted(branch.as_ref());
    let is_there = here.repository.as_ref().is_some_and(|repository| {
        let full = String::from_utf8_lossy(name);
        repository.commit_of(&full).is_ok_and(|found| found.is_some())
    });
    if is_there {
        GoBack::Switch(format!("git switch {typed}"))
    } else {
        GoBack::MakeAgain(format!("git switch -c {typed} {commit}"))
    }
}

/// `feat/x`, as people call it.
fn shown(branch: Option<&[u8]>) -> String {
    let Some(branch) = branch else { return "a commit on no branch".to_owned() };
    let full = String::from_utf8_lossy(branch);
    full.strip_prefix("refs/heads/").unwrap_or(&full).to_owned()
}
