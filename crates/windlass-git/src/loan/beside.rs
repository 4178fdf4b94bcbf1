//! What a guest has beside branches and tags (stashes, notes, references of its own): it stays the guest's, and each commit in it that
//! nothing else holds becomes a branch of the person's.

use std::collections::BTreeMap;

use windlass_core::damage::loan::Refs;

use super::intake::Intake;
use super::left;
use super::take::one_line;
use crate::git::call::Call;
use crate::git::{ObjectId, Repository};
use crate::lane::{Lane, LaneError, park_commit};
use windlass_host::file::remove_folder;
use windlass_host::tree::at;

/// So many references that are no branches and no tags are kept, each by some calls of git.
const MOST: usize = 100;

/// Keeps what is there and was not when the git directory was lent, and gives a sentence for each. `run` and `what` name the branches.
///
/// # Errors
/// git fails at something that it should be able to do.
pub(super) fn keep_beside(
    main: &Repository,
    found: &Refs,
    lent: &Refs,
    (run, what): (&str, &str),
) -> Result<Vec<String>, LaneError> {
    let mut sentences = Vec::new();
    let mut new = found.new_beside(lent);
    for (name, id) in new.by_ref().take(MOST) {
        let commit = format!("{id}^{{commit}}");
        let commit = Call::within(main).args(["rev-parse", "--verify", "--quiet", &commit]).found_id()?;
        // Not there, where it was refused, which is said; or no commit.
        let Some(commit) = commit else { continue };
        if main.holder(id)?.is_none() {
            sentences.push(keep_one(main, name, commit, (run, what))?);
        }
    }
    let others = new.count();
    if others > 0 {
        sentences.push(format!(
            "{others} more references that are no branches and no tags were left, and are not kept"
        ));
    }
    Ok(sentences)
}

fn keep_one(
    main: &Repository,
    name: &[u8],
    commit: ObjectId,
    (run, what): (&str, &str),
) -> Result<String, LaneError> {
    let is_stash = name.starts_with(b"refs/stash");
    let name = one_line(&String::from_utf8_lossy(name));
    let part = if is_stash { "stash" } else { name.trim_start_matches("refs/") };
    let branch = park_commit(main, commit, run, &format!("{what}-{part}"))?;
    Ok(if is_stash {
        format!(
            "work was put away in a stash, which is the branch {branch}: `git stash apply {branch}` brings it back"
        )
    } else {
        format!("commits that {name} alone named are the branch {branch}")
    })
}

/// Keeps what the agent of a lane has put away in its git directory, which goes with the lane; a sentence for each. `run` and `task` name
/// the branches. Without any it asks no git.
///
/// # Errors
/// The disk is full, or git fails at something that it should be able to do.
pub fn keep_put_away(
    main: &Repository,
    lane: &Lane,
    (run, task): (&str, &str),
) -> Result<Vec<String>, LaneError> {
    let theirs = at(lane.top()).join(".git");
    // One that is broken is made anew: what it named is not known.
    let Ok(found) = left::read(&theirs) else { return Ok(Vec::new()) };
    if found.beside.is_empty() {
        return Ok(Vec::new());
    }
    let nothing = Refs { references: BTreeMap::new(), beside: BTreeMap::new(), ..found.clone() };
    let intake = Intake { main, from: theirs, folder: lane.home().join("intake.git") };
    let named: Vec<String> = found.beside.values().cloned().collect();
    let refused = intake.take_in(&named)?;
    let mut sentences = keep_beside(main, &found, &nothing, (run, task))?;
    if let Some((_, why)) = refused.first() {
        sentences.push(one_line(&format!(
            "work that was put away in git is not kept, since git does not take it: {why}"
        )));
    }
    // outside: the lane's folder in the state folder, above what its guests can write.
    remove_folder(&intake.folder)?;
    Ok(sentences)
}
