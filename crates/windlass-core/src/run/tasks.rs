//! Tasks: which is worked on where, how often each failed, what each iteration means for its own.

use std::collections::{BTreeMap, BTreeSet};

use crate::fact::Fact;
use crate::run::lane::{AttemptOutcome, Judged, LaneState, Turn};
use crate::run::{CommitKind, Effect, Lane, REVIEW_STALEMATE, Run, TurnKey};
use crate::spec::CommitPolicy;
use crate::tasks::{Counts, Schedule, TaskProgress};
use crate::values::{
    CheckKind, CheckOutcome, Evidence, JobStatus, LaneId, Purpose, Reviewed, StopSource, TaskEnd, TaskId,
    TaskRow, TaskState, Verdict,
};

/// Why a claim is refused where nothing else is known of it.
const CHECKS_FAILED: &str = "its checks did not pass";

/// Why a task is parked that a person asked for.
const LEFT: &str = "a person parked it";

/// What a run knows of its tasks.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Tasks {
    pub schedule: Schedule,
    /// How often each has failed since it was begun or reopened.
    pub failed: BTreeMap<TaskId, u32>,
    /// Those that this run has seen done, by itself or by somebody whom it believes; also where the file has lost them since.
    pub done: BTreeSet<TaskId>,
    /// Those that this run has finished itself: what shows them has held once, and is to hold at its end.
    pub shown: BTreeSet<TaskId>,
    /// Why each parked one was.
    pub parked: BTreeMap<TaskId, String>,
    /// Those that a person wants left.
    pub left: BTreeSet<TaskId>,
    /// Where their file may hold open work that no task is, and what it is.
    pub hidden: Option<String>,
    /// What those protect that protect something, as this run read it first.
    pub protected: BTreeMap<TaskId, Vec<String>>,
}

/// A task that a lane is at.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct AtWork {
    pub id: TaskId,
    /// What was there when the lane took it up; `None` before the lane was opened.
    pub began: Option<Evidence>,
    /// In a lane of its own: the branch's commit that what the lane holds is counted from.
    pub base: Option<String>,
    /// The attempts that agents have made at it since something of it was last committed.
    pub attempts: Vec<TurnKey>,
    /// How often the agent was asked to put it together with what the branch had got meanwhile.
    pub merges: u32,
    /// The commit of its work as it was before the agent was asked to for the first time.
    pub work: Option<String>,
    /// In a lane of its own: the commit on the branch that it landed as.
    pub landed: Option<String>,
    /// How often in this session its checkout was gone.
    pub lost: u32,
    /// How often in a row its checkout could not be filled.
    pub unfilled: u32,
    /// Paths in which both sides changed the same; empty where only the checks of the merged tree failed.
    pub conflicts: Vec<String>,
}

impl Run {
    /// What the run knows of its tasks; empty in other modes.
    pub fn tasks(&self) -> &Schedule {
        &self.tasks.schedule
    }

    /// The same with what is decided and only has to be written down: what has landed is done.
    pub fn tasks_as_decided(&self) -> Schedule {
        let mut schedule = self.tasks.schedule.clone();
        for lane in self.lanes.values() {
            match &lane.state {
                LaneState::Closing(Turn { task: Some(task), .. }, TaskEnd::Done) => {
                    schedule.finish(task);
                }
                LaneState::Closing(Turn { task: Some(task), .. }, TaskEnd::Parked { .. }) => {
                    schedule.park(task);
                }
                LaneState::Judging(Turn { task: Some(task), .. }, outcome, _) if outcome.in_git.landed => {
                    schedule.finish(task);
                }
                _ => {}
            }
        }
        schedule
    }

    /// Indices of the criteria that a claim of a lane stands or falls with: those of its task, and with the last task of the
    /// job those of all that this run has finished. What came after them may have broken what they show.
    pub(super) fn criteria_to_hold(&self, lane: LaneId) -> Vec<u16> {
        let own = self.criteria(lane).collect();
        if self.checks(CheckKind::Criterion).next().is_none() {
            return own;
        }
        let at = self.lanes.get(&lane).and_then(|lane| lane.task.as_ref()).map(|at| &at.id);
        let decided = self.tasks_as_decided();
        let standing = |row: &TaskRow| decided.standing(&row.id);
        let others = || decided.rows().iter().filter(|row| Some(&row.id) != at);
        if others().any(|row| standing(row) == Some(TaskProgress::Open)) {
            return own;
        }
        let was_read_as_done =
            |row: &TaskRow| self.tasks.done.contains(&row.id) && !self.tasks.shown.contains(&row.id);
        let shown =
            others().filter(|row| standing(row) == Some(TaskProgress::Done) && !was_read_as_done(row));
        let lasts = |index: &u16| {
            let of = self.check(*index).and_then(|check| check.criterion.as_ref());
            of.is_some_and(|of| of.to_the_end)
        };
        own.into_iter().chain(shown.flat_map(|row| self.criteria_of(&row.id)).filter(lasts)).collect()
    }

