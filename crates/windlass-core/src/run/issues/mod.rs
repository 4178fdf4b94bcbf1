//! Tasks that are issues of a forge: none is begun that this run has not leased, a lease is renewed while its task is worked
//! on, and what became of it is told there. One thing at a time is asked of the forge.

mod fold;
mod text;

use std::collections::BTreeMap;
use std::time::Duration;

use jiff::Timestamp;

use crate::fact::Fact;
use crate::report::{IssueMove, IssueReport, IssueStep, IssueTask};
use crate::run::delivery::BeforeEnd;
use crate::run::ending::manual;
use crate::run::lane::LaneState;
use crate::run::{Effect, Run, Survey};
use crate::spec::IssuesSpec;
use crate::values::{LaneId, Now, StopReason, TaskId, later};

pub use text::IssueContext;

/// So long a forge that cannot be reached is asked again.
const PATIENCE: Duration = Duration::from_hours(1);

/// The first pause before it is; each further one is twice as long, up to [`LONGEST_PAUSE`].
const PAUSE: Duration = Duration::from_secs(10);

/// See [`PAUSE`].
const LONGEST_PAUSE: Duration = Duration::from_mins(5);

/// What a run knows of its issues.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Issues {
    /// Those that it has leased.
    leases: BTreeMap<TaskId, Leased>,
    /// The one whose lease is being asked for.
    asking: Option<TaskId>,
    /// What has to be told, in its order.
    owed: Vec<Owed>,
    /// What was told as done: once there is a pull request, that is told as well.
    done: Vec<Owed>,
    /// Why a task is not this run's any longer that it works on.
    lost: BTreeMap<TaskId, String>,
    /// Nothing is asked before that.
    waits: Option<Timestamp>,
    /// Since when the forge does not answer, and how often it was asked since.
    silent: Option<(Timestamp, u32)>,
    /// Why nothing more is asked of it in this session.
    given_up: Option<String>,
    /// The run comes to its end.
    ending: bool,
}

/// A lease.
#[derive(Clone, Debug, PartialEq)]
struct Leased {
    until: Timestamp,
    renew: Timestamp,
}

/// Something that has to be told.
#[derive(Clone, Debug, PartialEq)]
struct Owed {
    task: TaskId,
    what: IssueTask,
    /// The commit that the work is in, or why the task was parked.
    detail: String,
}

impl Run {
    fn issues_spec(&self) -> Option<&IssuesSpec> {
        self.spec.as_ref()?.job.tasks.as_ref()?.issues.as_ref()
    }

    /// May the next iteration be of this task? Those that are no issues are nobody else's.
    pub(super) fn is_leased(&self, task: &TaskId, now: Now) -> bool {
        let leased = || self.issues.leases.get(task).is_some_and(|lease| lease.until > now.wall);
        self.issues_spec().is_none() || leased() && !self.issues.lost.contains_key(task)
    }

    /// What is due with issues.
    pub(super) fn issue_due(&self, now: Now) -> Option<Fact> {
        self.issues_spec()?;
        let issues = &self.issues;
        if issues.waits.is_some_and(|again| again <= now.wall) {
            return Some(Fact::Issue(IssueStep::Due));
        }
        if issues.waits.is_some() || issues.asking.is_some() || issues.given_up.is_some() {
            return None;
        }
        let task = self.issue_to_renew(now).or_else(|| self.issue_to_lease(now))?;
        Some(Fact::Issue(IssueStep::Wanted { task: task.clone() }))
    }

    /// The one that an agent is at and whose lease is half over.
    fn issue_to_renew(&self, now: Now) -> Option<&TaskId> {
        let at_work = self.lanes.values().filter_map(|lane| Some(&lane.task.as_ref()?.id));
        let is_due =
            |task: &&TaskId| self.issues.leases.get(*task).is_none_or(|lease| lease.renew <= now.wall);
        at_work.filter(|task| !self.issues.lost.contains_key(*task)).find(is_due).filter(|_| self.may_begin())
    }

    /// The one that comes next and that this run does not have.
    fn issue_to_lease(&self, now: Now) -> Option<&TaskId> {
        if !self.iterations_may_begin(now) || self.is_asking() {
            return None;
        }
        let idle = |state: &LaneState| matches!(state, LaneState::Idle { .. } | LaneState::Cleared);
        let lanes = self.lanes.iter().filter(|(_, lane)| idle(&lane.state));
        lanes
            .filter_map(|(id, _)| self.next_task(*id))
            .find(|task| !self.is_leased(task, now) && !self.issues.lost.contains_key(*task))
    }

    /// When something is due with issues; `None` where no time is waited for.
    pub(super) fn issue_due_at(&self) -> Option<Timestamp> {
        self.issues_spec()?;
        if self.issues.waits.is_some() {
            return self.issues.waits;
        }
        let quiet = self.issues.asking.is_none() && self.issues.given_up.is_none() && self.may_begin();
        let at_work = self.lanes.values().filter_map(|lane| Some(&lane.task.as_ref()?.id));
        let renewals = at_work.filter(|task| !self.issues.lost.contains_key(*task));
        renewals.filter_map(|task| Some(self.issues.leases.get(task)?.renew)).min().filter(|_| quiet)
    }

    pub(super) fn outstanding_issue(&self) -> Option<Effect> {
        let issues = &self.issues;
        if issues.waits.is_some() || issues.given_up.is_some() || self.survey != Survey::Done {
            return None;
        }
        if let Some(owed) = issues.owed.first().filter(|_| !self.ends_agents()) {
            return Some(Effect::Issue { task: owed.task.clone(), what: owed.what });
        }
        let task = issues.asking.clone().filter(|_| self.may_begin())?;
        Some(Effect::Issue { task, what: IssueTask::Lease })
    }

