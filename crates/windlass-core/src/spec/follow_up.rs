//! Follow-up calls: what else an agent is called for within an iteration, each as a further attempt of it.
//!
//! A job has them as one list. When a call is due is said here, what its answer means by its
//! [`Purpose`], what it asks for by the prompt of that purpose (`windlass-jobs`).

use std::iter;
use std::sync::Arc;

use super::{AgentSpec, RunSpec};
use crate::values::{AgentIndex, AnswerForm, Purpose};

/// A further call within an iteration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FollowUp {
    /// What the call is for.
    pub purpose: Purpose,
    /// When it is due.
    pub due: Due,
}

/// When a follow-up call is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Due {
    /// The work of an iteration stands, and no fresh agent has looked at it.
    WorkStands,
    /// A claim stands that would complete the job.
    ClaimCompletes,
    /// An iteration is about to end whose agent reported a conflict of principles: once in an iteration.
    ConflictStands,
    /// Work that stands does not go together with the branch: once for each task.
    MergeFails,
}

impl RunSpec {
    /// What its attempts can be for.
    pub fn purposes(&self) -> impl Iterator<Item = Purpose> {
        iter::once(self.job.mode.purpose()).chain(self.follow_ups().map(|follow_up| follow_up.purpose))
    }

    /// The follow-up calls of this run, in the order in which they are made where several are due.
    pub fn follow_ups(&self) -> impl Iterator<Item = FollowUp> {
        let verifies = self.job.verification.is_some() && !self.job.mode.judges();
        let mode = self.job.mode;
        let reviews = self.review.is_some() && !mode.judges() && !mode.writes_only_plan();
        // In lanes each agent would be told of what another one's conflict was decided by, at no certain time.
        let decides = self.council.is_some()
            && self.principles.is_some()
            && self.lanes.is_none()
            && !mode.judges()
            && !mode.writes_only_plan();
        let merges = self.lanes.is_some() && self.job.mode.has_tasks();
        [
            reviews.then_some(FollowUp { purpose: Purpose::Review, due: Due::WorkStands }),
            verifies.then_some(FollowUp { purpose: Purpose::Verify, due: Due::ClaimCompletes }),
            decides.then_some(FollowUp { purpose: Purpose::Council, due: Due::ConflictStands }),
            merges.then_some(FollowUp { purpose: Purpose::Merge, due: Due::MergeFails }),
        ]
        .into_iter()
        .flatten()
    }

    /// The same as it is for a call: with its agent as the one that works.
    pub fn of_call(self: &Arc<RunSpec>, purpose: Purpose, index: AgentIndex) -> Arc<RunSpec> {
        let agent = self.agent_for(purpose, index);
        if agent == self.agent {
            Arc::clone(self)
        } else {
            Arc::new(RunSpec { agent, ..RunSpec::clone(self) })
        }
    }

    /// Who is called for a purpose, where this agent works. A model of its own is one of the first agent, or of the
    /// purpose's own.
    pub fn agent_for(&self, purpose: Purpose, index: AgentIndex) -> AgentSpec {
        let agent = self.agent_at(index).unwrap_or(&self.agent);
        let own = match purpose.answer() {
            AnswerForm::Review => self.review.as_ref().and_then(|review| review.model.clone()),
            AnswerForm::Decision => self.council.as_ref().and_then(|council| council.model.clone()),
            AnswerForm::Free | AnswerForm::Assessment => None,
        };
        let is_asked_first = self.candidates(purpose).next() == Some(index);
        let own = own.filter(|_| is_asked_first);
        let model = if self.is_specialist(index) {
            agent.model.clone().or(own)
        } else {
            own.or_else(|| agent.model.clone())
        };
        AgentSpec { model, ..agent.clone() }
    }
}
