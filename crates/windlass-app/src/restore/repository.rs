//! The repository that the files belong to: whether it is there, and which snapshot brings it back.

use windlass_git::git::{FoundRepository, GitError, ObjectId, Repository};
use windlass_git::inventory::Place;
use windlass_git::snapshot::{Moment, Repaired, Snapshot, SnapshotName, Store};

use super::RestoreFiles;
use crate::app::App;
use crate::error::{AppError, Kind};
use crate::here;

/// A snapshot that was taken while there was no repository cannot bring one back, and would take away what is there by now.
pub(super) fn refuse_without(
    store: &Store,
    name: &SnapshotName,
    target: &Snapshot,
    request: &RestoreFiles,
) -> Result<(), AppError> {
    if !request.repository || !target.repository.is_empty() {
        return Ok(());
    }
    let message = format!("{} holds no repository: there was none when it was taken", name.moment);
    Err(AppError::usage(message).with_hints(newest(store, name)))
}

/// How the repository comes back that is missing; nothing where that was just tried.
pub(super) fn way_back(
    store: &Store,
    name: &SnapshotName,
    target: &Snapshot,
    request: &RestoreFiles,
) -> Option<String> {
    if request.repository {
        return None;
    }
    if target.repository.is_empty() {
        return newest(store, name);
    }
    Some("Bring it back as well: add --repository".to_owned())
}

/// The newest snapshot of the run that holds the repository. Those of iterations come first: they were taken while it was at work.
fn newest(store: &Store, name: &SnapshotName) -> Option<String> {
    let all = store.list(&name.run).ok()?;
    let of_iterations = |(name, _): &&(SnapshotName, _)| matches!(name.moment, Moment::Iteration { .. });
    let (first, rest): (Vec<_>, Vec<_>) = all.iter().partition(of_iterations);
    let holds = |(_, id): &&&(SnapshotName, _)| store.own_files(id).is_ok_and(|files| !files.is_empty());
    let found = first.iter().rev().chain(rest.iter().rev()).find(|kept| holds(kept));
    let (newest, _) = found?;
    Some(format!("The newest snapshot that holds it: {}", newest.whole_restore()))
}

/// Commits that references had and no branch has any more, the newest first. That one cannot be read is no reason to say less of the rest.
pub(super) fn unnamed(place: &Place, head: Option<ObjectId>, repaired: Option<&Repaired>) -> Vec<String> {
    let (Some(repository), Some(repaired)) = (&place.repository, repaired) else { return Vec::new() };
    let before =
        repaired.moved.iter().filter_map(|moved| ObjectId::from_hex(moved.from.as_ref()?.as_bytes()));
    let before: Vec<ObjectId> = before.chain(head).collect();
    repository.commits_on_no_branch(&before).unwrap_or_default()
}

/// The snapshot's place, with the repository that is there now.
pub(super) fn place_now(
    app: &App,
    target: &Snapshot,
    way_back: impl Fn() -> Option<String>,
) -> Result<Place, AppError> {
    let root = target.place().root;
    let missing = || {
        AppError::usage(format!("the git repository of {} is not there any more, or broken", root.display()))
            .with_hints(way_back())
    };
    here::put_steering_back(app, &root)?;
    let found = match Repository::find(&root) {
        Err(GitError::Failed { said, .. }) => return Err(missing().hint(said)),
        found => found.map_err(AppError::system)?,
    };
    match found {
        FoundRepository::Worktree(repository) if repository.top == root => {
            Ok(Place::new(&root, Some(repository)))
        }
        FoundRepository::GitMissing => {
            Err(AppError::new(Kind::System, "git is not installed, or not in PATH"))
        }
        FoundRepository::Unsafe(said) => {
            Err(AppError::new(Kind::System, "git refuses to look at the repository").hint(said))
        }
        _ => Err(missing()),
    }
}
