//! Comparing two scenes.

use crate::words::{short_commit, some_of};
use std::collections::BTreeSet;

use super::{Ancestry, Damage, DamageKind, Lost, Name, Operation, Scene};

/// So many names are in one sentence.
const NAMED: usize = 3;

/// What was done between the two, the worst first.
pub fn compare(before: &Scene, after: &Scene, ancestry: &Ancestry) -> Vec<Damage> {
    if let Some(said) = after.unusable.as_ref().filter(|_| before.unusable.is_none()) {
        let sentence = format!("the git repository is gone or broken ({})", printable(said));
        return vec![damage(DamageKind::RepositoryUnusable, sentence)];
    }
    if before.unusable.is_some() {
        return Vec::new();
    }
    let mut found: Vec<Damage> = branch_lost(before, after, ancestry).into_iter().collect();
    found.extend(checked_out(before, after));
    found.extend(under_way(before, after));
    found.extend(files(&ancestry.discarded, &ancestry.cleaned));
    found.extend(nested(&ancestry.nested));
    found.extend(unprotected(&ancestry.unprotected));
    found.extend(references(before, after, ancestry));
    found.extend(stashes(before, after));
    found.extend(settings(before, after));
    found.sort_by_key(|damage| damage.kind);
    found
}

pub(super) fn damage(kind: DamageKind, sentence: String) -> Damage {
    Damage { kind, sentence, names: Vec::new() }
}

/// What became of the branch that was checked out, or of the commit that was checked out without one.
fn branch_lost(before: &Scene, after: &Scene, ancestry: &Ancestry) -> Option<Damage> {
    let commit = before.commit.as_ref()?;
    let (name, now) = match &before.branch {
        Some(branch) => (branch.clone(), after.references.get(branch)),
        None => (b"HEAD".to_vec(), after.commit.as_ref()),
    };
    if now == Some(commit) || ancestry.carried_on.contains(&name) {
        return None;
    }
    let what = match now {
        Some(now) => {
            format!("{} was moved from {} to {}", shown(&name), short_commit(commit), short_commit(now))
        }
        None => format!("{} was deleted", shown(&name)),
    };
    if let Some(holder) = &ancestry.held_by {
        let sentence = format!("{what}; {} still has its commits", shown(holder));
        return Some(damage(DamageKind::BranchMovedBack, sentence));
    }
    let lost = match ancestry.commits_lost {
        Some(1) => "1 commit is in no branch any more".to_owned(),
        Some(number) => format!("{number} commits are in no branch any more"),
        None => "its commits are in no branch any more".to_owned(),
    };
    Some(damage(DamageKind::CommitsLost, format!("{what}: {lost}")))
}

fn checked_out(before: &Scene, after: &Scene) -> Option<Damage> {
    if before.branch == after.branch {
        return None;
    }
    let detaches = after.under_way.difference(&before.under_way).any(|operation| operation.detaches());
    let was =
        before.branch.as_ref().map_or_else(|| "a commit without a branch".to_owned(), |name| shown(name));
    let Some(branch) = &after.branch else {
        let commit = short_commit(after.commit.as_deref().unwrap_or_default());
        // What is under way says the rest.
        let why = if detaches { " while that is under way" } else { "" };
        let sentence = format!("instead of {was} the commit {commit} is checked out, on no branch{why}");
        return Some(damage(DamageKind::HeadDetached, sentence));
    };
    let is_known = before.references.contains_key(branch);
    let kind = if is_known { DamageKind::BranchSwitched } else { DamageKind::BranchBegun };
    Some(damage(kind, format!("instead of {was} {} is checked out", shown(branch))))
}

fn under_way(before: &Scene, after: &Scene) -> Vec<Damage> {
    let ended = in_words(&before.under_way, &after.under_way)
        .map(|words| damage(DamageKind::OperationEnded, format!("{words} was under way and was ended")));
    begun(&before.under_way, &after.under_way).into_iter().chain(ended).collect()
}

/// What is under way and was not.
pub(super) fn begun(before: &BTreeSet<Operation>, after: &BTreeSet<Operation>) -> Option<Damage> {
    let words = in_words(after, before)?;
    Some(damage(DamageKind::UnderWay, format!("{words} was begun and not finished")))
}

