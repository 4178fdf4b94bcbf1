//! Taking over what a guest left, as from a stranger.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use windlass_core::damage::loan::{
    Refs, Settlement, SideBranchReason, Sides, Taking, not_checked_out, settle,
};
use windlass_core::damage::{Damage, DamageKind, Name};
use windlass_core::words::some_of;

use super::beside::{Kept, keep_beside};
use super::refused::{SAID, moved_tags};
use super::{Here, Loan, left};
use crate::commit::{can_follow, settle_index};
use crate::git::call::{Call, last_lines};
use crate::git::{GitError, ObjectId, is_disk_full, is_safe_name};
use crate::lane::{LaneError, park_exactly};
use windlass_host::file::FileError;

/// So much of a name is shown that nobody can look into.
const SHOWN: usize = 60;

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
        let (mut taken, unkept) = self.take_references(&lent, (run, what))?;
        taken.damage.extend(self.tell_of_broken()?);
        // Once what was committed is the person's: what is away is as that has it.
        if let Some(damage) = self.widen()? {
            taken.damage.push(damage);
        }
        if let Some(unkept) = unkept {
            taken.damage.push(self.keep_whole(&unkept)?);
        }
        Ok(taken)
    }

    /// What could be taken is; and what of the rest is to be looked at by a person, in words.
    fn take_references(
        &self,
        lent: &Refs,
        (run, what): (&str, &str),
    ) -> Result<(Taken, Option<String>), LaneError> {
        let found = left::read(&self.left());
        let left::Left { refs: mut found, unread } = match found {
            Ok(found) => found,
            Err(why) => return Ok((self.broken(&why)?, None)),
        };
        if !lent.references.is_empty() && found.references.is_empty() && found.commit().is_none() {
            return Ok((self.broken("nothing that it named is there")?, None));
        }
        if found == *lent && unread.is_empty() {
            return Ok((Taken::default(), None));
        }
        let mut taken = Taken::default();
        let refused = self.take_objects(&mut found, lent)?;
        let here = self.here()?;
        self.leave_out_hiding(&mut found, (lent, &here), &mut taken)?;
        let moved = moved_tags(&found, lent);
        found.beside.extend(moved);
        let Settlement { takings, damage } = self.settlement((lent, &found, &here))?;
        taken.damage.extend(damage);
        let not_made = self.carry_out(&takings, lent, (run, what), &mut taken)?;
        self.take_large_files()?;
        let before = lent.commit().and_then(|commit| ObjectId::from_hex(commit.as_bytes()));
        let plain = taken.damage.is_empty() && taken.needs_person.is_none() && taken.notices.is_empty();
        let now = self.here()?.refs;
        let was_taken = here.refs.commit() == lent.commit() || now.commit() == found.commit();
        if was_taken && now.commit() != lent.commit() {
            settle_index(&self.main, before)?;
        }
        taken.damage.extend(found.begun_since(lent));
        found.beside.extend(not_made);
        let Kept { sentences, beyond } = keep_beside(&self.main, &found, lent, (run, what))?;
        taken.notices.extend(sentences);
        let unkept = in_words(refused, &unread, beyond);
        if plain && unkept.is_none() {
            // Its index is that of what it has committed.
            self.note(&found, &self.index()?)?;
        } else {
            self.forget();
        }
        Ok((taken, unkept))
    }

    fn settlement(&self, (lent, found, here): (&Refs, &Refs, &Here)) -> Result<Settlement, GitError> {
        let stays = self.why_head_stays(lent, found)?;
        let mut trouble = None;
        let mut is_part = |first: &str, second: &str| {
            self.main.is_in_history_of(first, second).unwrap_or_else(|error| {
                trouble = Some(error);
                false
            })
        };
        let sides = Sides { lent, found, here: &here.refs, elsewhere: &here.elsewhere, stays };
        let settlement = settle(sides, &mut is_part);
        trouble.map_or(Ok(settlement), Err)
    }

    /// Why what is checked out stays where it is, whatever a guest has committed.
    fn why_head_stays(&self, lent: &Refs, found: &Refs) -> Result<Option<SideBranchReason>, GitError> {
        let id = |refs: &Refs| refs.commit().and_then(|commit| ObjectId::from_hex(commit.as_bytes()));
        let Some(after) = id(found).filter(|after| Some(*after) != id(lent)) else { return Ok(None) };
        if self.main.half_done()?.is_some() {
            return Ok(Some(SideBranchReason::UnderWay));
        }
        Ok((!can_follow(&self.main, id(lent), after)?).then_some(SideBranchReason::TooMany))
    }

    /// What is left stays as it is where it is put aside: it has more than was taken.
    fn keep_whole(&self, unkept: &str) -> Result<Damage, FileError> {
        let aside = self.put_aside(unkept)?;
        self.forget();
        let kept = aside.map_or_else(String::new, |number| {
            // It is told with this.
            super::remove_file(&self.untold(number));
            format!(
                "; the git directory that the sandbox was lent is kept as {}",
                self.aside(number).display()
            )
        });
        let sentence = one_line(&format!("{unkept}; your repository has none of that{kept}"));
        Ok(Damage { kind: DamageKind::ReferencesLost, sentence, names: Vec::new() })
    }

    /// Nothing of it is taken.
    fn broken(&self, why: &str) -> Result<Taken, LaneError> {
        let aside = self.put_aside(why)?;
        self.forget();
        let damage = if aside.is_some() { Vec::new() } else { vec![broken_one(why, None)] };
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

    /// Does what is to be done, and gives the new names that could not be made, with what they name.
    fn carry_out(
        &self,
        takings: &[Taking],
        lent: &Refs,
        names: (&str, &str),
        taken: &mut Taken,
    ) -> Result<Vec<(Name, String)>, LaneError> {
        let are_made = self.make_new(takings)?;
        let mut not_made = Vec::new();
        for taking in takings.iter().filter(|taking| !are_made || new_reference(taking).is_none()) {
            match taking {
                Taking::Advance { name, from, to } => {
                    let Some(why) = self.advance(name, from.as_deref(), to)? else { continue };
                    if not_made.len() < SAID {
                        let name = String::from_utf8_lossy(name);
                        taken.notices.push(one_line(&format!("{name} was not taken over ({why})")));
                    }
                    not_made.push((name.clone(), to.clone()));
                }
                Taking::CheckOut { name, to } => {
                    if !self.check_out(name, to)? {
                        taken.damage.push(not_checked_out(lent, name));
                    }
                }
                Taking::Keep { commit, why } => self.keep_beside_branch((commit, *why), names, taken)?,
            }
        }
        if not_made.len() > SAID {
            let more = not_made.len() - SAID;
            taken.notices.push(format!("{more} more branches or tags were not taken over"));
        }
        Ok(not_made)
    }

    /// Checks out a branch that was made; `false` where it could not be.
    fn check_out(&self, name: &[u8], to: &str) -> Result<bool, GitError> {
        if !is_taken_as_it_is(name) {
            return Ok(false);
        }
        let name = OsStr::from_bytes(name);
        let there =
            Call::within(&self.main).args(["rev-parse", "--verify", "--quiet"]).arg(name).found_id()?;
        if there.is_none_or(|there| there.to_string() != to) {
            return Ok(false);
        }
        Call::within(&self.main).args(["symbolic-ref", "-m", MESSAGE, "HEAD"]).arg(name).output()?;
        Ok(true)
    }

    /// Keeps a commit as a branch of its own, and says why.
    fn keep_beside_branch(
        &self,
        (commit, why): (&str, SideBranchReason),
        (run, what): (&str, &str),
        taken: &mut Taken,
    ) -> Result<(), LaneError> {
        let kept = self.keep(commit, run, what)?;
        let needed = match why {
            SideBranchReason::MovedMeanwhile => "a branch was moved while the agent was at work on it",
            SideBranchReason::UnderWay => {
                "what is under way in your repository (`git status` names it) keeps your branch where it was"
            }
            SideBranchReason::TooMany => {
                "more files were committed than can be taken in, and your branch stays where it was"
            }
            SideBranchReason::NoContinuation => {
                taken.notices.push(format!("commits do not continue what was there{kept}"));
                return Ok(());
            }
            SideBranchReason::OnNoBranch => {
                taken.notices.push(format!("commits are on no branch{kept}"));
                return Ok(());
            }
            SideBranchReason::Elsewhere => {
                let sentence = "a branch that is checked out in another working tree was carried on";
                taken.notices.push(format!("{sentence}{kept}"));
                return Ok(());
            }
        };
        taken.needs_person = Some(format!("{needed}{kept}"));
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

    /// Keeps a commit as a branch of its own: the end of a sentence.
    fn keep(&self, commit: &str, run: &str, what: &str) -> Result<String, LaneError> {
        let Some(id) = ObjectId::from_hex(commit.as_bytes()) else { return Ok(String::new()) };
        if self.main.holder(commit)?.is_some() {
            return Ok(String::new());
        }
        match park_exactly(&self.main, id, run, what) {
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

/// What a person has to look at themselves, where there is anything.
pub(super) fn in_words(refused: Option<String>, unread: &[PathBuf], beyond: usize) -> Option<String> {
    let refused = refused.map(|why| format!("commits that git does not take were left ({why})"));
    let unread = (!unread.is_empty()).then(|| {
        let beginning = |path: &PathBuf| path.display().to_string().chars().take(SHOWN).collect::<String>();
        let named = some_of(unread.iter().map(beginning), SAID);
        format!("folders of branches or tags cannot be looked into ({named})")
    });
    let beyond = (beyond > 0).then(|| {
        format!("{beyond} more commits that no branch and no tag names were left than are made branches of")
    });
    let all: Vec<String> = refused.into_iter().chain(unread).chain(beyond).collect();
    (!all.is_empty()).then(|| all.join("; "))
}

pub(super) fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}
