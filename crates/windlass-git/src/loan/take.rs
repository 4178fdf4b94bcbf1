//! Taking over what a guest left, as from a stranger.

use std::path::Path;

use windlass_core::damage::loan::{
    CheckedOut, Refs, Settlement, SideBranchReason, Taking, hides_another, settle, shortened_commit,
};
use windlass_core::damage::{Damage, DamageKind, Name};
use windlass_core::words::some_of;

use super::beside::{commits_of, keep_beside};
use super::{Further, Loan, left};
use crate::commit::settle_index;
use crate::git::call::{Call, last_lines};
use crate::git::{GitError, ObjectId, is_disk_full, is_safe_name};
use crate::lane::{LaneError, park_commit};
use windlass_host::file::FileError;

/// So many sentences about objects that git does not take are said.
const SAID: usize = 3;

/// What the logs of references say.
const MESSAGE: &str = "windlass: take over";

/// What was taken over, and what was not.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Taken {
    /// What is said.
    pub notices: Vec<String>,
    /// What a guest did that was not taken over.
    pub damage: Vec<Damage>,
    /// A sentence, where a person has moved a branch meanwhile and has to bring both together.
    pub needs_person: Option<String>,
}

impl Loan {
    /// Takes over what a guest left. `run` and `what` name the branches that keep what cannot be taken as it is. Called again
    /// after it was cut off, it finishes what it began. Without anything new it asks no git.
    ///
    /// # Errors
    /// The disk is full, or git fails at something that it should be able to do.
    pub fn take_over(&self, run: &str, what: &str) -> Result<Taken, LaneError> {
        let Some((lent, _)) = self.lent()? else { return Ok(Taken::default()) };
        let mut taken = self.take_references(&lent, (run, what))?;
        taken.damage.extend(self.tell_of_broken()?);
        // Once what was committed is the person's: what is away is as that has it.
        if let Some(damage) = self.widen()? {
            taken.damage.push(damage);
        }
        Ok(taken)
    }

    fn take_references(&self, lent: &Refs, (run, what): (&str, &str)) -> Result<Taken, LaneError> {
        let mut found = match left::read(&self.left()) {
            Ok(found) => found,
            Err(why) => return self.broken(&why),
        };
        if !lent.references.is_empty() && found.references.is_empty() && found.commit().is_none() {
            return self.broken("nothing that it named is there");
        }
        if found == *lent {
            return Ok(Taken::default());
        }
        let mut taken = Taken::default();
        let refused = self.intake().take_in(&found.named_beyond(lent))?;
        if !refused.is_empty() {
            let said: Vec<&str> = refused.iter().take(SAID).map(|(_, why)| why.as_str()).collect();
            let sentence = format!(
                "commits that git does not take were left ({}); your repository has none of them",
                one_line(&said.join("; "))
            );
            taken.damage.push(Damage { kind: DamageKind::ReferencesLost, sentence, names: Vec::new() });
            let is_refused = |id: &String| refused.iter().any(|(refused, _)| refused == id);
            found = without(found, lent, is_refused);
            found.beside.retain(|_, id| !is_refused(id));
        }
        let (here, further) = self.here()?;
        let mut hiding = hiding(&found, lent, &further);
        hiding.extend(self.hiding_commits(&found, &here)?);
        if !hiding.is_empty() {
            let sentence = format!(
                "branches or tags were made that stand for other ones' names: {}; your repository has none of them",
                one_line(&some_of(hiding.iter().map(|name| String::from_utf8_lossy(name)), SAID))
            );
            taken.damage.push(Damage { kind: DamageKind::ReferencesLost, sentence, names: Vec::new() });
            // Not under these names; but what they name is kept.
            for name in &hiding {
                found.beside.extend(found.references.remove_entry(name));
            }
            if matches!(&found.head, CheckedOut::Branch(name) if hiding.contains(name)) {
                found.head = lent.head.clone();
            }
        }
        let moved = moved_tags(&found, lent);
        found.beside.extend(moved);
        let mut trouble = None;
        let mut is_part = |first: &str, second: &str| {
            self.main.is_in_history_of(first, second).unwrap_or_else(|error| {
                trouble = Some(error);
                false
            })
        };
        let Settlement { takings, damage } = settle((lent, &found, &here), &mut is_part);
        if let Some(error) = trouble {
            return Err(error.into());
        }
        taken.damage.extend(damage);
        let are_made = self.make_new(&takings)?;
        for taking in takings.iter().filter(|taking| !are_made || new_reference(taking).is_none()) {
            self.take(taking, (run, what), &mut taken)?;
        }
        self.take_large_files()?;
        let before = lent.commit().and_then(|commit| ObjectId::from_hex(commit.as_bytes()));
        let plain = taken.damage.is_empty() && taken.needs_person.is_none() && taken.notices.is_empty();
        let (now, _) = self.here()?;
        let was_taken = here.commit() == lent.commit() || now.commit() == found.commit();
        if was_taken && now.commit() != lent.commit() {
            settle_index(&self.main, before)?;
        }
        taken.notices.extend(keep_beside(&self.main, &found, lent, (run, what))?);
        if plain {
            // Its index is that of what it has committed.
            self.note(&found, self.index()?.digest)?;
        } else {
            self.forget();
        }
        Ok(taken)
    }

