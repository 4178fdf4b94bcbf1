//! Parallel lanes: directories in which agents work at the same time, and how what they made reaches the branch.
//!
//! A lane is a folder of its own with two repositories that borrow the main repository's objects:
//!
//! - `lane.git` is the runner's. Nobody else has to do with it; with it a lane's work is committed, merged and handed over.
//! - `tree/<name>` is where the agent works, with a `.git` for the agent's own use. The runner never reads it: whatever
//!   becomes of it, whatever is written into its configuration, its hooks or its objects, no work depends on it, and it
//!   is made again when the lane is brought to another commit.
//!
//! Until something lands, nothing in the main repository changes. A landing is
//!
//! 1. [`Lane::squash`]: the lane's working tree as one commit on what the lane began with;
//! 2. [`Lane::merge`]: that, merged with the branch as it is now; what conflicts is left in the lane for its agent;
//! 3. [`land`]: the merged commit, with the runner's own files in it, becomes the branch, and whoever has the branch
//!    checked out gets its files.
//!
//! Landings and parkings take turns, also those of different runs: [`Turn`] says how.

mod case;
mod checkout;
mod clone;
mod conflict;
mod follow;
mod land;
mod merge;
mod mirror;
mod park;
mod replica;
mod settings;
mod squash;
mod steps;
mod switch;
mod target;
mod turn;

#[cfg(test)]
mod tests;

pub(crate) use clone::{furnish, make_plain_folder, object_folders};
pub use conflict::Conflict;
pub use land::{Landed, Landing, OwnFile, commits_since, land, landed};
pub use merge::{MergeResult, Merged};
pub use mirror::MirrorError;
pub use park::{Leftover, Parked, park, park_commit, park_exactly, park_leftover};
pub use replica::Replica;
pub(crate) use settings::for_guests as settings_for_guests;
pub use switch::{Switched, remove_empty, switch};
pub use target::Target;

#[cfg(test)]
pub(crate) use steps::{END_AFTER, ENDED, Step};

use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::Duration;

use self::settings::Settings;
pub use self::settings::travelling_settings;
use crate::git::call::{Call, unexpected};
use crate::git::{GitError, ObjectId, Repository};
use windlass_host::file::FileError;

/// For calls that write a working tree: filters may fetch what they put there.
const LONG: Duration = Duration::from_mins(30);

/// The oldest git that merges without a working tree: `git merge-tree --write-tree`.
pub(crate) const OLDEST_GIT: (u32, u32) = (2, 38);

/// Something about lanes was not possible.
#[derive(Debug, thiserror::Error)]
pub enum LaneError {
    /// git failed at something that it should be able to do.
    #[error("{0}")]
    Git(#[from] GitError),
    /// A file could not be read or written.
    #[error(transparent)]
    File(#[from] FileError),
    /// git is too old.
    #[error("parallel lanes need git {}.{} or newer; this is git {}.{}: update it, or run without -j",
        OLDEST_GIT.0, OLDEST_GIT.1, .0.0, .0.1)]
    TooOld((u32, u32)),
    /// The branch does not have what the lane began with any more.
    #[error("the branch was rewritten while tasks were at work, and git {}.{} cannot merge that: git 2.40 can",
        .0.0, .0.1)]
    Rewritten((u32, u32)),
    /// Another windlass did not give up its turn.
    #[error("another windlass has been landing in this repository for {} s ({} is locked)",
        .after.as_secs(), .path.display())]
    Busy {
        /// The lock's file.
        path: PathBuf,
        /// How long it was waited for.
        after: Duration,
    },
}

/// A lane's clone.
#[derive(Clone, Debug)]
pub struct Lane {
    /// Whose branch its work goes to.
    main: Repository,
    /// The folder that everything of the lane is in.
    home: PathBuf,
    /// The agent's files, and the runner's repository.
    repository: Repository,
    /// What of the user's configuration is taken over, once it was asked for.
    settings: OnceLock<Settings>,
}

