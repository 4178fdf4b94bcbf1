//! Parts: what has a branch and a pull request of its own, where that is not the run as a whole.
//!
//! One part is under way at a time. It begins with the base as it is then, and is over once its pull request is merged, closed,
//! left to a person or red for good. A later iteration builds on the one before it, so nothing but a merge lets the run go
//! on; tasks that wait for nobody go on whatever becomes of the others.

use super::{Delivery, Stage};
use crate::fact::Fact;
use crate::forge::PullRequestState;
use crate::report::{DeliveryBasis, DeliveryOutcome, DeliveryStep, DeliveryTask};
use crate::run::lane::LaneState;
use crate::run::tasks::AtWork;
use crate::run::{Committed, Run, Survey};
use crate::spec::PullRequestPer;
use crate::tasks::TaskProgress;
use crate::values::{Evidence, LaneId, SnapshotId, StopReason, TaskEnd, TaskId, TaskRow, TaskState};
use crate::words::some_clauses_of;

/// So many are named.
const NAMED: usize = 3;

/// A part.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Part {
    pub number: u32,
    pub branch: String,
    pub task: Option<TaskId>,
    /// The commit that it begins with; `None` until its branch is checked out.
    pub base: Option<String>,
}

/// A part that is over.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct PartEnd {
    pub part: Part,
    /// Its number and its page.
    pub pull_request: Option<(u64, String)>,
    pub outcome: DeliveryOutcome,
}

impl PartEnd {
    fn is_left(&self) -> bool {
        self.outcome == DeliveryOutcome::Left
    }

    fn is_of(&self, task: &TaskId) -> bool {
        self.part.task.as_ref() == Some(task)
    }

    fn page(&self) -> &str {
        self.pull_request.as_ref().map_or(self.part.branch.as_str(), |(_, url)| url)
    }
}

impl Run {
    pub(super) fn per(&self) -> PullRequestPer {
        self.delivery_spec().map(|spec| spec.per).unwrap_or_default()
    }

    pub(super) fn has_parts(&self) -> bool {
        !self.per().is_run()
    }

    /// Has each task a pull request of its own?
    pub(in crate::run) fn has_parts_of_tasks(&self) -> bool {
        self.per() == PullRequestPer::Task
    }

    /// Does work have to wait for a part's branch? While a part is on its way out nothing begins in any case, and what is ready to
    /// leave leaves before anything else is decided.
    pub(in crate::run) fn awaits_part(&self) -> bool {
        let has_branch = self.delivery.part.as_ref().is_some_and(|part| part.base.is_some());
        self.has_parts() && !has_branch
    }

    /// The next part begins when there is work that needs one.
    pub(in crate::run) fn part_due(&self) -> Option<Fact> {
        let resting = self.delivery.stage == Stage::Resting && self.delivery.part.is_none();
        // A hook that is asked about an iteration may write into what is checked out.
        let asking = self.lanes.values().any(|lane| matches!(lane.state, LaneState::Asking));
        if !self.has_parts() || !resting || asking {
            return None;
        }
        let task = match self.per() {
            PullRequestPer::Task => Some(self.next_task(LaneId::default())?.clone()),
            PullRequestPer::Run | PullRequestPer::Iteration => None,
        };
        let part = self.delivery.parts_begun + 1;
        let branch = format!("{}-{part}", self.delivery_spec()?.branch);
        Some(Fact::Delivery(DeliveryStep::PartBegun { part, branch, task }))
    }

    /// A part is on its way out once its task is done, or an iteration has left something that its gates passed on.
    pub(in crate::run) fn part_is_ready(&self) -> Option<Fact> {
        let free = self.may_begin() && self.survey == Survey::Done;
        let head = self.part_to_deliver().filter(|_| free)?;
        Some(Fact::Delivery(DeliveryStep::Begun { head, basis: DeliveryBasis::Shown }))
    }

    fn part_to_deliver(&self) -> Option<String> {
        let part = self.delivery.part.as_ref()?;
        let shown = self.delivery.shown.as_ref().filter(|_| self.delivery.beside.is_empty());
        let head = shown.filter(|head| self.is_work(head))?;
        let is_out =
            self.delivery.pushed.as_ref() == Some(head) && self.delivery.basis == DeliveryBasis::Shown;
        let task = part.task.as_ref();
        let is_over = task.is_none_or(|task| self.tasks().standing(task) == Some(TaskProgress::Done));
        (self.delivery.stage == Stage::Resting && !is_out && is_over).then(|| head.clone())
    }

