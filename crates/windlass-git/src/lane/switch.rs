//! A working tree goes over to a new branch, in the middle of a run.
//!
//! As with landings nothing of a person's is overwritten, and each step can be repeated: after a crash the same call finishes
//! what it began. In this order: the branch is made, files and index become those of its commit, HEAD names it.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

use super::LaneError;
use super::follow::{Follower, Strictness};
use super::turn::Turn;
use crate::git::call::Call;
use crate::git::obstacle::explain;
use crate::git::{Head, ObjectId, Repository};

/// What became of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Switched {
    /// The branch is checked out.
    Switched {
        /// The commit that it begins with.
        base: ObjectId,
    },
    /// Nothing was changed: a sentence that says why.
    Refused(String),
}

/// Checks out a branch that begins with a commit. One that is there and has nothing of its own is taken as it is.
pub fn switch(main: &Repository, branch: &str, commit: ObjectId) -> Result<Switched, LaneError> {
    let _turn = Turn::take(main)?;
    let name = format!("refs/heads/{branch}");
    let there = Call::within(main)
        .args(["rev-parse", "--verify", "--quiet", "--end-of-options"])
        .arg(format!("{name}^{{commit}}"))
        .found_id()?;
    let base = there.unwrap_or(commit);
    if !main.is_in_history_of(&base.to_string(), &commit.to_string())? {
        return Ok(Switched::Refused(format!("the branch {branch} is there already")));
    }
    let head = main.head()?;
    let Some(from) = head.commit() else {
        return Ok(Switched::Refused("there is no commit yet".to_owned()));
    };
    if matches!(head, Head::Detached { .. })
        && main.holder(&from.to_string())?.is_none()
        && !main.is_in_history_of(&from.to_string(), &base.to_string())?
    {
        return Ok(Switched::Refused(format!("the commit {from} is checked out, and no branch has it")));
    }
    let follower = match Follower::prepare(main.clone(), from, base, Strictness::AllBut(&[]))? {
        Ok(follower) => follower,
        Err(obstacle) => return Ok(Switched::Refused(obstacle.why())),
    };
    if there.is_none() {
        let made = Call::within(main)
            .args(["update-ref", "-m", "windlass: begin", &name])
            .arg(base.to_string())
            .arg("0".repeat(base.to_string().len()))
            .run()?;
        if made.code != 0 {
            return Ok(Switched::Refused(explain(main, &made)?));
        }
    }
    follower.follow()?;
    Call::within(main).args(["symbolic-ref", "-m", "windlass: begin", "HEAD", &name]).output()?;
    Ok(Switched::Switched { base })
}

/// Removes a branch that has nothing of its own: one that is at the commit that it began with.
pub fn remove_empty(main: &Repository, branch: &str, base: &str) -> Result<(), LaneError> {
    let name = format!("refs/heads/{branch}");
    let is_checked_out = matches!(main.head()?, Head::Branch { branch, .. } if branch == name.as_bytes());
    if !is_checked_out {
        // One that has moved stays, and one that is gone is gone.
        Call::within(main).args(["update-ref", "-d", &name]).arg(OsStr::from_bytes(base.as_bytes())).run()?;
    }
    Ok(())
}
