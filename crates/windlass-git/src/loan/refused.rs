//! What is not taken under the name that a guest gave it, or not at all.

use std::collections::BTreeMap;

use windlass_core::damage::loan::{CheckedOut, Refs, hides_another, shortened_commit};
use windlass_core::damage::{Damage, DamageKind, Name};
use windlass_core::words::some_of;

use super::beside::commits_of;
use super::intake::{Intake, Refused};
use super::take::{Taken, one_line};
use super::{Here, Loan};
use crate::git::GitError;

/// So many sentences about objects that git does not take are said.
pub(super) const SAID: usize = 3;

impl Loan {
    /// Takes in the objects that were left. What git does not take is left out, back to the newest commit that it takes; says why.
    pub(super) fn take_objects(&self, found: &mut Refs, lent: &Refs) -> Result<Option<String>, GitError> {
        let intake = self.intake();
        let refused = intake.take_in(&found.named_beyond(lent))?;
        if refused.is_empty() {
            return Ok(None);
        }
        leave_out(&intake, found, lent, &refused)?;
        let said: Vec<&str> = refused.iter().take(SAID).map(|(_, why)| why.as_str()).collect();
        Ok(Some(one_line(&said.join("; "))))
    }

    /// Leaves out new names that stand for others; what they name is kept beside.
    pub(super) fn leave_out_hiding(
        &self,
        found: &mut Refs,
        (lent, here): (&Refs, &Here),
        taken: &mut Taken,
    ) -> Result<(), GitError> {
        let mut hiding = hiding(found, lent, &here.refs);
        hiding.extend(self.hiding_commits(found, &here.refs)?);
        if hiding.is_empty() {
            return Ok(());
        }
        let sentence = format!(
            "branches or tags were made that stand for other ones' names: {}; your repository has none of them",
            one_line(&some_of(hiding.iter().map(|name| String::from_utf8_lossy(name)), SAID))
        );
        taken.damage.push(Damage { kind: DamageKind::ReferencesLost, sentence, names: Vec::new() });
        for name in &hiding {
            found.beside.extend(found.references.remove_entry(name));
        }
        if matches!(&found.head, CheckedOut::Branch(name) if hiding.contains(name)) {
            found.head = lent.head.clone();
        }
        Ok(())
    }

    /// New names that stand for commits, as people and printed commands shorten them.
    fn hiding_commits(&self, found: &Refs, here: &Refs) -> Result<Vec<Name>, GitError> {
        // One that is the person's already was taken before this was cut off.
        let new = found.references.keys().filter(|name| !here.references.contains_key(*name));
        let candidates: Vec<(&Name, &str)> =
            new.filter_map(|name| Some((name, shortened_commit(name)?))).collect();
        if candidates.is_empty() {
            return Ok(Vec::new());
        }
        let commits = commits_of(&self.main, candidates.iter().map(|(_, short)| *short))?;
        let names_one = candidates.into_iter().zip(commits).filter(|(_, commit)| commit.is_some());
        Ok(names_one.map(|((name, _), _)| name.clone()).collect())
    }
}

/// Of so many refused commits it is asked what is sound before them: each asks git up to dozens of times.
const TRACED: usize = 50;

/// Leaves out what is refused. Of branches that were lent, and of what no name is made of, what is sound before it stays.
pub(super) fn leave_out(
    intake: &Intake<'_>,
    found: &mut Refs,
    lent: &Refs,
    refused: &[Refused],
) -> Result<(), GitError> {
    let mut sound = BTreeMap::new();
    for (index, (id, _)) in refused.iter().enumerate() {
        // Of more than these the directory that is put aside has all.
        let good = if index < TRACED { intake.good_before(id)? } else { None };
        sound.insert(id.clone(), good);
    }
    let of = |id: &String| sound.get(id).cloned();
    if let CheckedOut::Commit(commit) = &found.head
        && let Some(good) = of(commit)
    {
        found.beside.extend(good.map(|good| (b"HEAD".to_vec(), good)));
        found.head = lent.head.clone();
    }
    let names: Vec<(Name, Option<String>)> =
        found.references.iter().filter_map(|(name, id)| Some((name.clone(), of(id)?))).collect();
    for (name, good) in names {
        let is_branch = name.starts_with(b"refs/heads/");
        match (lent.references.get(&name), good) {
            (Some(_), Some(good)) if is_branch => drop(found.references.insert(name, good)),
            (Some(id), _) => drop(found.references.insert(name, id.clone())),
            (None, good) => {
                found.references.remove(&name);
                found.beside.extend(good.map(|good| (name, good)));
            }
        }
    }
    if let CheckedOut::Branch(name) = &found.head
        && !found.references.contains_key(name)
        && lent.head != found.head
    {
        found.head = lent.head.clone();
    }
    let beside = std::mem::take(&mut found.beside);
    let taken = beside.into_iter().filter_map(|(name, id)| match of(&id) {
        None => Some((name, id)),
        Some(good) => good.map(|good| (name, good)),
    });
    found.beside = taken.collect();
    Ok(())
}

/// Tags that name something else than they did when they were lent.
pub(super) fn moved_tags(found: &Refs, lent: &Refs) -> Vec<(Name, String)> {
    let tags = found.references.iter().filter(|(name, _)| name.starts_with(b"refs/tags/"));
    let is_moved = |name: &Name, id: &String| lent.references.get(name).is_some_and(|was| was != id);
    tags.filter(|(name, id)| is_moved(name, id)).map(|(name, id)| (name.clone(), id.clone())).collect()
}

/// New names that stand for others.
fn hiding(found: &Refs, lent: &Refs, here: &Refs) -> Vec<Name> {
    let others = || lent.references.keys().chain(here.beside.keys());
    let new = found.references.keys().filter(|name| !lent.references.contains_key(*name));
    new.filter(|name| hides_another(name, others())).cloned().collect()
}
