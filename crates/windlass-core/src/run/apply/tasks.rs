//! The facts of tasks, and of lanes on their way to the branch.

use std::time::Duration;

use super::Applied;
use crate::run::lane::{AttemptOutcome, Checking, InGit, Judged, LaneState, Turn};
use crate::run::tasks::AtWork;
use crate::run::{Committed, Run};
use crate::tasks::TaskProgress;
use crate::values::{
    CheckStage, Evidence, LandOutcome, LaneId, MergeOutcome, Now, SnapshotId, TaskEnd, TaskId, TaskRow,
};

impl Run {
    pub(super) fn tasks_read(&mut self, tasks: &[TaskRow]) -> Applied {
        if !self.is_of_tasks() {
            return Err("this job has no tasks".to_owned());
        }
        let at_work: Vec<TaskId> =
            self.lanes.values().filter_map(|lane| Some(lane.task.as_ref()?.id.clone())).collect();
        self.tasks.read(tasks.to_vec(), &at_work, self.trusts_file());
        // Somebody else has done it meanwhile, or taken it away.
        let schedule = &self.tasks.schedule;
        for lane in self.lanes.values_mut().filter(|lane| matches!(lane.state, LaneState::Idle { .. })) {
            lane.task = lane.task.take().filter(|at| schedule.standing(&at.id) == Some(TaskProgress::Active));
        }
        self.forsake_part();
        Ok(())
    }

    /// A lane takes up a task, or goes on with its own.
    pub(super) fn task_begun(&mut self, lane: LaneId, task: Option<&TaskId>) -> Applied {
        if task != self.next_task(lane).filter(|_| self.is_of_tasks()) {
            return Err("this is not the task whose turn it is".to_owned());
        }
        let opens = self.has_lanes();
        if task.is_some() && self.lanes.get(&lane).is_some_and(|held| held.task.is_none()) {
            self.forget_rows(lane);
        }
        let Some((task, held)) = task.zip(self.lanes.get_mut(&lane)) else { return Ok(()) };
        if held.task.is_none() {
            self.tasks.schedule.begin(task);
            // Of a checkout of its own it is known once that is open.
            let began = held.latest.clone().filter(|_| !opens);
            held.refused.clear();
            held.task = Some(AtWork { id: task.clone(), began, ..AtWork::default() });
        }
        Ok(())
    }

    pub(super) fn lane_opened(
        &mut self,
        lane: LaneId,
        base: &str,
        evidence: &Evidence,
        snapshot: Option<&SnapshotId>,
    ) -> Applied {
        let turn = self.take_state(lane, "opening", LaneState::try_as_opening)?;
        self.history.saw(evidence);
        if let Some(held) = self.lanes.get_mut(&lane) {
            held.latest = Some(evidence.clone());
            held.stands_on(base);
            if let Some(at) = &mut held.task {
                at.unfilled = 0;
            }
            let first = held.task.as_mut().filter(|at| at.began.is_none());
            if let Some(at) = first {
                at.began = Some(evidence.clone());
                held.reviews.forget();
                held.committed = Some(Committed { evidence: evidence.clone(), snapshot: snapshot.cloned() });
            }
        }
        self.set_state(lane, LaneState::Preparing(turn));
        Ok(())
    }

    pub(super) fn merged(
        &mut self,
        lane: LaneId,
        tip: &str,
        merged: &MergeOutcome,
        evidence: &Evidence,
    ) -> Applied {
        let (turn, mut outcome, judged) = self.take_state(lane, "queued", LaneState::try_as_queued)?;
        self.history.saw(evidence);
        self.remember(lane, evidence);
        if let Some(held) = self.lanes.get_mut(&lane) {
            held.stands_on(tip);
        }
        let state = match merged {
            MergeOutcome::Clean { commit, retest } => {
                outcome.in_git.commit.clone_from(commit);
                outcome.in_git.tip = Some(tip.to_owned());
                if *retest || !self.is_green(lane, &outcome, &judged.outcomes) {
                    let first_pass = judged.first_pass;
                    let checking = Checking { stage: CheckStage::Merged, done: Vec::new(), first_pass };
                    self.next_after_checks(lane, turn, outcome, checking)
                } else {
                    LaneState::Landing(turn, outcome, judged)
                }
            }
            MergeOutcome::Conflict { paths } => self.ask_to_merge(lane, turn, outcome, judged, paths),
        };
        self.set_state(lane, state);
        Ok(())
    }

