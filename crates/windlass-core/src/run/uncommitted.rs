//! Work that is called done and could not be committed. What a hook of the repository refuses the agent mends; where git itself
//! does not commit, a person has to look.

use crate::run::lane::AttemptOutcome;
use crate::run::{Lane, REFUSED_CLAIMS, Run};
use crate::spec::RunSpec;
use crate::values::{LaneId, StopReason, Verdict};

/// So often in a row what is called done may not be committed: what was in the way for a moment is gone at the second time.
const MOST_IN_A_ROW: u32 = 2;

/// What was called done last, and is in no commit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Uncommitted {
    in_a_row: u32,
    why: String,
}

impl Run {
    /// Counts claims that were refused since git did not commit their work.
    pub(super) fn count_uncommitted(&mut self, lane: LaneId, verdict: Verdict, outcome: &AttemptOutcome) {
        let by_git = self.is_refused_by_git(lane, outcome) && verdict == Verdict::ClaimRefused;
        let Some(held) = self.lanes.get_mut(&lane) else { return };
        if let Some(why) = outcome.in_git.refused.as_ref().filter(|_| held.needs_person) {
            // Called done or not: the next try would be refused for the same.
            held.uncommitted = Uncommitted { in_a_row: MOST_IN_A_ROW, why: why.clone() };
            return;
        }
        match outcome.in_git.refused.as_ref().filter(|_| by_git) {
            Some(why) => {
                held.uncommitted.in_a_row += 1;
                held.uncommitted.why.clone_from(why);
            }
            None => held.uncommitted = Uncommitted::default(),
        }
    }

    /// Did git itself not commit it, for no reason that lies in the work? Then it is not the work that is at fault.
    pub(super) fn is_refused_by_git(&self, lane: LaneId, outcome: &AttemptOutcome) -> bool {
        let is_for_the_agent = |held: &Lane| held.hook_refusal.is_some() || held.has_conflict_marks;
        outcome.in_git.refused.is_some() && !self.lanes.get(&lane).is_some_and(is_for_the_agent)
    }

    /// Was the last commit refused for what only a person can change, such as how its message is worded?
    pub fn needs_person_to_commit(&self) -> bool {
        self.lanes.values().any(|lane| lane.needs_person)
    }

    /// A person has seen it.
    pub(super) fn try_to_commit_anew(&mut self) {
        self.lanes.values_mut().for_each(|lane| lane.uncommitted = Uncommitted::default());
    }

    /// Git does not commit what is called done, and no agent can mend that.
    pub(super) fn uncommitted(&self, spec: &RunSpec) -> Option<(StopReason, String)> {
        let stuck = |lane: &&Lane| lane.uncommitted.in_a_row >= MOST_IN_A_ROW;
        let lane = self.lanes.values().find(stuck)?;
        let why = &lane.uncommitted.why;
        let what = if lane.needs_person { "the work" } else { "the work is called done, and it" };
        let detail = format!(
            "{what} could not be committed: {why}; `windlass resume {}` goes on once that is fixed",
            spec.run
        );
        Some((StopReason::NeedsHuman, detail))
    }

    /// Claims were refused again and again, and the same stood against them.
    pub(super) fn refused_too_often(&self) -> Option<(StopReason, String)> {
        let times = self.refused.in_a_row;
        let by_hook = |lane: &Lane| lane.rows.checks.is_empty() && lane.hook_refusal.is_some();
        let by =
            if self.lanes.values().any(by_hook) { "a hook of the repository" } else { "the same checks" };
        let detail = format!("{times} claims in a row were refused by {by}");
        (times >= REFUSED_CLAIMS).then_some((StopReason::GatesFailing, detail))
    }
}
