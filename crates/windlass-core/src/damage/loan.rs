//! What a guest left in the git directory that it was lent: what of it becomes the repository's, and what is damage.
//!
//! Guests work on a git directory of their own. The repository itself gets a fast-forward of the branch that is checked
//! out, new branches and new tags, and nothing else; commits that cannot be taken as they are become branches of their own.

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use super::compare::{begun, damage, listed, shown};
use super::{Damage, DamageKind, Name, Operation};
use crate::words::short_commit;

/// What a git directory names: what is checked out, its branches and tags, and what else it names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refs {
    /// What is checked out.
    pub head: CheckedOut,
    /// Branches and tags by their full names, and the objects that they name.
    pub references: BTreeMap<Name, String>,
    /// What is the guest's alone, by full names: stashes (`refs/stash@{1}` for the one before the last), notes, and whatever names
    /// it has thought of; remote-tracking branches are lent.
    pub beside: BTreeMap<Name, String>,
    /// What was begun and is not finished.
    pub under_way: BTreeSet<Operation>,
}

/// What is checked out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CheckedOut {
    /// A branch, by its full name; perhaps without a commit.
    Branch(Name),
    /// A commit without a branch.
    Commit(String),
}

impl Refs {
    /// The commit that is checked out; `None` before the first one.
    pub fn commit(&self) -> Option<&String> {
        match &self.head {
            CheckedOut::Branch(name) => self.references.get(name),
            CheckedOut::Commit(commit) => Some(commit),
        }
    }

    /// A merge, or the like, that was begun since this was lent.
    pub fn begun_since(&self, lent: &Refs) -> Option<Damage> {
        begun(&lent.under_way, &self.under_way)
    }

    /// Objects that are named here and were not there, each once.
    pub fn named_beyond(&self, lent: &Refs) -> Vec<String> {
        let all = |refs: &Refs| -> BTreeSet<String> {
            refs.references.values().chain(refs.beside.values()).chain(refs.commit()).cloned().collect()
        };
        all(self).difference(&all(lent)).cloned().collect()
    }

    /// What the guest has beside branches and tags, and had not when this was lent, each object once.
    pub fn new_beside<'a>(&'a self, lent: &'a Refs) -> impl Iterator<Item = (&'a Name, &'a String)> {
        let mut known: BTreeSet<&String> = lent.beside.values().collect();
        self.beside.iter().filter(move |(_, id)| known.insert(id))
    }
}

/// Would this new branch or tag stand for something else where people leave out what it begins with? A tag `main` goes before the
/// branch, one called `HEAD` before what is checked out, and a branch `origin` stands for the remote of that name.
pub fn hides_another<'a>(name: &[u8], others: impl IntoIterator<Item = &'a Name>) -> bool {
    let wanted = short(name);
    let of_remote = [b"refs/remotes/", wanted, b"/"].concat();
    GITS_OWN.contains(&wanted)
        || others
            .into_iter()
            .any(|other| other != name && (short(other) == wanted || other.starts_with(&of_remote)))
}

/// What a branch or tag is called, where that could be a commit's name, shortened: git takes the branch or tag first.
pub fn shortened_commit(name: &[u8]) -> Option<&str> {
    let short = short(name);
    let is_like_one = short.len() >= SHORTEST && short.iter().all(u8::is_ascii_hexdigit);
    str::from_utf8(short).ok().filter(|_| is_like_one)
}

/// What git looks for before branches and tags.
const GITS_OWN: [&[u8]; 9] = [
    b"HEAD",
    b"ORIG_HEAD",
    b"FETCH_HEAD",
    b"MERGE_HEAD",
    b"CHERRY_PICK_HEAD",
    b"REVERT_HEAD",
    b"REBASE_HEAD",
    b"BISECT_HEAD",
    b"AUTO_MERGE",
];

/// Without what the names of branches, tags and remotes begin with.
fn short(name: &[u8]) -> &[u8] {
    let begins: [&[u8]; 3] = [b"refs/heads/", b"refs/tags/", b"refs/remotes/"];
    begins.iter().find_map(|begin| name.strip_prefix(*begin)).unwrap_or(name)
}

/// git takes no fewer digits for a commit.
const SHORTEST: usize = 4;

/// One thing that is done to the repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Taking {
    /// A reference is made, or goes on; `HEAD` where no branch is checked out.
    Advance {
        /// Its full name.
        name: Name,
        /// What it names until then; `None` where it is not there.
        from: Option<String>,
        /// What it names then.
        to: String,
    },
    /// A branch that the guest made is checked out, as the guest had it, where it could be made.
    CheckOut {
        /// Its full name.
        name: Name,
        /// What it names.
        to: String,
    },
    /// What cannot be taken as it is is kept as a branch of its own.
    Keep {
        /// The commit.
        commit: String,
        /// Why it cannot.
        why: SideBranchReason,
    },
}

