//! Which of a run's agents works, and which cannot.

use std::collections::BTreeMap;

use jiff::Timestamp;
use windlass_agents::{Agent, of, usual};
use windlass_core::fact::Fact;
use windlass_core::values::AgentIndex;

use super::Board;
use crate::harmless::one_line;

/// Agents that cannot work: until when; `None` = until a person goes on with the run.
pub(crate) type Away = BTreeMap<AgentIndex, Option<Timestamp>>;

impl Board {
    pub(super) fn chain_fact(&mut self, fact: &Fact) {
        match fact {
            Fact::AgentAway { agent, until, .. } => {
                self.away.insert(*agent, *until);
            }
            Fact::AgentBack { agent } => {
                self.away.remove(agent);
            }
            // After a kill it is as before; after an end, and where nobody could work, everybody is asked again.
            Fact::RunResumed { .. } if self.ending.is_some() || self.is_left_alone() => self.away.clear(),
            _ => {}
        }
    }

    /// Can nobody work, and is nobody waited for?
    fn is_left_alone(&self) -> bool {
        self.backoff.is_none() && self.who_works().is_none()
    }

    /// Has the run more agents than one?
    pub(crate) fn has_chain(&self) -> bool {
        self.plan.as_ref().is_some_and(|plan| plan.agents().count() > 1)
    }

    /// Who works; `None` where nobody can.
    pub(crate) fn who_works(&self) -> Option<AgentIndex> {
        let plan = self.plan.as_ref()?;
        plan.candidates(plan.job.mode.purpose()).find(|agent| !self.away.contains_key(agent))
    }

    /// What an agent is called.
    pub(crate) fn agent_name(&self, agent: AgentIndex) -> String {
        self.plan.as_ref().map_or_else(|| format!("agent {agent}"), |plan| one_line(&plan.agent_name(agent)))
    }

    /// Whose words its stream has.
    pub(crate) fn speaker(&self, agent: AgentIndex) -> &'static dyn Agent {
        self.plan.as_ref().and_then(|plan| plan.agent_at(agent)).map_or_else(usual, of)
    }
}
