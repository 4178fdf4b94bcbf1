//! A pull request's branch was brought up to date: is what is there now the commit that was gated, with the base merged into it,
//! and nothing else? The forge says which parents a commit has; what is in it is looked at here.

use windlass_core::report::{DeliveryReport, PullRequestSeen};
use windlass_core::spec::DeliverySpec;
use windlass_core::values::RunId;
use windlass_git::git::{Fetch, GitError, ObjectId, RemoteTrouble, Repository};

use super::remote::one_line;

/// What was seen; a tip that is something else is shown without its parents, as what somebody else pushed.
pub(super) fn looked_into(
    mut seen: PullRequestSeen,
    head: &str,
    spec: &DeliverySpec,
    (repository, run): (&Repository, &RunId),
) -> Result<DeliveryReport, GitError> {
    let [first, second] = seen.head_parents.as_slice() else { return Ok(DeliveryReport::Viewed(seen)) };
    if seen.head == head || first != head {
        return Ok(DeliveryReport::Viewed(seen));
    }
    let fetch = |branch| repository.fetch(&Fetch { remote: &spec.remote, branch, run: Some(run) });
    let (tip, base) = match (fetched(fetch(&spec.branch)?), fetched(fetch(&spec.base)?)) {
        (Ok(tip), Ok(base)) => (tip, base),
        (Err(said), _) | (_, Err(said)) => {
            let why = format!("cannot fetch what the branch is now: {}", one_line(&said));
            return Ok(DeliveryReport::Unreachable { why, passes: true, again: None });
        }
    };
    let is_it = tip.is_some_and(|tip| tip.to_string() == seen.head);
    let of_base = base.map_or(Ok(false), |base| repository.is_in_history_of(second, &base.to_string()))?;
    if !(is_it && of_base && repository.is_merge_of(&seen.head, [first, second])?) {
        seen.head_parents.clear();
    }
    Ok(DeliveryReport::Viewed(seen))
}

/// `None` = it is not to be had. What was said, where it may be had later.
fn fetched(outcome: Result<ObjectId, RemoteTrouble>) -> Result<Option<ObjectId>, String> {
    match outcome {
        Ok(commit) => Ok(Some(commit)),
        Err(RemoteTrouble::Refused(_) | RemoteTrouble::Denied(_)) => Ok(None),
        Err(RemoteTrouble::Unreachable(said)) => Err(said),
    }
}
