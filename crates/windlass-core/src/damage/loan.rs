//! What a guest left in the git directory that it was lent: what of it becomes the repository's, and what is damage.
//!
//! Guests work on a git directory of their own. The repository itself gets a fast-forward of the branch that is checked
//! out, new branches and new tags, and nothing else; commits that cannot be taken as they are become branches of their own.

use std::collections::{BTreeMap, BTreeSet};

use super::compare::{damage, listed, shown};
use super::{Damage, DamageKind, Name};

/// What a git directory names: what is checked out, its branches and tags, and what else it names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refs {
    /// What is checked out.
    pub head: CheckedOut,
    /// Branches and tags by their full names, and the objects that they name.
    pub references: BTreeMap<Name, String>,
    /// What is the guest's alone, by full names: stashes (`refs/stash@{1}` for the one before the last), notes, and whatever names
    /// it has thought of.
    pub beside: BTreeMap<Name, String>,
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
    /// A branch that the guest made is checked out, as the guest had it.
    CheckOut(Name),
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
}

/// What becomes of what a guest left.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settlement {
    /// What is done, in this order.
    pub takings: Vec<Taking>,
    /// What is not, since it is none of a guest's business.
    pub damage: Vec<Damage>,
}

/// Compares what was lent, what was left, and what the repository has by now. `is_part` says whether the first commit is the
/// second one, or one of those it was built on.
pub fn settle(
    (lent, found, here): (&Refs, &Refs, &Refs),
    is_part: &mut dyn FnMut(&str, &str) -> bool,
) -> Settlement {
    let mut settlement = Settlement::default();
    let mut beside = Vec::new();
    for (name, to) in &found.references {
        match lent.references.get(name) {
            Some(from) if from == to => {}
            None if is_own(lent, name) => settlement.advance(here, name, None, to),
            None => settlement.make(here, name, to),
            Some(from) if is_own(lent, name) => {
                if is_part(from, to) {
                    settlement.advance(here, name, Some(from), to);
                } else {
                    settlement.damage.push(moved_back(name, from, Some(to)));
                    settlement.keep_what_is_new(from, to, is_part);
                }
            }
            Some(from) => {
                beside.push(name.clone());
                if name.starts_with(b"refs/heads/") {
                    settlement.keep_what_is_new(from, to, is_part);
                }
            }
        }
    }
    for (name, from) in &lent.references {
        if found.references.contains_key(name) {
            continue;
        }
        // Renamed, or tidied up: nothing of it is missing where the guest is now. A tag says more than which commit.
        let is_branch = name.starts_with(b"refs/heads/");
        if is_branch && found.commit().is_some_and(|now| is_part(from, now)) {
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
    settlement.check_out((lent, found, here), is_part);
    settlement
}

fn is_own(lent: &Refs, name: &[u8]) -> bool {
    matches!(&lent.head, CheckedOut::Branch(own) if own == name)
}

fn moved_back(name: &[u8], from: &str, to: Option<&String>) -> Damage {
    let short = |commit: &str| commit.chars().take(9).collect::<String>();
    let what = match to {
        Some(to) => format!("was moved from {} to {}", short(from), short(to)),
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

    fn keep_what_is_new(&mut self, from: &str, to: &str, is_part: &mut dyn FnMut(&str, &str) -> bool) {
        if !is_part(to, from) {
            self.takings.push(Taking::Keep { commit: to.to_owned(), why: SideBranchReason::NoContinuation });
        }
    }

    /// What the guest had checked out at last.
    fn check_out(
        &mut self,
        (lent, found, here): (&Refs, &Refs, &Refs),
        is_part: &mut dyn FnMut(&str, &str) -> bool,
    ) {
        if lent.head == found.head {
            return;
        }
        let was = match &lent.head {
            CheckedOut::Branch(name) => shown(name),
            CheckedOut::Commit(_) => "a commit without a branch".to_owned(),
        };
        match (&lent.head, &found.head) {
            (CheckedOut::Commit(from), CheckedOut::Commit(to)) if is_part(from, to) => {
                self.takings.push(match &here.head {
                    CheckedOut::Commit(now) if now == from => {
                        Taking::Advance { name: b"HEAD".to_vec(), from: Some(from.clone()), to: to.clone() }
                    }
                    CheckedOut::Commit(now) if now == to => return,
                    _ => Taking::Keep { commit: to.clone(), why: SideBranchReason::MovedMeanwhile },
                });
            }
            (_, CheckedOut::Commit(to)) => {
                let short: String = to.chars().take(9).collect();
                let sentence = format!("instead of {was} the commit {short} was checked out, on no branch");
                self.damage.push(damage(DamageKind::HeadDetached, sentence));
                if !found.references.values().any(|tip| is_part(to, tip))
                    && !lent.references.values().chain(lent.commit()).any(|tip| is_part(to, tip))
                {
                    self.takings
                        .push(Taking::Keep { commit: to.clone(), why: SideBranchReason::NoContinuation });
                }
            }
            (_, CheckedOut::Branch(name)) => {
                let goes_on = match (lent.commit(), found.references.get(name)) {
                    (Some(from), Some(to)) => is_part(from, to),
                    (None, Some(_)) => true,
                    (_, None) => false,
                };
                if goes_on && !lent.references.contains_key(name) && here.head == lent.head {
                    self.takings.push(Taking::CheckOut(name.clone()));
                } else if here.head != found.head {
                    let sentence = format!("instead of {was} {} was checked out", shown(name));
                    self.damage.push(damage(DamageKind::BranchSwitched, sentence));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Commits are `a`, `ab`, `abc` …: one is part of another that begins with it.
    fn is_part(first: &str, second: &str) -> bool {
        second.starts_with(first)
    }

    fn refs(head: &str, all: &[(&str, &str)]) -> Refs {
        let full = |name: &str| format!("refs/heads/{name}").into_bytes();
        let head = head
            .strip_prefix('@')
            .map_or_else(|| CheckedOut::Branch(full(head)), |commit| CheckedOut::Commit(commit.to_owned()));
        let references = all.iter().map(|(name, to)| (full(name), (*to).to_owned())).collect();
        Refs { head, references, beside: BTreeMap::new() }
    }

    fn told(lent: &Refs, found: &Refs, here: &Refs) -> Vec<String> {
        let Settlement { takings, damage } = settle((lent, found, here), &mut is_part);
        let text = |name: &[u8]| shown(name);
        let takings = takings.into_iter().map(|taking| match taking {
            Taking::Advance { name, from, to } => {
                format!("{} {} -> {to}", text(&name), from.unwrap_or_default())
            }
            Taking::CheckOut(name) => format!("check out {}", text(&name)),
            Taking::Keep { commit, why } => format!("keep {commit} {why:?}"),
        });
        takings.chain(damage.into_iter().map(|damage| format!("{:?}", damage.kind))).collect()
    }

    #[test]
    fn a_new_name_that_stands_for_another_one_is_known() {
        let others =
            [b"refs/heads/main".to_vec(), b"refs/tags/v1".to_vec(), b"refs/remotes/origin/main".to_vec()];
        for (name, hides) in [
            ("refs/tags/main", true),
            ("refs/heads/v1", true),
            ("refs/heads/origin/main", true),
            ("refs/heads/main", false),
            ("refs/heads/main2", false),
            ("refs/tags/origin", true),
            ("refs/heads/origin2", false),
            ("refs/heads/HEAD", true),
            ("refs/tags/FETCH_HEAD", true),
            ("refs/heads/AHEAD", false),
        ] {
            assert_eq!(hides_another(name.as_bytes(), &others), hides, "{name}");
        }
    }

    #[test]
    fn a_name_that_could_be_a_commits_is_known() {
        for (name, short) in [
            ("refs/tags/1a2b3c4d", Some("1a2b3c4d")),
            ("refs/heads/cafe", Some("cafe")),
            ("refs/tags/1a2", None),
            ("refs/tags/v1a2b", None),
            ("refs/heads/x/1a2b", None),
        ] {
            assert_eq!(shortened_commit(name.as_bytes()), short, "{name}");
        }
    }

    #[test]
    fn a_fast_forward_and_what_is_new_are_taken_and_all_else_is_damage() {
        let lent = refs("main", &[("main", "a"), ("other", "ax"), ("done", "a")]);
        let same: &[(&str, &str)] = &[("other", "ax"), ("done", "a")];
        let with = |head: &str, more: &[(&str, &str)]| refs(head, &[same, more].concat());
        for (found, expected) in [
            (with("main", &[("main", "a")]), vec![]),
            (with("main", &[("main", "ab")]), vec!["main a -> ab"]),
            (with("main", &[("main", "ab"), ("new", "ac")]), vec!["main a -> ab", "new  -> ac"]),
            (with("new", &[("main", "a"), ("new", "ab")]), vec!["new  -> ab", "check out new"]),
            // Moved aside: what is new in it is kept; moved back: nothing is.
            (with("main", &[("main", "z")]), vec!["keep z NoContinuation", "CommitsLost"]),
            (with("main", &[("main", "")]), vec!["CommitsLost"]),
            (with("other", &[("main", "a")]), vec!["BranchSwitched"]),
            (with("@a", &[("main", "a")]), vec!["HeadDetached"]),
            (with("@ab", &[("main", "a")]), vec!["keep ab NoContinuation", "HeadDetached"]),
            // Renamed; and deleted where another one has all that was in it.
            (with("trunk", &[("trunk", "ab")]), vec!["trunk  -> ab", "check out trunk"]),
            (with("other", &[]), vec!["BranchSwitched"]),
            (
                refs("main", &[("main", "a"), ("other", "axy"), ("done", "a")]),
                vec!["keep axy NoContinuation", "ReferencesLost"],
            ),
            // Tidied up after it was merged, or not.
            (refs("main", &[("main", "a"), ("other", "ax")]), vec![]),
            (refs("main", &[("main", "a"), ("done", "a")]), vec!["ReferencesLost"]),
            // A branch of nothing that was there.
            (with("orphan", &[("main", "a"), ("orphan", "z")]), vec!["orphan  -> z", "BranchSwitched"]),
        ] {
            assert_eq!(told(&lent, &found, &lent), expected, "{found:?}");
        }
    }

    #[test]
    fn a_tag_that_was_deleted_is_said() {
        let tag = BTreeMap::from([(b"refs/tags/v1".to_vec(), "a".to_owned())]);
        let found = refs("main", &[("main", "ab")]);
        let lent = refs("main", &[("main", "a")]);
        let lent = Refs { references: lent.references.into_iter().chain(tag).collect(), ..lent };
        assert_eq!(told(&lent, &found, &lent), ["main a -> ab", "ReferencesLost"]);
    }

    #[test]
    fn what_a_person_did_meanwhile_stays() {
        let lent = refs("main", &[("main", "a")]);
        let found = refs("main", &[("main", "ab"), ("new", "ac")]);
        let here = refs("main", &[("main", "ap"), ("new", "x")]);
        assert_eq!(told(&lent, &found, &here), ["keep ab MovedMeanwhile", "keep ac MovedMeanwhile"]);
        // Nothing of the guest's: nothing is done, whatever the person did.
        assert_eq!(told(&lent, &lent, &here), Vec::<String>::new());
    }

    #[test]
    fn what_was_taken_already_is_not_taken_again() {
        let lent = refs("main", &[("main", "a")]);
        let found = refs("new", &[("main", "ab"), ("new", "abc")]);
        assert_eq!(told(&lent, &found, &found), Vec::<String>::new());
    }

    #[test]
    fn a_first_commit_and_one_without_a_branch_go_on() {
        let (unborn, born) = (refs("main", &[]), refs("main", &[("main", "a")]));
        assert_eq!(told(&unborn, &born, &unborn), ["main  -> a"]);
        let (lent, found) = (refs("@a", &[("main", "a")]), refs("@ab", &[("main", "a")]));
        assert_eq!(told(&lent, &found, &lent), ["HEAD a -> ab"]);
        let elsewhere = refs("@ap", &[("main", "a")]);
        assert_eq!(told(&lent, &found, &elsewhere), ["keep ab MovedMeanwhile"]);
    }
}
