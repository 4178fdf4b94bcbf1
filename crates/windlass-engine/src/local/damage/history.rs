//! What became of commits.

use std::collections::BTreeSet;
use std::time::Duration;

use windlass_core::damage::{Ancestry, Scene};
use windlass_core::spec::CommitPolicy;

use super::super::work::WorkError;
use windlass_git::git::Repository;

/// So many references are followed; those beyond count as moved.
const FOLLOWED: usize = 50;

/// Counting commits may take so long.
const COUNTING: Duration = Duration::from_secs(5);

/// Can this be a branch that somebody has merged and deletes?
fn is_tidied_up(before: &Scene, name: &[u8]) -> bool {
    name.starts_with(b"refs/heads/") && before.branch.as_deref() != Some(name)
}

/// Asks git only where something moved.
pub(in crate::local) fn ancestry(
    repository: &Repository,
    before: &Scene,
    after: &Scene,
    commit: CommitPolicy,
) -> Result<Ancestry, WorkError> {
    let mut carried_on = BTreeSet::new();
    let moved = before.references.iter().filter(|(name, value)| after.references.get(*name) != Some(*value));
    for (name, value) in moved.take(FOLLOWED) {
        let is_part = match (after.references.get(name), &after.commit) {
            (Some(now), _) => repository.is_in_history_of(value, now)?,
            // Whoever commits may tidy up branches that he has merged.
            (None, Some(head)) if commit == CommitPolicy::Agent && is_tidied_up(before, name) => {
                repository.is_in_history_of(value, head)?
            }
            (None, _) => false,
        };
        if is_part {
            carried_on.insert(name.clone());
        }
    }
    if let (None, Some(was), Some(now)) = (&before.branch, &before.commit, &after.commit)
        && repository.is_in_history_of(was, now)?
    {
        carried_on.insert(b"HEAD".to_vec());
    }
    let mut ancestry = Ancestry { carried_on, ..Ancestry::default() };
    let own = before.branch.clone().unwrap_or_else(|| b"HEAD".to_vec());
    let now = before.branch.as_ref().map_or(after.commit.as_ref(), |branch| after.references.get(branch));
    let Some(was) = before.commit.as_ref().filter(|was| now != Some(*was)) else {
        return Ok(ancestry);
    };
    if ancestry.carried_on.contains(&own) {
        return Ok(ancestry);
    }
    ancestry.held_by = repository.holder(was)?;
    // Where the former commit is gone altogether, nobody can count.
    let count = now.map(|now| repository.count_commits(Some(now), was, COUNTING));
    ancestry.commits_lost = count.and_then(Result::ok);
    Ok(ancestry)
}
