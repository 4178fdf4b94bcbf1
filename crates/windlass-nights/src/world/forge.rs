//! A forge and the branch of the run there, as values.

use std::collections::BTreeSet;
use std::time::Duration;

use windlass_core::forge::{CheckTally, CheckVerdict, MergeBlock, Mergeability, PullRequestState, Review};
use windlass_core::report::PullRequestSeen;

use super::Tree;
use crate::script::{ChecksEnd, ForgeNature};

/// One phase of checks that flap, in seconds.
const FLAP: u64 = 60;

/// The forge, its only branch that matters, and that branch's pull requests.
#[derive(Clone, Debug, Default)]
pub(crate) struct Forge {
    nature: ForgeNature,
    /// Calls of it in the whole night.
    pub calls: u32,
    /// What the branch is at; `None` where nobody has pushed it.
    pub head: Option<Head>,
    /// What it was at before, which is shown for a while.
    before: Option<Head>,
    pub pulls: Vec<Pull>,
    /// How often the base has moved.
    base: u32,
    conflicts: bool,
    heads: usize,
    comments: u32,
    /// It does not answer so many times.
    pub silent: Option<(u32, bool)>,
    /// It does not answer before that, on this machine's clock.
    pub patience: Option<Duration>,
    /// What was there when the run began, and in no commit: nobody's work.
    pub dirty: BTreeSet<(u8, u32)>,
    /// What gates said of which trees: index, tree, passed.
    pub gated: Vec<(u16, Tree, bool)>,
}

/// A commit at the tip of the branch.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Head {
    pub name: String,
    pub parents: Vec<String>,
    /// What it has of the base.
    base: u32,
    since: Duration,
    number: usize,
    /// How often it was looked at.
    looks: u32,
    /// Nobody but this run has made it.
    pub ours: bool,
}

/// A pull request.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Pull {
    pub number: u64,
    pub state: PullRequestState,
    pub draft: bool,
    /// Its branch's tip when it was closed or merged.
    last: Option<String>,
    threads: Vec<String>,
    since: Duration,
    wants_changes: bool,
    merge_commit: Option<String>,
}

impl Forge {
    pub fn new(nature: Option<&ForgeNature>) -> Forge {
        Forge { nature: nature.cloned().unwrap_or_default(), ..Forge::default() }
    }

    /// The branch is at this commit from now on.
    pub fn push(&mut self, name: &str, parents: Vec<String>, ours: bool, now: Duration) {
        let base = if ours { self.head.as_ref().map_or(0, |head| head.base) } else { self.base };
        self.put(Head {
            name: name.to_owned(),
            parents,
            base,
            since: now,
            number: self.heads,
            looks: 0,
            ours,
        });
    }

    fn put(&mut self, head: Head) {
        self.heads += 1;
        self.before = self.head.replace(head);
    }

    /// Somebody's own commit takes the place of what was there.
    pub fn person_pushes(&mut self, now: Duration) {
        let name = format!("p{}", self.heads);
        self.push(&name, vec!["elsewhere".to_owned()], false, now);
    }

    pub fn base_moves(&mut self) {
        self.base += 1;
    }

    pub fn conflicts(&mut self) {
        self.base_moves();
        self.conflicts = true;
    }

    fn tip(&self) -> String {
        self.head.as_ref().map(|head| head.name.clone()).unwrap_or_default()
    }

    /// The open pull request of the branch.
    pub fn open_pull(&mut self) -> Option<&mut Pull> {
        self.pulls.iter_mut().find(|pull| pull.state == PullRequestState::Open)
    }

    /// The head of a pull request: that of the branch while it is open.
    pub fn head_of(&self, pull: &Pull) -> String {
        pull.last.clone().unwrap_or_else(|| self.tip())
    }

    pub fn open(&mut self, draft: bool, now: Duration) -> u64 {
        let number = self.pulls.len() as u64 + 1;
        self.pulls.push(Pull {
            number,
            state: PullRequestState::Open,
            draft,
            last: None,
            threads: Vec::new(),
            since: now,
            wants_changes: false,
            merge_commit: None,
        });
        number
    }

    pub fn close(&mut self, state: PullRequestState) -> bool {
        let (tip, merges) = (self.tip(), state == PullRequestState::Merged);
        let Some(pull) = self.open_pull() else { return false };
        (pull.state, pull.last) = (state, Some(tip.clone()));
        pull.merge_commit = merges.then(|| format!("m-{tip}"));
        true
    }

    pub fn comments(&mut self) {
        self.comments += 1;
        let thread = format!("t{}", self.comments);
        if let Some(pull) = self.open_pull() {
            pull.threads.push(thread);
        }
    }

    pub fn wants_changes(&mut self) {
        if let Some(pull) = self.open_pull() {
            pull.wants_changes = true;
        }
    }

    pub fn pull(&mut self, number: u64) -> Option<&mut Pull> {
        self.pulls.iter_mut().find(|pull| pull.number == number)
    }

