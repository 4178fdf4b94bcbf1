//! A commit is looked over before it is kept: hooks of the repository may have put something into it. One that is not kept is taken
//! back before the index follows it, so that nothing but the objects is left of it.

use std::time::SystemTime;

use super::{CommitError, CommitOutcome, settle_index, tree_of};
use crate::git::call::Call;
use crate::git::patience::patiently;
use crate::git::{GitError, ObjectId, Repository};
use windlass_host::tree::at;

/// Hooks that can put something into a commit, or refuse it.
const HOOKS: [&str; 3] = ["pre-commit", "prepare-commit-msg", "commit-msg"];

/// The hooks of these that are called once the files are as they will be committed.
const OF_THE_MESSAGE: [&str; 2] = ["prepare-commit-msg", "commit-msg"];

/// A commit that was made a moment ago, and is not kept yet.
#[derive(Debug)]
pub struct Made {
    /// What was checked out before; `None` = there was no commit.
    pub before: Option<ObjectId>,
    /// Its name.
    pub commit: ObjectId,
    /// The paths that it may have otherwise than it was to have them.
    pub altered: Vec<Vec<u8>>,
}

impl Made {
    /// Brings the index to it, where nothing speaks against it; it is taken back where something does.
    pub(super) fn kept(
        self,
        repository: &Repository,
        objection: impl FnOnce(&Made) -> Result<Option<String>, CommitError>,
    ) -> Result<CommitOutcome, CommitError> {
        let found = if self.altered.is_empty() { None } else { objection(&self)? };
        if let Some(why) = found {
            self.take_back(repository)?;
            return Ok(CommitOutcome::NeedsPerson(why));
        }
        settle_index(repository, self.before)?;
        Ok(CommitOutcome::Committed { commit: self.commit, altered: self.altered })
    }

    /// Where another commit is checked out by now, git refuses.
    fn take_back(&self, repository: &Repository) -> Result<(), GitError> {
        let commit = self.commit.to_string();
        let before = self.before.map(|before| before.to_string());
        patiently(|| {
            let call =
                Call::within(repository).args(["update-ref", "-m", "windlass: this commit is not kept"]);
            match &before {
                Some(before) => call.args(["HEAD", before, &commit]),
                None => call.args(["-d", "HEAD", &commit]),
            }
        })
    }
}

/// What a commit has otherwise than a tree.
pub(super) fn altered(
    repository: &Repository,
    tree: &str,
    commit: ObjectId,
) -> Result<Vec<Vec<u8>>, GitError> {
    if tree_of(repository, Some(commit))? == tree {
        return Ok(Vec::new());
    }
    let call = Call::within(repository).args(["diff-tree", "-r", "-z", "--no-renames", "--name-only"]);
    call.args([tree, &commit.to_string()]).zero_ended()
}

/// When git last wrote down the message of a commit: it does so once no hook speaks against the files.
pub(super) fn message_written(repository: &Repository) -> Option<SystemTime> {
    let file = at(&repository.git_dir).join("COMMIT_EDITMSG");
    file.look().ok().flatten().map(|found| found.modified_at())
}

/// What a person has to do where a hook refuses a commit for its message, which no agent writes.
pub(super) fn message_refused(
    repository: &Repository,
    message: &str,
    said: &str,
) -> Result<String, GitError> {
    let subject = message.lines().next().unwrap_or_default();
    let said = said.lines().rfind(|line| !line.trim().is_empty()).unwrap_or_default().trim();
    let hooks = hooks_among(repository, &OF_THE_MESSAGE)?;
    Ok(format!(
        "{hooks} refused the message that begins `{subject}` ({said}): `windlass config set commit.message conventional`, or a \
         form of your own in its place, words it otherwise"
    ))
}

impl Repository {
    /// In words, which hooks may have put something into a commit.
    pub fn hooks_of_commits(&self) -> Result<String, GitError> {
        hooks_among(self, &HOOKS)
    }
}

fn hooks_among(repository: &Repository, names: &[&str]) -> Result<String, GitError> {
    let folder = repository.hooks_folder()?;
    let found = names.iter().filter(|name| at(&folder).join(name).is_taken());
    let paths: Vec<String> = found.map(|name| folder.join(name).display().to_string()).collect();
    Ok(match paths.as_slice() {
        [] => "a hook of the repository".to_owned(),
        [only] => format!("the hook {only}"),
        several => format!("one of the hooks {}", several.join(" and ")),
    })
}
