//! What a guest has beside branches and tags (stashes, notes, references of its own): it stays the guest's, and each commit in it that
//! nothing else holds becomes a branch of the person's.

use std::collections::{BTreeMap, BTreeSet};

use windlass_core::damage::loan::Refs;

use super::intake::Intake;
use super::left;
use super::take::one_line;
use crate::git::call::Call;
use crate::git::{GitError, ObjectId, Repository};
use crate::lane::{Lane, LaneError, park_commit};
use windlass_host::file::remove_folder;
use windlass_host::tree::at;

/// So many commits are kept at once, each by some calls of git.
const MOST: usize = 100;

/// Keeps what is there and was not when the git directory was lent, stashes first, and gives a sentence for each. `run` and `what` name the
/// branches. Of one that was made before this was cut off it is said once more.
///
/// # Errors
/// git fails at something that it should be able to do.
pub(super) fn keep_beside(
    main: &Repository,
    found: &Refs,
    lent: &Refs,
    (run, what): (&str, &str),
) -> Result<Vec<String>, LaneError> {
    let (mut new, others): (Vec<_>, Vec<_>) = found.new_beside(lent).partition(|(name, _)| is_stash(name));
    new.extend(others);
    if new.is_empty() {
        return Ok(Vec::new());
    }
    let commits = commits_of(main, new.iter().map(|(_, id)| id.as_str()))?;
    let held_by_none = held_by_none(main, commits.iter().flatten())?;
    let branches = branches_of(main, run)?;
    let (mut sentences, mut kept, mut beyond) = (Vec::new(), 0, 0_usize);
    for ((name, _), commit) in new.iter().zip(commits) {
        // Not there, where it was refused, which is said; or no commit.
        let Some(commit) = commit else { continue };
        let branch = match branches.get(&commit.to_string()) {
            Some(branch) => branch.clone(),
            None if !held_by_none.contains(&commit.to_string()) => continue,
            None if kept == MOST => {
                beyond += 1;
                continue;
            }
            None => {
                kept += 1;
                park_commit(main, commit, run, &format!("{what}-{}", part(name)))?
            }
        };
        sentences.push(told(name, &branch));
    }
    if beyond > 0 {
        sentences.push(format!(
            "{beyond} more commits that no branch and no tag names were left, and are not kept"
        ));
    }
    Ok(sentences)
}

fn is_stash(name: &[u8]) -> bool {
    name.starts_with(b"refs/stash")
}

/// What such a branch is called after: `stash`, `stash-1` for the one before it, `wip/x`.
fn part(name: &[u8]) -> String {
    let name = one_line(&String::from_utf8_lossy(name));
    name.trim_start_matches("refs/").trim_end_matches('}').replace("@{", "-")
}

fn told(name: &[u8], branch: &str) -> String {
    if is_stash(name) {
        format!(
            "work was put away in a stash, which is the branch {branch}: `git stash apply {branch}` brings it back"
        )
    } else {
        let name = one_line(&String::from_utf8_lossy(name));
        format!("commits that {name} alone named are the branch {branch}")
    }
}

/// The commit that each of these names, in full or shortened, tags being looked through; in one call.
pub(super) fn commits_of<'a>(
    main: &Repository,
    ids: impl Iterator<Item = &'a str>,
) -> Result<Vec<Option<ObjectId>>, GitError> {
    let asked: Vec<String> = ids.map(|id| format!("{id}^{{commit}}\n")).collect();
    let check = ["cat-file", "--batch-check=%(objectname)"];
    let answer = Call::within(main).args(check).input(asked.concat()).output()?;
    Ok(answer.split(|byte| *byte == b'\n').map(ObjectId::from_hex).take(asked.len()).collect())
}

/// Those of these commits that no branch, tag or remote-tracking branch holds, and those that they are built on.
fn held_by_none<'a>(
    main: &Repository,
    commits: impl Iterator<Item = &'a ObjectId>,
) -> Result<BTreeSet<String>, GitError> {
    let tips: Vec<String> = commits.map(|commit| format!("{commit}\n")).collect();
    if tips.is_empty() {
        return Ok(BTreeSet::new());
    }
    let listing = ["rev-list", "--stdin", "--not", "--branches", "--tags", "--remotes"];
    let printed = Call::within(main).args(listing).input(tips.concat()).output()?;
    Ok(String::from_utf8_lossy(&printed).lines().map(str::to_owned).collect())
}

/// The branches that keep what was found in a run, by their commits.
fn branches_of(main: &Repository, run: &str) -> Result<BTreeMap<String, String>, GitError> {
    let listing = ["for-each-ref", "--format=%(objectname) %(refname:lstrip=2)"];
    let printed = Call::within(main).args(listing).arg(format!("refs/heads/windlass/{run}")).output()?;
    let printed = String::from_utf8_lossy(&printed);
    let lines = printed.lines().filter_map(|line| line.split_once(' '));
    Ok(lines.map(|(id, name)| (id.to_owned(), name.to_owned())).collect())
}

/// Has the agent of a lane put anything away in its git directory?
pub fn has_put_away(lane: &Lane) -> bool {
    left::read(&at(lane.top()).join(".git")).is_ok_and(|found| !found.beside.is_empty())
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
    let Ok(mut found) = left::read(&theirs) else { return Ok(Vec::new()) };
    if found.beside.is_empty() {
        return Ok(Vec::new());
    }
    let nothing = Refs { references: BTreeMap::new(), beside: BTreeMap::new(), ..found.clone() };
    let intake = Intake { main, from: theirs, folder: lane.home().join("intake.git") };
    let named: Vec<String> = found.beside.values().cloned().collect();
    let refused = intake.take_in(&named)?;
    found.beside.retain(|_, id| !refused.iter().any(|(refused, _)| refused == id));
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
