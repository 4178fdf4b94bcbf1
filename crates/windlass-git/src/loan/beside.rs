//! What a guest has beside branches and tags (stashes, notes, references of its own, what is checked out in working trees that it made):
//! it stays the guest's, and each commit in it that nothing else holds becomes a branch of the person's.

use std::collections::{BTreeMap, BTreeSet};

use windlass_core::damage::loan::Refs;

use super::take::one_line;
use crate::git::call::Call;
use crate::git::{GitError, ObjectId, Repository};
use crate::lane::{LaneError, park_exactly};

/// So many commits are kept at once, each by some calls of git.
const MOST: usize = 100;

/// What was kept.
#[derive(Debug, Default)]
pub(super) struct Kept {
    /// A sentence for each.
    pub sentences: Vec<String>,
    /// So many more commits were left than are kept.
    pub beyond: usize,
}

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
) -> Result<Kept, LaneError> {
    let (mut new, others): (Vec<_>, Vec<_>) = found.new_beside(lent).partition(|(name, _)| is_stash(name));
    new.extend(others);
    if new.is_empty() {
        return Ok(Kept::default());
    }
    let commits = commits_of(main, new.iter().map(|(_, id)| id.as_str()))?;
    let held_by_none = held_by_none(main, commits.iter().flatten(), lent.commit())?;
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
                park_exactly(main, commit, run, &format!("{what}-{}", part(name)))?
            }
        };
        sentences.push(told(name, &branch));
    }
    Ok(Kept { sentences, beyond })
}

fn is_stash(name: &[u8]) -> bool {
    name == b"refs/stash" || name.starts_with(b"refs/stash@{")
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

/// Those of these commits that no branch, tag or remote-tracking branch holds, and those that they are built on; nor the history
/// of this one.
fn held_by_none<'a>(
    main: &Repository,
    commits: impl Iterator<Item = &'a ObjectId>,
    head: Option<&String>,
) -> Result<BTreeSet<String>, GitError> {
    let mut tips: Vec<String> = commits.map(|commit| format!("{commit}\n")).collect();
    if tips.is_empty() {
        return Ok(BTreeSet::new());
    }
    let head = head.map(|head| commits_of(main, std::iter::once(head.as_str()))).transpose()?;
    tips.extend(head.into_iter().flatten().flatten().map(|head| format!("^{head}\n")));
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
