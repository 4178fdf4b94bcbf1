//! A repository that is made of nothing but packs: what lanes on another machine are made from.

use std::fs;
use std::path::Path;

use super::settings::Settings;
use crate::git::call::Call;
use crate::git::{FoundRepository, GitError, ObjectFormat, ObjectId, Repository};
use crate::parcel::ParcelError;
use windlass_core::values::Named as _;
use windlass_host::file::{AtPath, replace};

/// What it is named by where its branch has none.
const DETACHED: &str = "HEAD";

/// A repository with one branch, or none, and an empty working tree. Nobody but its maker has to do with it.
#[derive(Debug)]
pub struct Replica {
    repository: Repository,
    /// Its branch by its full name; `None` = HEAD itself.
    branch: Option<String>,
}

impl Replica {
    /// Makes it, or finds it as it was left. `branch` is a full name (`refs/heads/main`).
    ///
    /// # Errors
    /// git fails, or the name is none of a branch.
    pub fn begin(
        folder: &Path,
        format: ObjectFormat,
        branch: Option<&str>,
        settings: &[(String, String)],
    ) -> Result<Replica, ParcelError> {
        if let Some(branch) = branch
            && !Call::new(Path::new("/")).args(["check-ref-format", branch]).succeeds()?
        {
            return Err(ParcelError::Refused(format!("{branch:?} is no name of a branch")));
        }
        // outside: the state folder.
        fs::create_dir_all(folder).at("create", folder)?;
        // outside: the same.
        if !folder.join(".git/HEAD").is_file() {
            let format = format!("--object-format={}", format.name());
            let init = ["init", "--quiet", "--template=", &format, "--initial-branch=windlass"];
            Call::new(folder).args(init).output()?;
        }
        replace(&folder.join(".git/config"), &Settings::given(settings).of_replica(format), 0o600)?;
        if let Some(branch) = branch {
            replace(&folder.join(".git/HEAD"), format!("ref: {branch}\n").as_bytes(), 0o600)?;
        }
        match Repository::find(folder)? {
            FoundRepository::Worktree(repository) => {
                Ok(Replica { repository, branch: branch.map(str::to_owned) })
            }
            other => Err(ParcelError::Git(GitError::Unexpected {
                command: "git init".to_owned(),
                printed: format!("{other:?}"),
            })),
        }
    }

    /// The repository.
    pub fn repository(&self) -> &Repository {
        &self.repository
    }

    /// Does its branch stand at this commit, as far as plain files say?
    pub fn stands_at(&self, commit: ObjectId) -> bool {
        let at = match &self.branch {
            Some(branch) => self.repository.plain_branch(branch.as_bytes()),
            None => self.repository.plain_commit(),
        };
        at == Some(commit)
    }

    /// Its branch is this commit from now on, which it has.
    pub fn advance(&self, tip: ObjectId) -> Result<(), GitError> {
        let call = Call::within(&self.repository).args(["update-ref", "--no-deref"]);
        call.arg(self.branch.as_deref().unwrap_or(DETACHED)).arg(tip.to_string()).output().map(drop)
    }
}