    /// Nothing of it is taken.
    fn broken(&self, why: &str) -> Result<Taken, LaneError> {
        let is_there = self.put_aside(why)?;
        self.forget();
        let damage = if is_there { Vec::new() } else { vec![broken_one(why, None)] };
        Ok(Taken { damage, ..Taken::default() })
    }

    /// Says of those that were put aside why and where they are, once each.
    fn tell_of_broken(&self) -> Result<Vec<Damage>, FileError> {
        let untold = self.untold_asides()?;
        Ok(untold.into_iter().map(|(path, why)| broken_one(&why, Some(&path))).collect())
    }

    /// Makes all new branches and tags at once: one after the other takes minutes where they are thousands. Where git does not take
    /// all of them none is made, and each has to be tried by itself.
    fn make_new(&self, takings: &[Taking]) -> Result<bool, GitError> {
        let order =
            |(name, to): (&Name, &String)| [b"create ", &name[..], b"\0", to.as_bytes(), b"\0"].concat();
        let orders: Vec<u8> = takings.iter().filter_map(new_reference).flat_map(order).collect();
        if orders.is_empty() {
            return Ok(false);
        }
        let update = ["update-ref", "--no-deref", "-m", MESSAGE, "-z", "--stdin"];
        let answer = Call::within(&self.main).args(update).input(orders).run()?;
        Ok(answer.code == 0)
    }

    fn take(&self, taking: &Taking, (run, what): (&str, &str), taken: &mut Taken) -> Result<(), LaneError> {
        match taking {
            Taking::Advance { name, from, to } => {
                if let Some(why) = self.advance(name, from.as_deref(), to)? {
                    let name = String::from_utf8_lossy(name);
                    let kept = self.keep(to, run, what)?;
                    taken.notices.push(one_line(&format!("{name} was not taken over ({why}){kept}")));
                }
            }
            Taking::CheckOut(name) => {
                let name = std::ffi::OsString::from(String::from_utf8_lossy(name).into_owned());
                let call = Call::within(&self.main).args(["symbolic-ref", "-m", MESSAGE, "HEAD"]);
                call.arg(name).output()?;
            }
            Taking::Keep { commit, why } => {
                let kept = self.keep(commit, run, what)?;
                match why {
                    SideBranchReason::MovedMeanwhile => {
                        let sentence = format!("a branch was moved while the agent was at work on it{kept}");
                        taken.needs_person = Some(sentence.clone());
                    }
                    SideBranchReason::NoContinuation => {
                        taken.notices.push(format!("commits do not continue what was there{kept}"));
                    }
                }
            }
        }
        Ok(())
    }