    /// Tasks as they were read, with what each protects as this run read it first: since then agents have had the file in
    /// their hands. Of a task that is new to the run, what it lets through does not count.
    pub(super) fn as_first_protected(&self, mut rows: Vec<TaskRow>) -> Vec<TaskRow> {
        if self.tasks.schedule.rows().is_empty() {
            return rows;
        }
        for row in &mut rows {
            if let Some(first) = self.tasks.protected.get(&row.id) {
                row.protected.clone_from(first);
            } else if self.tasks.schedule.row(&row.id).is_some() {
                row.protected.clear();
            } else {
                row.protected.retain(|pattern| !pattern.starts_with('!'));
            }
        }
        rows
    }

    /// Tasks as they were read, as far as what they say is believed: whoever follows the run counts by these as well.
    pub(super) fn as_believed(&self, rows: Vec<TaskRow>) -> Vec<TaskRow> {
        if self.trusts_file() { rows } else { self.tasks.as_known(rows) }
    }

    /// In the user's own directory an agent had the file in its hands when the runner died: done is a claim there.
    pub(super) fn trusts_file(&self) -> bool {
        let idle = |lane: &Lane| matches!(lane.state, LaneState::Idle { .. });
        self.has_lanes() || self.lanes.values().all(idle)
    }

    /// How often a task has failed.
    pub fn task_failures(&self, task: &TaskId) -> u32 {
        self.tasks.failed.get(task).copied().unwrap_or(0)
    }

    /// The task that a lane is at.
    pub fn task_in(&self, lane: LaneId) -> Option<&TaskRow> {
        let at = self.lanes.get(&lane)?.task.as_ref()?;
        self.tasks.schedule.row(&at.id)
    }

    /// What refused the latest work of a lane.
    pub fn refused_in(&self, lane: LaneId) -> &[CheckOutcome] {
        self.lanes.get(&lane).map_or(&[], |lane| &lane.refused)
    }

    /// The commit of a lane's work that its agent has to put together with the branch.
    pub fn work_in(&self, lane: LaneId) -> Option<&str> {
        self.lanes.get(&lane)?.task.as_ref()?.work.as_deref()
    }

    /// The paths that the agent of a lane has to put together.
    pub fn conflicts_in(&self, lane: LaneId) -> &[String] {
        self.lanes.get(&lane).and_then(|lane| lane.task.as_ref()).map_or(&[], |at| &at.conflicts)
    }

    /// Has the lane just taken up its task, so that its checkout begins at the tip of the branch?
    pub fn task_is_fresh(&self, lane: LaneId) -> bool {
        self.lanes.get(&lane).and_then(|lane| lane.task.as_ref()).is_some_and(|at| at.began.is_none())
    }

    pub(super) fn is_of_tasks(&self) -> bool {
        self.spec.as_ref().is_some_and(|spec| spec.job.mode.has_tasks())
    }

    /// The task that the next iteration of a lane works on: its own, or the first that is ready.
    pub(super) fn next_task(&self, lane: LaneId) -> Option<&TaskId> {
        let own = self.lanes.get(&lane)?.task.as_ref().map(|at| &at.id);
        own.or_else(|| self.ready_task().map(|row| &row.id))
    }

    /// What the work of this lane is to be called when the runner commits it.
    pub(super) fn commit_kind(&self, lane: LaneId, outcome: &AttemptOutcome, judged: &Judged) -> CommitKind {
        let holds = self.commits(lane, outcome, judged);
        match (self.is_of_tasks(), holds) {
            (true, false) => CommitKind::Attempted,
            (true, true) if !outcome.claimed => CommitKind::Progress,
            _ => CommitKind::Complete,
        }
    }

    /// Is what an attempt has left committed although it does not hold?
    pub(super) fn keeps_attempt(&self, lane: LaneId, turn: &Turn, outcome: &AttemptOutcome) -> bool {
        let spec =
            self.spec.as_ref().filter(|spec| spec.commit == CommitPolicy::Runner && spec.lanes.is_none());
        let wanted =
            spec.and_then(|spec| spec.job.tasks.as_ref()).is_some_and(|tasks| tasks.commits_attempts);
        wanted
            && self.is_of_tasks()
            && matches!(turn.purpose, Purpose::Work | Purpose::Review)
            && self.differs_from_commit(lane, outcome)
            && self.task_changed(lane, outcome)
    }

