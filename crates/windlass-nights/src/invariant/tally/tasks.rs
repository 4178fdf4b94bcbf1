//! The facts of tasks and lanes.

use windlass_core::fact::Fact;
use windlass_core::report;
use windlass_core::values::{
    Check, CheckKind, CheckOutcome, LandOutcome, MergeOutcome, TaskEnd, TaskId, TaskState,
};

use super::Tally;

impl Tally {
    /// The criteria of the task at hand.
    pub(super) fn criteria(&self) -> impl Iterator<Item = u16> + '_ {
        let checks = self.plan.as_ref().map(|plan| plan.checks.as_slice()).unwrap_or_default();
        let is_its = |check: &Check| self.at.task.as_ref().is_some_and(|task| check.is_criterion_of(task));
        (0_u16..).zip(checks).filter(move |(_, check)| is_its(check)).map(|(index, _)| index)
    }

    /// Gates, and of a task that is claimed its criteria as well, and those of others where they were asked.
    pub(super) fn is_green(&self, claims: bool) -> bool {
        let outcome_of = |check: u16| self.at.outcomes.iter().rfind(|outcome| outcome.check == check);
        let passes = |check| outcome_of(check).is_some_and(CheckOutcome::passed);
        let fails = |check| outcome_of(check).is_some_and(|outcome| !outcome.passed());
        let holds = || self.criteria().all(passes) && !self.checks(CheckKind::Criterion).any(fails);
        self.all_pass(CheckKind::Gate, &self.at.outcomes) && (!claims || holds())
    }

    pub(super) fn task_fact(&mut self, fact: &Fact) {
        match fact {
            Fact::TasksRead { tasks } => {
                let alone = self.is_alone();
                let trusted = !(alone && self.at.closes);
                let known = |id: &TaskId| trusted || self.ever_done.contains(id);
                let done = tasks.iter().filter(|row| row.state == TaskState::Done && known(&row.id));
                self.tasks_done = done.map(|row| row.id.clone()).collect();
                self.ever_done.retain(|id| tasks.iter().all(|row| row.id != *id));
                self.ever_done.extend(self.tasks_done.iter().cloned());
                self.tasks = tasks.iter().map(|row| (row.id.clone(), row.dependencies.clone())).collect();
                let unclear = tasks.iter().filter(|row| row.unclear.is_some());
                self.unclear = unclear.map(|row| row.id.clone()).collect();
                let open = |id: &TaskId| self.tasks.contains_key(id) && !self.tasks_done.contains(id);
                self.parked.retain(open);
                // Whoever is at what waits for something again, or for what is gone, is at it no more.
                let met = |id: &TaskId| {
                    self.tasks
                        .get(id)
                        .is_some_and(|needs| needs.iter().all(|need| self.tasks_done.contains(need)))
                };
                for at in self.elsewhere.values_mut().chain([&mut self.at]) {
                    at.task = at.task.take().filter(|id| at.closes || (open(id) && met(id)));
                }
            }
            Fact::LaneOpened(report::LaneOpened { evidence, .. }) => {
                self.at.latest = Some(evidence.clone());
                self.seen.insert(evidence.clone());
                if std::mem::take(&mut self.at.repeats) {
                    // Its checkout was gone: the task is begun again, and nothing of it is left.
                    self.at.task_began = None;
                    (self.at.progress, self.at.verifying, self.at.attempted) = (false, false, false);
                    self.at.merge_begun = false;
                    (self.at.reviews.asked, self.at.reviews.lets_stand) = (false, false);
                }
                if self.at.task_began.is_none() {
                    self.at.task_began = Some(evidence.clone());
                    self.at.forget_reviews();
                }
            }
            Fact::Merged(report::Merged { outcome, evidence, .. }) => {
                self.at.latest = Some(evidence.clone());
                self.seen.insert(evidence.clone());
                self.at.merge_begun = false;
                // Merged anew after a crash, it is judged anew.
                self.at.stuck = matches!(outcome, MergeOutcome::Conflict { .. });
                if matches!(outcome, MergeOutcome::Clean { retest: true, .. }) {
                    self.at.outcomes.clear();
                }
            }
            Fact::Landed(report::Landed { outcome: LandOutcome::Refused { .. }, .. }) => self.at.stuck = true,
            Fact::TaskClosed(report::TaskClosed { task, end, evidence, .. }) => {
                self.at.latest = Some(evidence.clone());
                self.seen.insert(evidence.clone());
                self.at.closes = false;
                match end {
                    TaskEnd::Again { .. } => {}
                    TaskEnd::Done => {
                        self.at.forget_rows();
                        self.at.forget_reviews();
                        self.done_here += 1;
                        self.parked_in_a_row = 0;
                        self.tasks_done.insert(task.clone());
                        self.ever_done.insert(task.clone());
                        self.at.task = None;
                    }
                    TaskEnd::Parked { .. } => {
                        self.at.forget_rows();
                        self.at.forget_reviews();
                        self.parked_in_a_row += 1;
                        self.parked.insert(task.clone());
                        self.at.task = None;
                    }
                }
                self.complete |=
                    !self.tasks.is_empty() && self.tasks.keys().all(|id| self.tasks_done.contains(id));
            }
            _ => {}
        }
    }
}
