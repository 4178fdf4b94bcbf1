//! What hooks of the repository have put into a commit that was to be left out of it: `git add -A` in a hook takes all there is.

use std::collections::BTreeMap;

use windlass_core::spec::Withholding;
use windlass_core::words::some_of;

use crate::withhold::{held_back_in, shown};
use windlass_git::commit::Made;
use windlass_git::git::{GitError, Repository};

/// So many are named.
const NAMED: usize = 8;

/// Why a commit is not to be kept, and what a person has to do; `None` where nothing is in it that was left out.
pub(crate) fn objection(
    repository: &Repository,
    rules: &Withholding,
    made: &Made,
    is_uncommitted: impl Fn(&[u8]) -> bool,
) -> Result<Option<String>, GitError> {
    let held = held_back_in(repository, rules, made)?;
    let mut found: BTreeMap<&[u8], String> =
        held.iter().map(|(path, reason)| (path.as_slice(), reason.to_string())).collect();
    for path in made.altered.iter().filter(|path| is_uncommitted(path)) {
        found.entry(path).or_insert_with(|| "it was uncommitted before".to_owned());
    }
    if found.is_empty() {
        return Ok(None);
    }
    let named = some_of(found.iter().map(|(path, why)| format!("{} ({why})", shown(path))), NAMED);
    let hooks = repository.hooks_of_commits()?;
    Ok(Some(format!(
        "{hooks} put into the commit what is left out of it: {named}. The commit was taken back. Let the hook add no other files \
         than those it is called for (`git diff --cached --name-only` names them)"
    )))
}
