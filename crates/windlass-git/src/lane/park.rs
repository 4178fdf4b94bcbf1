//! Keeping the work of a task that did not land, as a branch of its own.

use std::fs;

use super::land::fetch;
use super::turn::Turn;
use super::{Lane, LaneError, told};
use crate::commit::commit_tree;
use crate::git::call::Call;
use crate::git::{GitError, ObjectId, Repository};
use windlass_host::file::AtPath;

/// So long is a task's part of a branch's name at most.
const LONGEST_SLUG: usize = 60;

/// How many branches of the same name are counted up before that is given up.
const MOST: u32 = 1000;

/// Where a task's work is kept.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Parked {
    /// The branch with the task's work as it was before it was merged; `None` when there was none.
    pub branch: Option<String>,
    /// The branch with what the lane's files were in the middle of a merge, conflict markers included.
    pub merging: Option<String>,
}

/// Keeps a lane's work as a branch `windlass/<run>/<task>` of the main repository. Never replaces a branch; one that has
/// exactly this work already is taken for it, so that it does no harm to call it again.
///
/// `work` is the lane's squashed commit, where it got that far; without one, the lane's files count as they are.
pub fn park(
    main: &Repository,
    lane: &Lane,
    work: Option<ObjectId>,
    run: &str,
    task: &str,
) -> Result<Parked, LaneError> {
    park_leftover(main, lane, &lane.leftover(work, task)?, run, task)
}

/// What is left of a task in a lane, as commits of the lane.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Leftover {
    /// The task's work as it was before it was merged.
    pub work: Option<ObjectId>,
    /// The lane's files in the middle of a merge, conflict markers included.
    pub merging: Option<ObjectId>,
}

/// The same with commits that the lane has: its files are not looked at.
pub fn park_leftover(
    main: &Repository,
    lane: &Lane,
    leftover: &Leftover,
    run: &str,
    task: &str,
) -> Result<Parked, LaneError> {
    let _turn = Turn::take(main)?;
    let Leftover { work, merging } = *leftover;
    let mut parked = Parked::default();
    if let Some(work) = work {
        parked.branch = Some(keep(main, lane, work, run, &slug(task))?);
    }
    if let Some(merging) = merging {
        parked.merging = Some(keep(main, lane, merging, run, &format!("{}-merging", slug(task)))?);
    }
    Ok(parked)
}

impl Lane {
    /// What is left of a task in this lane. `work` is its squashed commit, where it got that far; without one, the lane's files
    /// count as they are.
    pub fn leftover(&self, work: Option<ObjectId>, task: &str) -> Result<Leftover, LaneError> {
        let now = self.keep_files(work, task)?;
        Ok(match work {
            Some(work) => Leftover { work: Some(work), merging: now },
            None => Leftover { work: now, merging: None },
        })
    }

    /// A commit of the lane's files on where the lane stands; `None` when they are not different, or when the lane stands
    /// at its work still.
    fn keep_files(&self, work: Option<ObjectId>, task: &str) -> Result<Option<ObjectId>, LaneError> {
        let Some(head) = self.repository.plain_commit().filter(|head| Some(*head) != work) else {
            return Ok(None);
        };
        let changed = self.differing()?;
        // outside: the lane's folder in the state folder, above what its guests can write.
        let scratch = tempfile::tempdir_in(&self.home).at("write in", &self.home)?;
        let index = scratch.path().join("index");
        // outside: from there into there.
        fs::copy(self.repository.git_dir.join("index"), &index).at("write", &index)?;
        let call = || self.call().with_index(&index);
        let paths: Vec<u8> = changed.iter().flat_map(|path| [path.as_slice(), b"\0"].concat()).collect();
        call()
            .args(["update-index", "-z", "--add", "--remove", "--replace", "--stdin"])
            .input(paths)
            .output()?;
        let tree = call().arg("write-tree").id()?;
        let is_known = |commit: ObjectId| told(&self.repository, commit).map(|told| told.tree == tree);
        if is_known(head)? || work.map_or(Ok(false), is_known)? {
            return Ok(None);
        }
        let message = format!("Unfinished work on {task}\n");
        Ok(Some(commit_tree(&self.repository, Some(head), &tree.to_string(), &message)?))
    }
}

