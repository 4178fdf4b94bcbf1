//! What the guard found, and what follows: a claim is not accepted while something stands that could have made the checks
//! pass. The agent is told and may put it right; when it claims again and the same stands, a person has to look.

use std::collections::BTreeMap;

use super::apply::Applied;
use crate::run::Run;
use crate::run::lane::LaneState;
use crate::values::{LaneId, SnapshotId, StopReason, Suspicion, SuspicionKind, Verdict};
use crate::words::some_clauses_of;

/// Claims in a row with nothing but findings that had been told after which a person has to look.
pub const HELD_CLAIMS: u32 = 2;

/// So many findings are named in a sentence.
const NAMED: usize = 3;

/// What stands against the checks.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Guarding {
    /// As each lane's tree was last examined.
    suspicions: BTreeMap<LaneId, Vec<Suspicion>>,
    /// What each lane's latest attempt did to protected files.
    refused: BTreeMap<LaneId, Vec<Suspicion>>,
    /// What could not be put back, in whatever attempt.
    stuck: BTreeMap<LaneId, Vec<Suspicion>>,
    /// What the latest claim was refused for.
    held: Vec<Suspicion>,
    in_a_row: u32,
}

impl Guarding {
    /// An ended run goes on: a person has seen it.
    pub fn begin_anew(&mut self) {
        self.in_a_row = 0;
    }
}

impl Run {
    /// All that speaks against the checks of a lane's tree, as it was last kept.
    pub fn suspicions(&self, lane: LaneId) -> Vec<&Suspicion> {
        let guard = &self.guard;
        let all = [&guard.suspicions, &guard.refused, &guard.stuck];
        all.into_iter().filter_map(|of| of.get(&lane)).flatten().collect()
    }

    /// Those that keep a claim from being accepted.
    pub fn held(&self, lane: LaneId) -> Vec<&Suspicion> {
        let Some(spec) = &self.spec else { return Vec::new() };
        self.suspicions(lane).into_iter().filter(|found| spec.guard.holds(found)).collect()
    }

    /// Why what a lane did must be looked at by a person before it counts, in one sentence; `None` = it need not be. What
    /// was undone is none of it: the tree is free of that. Nor is what the agent has to put right itself.
    pub fn held_for_review(&self, lane: LaneId) -> Option<String> {
        let held = self.held(lane);
        sentence(held.into_iter().filter(|found| !found.kind.is_the_agents()))
    }

    /// All that keeps a claim of a lane from being accepted, in one sentence.
    pub(super) fn all_held(&self, lane: LaneId) -> Option<String> {
        sentence(self.held(lane).into_iter())
    }

    /// What each lane had last committed, or began with, where that is kept.
    pub fn last_commit(&self, lane: LaneId) -> Option<&SnapshotId> {
        self.lanes.get(&lane)?.committed.as_ref()?.snapshot.as_ref()
    }

    /// What was checked out when a lane had last committed, or began; `None` where that is not known.
    pub fn head_of_last_commit(&self, lane: LaneId) -> Option<&str> {
        self.lanes.get(&lane)?.committed.as_ref()?.evidence.head.as_deref()
    }

    pub(super) fn suspected(&mut self, lane: LaneId, suspicions: &[Suspicion]) -> Applied {
        self.take_state(lane, "keeping", |state| matches!(state, LaneState::Keeping(..)).then_some(()))?;
        self.guard.suspicions.insert(lane, suspicions.to_vec());
        Ok(())
    }

    /// Is this something else than what is known of the lane?
    pub(super) fn is_suspicion_news(&self, lane: LaneId, suspicions: &[Suspicion]) -> bool {
        self.guard.suspicions.get(&lane).map_or(&[][..], Vec::as_slice) != suspicions
    }

    /// An attempt's tree was kept: what the one before it did to protected files is over.
    pub(super) fn forget_refused(&mut self, lane: LaneId) {
        self.guard.refused.remove(&lane);
    }

    /// Protected files were changed. Where the mode lets the agent write nothing but its plan, that is said otherwise.
    pub(super) fn note_refused(&mut self, lane: LaneId, files: &[String], undone: bool) {
        if self.spec.as_ref().is_some_and(|spec| spec.job.mode.writes_only_plan()) {
            return;
        }
        let kind = if undone { SuspicionKind::Undone } else { SuspicionKind::Protected };
        let text = if undone {
            "protected; the change was undone"
        } else {
            "protected, changed, and not to be put back"
        };
        let found: Vec<Suspicion> = files.iter().map(|file| Suspicion::new(kind, file, text)).collect();
        if undone {
            self.guard.refused.insert(lane, found);
        } else {
            let stuck = self.guard.stuck.entry(lane).or_default();
            stuck.extend(found);
            stuck.sort();
            stuck.dedup();
        }
    }

    /// Counts claims that were refused for findings.
    pub(super) fn count_held(&mut self, lane: LaneId, verdict: Verdict) {
        let held: Vec<Suspicion> = self.held(lane).into_iter().cloned().collect();
        match verdict {
            Verdict::ClaimRefused if !held.is_empty() => {
                // All that stands was told when the claim before it was refused.
                let same = held.iter().all(|found| self.guard.held.contains(found));
                self.guard.in_a_row = if same { self.guard.in_a_row + 1 } else { 1 };
                self.guard.held = held;
            }
            Verdict::ClaimAccepted => {
                self.guard.in_a_row = 0;
                self.guard.held.clear();
            }
            _ => {}
        }
    }

    /// The same was claimed again, and the same stands against it.
    pub(super) fn claimed_all_the_same(&self) -> Option<(StopReason, String)> {
        // A task is parked for it, and the rest goes on.
        let ends = self.guard.in_a_row >= HELD_CLAIMS && !self.is_of_tasks();
        let spec = self.spec.as_ref().filter(|_| ends)?;
        let found = sentence(self.guard.held.iter().filter(|found| spec.guard.holds(found)))?;
        let review = self.guard.held.iter().any(|found| found.kind != SuspicionKind::Undone);
        let after = if review {
            format!("`windlass resume {} --accept-findings` takes it as it is", spec.run)
        } else {
            "`guard.protected` with `!` before a pattern would let the agent change it".to_owned()
        };
        Some((StopReason::NeedsHuman, format!("held for review: {found}; {after}")))
    }
}

/// The first findings, with how many more there are.
fn sentence<'a>(found: impl Iterator<Item = &'a Suspicion>) -> Option<String> {
    let all: Vec<&Suspicion> = found.collect();
    (!all.is_empty()).then(|| some_clauses_of(all.iter(), NAMED))
}
