//! The facts of issues, folded into the state.

use jiff::Timestamp;

use super::{Issues, Leased, Owed};
use crate::report::{IssueMove, IssueStep, IssueTask};
use crate::run::lane::LaneState;
use crate::run::{Lane, Run};
use crate::values::{LaneId, Now, TaskEnd, TaskId};

impl Run {
    /// Folds a step into the state.
    pub(in crate::run) fn issue_step(&mut self, now: Now, step: &IssueStep) -> Result<(), String> {
        self.issues_spec().ok_or("the tasks of this run are no issues")?;
        if !matches!(step, IssueStep::Stalled { .. } | IssueStep::Due) {
            self.issues.silent = None;
        }
        match step {
            IssueStep::Wanted { task } => {
                self.tasks.schedule.row(task).ok_or("there is no such task")?;
                self.issues.asking = Some(task.clone());
            }
            IssueStep::Leased { task, until, renew } => {
                self.issues.asked(task)?;
                self.issues.leases.insert(task.clone(), Leased { until: *until, renew: *renew });
            }
            IssueStep::Taken { task, by, .. } => {
                self.issues.asked(task)?;
                self.issue_is_lost(task, &format!("is worked on by another run, {by}"));
            }
            IssueStep::Closed { task } => {
                self.issues.asked(task)?;
                self.issue_is_closed(task);
            }
            IssueStep::Ending => {
                let has_pull_request = self.pull_request().is_some();
                self.issues.end(has_pull_request);
            }
            IssueStep::Told { task, what } => {
                let told = self.issues.told(task, *what)?;
                self.issues.done.extend(Some(told).filter(|told| told.what == IssueTask::TellDone));
            }
            IssueStep::Stalled { task, what, why, next } => {
                self.issue_stalled(now, task, *what, why, *next)?;
            }
            IssueStep::Due => {
                self.issues.waits.take().ok_or("nothing was waited for")?;
            }
        }
        self.forsake_part();
        Ok(())
    }

    /// A task was closed in this run: what became of it has to be told.
    pub(in crate::run) fn owe(&mut self, lane: LaneId, task: &TaskId, end: &TaskEnd) {
        if self.issues_spec().is_none() {
            return;
        }
        let (what, detail) = match end {
            TaskEnd::Again { .. } => return,
            TaskEnd::Done => (IssueTask::TellDone, self.commit_of(lane)),
            // It is not this run's to say anything of.
            TaskEnd::Parked { .. } if self.issues.lost.contains_key(task) => {
                (IssueTask::GiveBack, String::new())
            }
            TaskEnd::Parked { reason } => (IssueTask::TellParked, reason.clone()),
        };
        self.issues.lost.remove(task);
        self.issues.leases.remove(task);
        self.issues.owed.push(Owed { task: task.clone(), what, detail });
    }

    /// The runner's commit that the lane's work is in; empty where it does not commit.
    fn commit_of(&self, lane: LaneId) -> String {
        let Some(lane) = self.lanes.get(&lane) else { return String::new() };
        if self.has_lanes() {
            return lane.task.as_ref().and_then(|at| at.landed.clone()).unwrap_or_default();
        }
        let head = lane.committed.as_ref().and_then(|committed| committed.evidence.head.clone());
        let is_new =
            |head: &String| self.first_evidence().and_then(|first| first.head.as_ref()) != Some(head);
        head.filter(is_new).unwrap_or_default()
    }

    /// Is a lane at it?
    fn is_at_work(&self, task: &TaskId) -> bool {
        self.lanes.values().any(|lane| lane.task.as_ref().is_some_and(|at| at.id == *task))
    }

    fn issue_is_lost(&mut self, task: &TaskId, why: &str) {
        self.issues.leases.remove(task);
        let kept = self.leave_at_rest(task);
        if self.is_at_work(task) {
            self.issues.lost.insert(task.clone(), why.to_owned());
        } else {
            self.tasks.schedule.park(task);
            self.tasks.parked.insert(task.clone(), format!("it {why}{kept}"));
        }
    }