/// Why a commit is kept as a branch of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SideBranchReason {
    /// A person has moved the branch meanwhile.
    MovedMeanwhile,
    /// It is not a continuation of what was lent.
    NoContinuation,
    /// No branch of the guest's holds it.
    OnNoBranch,
    /// Its branch is checked out in another working tree, whose files would not follow.
    Elsewhere,
    /// A person's merge, or the like, is under way on the branch: what a commit would end is theirs.
    UnderWay,
    /// It has more files than an index can follow.
    TooMany,
}

/// What becomes of what a guest left.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settlement {
    /// What is done, in this order.
    pub takings: Vec<Taking>,
    /// What is not, since it is none of a guest's business.
    pub damage: Vec<Damage>,
}

/// What is compared.
#[derive(Clone, Copy, Debug)]
pub struct Sides<'a> {
    /// What was lent.
    pub lent: &'a Refs,
    /// What was left.
    pub found: &'a Refs,
    /// What the repository has by now.
    pub here: &'a Refs,
    /// Branches that other working trees have checked out.
    pub elsewhere: &'a BTreeSet<Name>,
    /// Why what is checked out stays where it is, where it does.
    pub stays: Option<SideBranchReason>,
}

/// Says what becomes of what was left. `is_part` says whether the first commit is the second one, or one of those it was built on.
pub fn settle(sides: Sides<'_>, is_part: &mut dyn FnMut(&str, &str) -> bool) -> Settlement {
    let Sides { lent, found, elsewhere, .. } = sides;
    let mut settlement = Settlement::default();
    let mut beside = Vec::new();
    for (name, to) in &found.references {
        match lent.references.get(name) {
            Some(from) if from == to => {}
            None if is_own(lent, name) => settlement.advance_own(sides, name, None, to),
            None => settlement.make(sides.here, name, to),
            Some(from) if is_own(lent, name) => {
                if is_part(from, to) {
                    settlement.advance_own(sides, name, Some(from), to);
                } else {
                    settlement.damage.push(moved_back(name, from, Some(to)));
                    settlement.keep_what_is_new((from, to), SideBranchReason::NoContinuation, is_part);
                }
            }
            Some(from) if is_branch(name) => {
                let goes_on = is_part(from, to);
                if goes_on && !elsewhere.contains(name) {
                    settlement.advance(sides.here, name, Some(from), to);
                    continue;
                }
                beside.push(name.clone());
                let why =
                    if goes_on { SideBranchReason::Elsewhere } else { SideBranchReason::NoContinuation };
                settlement.keep_what_is_new((from, to), why, is_part);
            }
            Some(_) => beside.push(name.clone()),
        }
    }
    for (name, from) in &lent.references {
        if found.references.contains_key(name) {
            continue;
        }
        // Renamed, or tidied up: nothing of it is missing where the guest is now. A tag says more than which commit, and what still is
        // there for a person keeps the guest's from being made.
        let is_merged = is_branch(name) && found.commit().is_some_and(|now| is_part(from, now));
        if is_merged && (is_own(lent, name) || !leaves_no_room(name, found)) {
            continue;
        }
        if is_own(lent, name) {
            settlement.damage.push(moved_back(name, from, None));
        } else {
            beside.push(name.clone());
        }
    }
    if !beside.is_empty() {
        let sentence =
            format!("branches or tags were deleted or moved: {}; yours are as they were", listed(&beside));
        settlement.damage.push(damage(DamageKind::ReferencesLost, sentence));
    }
    settlement.check_out(sides, is_part);
    settlement
}

fn is_branch(name: &[u8]) -> bool {
    name.starts_with(b"refs/heads/")
}

/// Is a branch of this name in the way of one that was left: below it, or above?
fn leaves_no_room(name: &[u8], found: &Refs) -> bool {
    let is_below =
        |one: &[u8], other: &[u8]| one.strip_prefix(other).is_some_and(|rest| rest.starts_with(b"/"));
    found.references.keys().any(|other| is_below(other, name) || is_below(name, other))
}

/// That a branch of the guest's is not checked out, since it could not be made.
pub fn not_checked_out(lent: &Refs, name: &[u8]) -> Damage {
    let sentence = format!(
        "instead of {} {} was checked out, which cannot be made here",
        in_words(&lent.head),
        shown(name)
    );
    damage(DamageKind::BranchSwitched, sentence)
}