    /// Did the lane's task change anything since it was taken up?
    pub(super) fn task_changed(&self, lane: LaneId, outcome: &AttemptOutcome) -> bool {
        let began = self.lanes.get(&lane).and_then(|lane| lane.task.as_ref()?.began.as_ref());
        let kept = outcome.kept.as_ref().map(|kept| &kept.evidence);
        kept.is_some() && began != kept
    }

    /// What a verdict means for its task.
    pub(super) fn task_end(
        &self,
        lane: LaneId,
        turn: &Turn,
        task: &TaskId,
        outcome: &AttemptOutcome,
        verdict: Verdict,
        progress: bool,
    ) -> TaskEnd {
        if verdict == Verdict::ClaimAccepted {
            return TaskEnd::Done;
        }
        let left = self.tasks.left.contains(task).then(|| LEFT.to_owned());
        let lost = || self.lost_issue(task).map(|why| format!("it {why}"));
        let held = || {
            let found = self.held_for_review(lane).filter(|_| verdict == Verdict::ClaimRefused)?;
            Some(format!("held for review: {found}"))
        };
        let rejected = || {
            let found = self.rejected_in_a_row(lane)?;
            Some(format!("a reviewer rejected it {REVIEW_STALEMATE} times for the same: {found}"))
        };
        let dead_end = || outcome.in_git.dead_end.clone();
        if let Some(reason) = left.or_else(lost).or_else(dead_end).or_else(held).or_else(rejected) {
            return TaskEnd::Parked { reason };
        }
        if !self.counts_against(lane, verdict, outcome, progress) {
            return TaskEnd::Again { why: String::new() };
        }
        let why = self.what_failed(lane, outcome, verdict);
        if turn.purpose.keeps_claim() {
            return TaskEnd::Parked {
                reason: format!("it could not be put together with the branch: {why}"),
            };
        }
        let failed = self.task_failures(task) + 1;
        let most =
            self.spec.as_ref().and_then(|spec| spec.job.tasks.as_ref()).map_or(2, |tasks| tasks.attempts);
        if failed < most.max(1) {
            return TaskEnd::Again { why };
        }
        let times = if failed == 1 { "once".to_owned() } else { format!("{failed} times") };
        TaskEnd::Parked { reason: format!("failed {times}: {why}") }
    }

    /// That a task is to be left, where the run has it and may still come to it.
    pub(super) fn park_requested(&self, by: StopSource, task: TaskId) -> Option<Fact> {
        let standing = self.tasks.schedule.standing(&task)?;
        let is_open = matches!(standing, TaskProgress::Open | TaskProgress::Active);
        (is_open && !self.tasks.left.contains(&task)).then_some(Fact::ParkRequested { by, task })
    }

    /// What the latest failure of a lane's task was, in a few words.
    fn what_failed(&self, lane: LaneId, outcome: &AttemptOutcome, verdict: Verdict) -> String {
        match outcome.reviewed {
            Some(Reviewed::Rejected) if verdict == Verdict::ClaimRefused => {
                let found = self.rejected_for(lane).unwrap_or_default();
                format!("a reviewer rejected it: {found}")
            }
            _ => what_failed(outcome, verdict, &self.refusal(lane, outcome)),
        }
    }

    /// Why a claim of a lane's was just refused: by git, by checks, by the guard; of these all that hold.
    fn refusal(&self, lane: LaneId, outcome: &AttemptOutcome) -> String {
        if let Some(refused) = &outcome.in_git.refused {
            return refused.clone();
        }
        let red = self.refused.outcomes.iter().any(|check| !check.passed());
        let checks = red.then(|| CHECKS_FAILED.to_owned());
        let said: Vec<String> = checks.into_iter().chain(self.all_held(lane)).collect();
        if said.is_empty() { CHECKS_FAILED.to_owned() } else { said.join("; ") }
    }

    /// Does it count against its task? What the API, a reviewer or git fails at is nothing that the task did.
    pub(super) fn counts_against(
        &self,
        lane: LaneId,
        verdict: Verdict,
        outcome: &AttemptOutcome,
        progress: bool,
    ) -> bool {
        match verdict {
            _ if outcome.summary.class.is_of_api() => false,
            Verdict::ClaimRefused if outcome.reviewed == Some(Reviewed::Unusable) => false,
            Verdict::ClaimRefused if self.is_refused_by_git(lane, outcome) => false,
            Verdict::Failed | Verdict::ClaimRefused | Verdict::ClaimUnsupported => true,
            Verdict::Idle => !progress,
            Verdict::Worked | Verdict::ClaimAccepted => false,
        }
    }

