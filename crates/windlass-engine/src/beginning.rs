//! A project's repository and its first commit, where a person asked for them (`--git-init`, `init --git`).

use std::path::Path;

use windlass_core::message::{Wording, initial_commit};
use windlass_core::spec::Withholding;

use crate::withhold::{Allowed, reason_for_new, shown};
use windlass_git::commit::CommitOutcome;
use windlass_git::git;
use windlass_git::git::{FoundRepository, GitError, Head, Repository};
use windlass_git::inventory::{EntryKind, Place, SurveyError, Surveyor};

/// What there is to know of a repository that was begun.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Begun {
    /// Its first commit; `None` where there is nothing to commit.
    pub commit: Option<String>,
    /// How many files it has.
    pub files: usize,
    /// What was left out, each with its reason.
    pub left_out: Vec<String>,
}

/// How a repository is begun.
#[derive(Clone, Copy, Debug)]
pub struct Beginning<'a> {
    /// How the first commit is worded.
    pub wording: &'a Wording,
    /// What is held back from it.
    pub withholding: &'a Withholding,
    /// Folders that the project's tools make (`node_modules/`): they are left out wherever they lie.
    pub generated: &'a [&'a str],
}

/// There is no repository with a commit.
#[derive(Debug, thiserror::Error)]
pub enum BeginError {
    /// git failed.
    #[error(transparent)]
    Git(#[from] GitError),
    /// The files cannot be looked at.
    #[error(transparent)]
    Survey(#[from] SurveyError),
    /// git does not know who commits: a sentence with the two commands.
    #[error("{0}")]
    NoIdentity(String),
    /// The repository is there, its first commit is not.
    #[error("the repository is made, and its first commit was refused: {0}")]
    Refused(String),
}

/// Makes a directory a repository with one commit. `None` where it belongs to a repository with a commit already: nothing
/// is done then.
///
/// # Errors
/// Without an identity nothing is made; a hook may refuse the commit.
pub fn begin(directory: &Path, beginning: &Beginning<'_>) -> Result<Option<Begun>, BeginError> {
    let found = Repository::find(directory)?;
    if let FoundRepository::Worktree(repository) = &found
        && !matches!(repository.head()?, Head::Unborn { .. })
    {
        return Ok(None);
    }
    if let Some(why) = git::missing_identity(directory)? {
        return Err(BeginError::NoIdentity(why));
    }
    if !matches!(found, FoundRepository::Worktree(_)) {
        windlass_git::commit::init(directory)?;
    }
    let FoundRepository::Worktree(repository) = Repository::find(directory)? else {
        return Err(BeginError::Refused("git does not find what it made".to_owned()));
    };
    first_commit(directory, &repository, beginning).map(Some)
}

fn first_commit(
    directory: &Path,
    repository: &Repository,
    beginning: &Beginning<'_>,
) -> Result<Begun, BeginError> {
    let place = Place::new(directory, Some(repository.clone()));
    let inventory = Surveyor::new(place).survey(&[])?;
    let allowed = Allowed::new(&repository.top, &beginning.withholding.allow);
    let (mut paths, mut left_out): (Vec<&[u8]>, Vec<String>) = (Vec::new(), Vec::new());
    let mut folders: Vec<&str> = Vec::new();
    for entry in inventory.entries.iter().filter(|entry| !entry.ignored) {
        if entry.kind == EntryKind::Submodule {
            left_out.push(format!("{} (a repository of its own)", shown(&entry.path)));
        } else if let Some(folder) = beginning.generated.iter().find(|folder| lies_in(&entry.path, folder)) {
            if !folders.contains(folder) {
                folders.push(*folder);
            }
        } else if let Some(reason) =
            reason_for_new(&repository.top, beginning.withholding, &allowed, &entry.path)
        {
            left_out.push(format!("{} ({reason})", shown(&entry.path)));
        } else {
            paths.push(&entry.path);
        }
    }
    left_out.extend(folders.into_iter().map(|folder| format!("{folder} (made by tools)")));
    let files = paths.len();
    let outcome = if paths.is_empty() {
        CommitOutcome::NothingToCommit
    } else {
        windlass_git::commit::first_commit(repository, &paths, &initial_commit(beginning.wording))?
    };
    match outcome {
        CommitOutcome::Committed { commit, .. } => {
            Ok(Begun { commit: Some(commit.to_string()), files, left_out })
        }
        CommitOutcome::NothingToCommit => Ok(Begun { commit: None, files: 0, left_out }),
        CommitOutcome::Refused(said)
        | CommitOutcome::RefusedByHook(said)
        | CommitOutcome::NeedsPerson(said) => Err(BeginError::Refused(said)),
    }
}

pub(crate) fn lies_in(path: &[u8], folder: &str) -> bool {
    let Some(folder) = folder.strip_suffix('/') else { return false };
    let mut above = path.split(|byte| *byte == b'/').rev().skip(1);
    above.any(|part| part == folder.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use windlass_git::testing::Scratch;

    fn beginning<'a>(wording: &'a Wording, withholding: &'a Withholding) -> Beginning<'a> {
        Beginning { wording, withholding, generated: &["node_modules/"] }
    }

    // rows: 78, 82
    // Seed defect D3, core/git.ts:368: the first commit took all there was, in words that the project's hooks refused.
    #[test]
    fn the_first_commit_is_worded_as_configured_and_leaves_out_what_a_person_has_to_decide() {
        let scratch = Scratch::plain();
        scratch.write(".gitignore", "ignored\n");
        for path in ["a.txt", "src/b", ".env", "ignored", "web/node_modules/x/y.js", "name\nwith break"] {
            scratch.write(path, "x\n");
        }
        // As the person's own template of repositories has it.
        let (wording, withholding) = (Wording::Conventional, Withholding::default());
        windlass_git::commit::init(&scratch.top).unwrap();
        scratch.git(&["config", "user.name", "Someone"]);
        scratch.git(&["config", "user.email", "someone@example.com"]);
        scratch.write(
            ".git/hooks/commit-msg",
            "#!/bin/sh\ngrep -q '^chore: ' \"$1\" || { echo 'no type'; exit 1; }\n",
        );
        scratch.chmod(".git/hooks/commit-msg", 0o755);
        let plain = beginning(&Wording::Windlass, &withholding);
        let refused = begin(&scratch.top, &plain).unwrap_err().to_string();
        assert!(refused.ends_with("its first commit was refused: no type"), "{refused}");
        let begun = begin(&scratch.top, &beginning(&wording, &withholding)).unwrap().unwrap();
        assert_eq!((begun.files, begun.commit.is_some()), (4, true));
        assert_eq!(begun.left_out, [".env (its name is that of a secret)", "node_modules/ (made by tools)"]);
        assert_eq!(scratch.git(&["log", "--format=%s"]), "chore: initial commit\n");
        assert_eq!(scratch.git(&["status", "--porcelain"]), "?? .env\n?? web/\n");
        assert_eq!(begin(&scratch.top, &beginning(&wording, &withholding)).unwrap(), None, "once");
    }

    #[test]
    fn without_an_identity_nothing_is_made() {
        let scratch = Scratch::plain();
        scratch.write("a.txt", "x\n");
        let (wording, withholding) = (Wording::default(), Withholding::default());
        // Tests have no configuration of a person's; the system's may guess one.
        match begin(&scratch.top, &beginning(&wording, &withholding)) {
            Err(BeginError::NoIdentity(why)) => {
                assert!(why.contains("git config --global user.name"), "{why}");
                assert!(!scratch.has(".git"));
            }
            Ok(Some(begun)) => assert_eq!(begun.files, 1),
            other => panic!("{other:?}"),
        }
    }
}