    /// What is to be seen of a pull request now; a look counts.
    pub fn look(&mut self, number: u64, now: Duration) -> Option<PullRequestSeen> {
        let is_new = self.head.as_ref().is_some_and(|head| head.looks < self.nature.lag);
        if let Some(head) = &mut self.head {
            head.looks += 1;
        }
        let shown =
            if is_new { self.before.clone().or_else(|| self.head.clone()) } else { self.head.clone() };
        let pull = self.pulls.iter().find(|pull| pull.number == number)?;
        let head = shown?;
        let computes = head.looks > self.nature.computes_after;
        let mergeability = match () {
            () if !computes => Mergeability::Unknown,
            () if self.conflicts => Mergeability::Conflicting,
            () => Mergeability::Mergeable,
        };
        let checks = self.checks(&head, now);
        Some(PullRequestSeen {
            state: pull.state,
            draft: pull.draft,
            head: pull.last.clone().unwrap_or_else(|| head.name.clone()),
            head_parents: head.parents.clone(),
            mergeability,
            block: if computes { self.block(pull, &head, now) } else { MergeBlock::Unknown },
            review: self.review(pull, now),
            requested_reviewers: u32::from(self.nature.asks_reviewer && !self.is_approved(pull, now)),
            checks,
            failed: if checks.failed > 0 { vec!["test".to_owned()] } else { Vec::new() },
            threads: pull.threads.clone(),
            merge_commit: pull.merge_commit.clone(),
        })
    }

    fn is_approved(&self, pull: &Pull, now: Duration) -> bool {
        let after = self.nature.approves_after;
        after.is_some_and(|after| now >= pull.since + Duration::from_secs(after.into()))
    }

    fn review(&self, pull: &Pull, now: Duration) -> Review {
        match () {
            () if self.is_approved(pull, now) => Review::Approved,
            () if pull.wants_changes => Review::ChangesRequested,
            () if self.nature.needs_review => Review::Required,
            () => Review::NotRequired,
        }
    }

    fn block(&self, pull: &Pull, head: &Head, now: Duration) -> MergeBlock {
        let green = self.checks(head, now).verdict() == CheckVerdict::Green;
        let reviewed = matches!(self.review(pull, now), Review::Approved | Review::NotRequired);
        match () {
            () if self.conflicts => MergeBlock::Conflicting,
            () if pull.draft => MergeBlock::Draft,
            () if self.nature.needs_base && head.base < self.base => MergeBlock::Behind,
            () if !reviewed || self.nature.needs_checks && !green => MergeBlock::Blocked,
            () if !green => MergeBlock::Unstable,
            () => MergeBlock::Clear,
        }
    }

    fn checks(&self, head: &Head, now: Duration) -> CheckTally {
        let none = CheckTally::default();
        let Some(nature) = self.nature.checks.get(head.number % self.nature.checks.len().max(1)) else {
            return none;
        };
        let age = now.saturating_sub(head.since).as_secs();
        let Some(age) = nature.appear.and_then(|appear| age.checked_sub(appear.into())) else { return none };
        let pending = CheckTally { pending: 1, passed: 1, ..none };
        let Some(age) = nature.take.and_then(|take| age.checked_sub(take.into())) else { return pending };
        let (green, red) = (CheckTally { passed: 2, ..none }, CheckTally { passed: 1, failed: 1, ..none });
        match nature.end {
            ChecksEnd::Green => green,
            ChecksEnd::Red | ChecksEnd::Cancelled => red,
            ChecksEnd::Unknown => CheckTally { passed: 1, unknown: 1, ..none },
            ChecksEnd::Flaps => [red, pending, green][usize::try_from(age / FLAP % 3).unwrap_or(0)],
        }
    }

    /// Why the forge does not merge this head, if it does not.
    pub fn refuses_merge(&self, number: u64, head: &str, now: Duration) -> Option<&'static str> {
        let pull = self.pulls.iter().find(|pull| pull.number == number)?;
        let tip = self.head.as_ref()?;
        match self.block(pull, tip, now) {
            _ if pull.state != PullRequestState::Open => Some("it is not open"),
            _ if tip.name != head => Some("its head was changed"),
            MergeBlock::Clear | MergeBlock::Unstable => None,
            _ => Some("the base's rules are not met"),
        }
    }

    /// The base is merged into the branch, where that is at this commit; the new head.
    pub fn update(&mut self, from: &str, now: Duration) -> Option<String> {
        let head = self.head.clone().filter(|head| !self.conflicts && head.name == from)?;
        let name = format!("u{}", self.heads);
        let parents = vec![head.name.clone(), format!("b{}", self.base)];
        self.put(Head {
            name: name.clone(),
            parents,
            base: self.base,
            since: now,
            number: self.heads,
            looks: 0,
            ours: head.ours,
        });
        Some(name)
    }

    /// A gate that has passed on no tree that is this one, but for what checks and hooks make.
    pub fn ungated(&self, gates: &[u16], tree: &Tree, is_made: impl Fn(u8, u32) -> bool) -> Option<u16> {
        let is_it = |judged: &Tree| judged.changes(tree).all(|file| is_made(file, judged.get(file)));
        let passed: BTreeSet<u16> = self
            .gated
            .iter()
            .filter(|(_, judged, passed)| *passed && is_it(judged))
            .map(|one| one.0)
            .collect();
        gates.iter().copied().find(|gate| !passed.contains(gate))
    }
}