    /// What ended a part's way out, and the run with it.
    pub(in crate::run) fn ended_by_part(&self) -> Option<StopReason> {
        if !self.has_parts() || self.delivery.basis != DeliveryBasis::Shown {
            return None;
        }
        match &self.delivery.stage {
            // What comes next begins with the base, and that does not have it.
            Stage::Over { outcome: DeliveryOutcome::Left, .. } => Some(StopReason::NeedsHuman),
            Stage::Over { .. } => Some(self.delivered().0),
            _ => None,
        }
    }

    /// What became of all parts, in one clause; empty where there was none.
    pub(super) fn parts_told(&self) -> String {
        let parts = || self.delivery.parts.iter().filter(|end| end.pull_request.is_some());
        let merged = parts().filter(|end| end.outcome.is_merged()).count();
        let open: Vec<&str> = parts().filter(|end| end.is_left()).map(PartEnd::page).collect();
        let count = parts().count();
        let several = match count {
            0 => return String::new(),
            1 => "1 pull request".to_owned(),
            count => format!("{count} pull requests"),
        };
        let merged = (merged > 0).then(|| format!("{merged} merged"));
        let open = (!open.is_empty()).then(|| format!("{} open: {}", open.len(), open.join(" ")));
        [Some(several), merged, open].into_iter().flatten().collect::<Vec<_>>().join(", ")
    }

    /// The first of a task's dependencies whose pull request is not merged yet.
    fn unmerged_before(&self, row: &TaskRow) -> Option<&PartEnd> {
        let parts = &self.delivery.parts;
        row.dependencies.iter().find_map(|task| parts.iter().find(|end| end.is_of(task) && end.is_left()))
    }

    /// The first task that is ready, and does not wait for a merge; the one that has a branch goes before all others.
    pub(in crate::run) fn ready_task(&self) -> Option<&TaskRow> {
        let schedule = self.tasks();
        if !self.has_parts_of_tasks() {
            return schedule.next();
        }
        let own = self.delivery.part.as_ref().and_then(|part| part.task.as_ref());
        let first = || schedule.ready().find(|row| self.unmerged_before(row).is_none());
        schedule.ready().find(|row| own == Some(&row.id)).or_else(first)
    }

    /// Which tasks wait for which merges; empty where none does.
    pub(in crate::run) fn waits_for_merges(&self) -> String {
        let waits = |row: &TaskRow| {
            let before = self.unmerged_before(row)?;
            let task = before.part.task.as_ref()?;
            Some(format!("{} waits until the pull request of {task} is merged ({})", row.id, before.page()))
        };
        let clauses: Vec<String> = self.tasks().ready().filter_map(waits).collect();
        if clauses.is_empty() {
            return String::new();
        }
        format!("{}; `windlass resume` goes on then", some_clauses_of(clauses.iter(), NAMED))
    }

    /// Tasks as a branch's file has them, each as far as this run knows it to be: a branch has of the others what was merged.
    pub(in crate::run) fn as_delivered(&self, mut rows: Vec<TaskRow>) -> Vec<TaskRow> {
        if !self.has_parts_of_tasks() {
            return rows;
        }
        let at_work: Vec<&TaskId> =
            self.lanes.values().filter_map(|lane| lane.task.as_ref()).map(|at| &at.id).collect();
        let known = |row: &TaskRow| {
            if at_work.contains(&&row.id) {
                return (row.state == TaskState::Done).then_some(TaskState::InProgress);
            }
            let end = self.delivery.parts.iter().rev().find(|end| end.is_of(&row.id));
            let is_out = self.delivery.part.as_ref().is_some_and(|part| part.task.as_ref() == Some(&row.id));
            match end {
                Some(end) if end.outcome.is_out() => Some(TaskState::Done),
                Some(_) => Some(TaskState::Open),
                None if is_out && self.tasks.done.contains(&row.id) => Some(TaskState::Done),
                None => None,
            }
        };
        for row in &mut rows {
            row.state = known(row).unwrap_or(row.state);
        }
        rows
    }

    pub(super) fn part_begun(
        &mut self,
        number: u32,
        branch: &str,
        task: Option<&TaskId>,
    ) -> Result<(), String> {
        if !self.has_parts() || self.delivery.part.is_some() || self.delivery.stage != Stage::Resting {
            return Err("no part is due".to_owned());
        }
        self.delivery.parts_begun = number;
        let (branch, task) = (branch.to_owned(), task.cloned());
        self.delivery.part = Some(Part { number, branch, task, base: None });
        self.delivery.basis = DeliveryBasis::Shown;
        self.delivery.stage = Stage::Doing(DeliveryTask::Branch);
        Ok(())
    }