fn in_words(head: &CheckedOut) -> String {
    match head {
        CheckedOut::Branch(name) => shown(name),
        CheckedOut::Commit(_) => "a commit without a branch".to_owned(),
    }
}

fn is_own(lent: &Refs, name: &[u8]) -> bool {
    matches!(&lent.head, CheckedOut::Branch(own) if own == name)
}

fn moved_back(name: &[u8], from: &str, to: Option<&String>) -> Damage {
    let what = match to {
        Some(to) => format!("was moved from {} to {}", short_commit(from), short_commit(to)),
        None => "was deleted".to_owned(),
    };
    // Whoever commits here may rewrite what he holds elsewhere; but then it is rewritten, and what checks judge is not what stays here.
    damage(DamageKind::CommitsLost, format!("{} {what}; yours is as it was", shown(name)))
}

impl Settlement {
    fn advance(&mut self, here: &Refs, name: &[u8], from: Option<&String>, to: &str) {
        let now = here.references.get(name);
        if now.is_some_and(|now| now == to) {
            return;
        }
        self.takings.push(if now == from {
            Taking::Advance { name: name.to_vec(), from: from.cloned(), to: to.to_owned() }
        } else {
            Taking::Keep { commit: to.to_owned(), why: SideBranchReason::MovedMeanwhile }
        });
    }

    /// The same of what is checked out, unless that stays.
    fn advance_own(&mut self, sides: Sides<'_>, name: &[u8], from: Option<&String>, to: &str) {
        if let Some(why) = sides.stays {
            let is_taken = sides.here.commit().is_some_and(|now| now == to);
            let kept = Taking::Keep { commit: to.to_owned(), why };
            self.takings.extend((!is_taken).then_some(kept));
        } else {
            self.advance(sides.here, name, from, to);
        }
    }

    fn make(&mut self, here: &Refs, name: &[u8], to: &str) {
        match here.references.get(name) {
            None => {
                self.takings.push(Taking::Advance { name: name.to_vec(), from: None, to: to.to_owned() });
            }
            Some(now) if now == to => {}
            Some(_) => self
                .takings
                .push(Taking::Keep { commit: to.to_owned(), why: SideBranchReason::MovedMeanwhile }),
        }
    }

    fn keep_what_is_new(
        &mut self,
        (from, to): (&str, &str),
        why: SideBranchReason,
        is_part: &mut dyn FnMut(&str, &str) -> bool,
    ) {
        if !is_part(to, from) {
            self.takings.push(Taking::Keep { commit: to.to_owned(), why });
        }
    }

    /// What the guest had checked out at last.
    fn check_out(&mut self, sides: Sides<'_>, is_part: &mut dyn FnMut(&str, &str) -> bool) {
        let Sides { lent, found, here, .. } = sides;
        if lent.head == found.head {
            return;
        }
        let was = in_words(&lent.head);
        match (&lent.head, &found.head) {
            (CheckedOut::Commit(from), CheckedOut::Commit(to)) if is_part(from, to) => {
                if sides.stays.is_some() {
                    return self.advance_own(sides, b"HEAD", Some(from), to);
                }
                self.takings.push(match &here.head {
                    CheckedOut::Commit(now) if now == from => {
                        Taking::Advance { name: b"HEAD".to_vec(), from: Some(from.clone()), to: to.clone() }
                    }
                    CheckedOut::Commit(now) if now == to => return,
                    _ => Taking::Keep { commit: to.clone(), why: SideBranchReason::MovedMeanwhile },
                });
            }
            (_, CheckedOut::Commit(to)) => {
                let short = short_commit(to);
                let sentence = format!("instead of {was} the commit {short} was checked out, on no branch");
                self.damage.push(damage(DamageKind::HeadDetached, sentence));
                if !found.references.values().any(|tip| is_part(to, tip))
                    && !lent.references.values().chain(lent.commit()).any(|tip| is_part(to, tip))
                {
                    self.takings.push(Taking::Keep { commit: to.clone(), why: SideBranchReason::OnNoBranch });
                }
            }
            (_, CheckedOut::Branch(name)) => {
                let to = found.references.get(name);
                let to = to.filter(|to| lent.commit().is_none_or(|from| is_part(from, to)));
                let to = to.filter(|_| !lent.references.contains_key(name) && here.head == lent.head);
                if let Some(to) = to {
                    if sides.stays.is_some() {
                        return self.advance_own(sides, name, None, to);
                    }
                    self.takings.push(Taking::CheckOut { name: name.clone(), to: to.clone() });
                } else if here.head != found.head {
                    let sentence = format!("instead of {was} {} was checked out", shown(name));
                    self.damage.push(damage(DamageKind::BranchSwitched, sentence));
                }
            }
        }
    }
}