/// Those that are in the first alone.
fn in_words(one: &BTreeSet<Operation>, other: &BTreeSet<Operation>) -> Option<String> {
    let words = one.difference(other).map(|operation| operation.words());
    Some(words.collect::<Vec<&str>>().join(" and ")).filter(|words| !words.is_empty())
}

fn files(discarded: &Lost, cleaned: &Lost) -> Vec<Damage> {
    let told = |lost: &Lost, kind, what: &str| {
        let whose = if lost.of_a_person { "from before the run " } else { "" };
        let sentence = format!("{what} {whose}are gone: {}", listed(&lost.files));
        lost.is_damage().then(|| Damage { kind, sentence, names: lost.files.clone() })
    };
    let discarded = told(discarded, DamageKind::ChangesDiscarded, "uncommitted changes");
    let cleaned = told(cleaned, DamageKind::FilesCleaned, "files that git does not know");
    discarded.into_iter().chain(cleaned).collect()
}

fn nested(folders: &[Name]) -> Option<Damage> {
    let sentence = format!(
        "repositories of their own inside this one are gone, and no snapshot holds them: {}",
        listed(folders)
    );
    (!folders.is_empty()).then(|| damage(DamageKind::NestedRepositoriesGone, sentence))
}

fn unprotected(files: &[Name]) -> Option<Damage> {
    let sentence = format!(
        "uncommitted files from before the run are gone, and no snapshot holds them: {}",
        listed(files)
    );
    (!files.is_empty()).then(|| damage(DamageKind::UnprotectedFilesGone, sentence))
}

/// Other references than the branch that was checked out.
fn references(before: &Scene, after: &Scene, ancestry: &Ancestry) -> Option<Damage> {
    let is_own = |name: &Name| before.branch.as_ref() == Some(name);
    let is_lost = |(name, value): &(&Name, &String)| {
        after.references.get(*name) != Some(*value) && !ancestry.carried_on.contains(*name) && !is_own(name)
    };
    let lost: Vec<Name> = before.references.iter().filter(is_lost).map(|(name, _)| name.clone()).collect();
    (!lost.is_empty()).then(|| {
        let is_common = |name: &Name| name.starts_with(b"refs/heads/") || name.starts_with(b"refs/tags/");
        let what = if lost.iter().all(is_common) { "branches or tags" } else { "references" };
        let sentence = format!("{what} were deleted or moved: {}", listed(&lost));
        Damage { kind: DamageKind::ReferencesLost, sentence, names: lost }
    })
}

fn stashes(before: &Scene, after: &Scene) -> Option<Damage> {
    let now: BTreeSet<&String> = after.stashes.iter().collect();
    let lost = before.stashes.iter().filter(|stash| !now.contains(stash)).count();
    (lost > 0).then(|| {
        let what = if lost == 1 { "1 stash was".to_owned() } else { format!("{lost} stashes were") };
        let names = vec![b"refs/stash".to_vec(), b"logs/refs/stash".to_vec()];
        Damage { kind: DamageKind::StashDropped, sentence: format!("{what} dropped"), names }
    })
}

fn settings(before: &Scene, after: &Scene) -> Option<Damage> {
    let all: BTreeSet<&Name> = before.settings.keys().chain(after.settings.keys()).collect();
    let differs = |name: &&Name| before.settings.get(*name) != after.settings.get(*name);
    let changed: Vec<Name> = all.into_iter().filter(differs).cloned().collect();
    (!changed.is_empty()).then(|| {
        let sentence = format!("the repository's own settings or hooks were changed: {}", listed(&changed));
        Damage { kind: DamageKind::SettingsChanged, sentence, names: changed }
    })
}

pub(super) fn listed(names: &[Name]) -> String {
    some_of(names.iter().map(|name| shown(name)), NAMED)
}

/// Without `refs/heads/` and the like, and without control characters.
pub(super) fn shown(name: &[u8]) -> String {
    let name = name.strip_prefix(b"refs/").unwrap_or(name);
    let name = name.strip_prefix(b"heads/").or_else(|| name.strip_prefix(b"tags/")).unwrap_or(name);
    printable(&String::from_utf8_lossy(name))
}

/// On one line.
fn printable(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { '?' } else { c }).collect()
}