    /// Its branch is checked out: what is there now is what the part begins with, and nobody's work.
    pub(super) fn branched(
        &mut self,
        base: &str,
        evidence: &Evidence,
        snapshot: Option<&SnapshotId>,
    ) -> Result<(), String> {
        self.delivery.expect(DeliveryTask::Branch)?;
        let part = self.delivery.part.as_mut().ok_or("no part has begun")?;
        part.base = Some(base.to_owned());
        self.delivery.left = None;
        self.delivery.stage = Stage::Resting;
        self.history.saw(evidence);
        for lane in self.lanes.values_mut() {
            lane.latest = Some(evidence.clone());
            lane.committed = Some(Committed { evidence: evidence.clone(), snapshot: snapshot.cloned() });
            lane.reviews.forget();
        }
        Ok(())
    }

    /// What is over and lets the run go on is put to the others, with what follows for its task.
    pub(super) fn settle_part(&mut self) {
        let Stage::Over { outcome, detail } = self.delivery.stage.clone() else { return };
        // What git or the forge does not do for one task they do for none.
        let goes_on = outcome.is_through() || self.has_parts_of_tasks() && !self.delivery.stalled;
        if !self.has_parts() || !goes_on || self.delivery.basis != DeliveryBasis::Shown {
            return;
        }
        let Some(part) = self.delivery.part.clone().filter(|part| part.base.is_some()) else { return };
        if let Some(task) = &part.task {
            if outcome.is_out() {
                self.task_is_out();
            } else {
                self.park_part(task, &detail);
                self.counters.parked += 1;
            }
        }
        self.close_part(outcome);
    }

    fn task_is_out(&mut self) {
        (self.counters.done, self.counters.parked) = (self.counters.done + 1, 0);
    }

    fn park_part(&mut self, task: &TaskId, detail: &str) {
        let place = self.delivery_place();
        self.tasks.schedule.reopen(task);
        self.tasks.schedule.park(task);
        self.tasks.done.remove(task);
        self.tasks.parked.insert(task.clone(), format!("{place}: {detail}"));
        self.counters.complete = false;
    }

    /// How an iteration left the task that a part is.
    pub(in crate::run) fn part_task_closed(&mut self, end: &TaskEnd) {
        if !self.has_parts_of_tasks() {
            return;
        }
        let is_work = self.delivery.shown.as_ref().is_some_and(|head| self.is_work(head));
        match end {
            TaskEnd::Done if self.held_beside().is_some() => self.park_beside(),
            TaskEnd::Done if !is_work => {
                self.task_is_out();
                self.close_part(DeliveryOutcome::Nothing);
            }
            TaskEnd::Parked { .. } => self.close_part(DeliveryOutcome::NeedsHuman),
            TaskEnd::Done | TaskEnd::Again { .. } => {}
        }
    }

    /// The task is done, and its work is not what its gates judged.
    fn park_beside(&mut self) {
        let task = self.delivery.part.as_ref().and_then(|part| part.task.clone());
        if let Some((task, why)) = task.zip(self.held_beside()) {
            self.park_part(&task, &why);
            self.counters.parked += 1;
        }
        self.close_part(DeliveryOutcome::NeedsHuman);
    }

    /// A part whose task nobody is to work on any longer, and nobody has, is over: what comes next has a branch of its own.
    pub(in crate::run) fn forsake_part(&mut self) {
        let at_work = self.lanes.values().any(|lane| lane.task.is_some());
        // A branch that is being made is seen through first.
        if at_work || self.delivery.stage != Stage::Resting {
            return;
        }
        let Some(task) = self.delivery.part.as_ref().and_then(|part| part.task.as_ref()) else { return };
        let is_work = self.delivery.shown.as_ref().is_some_and(|head| self.is_work(head));
        match self.tasks().standing(task) {
            Some(TaskProgress::Open | TaskProgress::Active) => {}
            Some(TaskProgress::Done) if is_work => {}
            Some(TaskProgress::Done) => self.close_part(DeliveryOutcome::Nothing),
            Some(TaskProgress::Parked) | None => self.close_part(DeliveryOutcome::NeedsHuman),
        }
    }