    /// What has to be told before the end is told, and what was leased is given back; a person who stops the run a second
    /// time does not wait for that.
    pub(super) fn issues_before_end(&self) -> BeforeEnd {
        let issues = &self.issues;
        // Whoever stops a run does not wait for a forge that does not answer.
        let stops = self.stop.is_some() && issues.waits.is_some();
        if self.issues_spec().is_none() || issues.given_up.is_some() || self.ends_agents() || stops {
            return BeforeEnd::Nothing;
        }
        let has_pull_request = self.pull_request().is_some() && !issues.done.is_empty();
        let holds = !issues.leases.is_empty() || issues.asking.is_some();
        if !issues.ending && (holds || has_pull_request) {
            return BeforeEnd::Begins(Box::new(Fact::Issue(IssueStep::Ending)));
        }
        if issues.owed.is_empty() { BeforeEnd::Nothing } else { BeforeEnd::UnderWay }
    }

    /// With what a run whose tasks are done ends where that could not be told; `None` where it could.
    pub(super) fn untold(&self) -> Option<(StopReason, String)> {
        let owed = self.issues.owed.first()?;
        let (reason, why) = match (&self.issues.given_up, self.stop, &self.failing) {
            (Some(why), ..) => (StopReason::NeedsHuman, format!("could not be told: {why}")),
            (None, Some(stop), _) => {
                (manual(stop), "was not told: the run was stopped before that".to_owned())
            }
            (None, None, Some(failing)) => (failing.stop_reason, format!("was not told: {}", failing.detail)),
            (None, None, None) => return None,
        };
        Some((reason, format!("what became of {} {why}; `windlass resume` tells it", owed.task)))
    }

    /// Does this run have the task that a lane is at?
    pub(super) fn holds_task(&self, lane: LaneId, now: Now) -> bool {
        let task = self.lanes.get(&lane).and_then(|lane| lane.task.as_ref());
        task.is_none_or(|at| self.is_leased(&at.id, now))
    }

    /// Why nothing can go on, because of issues.
    pub(super) fn stuck_on_issues(&self) -> Option<(StopReason, String)> {
        if let Some(why) = &self.issues.given_up {
            return Some((StopReason::NeedsHuman, format!("the forge cannot be asked: {why}")));
        }
        let mut at_rest = self.lanes.values().filter(|lane| lane.state.is_resting());
        let (task, why) = at_rest.find_map(|lane| self.issues.lost.get_key_value(&lane.task.as_ref()?.id))?;
        let detail = format!("{task} {why}, while this run worked on it; what it left is in the files");
        Some((StopReason::NeedsHuman, detail))
    }

    /// Why a task is not this run's any longer; `None` while it is.
    pub(super) fn lost_issue(&self, task: &TaskId) -> Option<&str> {
        self.issues.lost.get(task).map(String::as_str)
    }

    /// What an answer means.
    pub(super) fn issue_reported(&self, report: IssueReport, now: Now) -> Option<Fact> {
        let (task, what) = report.about();
        if !self.is_expected(task, what) {
            return None;
        }
        let step = match report {
            IssueReport::Leased { task, lasts } => {
                IssueStep::Leased { task, until: later(now.wall, lasts), renew: later(now.wall, lasts / 2) }
            }
            IssueReport::Taken { task, by, lasts } => {
                IssueStep::Taken { task, by, until: later(now.wall, lasts) }
            }
            IssueReport::Closed { task } => IssueStep::Closed { task },
            IssueReport::Done { task, what } => IssueStep::Told { task, what },
            IssueReport::Refused { task, what, why } => {
                IssueStep::Stalled { task, what, why, next: IssueMove::LeftOut }
            }
            IssueReport::Unreachable { task, what, why, passes, again } => {
                let next = if passes { self.after_silence_of_issues(again, now) } else { IssueMove::GivenUp };
                IssueStep::Stalled { task, what, why, next }
            }
        };
        Some(Fact::Issue(step))
    }

    fn is_expected(&self, task: &TaskId, what: IssueTask) -> bool {
        match what {
            IssueTask::Lease => self.issues.asking.as_ref() == Some(task),
            _ => self.issues.owed.first().is_some_and(|owed| owed.task == *task && owed.what == what),
        }
    }

    /// `earliest` = it answers no sooner.
    fn after_silence_of_issues(&self, earliest: Option<Timestamp>, now: Now) -> IssueMove {
        let (since, times) = self.issues.silent.unwrap_or((now.wall, 0));
        let pause = PAUSE.saturating_mul(1 << times.min(10)).min(LONGEST_PAUSE);
        let again = later(now.wall, pause).max(earliest.unwrap_or(now.wall));
        if again > later(since, PATIENCE) { IssueMove::GivenUp } else { IssueMove::Again(again) }
    }
}

impl IssueReport {
    /// The issue, and what was asked.
    pub const fn about(&self) -> (&TaskId, IssueTask) {
        match self {
            IssueReport::Leased { task, .. }
            | IssueReport::Taken { task, .. }
            | IssueReport::Closed { task } => (task, IssueTask::Lease),
            IssueReport::Done { task, what }
            | IssueReport::Refused { task, what, .. }
            | IssueReport::Unreachable { task, what, .. } => (task, *what),
        }
    }
}
