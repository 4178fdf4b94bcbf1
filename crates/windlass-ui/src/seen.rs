//! What facts say of commits, of how agents ended, of what the guard found and of what was judged, beyond what views show of it.

use std::collections::BTreeMap;

use windlass_core::fact::Fact;
use windlass_core::report;
use windlass_core::values::{Ended, LandOutcome, LaneId, Suspicion};

use crate::judged::JudgedCriteria;

/// Where HEAD was, how the last agent ended, and what speaks against the checks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Seen {
    /// Something was looked at.
    looked: bool,
    /// HEAD when the run began; `None` without a commit.
    pub(crate) first_head: Option<String>,
    /// HEAD when it was looked at last; `None` without a commit.
    pub(crate) head: Option<String>,
    /// How often it was another one than before: at least so many commits were made.
    pub(crate) moves: u32,
    /// How the last call's process ended.
    pub(crate) ended: Option<Ended>,
    suspicions: BTreeMap<LaneId, Vec<Suspicion>>,
    /// What was said of tasks' success criteria.
    pub(crate) judged: JudgedCriteria,
}

impl Seen {
    /// Takes a fact in.
    pub(crate) fn take(&mut self, fact: &Fact) {
        self.judged.take(fact);
        // The HEAD of a lane's own checkout is nobody's until its work has landed.
        let is_here = fact.lane().is_none_or(|lane| lane == LaneId::default());
        match fact {
            Fact::BaselineCaptured(report::BaselineCaptured { evidence, .. })
            | Fact::SnapshotTaken(report::SnapshotTaken { evidence, .. })
            | Fact::Committed(report::Committed { evidence, .. })
            | Fact::TreeRechecked(report::TreeRechecked { evidence, .. })
                if is_here =>
            {
                self.look(evidence.head.as_ref());
            }
            Fact::Landed(report::Landed { outcome: LandOutcome::Landed { commit }, .. }) => {
                self.look(Some(commit));
            }
            Fact::CallFinished { summary, .. } => self.ended = Some(summary.ended),
            Fact::Suspected(report::Suspected { lane, suspicions }) => {
                self.suspicions.insert(*lane, suspicions.clone());
            }
            _ => {}
        }
    }

    /// What speaks against the checks of any lane's tree.
    pub(crate) fn suspicions(&self) -> impl Iterator<Item = &Suspicion> {
        self.suspicions.values().flatten()
    }

    fn look(&mut self, head: Option<&String>) {
        if !self.looked {
            self.looked = true;
            self.first_head = head.cloned();
        } else if self.head.as_ref() != head {
            self.moves = self.moves.saturating_add(1);
        }
        self.head = head.cloned();
    }
}