    /// What its agent cannot put together, a person has to.
    pub(super) fn ask_to_merge(
        &mut self,
        lane: LaneId,
        turn: Turn,
        mut outcome: AttemptOutcome,
        judged: Judged,
        conflicts: &[String],
    ) -> LaneState {
        let Some(follow_up) = self.follow_up_on_merge(lane, &turn, conflicts) else {
            let what = if conflicts.is_empty() {
                "fails its checks".to_owned()
            } else {
                format!("conflicts in {}", conflicts.join(", "))
            };
            outcome.in_git.dead_end = Some(format!("merged with the branch it {what}"));
            return LaneState::Judging(turn, outcome, judged);
        };
        if let Some(held) = self.lanes.get_mut(&lane) {
            held.refused = judged.outcomes;
            // What comes now is looked over for itself: the work before it was.
            held.reviews.forget();
            if let Some(at) = &mut held.task {
                at.merges += 1;
                at.work = at.work.take().or(outcome.in_git.commit);
                conflicts.clone_into(&mut at.conflicts);
            }
        }
        LaneState::Preparing(turn.follow_up(follow_up.purpose))
    }

    pub(super) fn landed(&mut self, lane: LaneId, landed: &LandOutcome) -> Applied {
        let (turn, mut outcome, judged) = self.take_state(lane, "landing", LaneState::try_as_landing)?;
        let state = match landed {
            LandOutcome::Landed { commit } => {
                if let Some(at) = self.lanes.get_mut(&lane).and_then(|held| held.task.as_mut()) {
                    at.landed = Some(commit.clone());
                }
                outcome.in_git = InGit { commit: Some(commit.clone()), landed: true, ..outcome.in_git };
                LaneState::Judging(turn, outcome, judged)
            }
            LandOutcome::Moved | LandOutcome::Held => {
                outcome.in_git.held = *landed == LandOutcome::Held;
                LaneState::Queued(turn, outcome, judged)
            }
            LandOutcome::Refused { why } => {
                outcome.in_git.dead_end = Some(why.clone());
                LaneState::Judging(turn, outcome, judged)
            }
        };
        self.set_state(lane, state);
        Ok(())
    }

    pub(super) fn task_closed(
        &mut self,
        now: Now,
        lane: LaneId,
        task: &TaskId,
        end: &TaskEnd,
        evidence: &Evidence,
        snapshot: Option<&SnapshotId>,
    ) -> Applied {
        // What is parked, and why, an earlier Windlass may have decided otherwise: what it wrote down has happened.
        let is_due = |due: &TaskEnd| (*due == TaskEnd::Done) == (*end == TaskEnd::Done);
        self.take_state(lane, "closing", |state| {
            state.try_as_closing().filter(|(turn, due)| turn.task.as_ref() == Some(task) && is_due(due))
        })?;
        match end {
            TaskEnd::Done => {
                self.tasks.schedule.finish(task);
                self.tasks.done.insert(task.clone());
                self.tasks.shown.insert(task.clone());
                self.tasks.failed.remove(task);
            }
            TaskEnd::Again { .. } => {}
            TaskEnd::Parked { reason } => {
                self.tasks.schedule.park(task);
                self.tasks.parked.insert(task.clone(), reason.clone());
            }
        }
        self.owe(lane, task, end);
        self.count_end(lane, task, end);
        self.history.saw(evidence);
        self.remember(lane, evidence);
        let delay = self.spec.as_ref().map_or(Duration::ZERO, |spec| spec.clocks.delay);
        if let Some(held) = self.lanes.get_mut(&lane) {
            if !matches!(end, TaskEnd::Again { .. }) {
                held.reviews.forget();
                held.task = None;
            }
            if let Some(snapshot) = snapshot {
                held.committed =
                    Some(Committed { evidence: evidence.clone(), snapshot: Some(snapshot.clone()) });
            }
        }
        self.counters.complete |= self.all_is_done();
        self.part_task_closed(end);
        self.forsake_part();
        self.set_state(lane, LaneState::Idle { not_before: now.monotonic.saturating_add(delay) });
        Ok(())
    }
}
