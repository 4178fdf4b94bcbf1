//! What views know of a run's work on its way out.

use std::collections::BTreeMap;

use jiff::Timestamp;
use windlass_core::forge::PullRequestState;
use windlass_core::report::{DeliveryMove, DeliveryStep, PullRequestSeen, WaitsFor};
use windlass_core::values::TaskId;

/// What becomes of a task whose work was accepted, on its way out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Accepted {
    /// It is where it was to go.
    Out,
    /// It will not get there.
    Parked,
}

/// How far it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct DeliveryBoard {
    /// The branch of the part that is under way; `None` where that is the run's.
    pub(crate) branch: Option<String>,
    /// The pull request's page.
    pub(crate) url: Option<String>,
    /// Where it stands, as far as the journal says: unknown again once there is more to deliver.
    pub(crate) state: PullRequestState,
    /// What is waited for, and until when at most.
    pub(crate) wait: Option<(WaitsFor, Timestamp)>,
    /// What was waited for before the newest look: it is not said again.
    pub(crate) told: Option<WaitsFor>,
    /// The newest look.
    pub(crate) seen: PullRequestSeen,
    /// Something of it is under way.
    pub(crate) is_under_way: bool,
    /// The tasks that parts are, by the parts' numbers; the last one is under way.
    tasks: BTreeMap<u32, Option<TaskId>>,
    /// The pull requests of the parts before that one: the page, and where it was seen last.
    earlier: BTreeMap<u32, (String, PullRequestState)>,
}

impl DeliveryBoard {
    /// What a step says of a task whose work had been accepted: whether it is out, or parked after all.
    pub(crate) fn of_task(&self, step: &DeliveryStep) -> Option<(&TaskId, Accepted)> {
        match step {
            DeliveryStep::Viewed { next: DeliveryMove::End { outcome, .. }, .. } => {
                let task = self.tasks.last_key_value()?.1.as_ref()?;
                (!outcome.is_out()).then_some((task, Accepted::Parked))
            }
            DeliveryStep::PartSeen { part, state } => {
                let task = self.tasks.get(part)?.as_ref()?;
                match state {
                    PullRequestState::Merged => Some((task, Accepted::Out)),
                    PullRequestState::Closed => Some((task, Accepted::Parked)),
                    PullRequestState::Open | PullRequestState::Unknown => None,
                }
            }
            _ => None,
        }
    }

    /// Takes in a step.
    pub(crate) fn take(&mut self, step: &DeliveryStep) {
        match step {
            DeliveryStep::PartBegun { part, branch, task } => {
                if let (Some((before, _)), Some(url)) = (self.tasks.last_key_value(), self.url.take()) {
                    self.earlier.insert(*before, (url, self.state));
                }
                self.tasks.insert(*part, task.clone());
                (self.is_under_way, self.wait, self.told) = (true, None, None);
                self.state = PullRequestState::Unknown;
                (self.branch, self.url) = (Some(branch.clone()), None);
            }
            DeliveryStep::Begun { .. } => {
                (self.is_under_way, self.wait, self.told) = (true, None, None);
                self.state = PullRequestState::Unknown;
            }
            DeliveryStep::Opened { url, .. } => self.url = Some(url.clone()),
            DeliveryStep::Viewed { seen, next } => {
                self.seen = seen.clone();
                self.state = seen.state;
                self.follow(next);
            }
            DeliveryStep::Stalled { next, .. } => self.follow(next),
            DeliveryStep::PartSeen { part, state } => {
                (self.is_under_way, self.wait) = (false, None);
                match self.earlier.get_mut(part) {
                    Some((_, stands)) => *stands = *state,
                    None => self.state = *state,
                }
            }
            DeliveryStep::Merged { .. } => {
                (self.is_under_way, self.wait) = (false, None);
                self.state = PullRequestState::Merged;
            }
            DeliveryStep::Branched { .. } | DeliveryStep::Returned { .. } => {
                (self.is_under_way, self.wait) = (false, None);
            }
            DeliveryStep::Pushed { .. } | DeliveryStep::Due | DeliveryStep::Ordered { .. } => {}
        }
    }

    fn follow(&mut self, next: &DeliveryMove) {
        self.told = self.wait.map(|(waits_for, _)| waits_for);
        match next {
            DeliveryMove::Wait { waits_for, until, .. } => self.wait = Some((*waits_for, *until)),
            DeliveryMove::Do(_) => self.wait = None,
            DeliveryMove::End { .. } => (self.is_under_way, self.wait) = (false, None),
        }
    }

    /// An iteration begins: what it does is in no pull request yet.
    pub(crate) fn outdate(&mut self) {
        self.state = PullRequestState::Unknown;
    }

    /// The pages of all of its pull requests in the order of their parts, and where each was seen last.
    pub(crate) fn pull_requests(&self) -> impl Iterator<Item = (&str, PullRequestState)> {
        let earlier = self.earlier.values().map(|(url, state)| (url.as_str(), *state));
        earlier.chain(self.url.as_deref().map(|url| (url, self.state)))
    }

    /// The run goes on in another session, or is over.
    pub(crate) fn forget_wait(&mut self) {
        (self.wait, self.told) = (None, None);
    }
}
