//! Councils of a run: which conflicts were put before one, and what came of it.

use std::collections::{BTreeMap, BTreeSet};

use windlass_core::fact::Fact;
use windlass_core::values::{CallId, Conflict, Decision, LaneId, Purpose, Spent};

/// What is known of them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Councils {
    /// How many were called.
    pub(crate) called: u32,
    /// How many of them decided something.
    pub(crate) decided: u32,
    /// What their calls cost.
    pub(crate) spent: Spent,
    /// The conflict that the iteration's agent reported.
    conflicts: BTreeMap<LaneId, Conflict>,
    /// The calls in which one decides.
    calls: BTreeSet<CallId>,
}

impl Councils {
    /// The conflict that the agent of a lane's iteration reported.
    pub(crate) fn conflict(&self, lane: LaneId) -> Option<&Conflict> {
        self.conflicts.get(&lane)
    }

    /// Is it the call of a council?
    pub(crate) fn is_council(&self, call: CallId) -> bool {
        self.calls.contains(&call)
    }

    pub(super) fn take(&mut self, fact: &Fact) {
        match fact {
            Fact::IterationStarted { lane, .. } => drop(self.conflicts.remove(lane)),
            Fact::FollowUpDue { purpose: Purpose::Council, .. } => {
                self.called = self.called.saturating_add(1);
            }
            Fact::CallReserved { call, purpose: Purpose::Council, .. } => drop(self.calls.insert(*call)),
            Fact::CallFinished { lane, call, summary, .. } if self.is_council(*call) => {
                self.spent += Spent::of(summary.cost, summary.estimated);
                let decides = |conflict| Decision::of(summary, conflict).is_some();
                self.decided += u32::from(self.conflict(*lane).is_some_and(decides));
            }
            Fact::CallFinished { lane, summary, .. } => {
                if let Some(conflict) = &summary.conflict {
                    self.conflicts.insert(*lane, (**conflict).clone());
                }
            }
            _ => {}
        }
    }
}
