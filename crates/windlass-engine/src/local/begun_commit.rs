//! A commit of the runner's that was begun. After a kill git is asked whether it was made; of commits that were there before it
//! was begun nothing is believed, since a guest writes what trailers it likes.

use serde::{Deserialize, Serialize};

use windlass_core::run::TurnKey;
use windlass_git::commit::{CommitError, CommitOutcome, Made, marked_commit};
use windlass_git::git::Repository;
use windlass_host::file::create_private_folder;
use windlass_host::note::Note;

use super::work::WorkError;
use crate::store::RunFolder;

/// What is noted before a commit is tried.
#[derive(Debug, Deserialize, Serialize)]
struct Begun {
    /// The trailers that it has.
    key: String,
    /// What was checked out before; `None` in a repository without a commit.
    after: Option<String>,
}

/// What became of the commit with these trailers that was made for this turn by a runner that was killed then.
pub(super) fn made_before(
    folder: &RunFolder,
    repository: &Repository,
    turn: TurnKey,
    key: &str,
    objection: impl FnOnce(&Made) -> Result<Option<String>, CommitError>,
) -> Result<Option<CommitOutcome>, WorkError> {
    let Some(begun) = note(folder, turn).read::<Begun>()?.filter(|begun| begun.key == key) else {
        return Ok(None);
    };
    Ok(marked_commit(repository, key, begun.after.as_deref(), objection)?)
}

/// Notes that one is about to be made.
pub(super) fn begin(
    folder: &RunFolder,
    repository: &Repository,
    turn: TurnKey,
    key: String,
) -> Result<(), WorkError> {
    // outside: the run's folder.
    create_private_folder(&folder.iteration(turn.iteration))?;
    let after = repository.head()?.commit().map(|commit| commit.to_string());
    Ok(note(folder, turn).write(&Begun { key, after })?)
}

/// A lane has an iteration of its own.
fn note(folder: &RunFolder, turn: TurnKey) -> Note {
    Note::at(folder.iteration(turn.iteration).join("commit-begun"))
}