impl Lane {
    /// The lane as a repository: its working tree is where the agent works, all else is the runner's own.
    pub fn repository(&self) -> &Repository {
        &self.repository
    }

    /// Where the agent of a lane in this folder works.
    pub fn top_of(main: &Repository, home: &Path) -> PathBuf {
        Self::at(main, home).repository.top
    }

    /// The folder that everything of the lane is in, which no guest can write but for what it works on.
    pub(crate) fn home(&self) -> &Path {
        &self.home
    }

    /// Where the agent works.
    pub fn top(&self) -> &Path {
        &self.repository.top
    }

    /// Folders outside the working tree of a lane in this folder that git inside it reads: the objects that it borrows.
    ///
    /// # Errors
    /// What the repository itself borrows from cannot be read.
    pub fn borrowed(main: &Repository, home: &Path) -> Result<Vec<PathBuf>, LaneError> {
        let mut folders = vec![Self::at(main, home).repository.common_dir.join("objects")];
        folders.extend(object_folders(&main.common_dir.join("objects"))?);
        Ok(folders)
    }

    /// The branch's commit that a lane's work was made on; without work, the one that the lane stands at. The work cannot
    /// have landed before it, so [`landed`] need not look further back. To be asked before the work is merged again.
    pub fn since(&self, work: Option<ObjectId>) -> Result<ObjectId, LaneError> {
        let since = match work {
            Some(work) => told(&self.repository, work)?.parent(),
            None => self.repository.plain_commit(),
        };
        since.ok_or_else(|| unexpected("git log", b"a commit without a parent").into())
    }

    fn settings(&self) -> Result<&Settings, GitError> {
        if let Some(known) = self.settings.get() {
            return Ok(known);
        }
        let found = Settings::of(&self.main)?;
        Ok(self.settings.get_or_init(|| found))
    }

    fn call(&self) -> Call {
        Call::within(&self.repository)
    }
}

/// `objects/info/alternates`, read and written.
#[cfg(feature = "testing")]
pub fn borrowed_anew(content: &[u8]) -> Vec<u8> {
    use crate::git::alternates::{alternate, alternates};
    alternates(content).iter().flat_map(|folder| alternate(crate::git::as_path(folder))).collect()
}

/// What `git merge-tree -z` printed.
#[cfg(feature = "testing")]
pub fn read_merge(output: &[u8]) -> Option<(ObjectId, Vec<Conflict>)> {
    conflict::MergedTree::parse(output).ok().map(|merged| (merged.tree, merged.conflicts))
}

/// A commit's tree, its first parent, and its message with one line's end at its end.
#[derive(Clone, Debug, PartialEq, Eq)]
struct CommitContent {
    tree: ObjectId,
    parents: Vec<ObjectId>,
    message: Vec<u8>,
}

impl CommitContent {
    /// The first one.
    fn parent(&self) -> Option<ObjectId> {
        self.parents.first().copied()
    }
}

fn told(repository: &Repository, commit: ObjectId) -> Result<CommitContent, GitError> {
    let show = ["log", "-1", "--no-show-signature", "--encoding=UTF-8", "--format=%T %P%n%B"];
    let printed = Call::within(repository).args(show).arg(commit.to_string()).arg("--").output()?;
    let end = memchr::memchr(b'\n', &printed).unwrap_or(printed.len());
    let (names, message) = printed.split_at_checked(end).unwrap_or_default();
    let mut names = names.trim_ascii().split(|byte| *byte == b' ').map(ObjectId::from_hex);
    let Some(tree) = names.next().flatten() else { return Err(unexpected("git log", &printed)) };
    let parents = names.map_while(|name| name).collect();
    let message = [message.get(1..).unwrap_or_default().trim_ascii_end(), b"\n"].concat();
    Ok(CommitContent { tree, parents, message })
}
