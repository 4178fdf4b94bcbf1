//! A lane's files.

use super::{LONG, Lane, LaneError};
use crate::git::call::zero_ended;
use crate::git::{GitError, ObjectId};
use windlass_host::file::FileError;
use windlass_host::tree::at;

impl Lane {
    /// Makes the lane's files those of a tree (or a commit). What git ignores stays; all else goes.
    pub(super) fn bring_files_to(&self, tree: &str) -> Result<(), GitError> {
        self.call().args(["read-tree", "--reset", "-u", tree]).timeout(LONG).output()?;
        // Twice forced: repositories inside go as well.
        self.call().args(["clean", "-ffdq"]).timeout(LONG).output().map(drop)
    }

    /// The lane stands at `tip`, its files are those of `tree`: what is new in them is the lane's work.
    pub(super) fn stand_at(&self, tip: ObjectId, tree: ObjectId) -> Result<(), LaneError> {
        // Should this be interrupted, the lane's work is still a commit, and the same is done again.
        self.bring_files_to(&tree.to_string())?;
        // Only the index: what is the same keeps what git knows about its file.
        self.call().args(["read-tree", "--reset", &tip.to_string()]).output()?;
        self.point_to(tip)?;
        self.give_repository()
    }

    /// The paths whose files differ from where the lane stands, new ones included. What git ignores is not looked at.
    pub(super) fn differing(&self) -> Result<Vec<Vec<u8>>, GitError> {
        self.unlock()?;
        let status = [
            "status",
            "--porcelain",
            "-z",
            "--no-renames",
            "--untracked-files=all",
            "--ignore-submodules=dirty",
        ];
        let output = self.call().args(status).timeout(LONG).output()?;
        // Two letters, a blank, the path; one that ends in `/` is a repository inside, which no commit takes up.
        let paths = zero_ended(&output).filter_map(|line| line.get(3..)).filter(|path| !path.ends_with(b"/"));
        Ok(paths.map(<[u8]>::to_vec).collect())
    }

    /// The runner's index of a lane is nobody else's; a lock on it is left over from a git that was ended.
    fn unlock(&self) -> Result<(), FileError> {
        let lock = at(&self.repository.git_dir.join("index.lock"));
        if lock.is_taken() { lock.remove_file() } else { Ok(()) }
    }
}