    /// Moves a reference from where it was expected; why it is not, where it is not.
    fn advance(&self, name: &[u8], from: Option<&str>, to: &str) -> Result<Option<String>, GitError> {
        let text = String::from_utf8_lossy(name).into_owned();
        if name != b"HEAD" && !is_taken_as_it_is(name) {
            return Ok(Some("its name is none that git takes".to_owned()));
        }
        let nothing = ObjectId::zero(self.main.object_format).to_string();
        let update = ["update-ref", "--no-deref", "-m", MESSAGE, &text, to];
        let answer = Call::within(&self.main).args(update).arg(from.unwrap_or(&nothing)).run()?;
        if answer.code == 0 {
            return Ok(None);
        }
        let failed = answer.failed();
        if is_disk_full(&failed) || failed.is_locked() { Err(failed) } else { Ok(Some(last_lines(&answer))) }
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

    /// Keeps a commit as a branch of its own: the end of a sentence.
    fn keep(&self, commit: &str, run: &str, what: &str) -> Result<String, LaneError> {
        let Some(id) = ObjectId::from_hex(commit.as_bytes()) else { return Ok(String::new()) };
        if self.main.holder(commit)?.is_some() {
            return Ok(String::new());
        }
        match park_commit(&self.main, id, run, what) {
            Ok(branch) => Ok(format!("; what was committed is the branch {branch}")),
            // A tag of something that is not a commit.
            Err(LaneError::Git(error @ GitError::Unexpected { .. })) => Ok(format!(" ({error})")),
            Err(error) => Err(error),
        }
    }
}

fn broken_one(why: &str, aside: Option<&Path>) -> Damage {
    let kept = aside.map_or_else(String::new, |path| format!("; it is kept as {}", path.display()));
    let sentence = one_line(&format!(
        "the git directory that the sandbox was lent is broken ({why}){kept}; yours is as it was, and what is called next is \
         lent a new one"
    ));
    Damage { kind: DamageKind::ReferencesLost, sentence, names: Vec::new() }
}

/// A branch or tag that is to be made, and what it names.
fn new_reference(taking: &Taking) -> Option<(&Name, &String)> {
    match taking {
        Taking::Advance { name, from: None, to } if name != b"HEAD" && is_taken_as_it_is(name) => {
            Some((name, to))
        }
        _ => None,
    }
}

/// Can a branch or tag have this name outside, too?
fn is_taken_as_it_is(name: &[u8]) -> bool {
    str::from_utf8(name)
        .is_ok_and(|text| is_safe_name(name) && !text.split('/').any(|part| part.starts_with('-')))
}

/// Tags that name something else than they did when they were lent.
fn moved_tags(found: &Refs, lent: &Refs) -> Vec<(Name, String)> {
    let tags = found.references.iter().filter(|(name, _)| name.starts_with(b"refs/tags/"));
    let is_moved = |name: &Name, id: &String| lent.references.get(name).is_some_and(|was| was != id);
    tags.filter(|(name, id)| is_moved(name, id)).map(|(name, id)| (name.clone(), id.clone())).collect()
}

/// New names that stand for others.
fn hiding(found: &Refs, lent: &Refs, further: &Further) -> Vec<Name> {
    let others = || lent.references.keys().chain(further.iter().map(|(name, _)| name));
    let new = found.references.keys().filter(|name| !lent.references.contains_key(*name));
    new.filter(|name| hides_another(name, others())).cloned().collect()
}

/// The same, where names of what is refused are what they were.
fn without(mut found: Refs, lent: &Refs, is_refused: impl Fn(&String) -> bool) -> Refs {
    let names: Vec<Vec<u8>> =
        found.references.iter().filter(|(_, id)| is_refused(id)).map(|(name, _)| name.clone()).collect();
    for name in names {
        match lent.references.get(&name) {
            Some(id) => drop(found.references.insert(name, id.clone())),
            None => drop(found.references.remove(&name)),
        }
    }
    let is_gone = match &found.head {
        CheckedOut::Commit(commit) => is_refused(commit),
        CheckedOut::Branch(name) => !found.references.contains_key(name) && lent.head != found.head,
    };
    if is_gone {
        found.head = lent.head.clone();
    }
    found
}

pub(super) fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}