    /// Between two iterations a lane with a checkout of its own lets a task go: nobody else's files have anything of it. Says how
    /// its work is brought back.
    fn leave_at_rest(&mut self, task: &TaskId) -> String {
        let is_its = |lane: &&mut Lane| {
            let rests = matches!(lane.state, LaneState::Idle { .. } | LaneState::Cleared);
            rests && lane.task.as_ref().is_some_and(|at| at.id == *task)
        };
        let Some(run) = self.spec.as_ref().filter(|spec| spec.lanes.is_some()).map(|spec| &spec.run) else {
            return String::new();
        };
        let Some(lane) = self.lanes.values_mut().find(is_its) else { return String::new() };
        let left = lane.task.take().and_then(|at| at.attempts.last().map(|turn| turn.iteration));
        left.map_or_else(String::new, |iteration| {
            format!("; `windlass restore {run} {iteration}` brings back what was done")
        })
    }

    fn issue_is_closed(&mut self, task: &TaskId) {
        if self.is_at_work(task) {
            self.issue_is_lost(task, "was closed by somebody");
            return;
        }
        self.issues.leases.remove(task);
        self.tasks.schedule.finish(task);
        self.tasks.done.insert(task.clone());
        self.counters.complete |= self.all_is_done();
    }

    fn issue_stalled(
        &mut self,
        now: Now,
        task: &TaskId,
        what: IssueTask,
        why: &str,
        next: IssueMove,
    ) -> Result<(), String> {
        if !self.is_expected(task, what) {
            return Err(format!("{what:?} of {task} was not asked for"));
        }
        match next {
            IssueMove::Again(again) => {
                let (since, times) = self.issues.silent.unwrap_or((now.wall, 0));
                self.issues.silent = Some((since, times + 1));
                self.issues.waits = Some(again);
            }
            IssueMove::GivenUp => self.issues.given_up = Some(why.to_owned()),
            IssueMove::LeftOut if what == IssueTask::Lease => {
                self.issues.asked(task)?;
                self.issue_is_lost(task, &format!("cannot be leased: {why}"));
            }
            IssueMove::LeftOut => drop(self.issues.told(task, what)?),
        }
        Ok(())
    }

    /// A new session: what was to be done is done again, and whoever lost an issue has seen what was left of it.
    pub(in crate::run) fn issues_resumed(&mut self) {
        let issues = &mut self.issues;
        (issues.waits, issues.silent, issues.given_up, issues.ending) = (None, None, None, false);
        // It is asked for again where it comes next again.
        issues.asking = None;
        // Nobody knows what happened there meanwhile: whatever is held is asked for again before an agent is called.
        for lease in issues.leases.values_mut() {
            *lease = Leased { until: Timestamp::MIN, renew: Timestamp::MIN };
        }
        for (task, why) in std::mem::take(&mut self.issues.lost) {
            let is_its = |lane: &&mut Lane| lane.task.as_ref().is_some_and(|at| at.id == task);
            let Some(lane) = self.lanes.values_mut().find(is_its) else { continue };
            // An agent of it was at work when the runner died: it is asked for again before anything else is called.
            if lane.state.is_resting() {
                lane.task = None;
                lane.state = LaneState::default();
                self.tasks.schedule.park(&task);
                self.tasks.parked.insert(task, format!("it {why}"));
            }
        }
    }
}

impl Issues {
    fn asked(&mut self, task: &TaskId) -> Result<(), String> {
        if self.asking.as_ref() != Some(task) {
            return Err(format!("the lease of {task} was not asked for"));
        }
        self.asking = None;
        Ok(())
    }

    fn told(&mut self, task: &TaskId, what: IssueTask) -> Result<Owed, String> {
        let at = self.owed.iter().position(|owed| owed.task == *task && owed.what == what);
        Ok(self.owed.remove(at.ok_or_else(|| format!("{what:?} of {task} was not asked for"))?))
    }

    /// What is held is given back, and with a pull request what is done is told once more.
    fn end(&mut self, has_pull_request: bool) {
        self.ending = true;
        if has_pull_request {
            self.owed.append(&mut self.done);
        }
        let asked = self.asking.take();
        let leases = std::mem::take(&mut self.leases);
        for task in leases.into_keys().chain(asked) {
            if !self.owed.iter().any(|owed| owed.task == task) {
                self.owed.push(Owed { task, what: IssueTask::GiveBack, detail: String::new() });
            }
        }
    }
}