    fn close_part(&mut self, outcome: DeliveryOutcome) {
        let Delivery { parts, parts_begun, part, pull_request, look_again, .. } =
            std::mem::take(&mut self.delivery);
        self.delivery = Delivery { parts_begun, parts, ..Delivery::default() };
        let Some(part) = part else { return };
        if pull_request.is_none() {
            self.delivery.left = part.base.clone().map(|base| (part.branch.clone(), base));
        }
        self.delivery.parts.push(PartEnd { part, pull_request, outcome });
        let ends = self.delivery.parts.iter().zip(0..);
        // What a resumed run could not look at before this part was over is looked at now.
        let again = ends
            .filter(|(end, index)| look_again.contains(index) || end.is_left() && self.is_waited_for(end));
        self.delivery.look_again = again.map(|(_, index)| index).collect();
        self.delivery.rest();
    }

    fn is_waited_for(&self, end: &PartEnd) -> bool {
        let Some(task) = &end.part.task else { return false };
        let is_open = |row: &&TaskRow| self.tasks().standing(&row.id) == Some(TaskProgress::Open);
        self.tasks().rows().iter().filter(is_open).any(|row| row.dependencies.contains(task))
    }

    /// The task of the part goes back to its agent.
    pub(super) fn reopen_part_task(&mut self) {
        let task = self.delivery.part.as_ref().and_then(|part| part.task.clone());
        let Some((task, lane)) = task.zip(self.lanes.values_mut().next()) else { return };
        self.tasks.schedule.reopen(&task);
        self.tasks.schedule.begin(&task);
        self.tasks.done.remove(&task);
        lane.task = Some(AtWork { id: task, began: lane.latest.clone(), ..AtWork::default() });
    }

    /// The earlier part that is looked at again.
    pub(super) fn part_to_see(&self) -> Option<&PartEnd> {
        self.delivery.look_again.first().and_then(|index| self.delivery.parts.get(*index))
    }

    pub(super) fn part_seen_now(&self, state: PullRequestState) -> Option<DeliveryStep> {
        Some(DeliveryStep::PartSeen { part: self.part_to_see()?.part.number, state })
    }

    /// What a person did meanwhile counts; what is open stays what it was.
    pub(super) fn part_seen(&mut self, number: u32, state: PullRequestState) -> Result<(), String> {
        self.delivery.expect(DeliveryTask::LookAgain)?;
        let due = self.part_to_see().cloned().filter(|end| end.part.number == number);
        let end = due.ok_or("another part was looked at")?;
        let index = self.delivery.look_again.remove(0);
        let task = end.part.task.clone();
        match state {
            PullRequestState::Merged => {
                self.set_part(index, DeliveryOutcome::MergedByPerson);
                if let Some(task) = task.filter(|_| !end.is_left()) {
                    self.tasks.parked.remove(&task);
                    self.tasks.schedule.reopen(&task);
                    self.tasks.schedule.finish(&task);
                    self.tasks.done.insert(task);
                    self.task_is_out();
                }
                self.counters.complete |= self.all_is_done();
            }
            PullRequestState::Closed if end.is_left() => {
                self.set_part(index, DeliveryOutcome::ClosedByPerson);
                if let Some(task) = task {
                    self.park_part(&task, "");
                    let why = format!("pull request {}: a person closed it; the branch is kept", end.page());
                    self.tasks.parked.insert(task, why);
                }
            }
            _ => {}
        }
        self.delivery.rest();
        Ok(())
    }

    fn set_part(&mut self, index: usize, outcome: DeliveryOutcome) {
        if let Some(end) = self.delivery.parts.get_mut(index) {
            end.outcome = outcome;
        }
    }

    /// A person may have merged or closed what was left to them.
    pub(super) fn look_at_parts_again(&mut self) {
        if !self.has_parts_of_tasks() {
            return;
        }
        let ends = self.delivery.parts.iter().zip(0..);
        let open = ends.filter(|(end, _)| !end.outcome.is_merged() && end.pull_request.is_some());
        self.delivery.look_again = open.map(|(_, index)| index).collect();
        if self.delivery.stage == Stage::Resting {
            self.delivery.rest();
        }
    }
}

impl Delivery {
    /// Nothing is to be done, but for what is to be looked at again.
    fn rest(&mut self) {
        self.stage =
            if self.look_again.is_empty() { Stage::Resting } else { Stage::Doing(DeliveryTask::LookAgain) };
    }
}