    /// Is every task done, and nothing in their file that might be one and is none as it is written?
    pub(super) fn all_is_done(&self) -> bool {
        self.tasks_done() && self.hidden_work().is_none()
    }

    /// What a person has to say of the file before all is done.
    pub(super) fn hidden_work(&self) -> Option<&str> {
        self.tasks.hidden.as_deref()
    }

    /// Takes in what was read of the file itself. What an agent has in a lane of its own is a copy that does not land.
    pub(super) fn note_hidden_work(&mut self, standing: &JobStatus) {
        if self.is_of_tasks() {
            self.tasks.hidden = standing.blockers.first().cloned();
        }
    }

    /// Is every task done?
    pub(super) fn tasks_done(&self) -> bool {
        let Counts { done, total, .. } = self.tasks.schedule.counts();
        total > 0 && done == total
    }

    pub(super) fn close_task(&self, lane: LaneId, turn: &Turn, end: &TaskEnd) -> Option<Effect> {
        let since =
            self.lanes.get(&lane)?.committed.as_ref().and_then(|committed| committed.snapshot.clone());
        let attempts = self.lanes.get(&lane)?.task.as_ref().map_or_else(Vec::new, |at| at.attempts.clone());
        let (turn, task, end) = (turn.key(), turn.task.clone()?, end.clone());
        Some(Effect::CloseTask { lane, turn, task, end, since, attempts })
    }
}

impl Tasks {
    /// Does the file say anything else than what is known: does a row read differently, or was one opened again that is done?
    pub fn differ_from(&self, rows: &[TaskRow]) -> bool {
        let is_done_here = |row: &TaskRow| self.schedule.standing(&row.id) == Some(TaskProgress::Done);
        rows != self.schedule.rows()
            || rows.iter().any(|row| row.state != TaskState::Done && is_done_here(row))
    }

    /// Tasks as they were read, without what their file alone calls done.
    fn as_known(&self, mut rows: Vec<TaskRow>) -> Vec<TaskRow> {
        let is_claim = |row: &&mut TaskRow| !row.vouched && row.state == TaskState::Done;
        for row in rows.iter_mut().filter(is_claim) {
            if !self.done.contains(&row.id) {
                row.state = self.schedule.row(&row.id).map_or(TaskState::Open, |known| known.state);
            }
        }
        rows
    }

    /// The tasks of a new session. What this run has parked stays parked while the file still has it open.
    /// Where the file is not `trusted`, what it calls done, and neither the run nor a person does, stays as the run knows it; what the run does
    /// not know at all is to be done, then: an agent may have taken it out before.
    pub fn read(&mut self, rows: Vec<TaskRow>, at_work: &[TaskId], trusted: bool) {
        let rows = if trusted { rows } else { self.as_known(rows) };
        for row in &rows {
            match row.state {
                TaskState::Done => self.done.insert(row.id.clone()),
                _ => self.done.remove(&row.id) | self.shown.remove(&row.id),
            };
        }
        for row in rows.iter().filter(|row| !row.protected.is_empty()) {
            self.protected.entry(row.id.clone()).or_insert_with(|| row.protected.clone());
        }
        self.schedule = Schedule::new(rows);
        let schedule = &mut self.schedule;
        self.parked.retain(|id, _| schedule.standing(id) == Some(TaskProgress::Open) && schedule.park(id));
        self.failed.retain(|id, _| schedule.row(id).is_some());
        for id in at_work {
            schedule.begin(id);
        }
        for id in &self.left {
            if schedule.standing(id) == Some(TaskProgress::Open) && schedule.park(id) {
                self.parked.insert(id.clone(), LEFT.to_owned());
            }
        }
    }

    /// A person wants a task left: at once where nobody works on it, else after the attempt that is under way.
    pub fn leave(&mut self, task: &TaskId) -> Result<(), String> {
        if self.schedule.row(task).is_none() {
            return Err("this run does not have that task".to_owned());
        }
        self.left.insert(task.clone());
        if self.schedule.standing(task) == Some(TaskProgress::Open) && self.schedule.park(task) {
            self.parked.insert(task.clone(), LEFT.to_owned());
        }
        Ok(())
    }
}

/// What the latest of its failures was, in a few words.
fn what_failed(outcome: &AttemptOutcome, verdict: Verdict, refusal: &str) -> String {
    let said = match verdict {
        Verdict::ClaimRefused => refusal,
        Verdict::ClaimUnsupported => "it was called done, and nothing had changed",
        Verdict::Failed if !outcome.summary.detail.is_empty() => &outcome.summary.detail,
        Verdict::Failed => "the agent failed",
        _ => "the agent changed nothing",
    };
    said.lines().next().unwrap_or_default().to_owned()
}