/// Keeps a commit of the main repository as a branch, in the same way.
pub fn park_commit(main: &Repository, commit: ObjectId, run: &str, task: &str) -> Result<String, LaneError> {
    let _turn = Turn::take(main)?;
    name_once(main, commit, run, &slug(task))
}

/// The same of a commit that somebody else has made: exactly this one, since it is not made again.
pub fn park_exactly(main: &Repository, commit: ObjectId, run: &str, task: &str) -> Result<String, LaneError> {
    let _turn = Turn::take(main)?;
    name(main, commit, (run, &slug(task)), |there| there == commit)
}

fn keep(
    main: &Repository,
    lane: &Lane,
    commit: ObjectId,
    run: &str,
    slug: &str,
) -> Result<String, LaneError> {
    fetch(main, lane, commit)?;
    name_once(main, commit, run, slug)
}

fn name_once(main: &Repository, commit: ObjectId, run: &str, slug: &str) -> Result<String, LaneError> {
    let wanted = told(main, commit)?;
    // One with the same files on the same commits is taken for it: it was made before a crash, a little earlier.
    let has_the_same = |there: ObjectId| {
        there == commit
            || told(main, there)
                .is_ok_and(|there| there.tree == wanted.tree && there.parents == wanted.parents)
    };
    name(main, commit, (run, slug), has_the_same)
}

/// The branch of this commit, made where there is none of it.
fn name(
    main: &Repository,
    commit: ObjectId,
    (run, slug): (&str, &str),
    has_the_same: impl Fn(ObjectId) -> bool,
) -> Result<String, LaneError> {
    let mut failed = None;
    // A branch called `windlass` leaves no room for branches below it.
    for beginning in [format!("windlass/{run}/{slug}"), format!("windlass-{run}-{slug}")] {
        for number in 1..=MOST {
            let name = if number == 1 { beginning.clone() } else { format!("{beginning}-{number}") };
            let reference = format!("refs/heads/{name}");
            let there =
                Call::within(main).args(["rev-parse", "--verify", "--quiet", &reference]).found_id()?;
            match there.map(&has_the_same) {
                Some(true) => return Ok(name),
                Some(false) => continue,
                None => {}
            }
            let nothing = ObjectId::zero(main.object_format).to_string();
            let create = ["update-ref", "-m", "windlass: park", &reference, &commit.to_string(), &nothing];
            match Call::within(main).args(create).output() {
                Ok(_) => return Ok(name),
                Err(error) => failed = Some(error),
            }
            break;
        }
    }
    let none = GitError::Failed {
        command: "git update-ref".to_owned(),
        said: format!("there are {MOST} branches windlass/{run}/{slug} already"),
    };
    Err(failed.unwrap_or(none).into())
}

/// A task's name as part of a branch's: letters, digits, `.`, `_` and `-`.
fn slug(task: &str) -> String {
    let mut slug = String::new();
    for character in task.chars() {
        let plain = character.is_ascii_alphanumeric() || character == '_';
        let dot = character == '.' && !slug.ends_with(['.', '-']) && !slug.is_empty();
        if plain || dot {
            slug.push(character);
        } else if !slug.ends_with('-') && !slug.is_empty() {
            slug.push('-');
        }
        if slug.len() == LONGEST_SLUG {
            break;
        }
    }
    let slug = slug.trim_end_matches(['.', '-']);
    let slug = slug.strip_suffix(".lock").unwrap_or(slug);
    if slug.is_empty() { "task".to_owned() } else { slug.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_task_makes_a_branchs_name_that_git_takes() {
        for (task, expected) in [
            ("TASK-001a", "TASK-001a"),
            ("  größe: 1.. 2 ", "gr-e-1.-2"),
            ("../../x", "x"),
            ("", "task"),
            ("@{-1}~^:?*[\\", "1"),
            ("a.lock", "a"),
        ] {
            assert_eq!(slug(task), expected, "{task}");
        }
        assert_eq!(slug(&"x".repeat(500)).len(), LONGEST_SLUG);
    }
}
