//! What a look at a pull request means. A table, without a state of its own.

use std::collections::BTreeSet;
use std::time::Duration;

use jiff::Timestamp;

use crate::forge::{CheckVerdict, MergeBlock, Mergeability, PullRequestState, Review};
use crate::report::{DeliveryMove, DeliveryOutcome, DeliveryTask, PullRequestSeen, WaitsFor};
use crate::spec::{DeliverySpec, NoChecks};
use crate::values::{between, later};

/// The longest pause between two looks.
const LONGEST_PAUSE: Duration = Duration::from_mins(1);

/// Merges that the forge may refuse while everything it shows speaks for one.
pub(super) const REFUSALS: u32 = 3;

/// What is known besides what was seen.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Watch {
    /// The commit that may be merged: the one that was pushed, or that with the base merged into it by the forge.
    pub head: String,
    /// Heads before it: the forge may show one of them for a while.
    pub earlier: BTreeSet<String>,
    /// Since when it is looked at this head.
    pub since: Option<Timestamp>,
    /// Since when its checks are there.
    pub checks_since: Option<Timestamp>,
    /// Since when nothing but a review or another rule is missing.
    pub rules_since: Option<Timestamp>,
    /// Since when the forge cannot be asked.
    pub stalled_since: Option<Timestamp>,
    /// How often red checks went back to the agent.
    pub ci_returns: u32,
    /// How often conversations did.
    pub review_returns: u32,
    /// Conversations that the agent was told of.
    pub answered: BTreeSet<String>,
    /// What the forge refused in a row.
    pub refusals: u32,
    /// The branch was brought up to date, and its checks are the forge's alone: the agent does not have that commit.
    pub updated: bool,
    /// The forge was told to bring this head up to date, which it does in its own time.
    pub update_ordered: bool,
    /// A further iteration can be made of what goes back.
    pub can_return: bool,
}

impl Watch {
    /// The watch once this was seen: what has begun to be true is noted with its time.
    pub fn seeing(&self, seen: &PullRequestSeen, now: Timestamp) -> Watch {
        let mut watch = Watch { stalled_since: None, ..self.clone() };
        if watch.is_update(seen) {
            watch.earlier.insert(std::mem::replace(&mut watch.head, seen.head.clone()));
            (watch.since, watch.checks_since, watch.rules_since) = (None, None, None);
            (watch.updated, watch.update_ordered) = (true, false);
        }
        watch.since.get_or_insert(now);
        if seen.head == watch.head && seen.checks.total() > 0 {
            watch.checks_since.get_or_insert(now);
        }
        if seen.checks.verdict() == CheckVerdict::Green {
            watch.rules_since.get_or_insert(now);
        } else {
            watch.rules_since = None;
        }
        watch
    }

    /// Is it the commit that was shown to be right, with the base merged into it?
    fn is_update(&self, seen: &PullRequestSeen) -> bool {
        let [first, _] = seen.head_parents.as_slice() else { return false };
        seen.head != self.head && *first == self.head
    }
}

/// What follows from what was seen. `watch` knows of it already ([`Watch::seeing`]).
pub(super) fn after_view(
    spec: &DeliverySpec,
    watch: &Watch,
    seen: &PullRequestSeen,
    now: Timestamp,
) -> DeliveryMove {
    let table = Table { spec, watch, seen, now };
    table
        .by_a_person()
        .or_else(|| table.by_conversations())
        .or_else(|| table.by_checks())
        .or_else(|| table.by_review())
        .unwrap_or_else(|| table.by_rules())
}

struct Table<'a> {
    spec: &'a DeliverySpec,
    watch: &'a Watch,
    seen: &'a PullRequestSeen,
    now: Timestamp,
}

