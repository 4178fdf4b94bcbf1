//! Why a run has to end, by what was counted.

use windlass_core::run::{MOST_SKIPS, REFUSED_CLAIMS};
use windlass_core::spec::{Mode, RunSpec};
use windlass_core::values::{CheckKind, Now, StopReason, StopSource, TaskId};

use super::Tally;

/// Claims in a row with the same findings against them, after which a person has to look.
const HELD_CLAIMS: u32 = 2;

impl Tally {
    /// The reason for which the run has to end now, if there is one.
    pub fn reason(&self, now: Now) -> Option<StopReason> {
        if self.complete && !self.is_going_out() {
            return self.done_reason();
        }
        if let Some(by) = self.stop {
            return Some(match by {
                StopSource::Interrupt => StopReason::Interrupted,
                StopSource::Terminate => StopReason::Terminated,
                StopSource::Command | StopSource::Page | StopSource::Watch => StopReason::StopRequested,
            });
        }
        if self.failing.is_none() && self.complete {
            return Some(StopReason::Complete);
        }
        self.failing.or_else(|| self.fatal()).or_else(|| self.limit(now)).or_else(|| self.stagnated())
    }

    fn fatal(&self) -> Option<StopReason> {
        let plan = self.plan.as_ref()?;
        let shown = if self.mode().has_tasks() {
            !self.tasks.is_empty() && self.tasks.keys().all(|id| self.tasks_done.contains(id))
        } else if self.has(CheckKind::Until) {
            self.all_pass(CheckKind::Until, &self.baseline)
        } else {
            // A plan is good once a pass has left it as it was.
            !self.mode().writes_only_plan() && self.file_claims()
        };
        let done = shown && !self.is_missing() && self.all_pass(CheckKind::Gate, &self.baseline);
        if self.started == 0 && done {
            Some(StopReason::NothingToDo)
        } else if self.skips >= MOST_SKIPS {
            Some(StopReason::HookSkips)
        } else if self.is_missing() {
            Some(StopReason::Missing)
        } else if self.most(|at| at.failures) >= plan.limits.failures.max(1) {
            Some(StopReason::ConsecutiveFailures)
        } else if plan.job.mode.judges() && self.at.refused.0 > 0 {
            Some(StopReason::GatesFailing)
        } else if self.needs_a_person(plan) {
            Some(StopReason::NeedsHuman)
        } else if self.is_blocked() {
            Some(StopReason::Blocked)
        } else if self.parked_in_a_row >= self.most_parked(plan) {
            Some(StopReason::ConsecutiveFailures)
        } else if let Some(reason) = self.stalemate() {
            Some(reason)
        } else if self.most(|at| at.refused.0) >= REFUSED_CLAIMS {
            Some(StopReason::GatesFailing)
        } else {
            None
        }
    }

    /// Fresh agents have said no often enough, or the same findings stand against claims again.
    fn needs_a_person(&self, plan: &RunSpec) -> bool {
        plan.job.verification.is_some_and(|asked| self.unverified >= asked.attempts.max(1))
            || self.held.0 >= HELD_CLAIMS && self.unaccepted(&self.held.1).next().is_some()
    }

    /// So many tasks may be parked in a row; once one was done, twice as many in each lane.
    fn most_parked(&self, plan: &RunSpec) -> u32 {
        let lanes = plan.lanes.as_ref().map_or(1, |lanes| u32::from(lanes.count));
        plan.limits.failures.max(1) * if self.done_here == 0 { 1 } else { 2 * lanes }
    }

    /// No lane is at a task, and none is ready.
    fn is_blocked(&self) -> bool {
        let met = |needs: &Vec<TaskId>| needs.iter().all(|need| self.tasks_done.contains(need));
        let taken = |id: &TaskId| {
            self.tasks_done.contains(id) || self.parked.contains(id) || self.unclear.contains(id)
        };
        let ready = self.tasks.iter().any(|(id, needs)| !taken(id) && met(needs));
        let at_work = self.at.task.is_some() || self.elsewhere.values().any(|at| at.task.is_some());
        self.mode().has_tasks() && !ready && !at_work
    }

    fn limit(&self, now: Now) -> Option<StopReason> {
        let limits = &self.plan.as_ref()?.limits;
        let open = self.at.open || self.elsewhere.values().any(|at| at.open);
        if !open && limits.iterations.is_some_and(|most| self.started >= most) {
            Some(StopReason::MaxIterations)
        } else if self.out_of_budget || limits.budget().is_some_and(|most| self.spent >= most) {
            Some(StopReason::MaxCost)
        } else if limits.tokens.is_some_and(|most| self.tokens >= most) {
            Some(StopReason::MaxTokens)
        } else if limits.duration.is_some_and(|most| self.active(now) >= most) {
            Some(StopReason::MaxDuration)
        } else {
            None
        }
    }

    /// Where a person has something to look over first, a plan on which nothing changes waits for them.
    fn without_changes(&self) -> StopReason {
        let is_held = self.unaccepted(&self.at.suspicions).any(|found| !found.kind.is_the_agents());
        if is_held { StopReason::NeedsHuman } else { StopReason::NoChanges }
    }

    fn stagnated(&self) -> Option<StopReason> {
        let threshold = self.plan.as_ref()?.limits.stagnation?;
        let stands = self.most(|at| at.idle) >= threshold;
        match self.mode() {
            Mode::Build => (stands && self.is_smart()).then(|| self.without_changes()),
            _ => stands.then_some(StopReason::Stagnated),
        }
    }
}
