//! Why a worktree cannot be made, found or removed.

use std::path::PathBuf;

use super::bootstrap::BootstrapError;
use crate::store::StoreError;
use windlass_git::git::GitError;
use windlass_host::file::FileError;

/// Something about a worktree went wrong: one sentence.
#[derive(Debug, thiserror::Error)]
pub enum WorktreeError {
    /// git failed.
    #[error("{0}")]
    Git(#[from] GitError),
    /// A file could not be read or written.
    #[error(transparent)]
    File(#[from] FileError),
    /// What Windlass keeps of the project could not be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// It could not be given what it needs.
    #[error(transparent)]
    Bootstrap(#[from] BootstrapError),
    /// The text is not a name.
    #[error(
        "`{shown}` cannot be a worktree's name: a name has 1 to 64 ASCII letters, digits, `_` and `-`, and does not begin with `-`"
    )]
    Name {
        /// The text, harmless to print.
        shown: String,
    },
    /// There is none of this name.
    #[error("there is no worktree {0}")]
    NotFound(String),
    /// git has one of this name, which we did not make.
    #[error("the working tree {} was not made by windlass and is never touched", .0.display())]
    Foreign(PathBuf),
    /// Another name differs in nothing but upper and lower case.
    #[error("there is a worktree {other} already, and some file systems cannot tell {name} from it")]
    Collides {
        /// The wanted name.
        name: String,
        /// The one that is there.
        other: String,
    },
    /// There is no commit to begin at.
    #[error("this project has no commit yet, and a worktree begins at one")]
    NoCommit,
    /// The branch is somebody else's.
    #[error("there is a branch {branch} already, and it belongs to no worktree of windlass")]
    BranchThere {
        /// Its short name.
        branch: String,
    },
    /// A branch stands where a folder of branches would have to be, or the other way round.
    #[error("the branch {branch} cannot be made while there is a branch {other}")]
    BranchBlocked {
        /// The wanted one.
        branch: String,
        /// The one in the way.
        other: String,
    },
    /// The base folder is in the project.
    #[error("worktrees cannot be made in {}: it lies inside the project {}", .base.display(), .project.display())]
    InsideProject {
        /// The base folder.
        base: PathBuf,
        /// The top of the working tree that it lies in.
        project: PathBuf,
    },
    /// The base folder cannot be made or written to.
    #[error("worktrees cannot be made in {}: {source}", .base.display())]
    NoBase {
        /// The base folder.
        base: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// Something is in its place.
    #[error("{} is there already and is not a worktree of this project", .0.display())]
    PathTaken(PathBuf),
    /// Its folder is there, but is not a working tree any more.
    #[error("{} is not a working tree any more: its file .git is gone", .0.display())]
    Broken(PathBuf),
    /// Its folder is gone, and somebody locked it.
    #[error("the folder of the worktree {name}, {}, is gone, but it was locked with `git worktree lock`", .path.display())]
    LockedAway {
        /// Its name.
        name: String,
        /// Where it was.
        path: PathBuf,
    },
    /// Its files could not be checked out.
    #[error("the files of the worktree {name} cannot be checked out: {source}")]
    Checkout {
        /// Its name.
        name: String,
        /// What git said: filters such as LFS among it.
        source: GitError,
    },
}