impl Table<'_> {
    fn by_a_person(&self) -> Option<DeliveryMove> {
        let url = "the branch is kept";
        match self.seen.state {
            PullRequestState::Merged => {
                return Some(end(DeliveryOutcome::MergedByPerson, "a person merged it"));
            }
            PullRequestState::Closed => {
                return Some(end(DeliveryOutcome::ClosedByPerson, &format!("a person closed it; {url}")));
            }
            PullRequestState::Unknown => return Some(self.wait(WaitsFor::Mergeability)),
            PullRequestState::Open => {}
        }
        if self.seen.head == self.watch.head {
            return None;
        }
        if self.watch.earlier.contains(&self.seen.head) {
            return Some(self.wait(WaitsFor::Mergeability));
        }
        let why = "somebody else pushed to the branch of the pull request; what was pushed is not merged";
        Some(end(DeliveryOutcome::NeedsHuman, why))
    }

    fn by_conversations(&self) -> Option<DeliveryMove> {
        let fresh = self.seen.threads.iter().any(|thread| !self.watch.answered.contains(thread));
        if !fresh {
            return None;
        }
        let may_return = self.watch.can_return && !self.watch.updated;
        Some(if may_return && self.watch.review_returns < self.spec.review_rounds {
            DeliveryMove::Do(DeliveryTask::ReadThreads)
        } else {
            end(DeliveryOutcome::NeedsHuman, "conversations of the review are not resolved")
        })
    }

    fn by_checks(&self) -> Option<DeliveryMove> {
        match self.seen.checks.verdict() {
            CheckVerdict::Green => None,
            CheckVerdict::Absent => self.without_checks(),
            CheckVerdict::Pending => Some(self.wait_or(WaitsFor::ChecksToEnd, "its checks do not end")),
            CheckVerdict::Unknown => {
                Some(self.wait_or(WaitsFor::ChecksToEnd, "the result of its checks is not known"))
            }
            CheckVerdict::Red => Some(self.red()),
        }
    }

    /// Right after a push there are none, which says nothing.
    fn without_checks(&self) -> Option<DeliveryMove> {
        if self.now < self.deadline(WaitsFor::ChecksToAppear) {
            return Some(self.wait(WaitsFor::ChecksToAppear));
        }
        match self.spec.no_checks {
            NoChecks::Merge => None,
            NoChecks::Leave => Some(end(
                DeliveryOutcome::Left,
                "no check appeared, and it is not merged without (`pull_request.no_checks`)",
            )),
            NoChecks::Wait => Some(self.wait_or(WaitsFor::ChecksToEnd, "no check appeared")),
        }
    }

    fn red(&self) -> DeliveryMove {
        let names = self.seen.failed.join(", ");
        let colon = if names.is_empty() { "" } else { ": " };
        if self.watch.updated {
            let why = format!("checks fail on the branch with the base merged into it{colon}{names}");
            return end(DeliveryOutcome::CiFailed, &why);
        }
        if self.watch.can_return && self.watch.ci_returns < self.spec.ci_retries {
            return DeliveryMove::Do(DeliveryTask::ReadLogs);
        }
        end(DeliveryOutcome::CiFailed, &format!("checks fail{colon}{names}"))
    }

    fn by_review(&self) -> Option<DeliveryMove> {
        match self.seen.review {
            Review::ChangesRequested => Some(self.wait_or(WaitsFor::Review, "somebody asked for changes")),
            Review::Required => Some(self.wait_or(WaitsFor::Review, "it needs a review")),
            Review::Unknown => Some(self.wait_or(WaitsFor::Review, "its reviewers' decision is not known")),
            Review::NotRequired if self.seen.requested_reviewers > 0 => {
                Some(self.wait_or(WaitsFor::Review, "somebody was asked for a review"))
            }
            Review::NotRequired | Review::Approved => None,
        }
    }

    fn by_rules(&self) -> DeliveryMove {
        if self.seen.mergeability == Mergeability::Conflicting || self.seen.block == MergeBlock::Conflicting {
            return end(DeliveryOutcome::NeedsHuman, "it conflicts with the base");
        }
        if self.seen.draft {
            return DeliveryMove::Do(DeliveryTask::MarkReady);
        }
        if self.seen.mergeability == Mergeability::Unknown {
            return self.wait_or(WaitsFor::Rules, "the forge does not say whether it can be merged");
        }
        match self.seen.block {
            MergeBlock::Behind if self.watch.update_ordered => {
                self.wait_or(WaitsFor::Rules, "the forge does not bring it up to date")
            }
            MergeBlock::Behind => DeliveryMove::Do(DeliveryTask::Update),
            MergeBlock::Clear | MergeBlock::Unstable => DeliveryMove::Do(DeliveryTask::Merge),
            MergeBlock::Blocked | MergeBlock::Draft | MergeBlock::Conflicting => {
                self.wait_or(WaitsFor::Rules, "the rules of the base are not met")
            }
            MergeBlock::Unknown => {
                self.wait_or(WaitsFor::Rules, "the forge does not say whether it can be merged")
            }
        }
    }

    /// Waits, or ends where it was waited for long enough.
    fn wait_or(&self, waits_for: WaitsFor, why: &str) -> DeliveryMove {
        if self.now < self.deadline(waits_for) {
            return self.wait(waits_for);
        }
        end(DeliveryOutcome::NeedsHuman, why)
    }

    fn deadline(&self, waits_for: WaitsFor) -> Timestamp {
        let watch = self.watch;
        let (since, patience) = match waits_for {
            WaitsFor::ChecksToAppear | WaitsFor::Mergeability => (watch.since, self.spec.checks_appear),
            WaitsFor::ChecksToEnd | WaitsFor::Forge | WaitsFor::Resumption => {
                (watch.checks_since.or(watch.since), self.spec.checks_wait)
            }
            WaitsFor::Review | WaitsFor::Rules => (watch.rules_since.or(watch.since), self.spec.review_wait),
        };
        later(since.unwrap_or(self.now), patience)
    }

    fn wait(&self, waits_for: WaitsFor) -> DeliveryMove {
        let until = self.deadline(waits_for);
        if self.now >= until {
            return end(DeliveryOutcome::NeedsHuman, "the forge does not show what was pushed");
        }
        let waited = self.watch.since.map_or(Duration::ZERO, |since| between(since, self.now));
        let pause = pause(self.spec.poll, waited);
        DeliveryMove::Wait {
            waits_for,
            again: later(self.now, pause).min(until),
            until,
            then: DeliveryTask::View,
        }
    }
}

/// Longer and longer, since what has taken long takes longer.
pub(super) fn pause(first: Duration, waited: Duration) -> Duration {
    (waited / 8).clamp(first, LONGEST_PAUSE.max(first))
}

pub(super) fn end(outcome: DeliveryOutcome, detail: &str) -> DeliveryMove {
    DeliveryMove::End { outcome, detail: detail.to_owned() }
}
