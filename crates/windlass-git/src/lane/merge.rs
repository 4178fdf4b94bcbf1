//! Merging a lane's work with what is on the branch by now.

use super::conflict::{Conflict, LANDED, MergedTree, YOURS};
use super::{LONG, Lane, LaneError, told};
use crate::git::call::unexpected;
use crate::git::{GitError, ObjectId, version};
use windlass_host::tree::at;

/// Since this git one can say what a merge is to be based on.
const BASE_CAN_BE_GIVEN: (u32, u32) = (2, 40);

/// What became of a merge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MergeResult {
    /// Both sides go together.
    Clean {
        /// The merged work as one commit on the branch's tip.
        commit: ObjectId,
        /// Its tree.
        tree: ObjectId,
        /// Is that another tree than the one that was judged?
        merged: Merged,
    },
    /// They do not. The lane stands at the branch's tip, with both sides in its files: markers in texts, `landed` above and
    /// `yours` below.
    Conflict(Vec<Conflict>),
}

/// What a merge made of a lane's tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Merged {
    /// It is as it was judged.
    AsJudged,
    /// It holds what others have landed as well.
    Anew,
}

impl Lane {
    /// Merges `work`, a commit of this lane, with `tip`, the branch's. Only what the work changed counts, also if the branch
    /// was rewritten meanwhile.
    ///
    /// Where the merge makes another tree, the lane's files become that tree, and the lane stands at the tip: all that is
    /// not committed there is its work, and what is squashed next is one commit on the tip. `work` stays what it is.
    /// Interrupted, it is done again.
    ///
    /// # Errors
    /// The branch was rewritten and git is older than 2.40; or `work` is not a commit of this lane.
    pub fn merge(&self, work: ObjectId, tip: ObjectId) -> Result<MergeResult, LaneError> {
        let judged = told(&self.repository, work)?;
        let Some(base) = judged.parent() else {
            return Err(unexpected("git log", b"a commit without a parent").into());
        };
        if base == tip {
            return Ok(MergeResult::Clean { commit: work, tree: judged.tree, merged: Merged::AsJudged });
        }
        let MergedTree { tree, mut conflicts } = self.merge_trees(base, work, tip)?;
        conflicts.extend(self.case_conflicts(base, work, tip)?);
        if !conflicts.is_empty() {
            self.stand_at(tip, tree)?;
            return Ok(MergeResult::Conflict(conflicts));
        }
        let commit =
            self.call().args(["commit-tree", "-p", &tip.to_string(), "-F", "-"]).arg(tree.to_string());
        let commit = commit.input(judged.message).id()?;
        let merged = if tree == judged.tree { Merged::AsJudged } else { Merged::Anew };
        if merged == Merged::Anew {
            self.stand_at(tip, tree)?;
        }
        Ok(MergeResult::Clean { commit, tree, merged })
    }

    /// Gives a lane that holds no work what the branch has by now. Interrupted, it is done again, whatever the lane says of
    /// itself: its files may not have come as far.
    pub fn follow(&self, tip: ObjectId) -> Result<(), LaneError> {
        self.stand_at(tip, told(&self.repository, tip)?.tree)
    }

    fn merge_trees(&self, base: ObjectId, work: ObjectId, tip: ObjectId) -> Result<MergedTree, LaneError> {
        // So that markers and messages have names that say something.
        for (name, commit) in [(LANDED, tip), (YOURS, work)] {
            let file = self.repository.git_dir.join("refs/heads").join(name);
            at(&file).replace(format!("{commit}\n").as_bytes(), 0o600)?;
        }
        let call = self.call().option("merge.conflictStyle=diff3").timeout(LONG);
        let call = call.args(["merge-tree", "--write-tree", "-z", "--name-only", "--messages"]);
        let found = version(self.top())?;
        let call = if found >= BASE_CAN_BE_GIVEN {
            call.arg(format!("--merge-base={base}"))
        } else if self.is_ancestor(base, tip)? {
            call
        } else {
            return Err(LaneError::Rewritten(found));
        };
        let answer = call.args([LANDED, YOURS]).run()?;
        match answer.code {
            0 | 1 => Ok(MergedTree::parse(&answer.output)?),
            _ => Err(answer.failed().into()),
        }
    }

    fn is_ancestor(&self, one: ObjectId, other: ObjectId) -> Result<bool, GitError> {
        let call = self.call().args(["merge-base", "--is-ancestor", &one.to_string(), &other.to_string()]);
        call.succeeds()
    }
}
