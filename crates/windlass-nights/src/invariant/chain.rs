//! Several agents: each call is the first's that can work; who cannot is away until its time, and nobody is forgotten.

use std::collections::BTreeMap;

use jiff::Timestamp;
use windlass_core::fact::Fact;
use windlass_core::run::RESET_MARGIN;
use windlass_core::values::{AgentIndex, CallId, Class, later};

use super::Breach;
use crate::record::{Record, What};

#[derive(Default)]
struct Chain {
    agents: u16,
    away: BTreeMap<AgentIndex, Option<Timestamp>>,
    /// Whose each call is.
    callers: BTreeMap<CallId, AgentIndex>,
    /// Resets that each agent's refusals named since it was away last; `None` of one that named none.
    resets: BTreeMap<AgentIndex, Vec<Option<Timestamp>>>,
    held: bool,
    finished: bool,
}

pub(super) fn check(record: &Record) -> Result<(), Breach> {
    let mut chain = Chain { agents: 1, ..Chain::default() };
    for (at, moment) in record.moments.iter().enumerate() {
        if let What::Fact(entry) = &moment.what {
            chain.fold(&entry.fact, entry.at.wall).map_err(|said| Breach::at(at, said))?;
        }
    }
    Ok(())
}

impl Chain {
    fn fold(&mut self, fact: &Fact, now: Timestamp) -> Result<(), String> {
        match fact {
            Fact::RunStarted { plan } | Fact::RunResumed { plan } => {
                self.agents = u16::try_from(plan.agents().count()).unwrap_or(u16::MAX);
                let nobody = self.free().is_none() && !self.held;
                if std::mem::take(&mut self.finished) || nobody {
                    self.away.clear();
                }
                Ok(())
            }
            Fact::RunFinished { .. } => {
                self.finished = true;
                Ok(())
            }
            Fact::CallReserved { call, agent, .. } => {
                self.callers.insert(*call, *agent);
                self.called(*agent, now)
            }
            Fact::CallFinished { call, summary, .. } => {
                let agent = self.callers.get(call).copied().unwrap_or_default();
                if summary.class == Class::UsageLimit {
                    let reset = summary.limit.as_ref().and_then(|limit| limit.resets_at);
                    self.resets.entry(agent).or_default().push(reset);
                }
                Ok(())
            }
            Fact::AgentAway { agent, class, until, by, .. } => self.leaves(*agent, *class, *until, *by, now),
            Fact::AgentBack { agent } => self.returns(*agent, now),
            Fact::BackoffStarted { until, class, .. } => {
                self.held = true;
                self.waits(*until, *class)
            }
            Fact::BackoffEnded => {
                self.held = false;
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn free(&self) -> Option<AgentIndex> {
        (0..self.agents).map(AgentIndex).find(|agent| !self.away.contains_key(agent))
    }

    fn called(&self, agent: AgentIndex, now: Timestamp) -> Result<(), String> {
        if let Some(free) = self.free() {
            let said = || format!("agent {agent} is called, and agent {free} could work");
            return if agent == free { Ok(()) } else { Err(said()) };
        }
        // The clock on the wall can be put back while the first who is back is waited for.
        let first = self.away.values().flatten().min();
        match self.away.get(&agent) {
            Some(Some(until)) if *until <= now || first == Some(until) && !self.held => Ok(()),
            _ => Err(format!("agent {agent} is called, and cannot work")),
        }
    }

    fn leaves(
        &mut self,
        agent: AgentIndex,
        class: Class,
        until: Option<Timestamp>,
        by: Option<AgentIndex>,
        now: Timestamp,
    ) -> Result<(), String> {
        if self.agents < 2 {
            return Err("one agent alone is said to be away".to_owned());
        }
        if !class.is_fatal() && !class.is_of_reach() {
            return Err(format!("agent {agent} is away because of {class:?}"));
        }
        // Of two lanes that are refused at a time, each is heard by itself, and the last word counts.
        let resets: Option<Vec<Timestamp>> =
            self.resets.remove(&agent).unwrap_or_default().into_iter().collect();
        let reset = resets.and_then(|resets| resets.into_iter().min());
        if let (Class::UsageLimit, Some(reset), Some(until)) = (class, reset, until)
            && reset > now
            && until < later(reset, RESET_MARGIN)
        {
            return Err(format!("agent {agent} is to be back at {until}, before its reset at {reset}"));
        }
        self.away.insert(agent, until);
        if by != self.free() {
            return Err(format!("{by:?} takes over, and {:?} is the first who can", self.free()));
        }
        Ok(())
    }

    fn returns(&mut self, agent: AgentIndex, now: Timestamp) -> Result<(), String> {
        match self.away.remove(&agent) {
            Some(Some(until)) if until <= now => Ok(()),
            other => Err(format!("agent {agent} is back at {now}, and was away until {other:?}")),
        }
    }

    /// Nobody waits while somebody can work, but for one whose outage is within its patience.
    fn waits(&self, until: Timestamp, class: Class) -> Result<(), String> {
        if self.agents < 2 {
            return Ok(());
        }
        match self.free() {
            None => {
                let first = self.away.values().flatten().min();
                let said = || format!("it waits until {until}, and the first is back at {first:?}");
                if first == Some(&until) || class == Class::Outage { Ok(()) } else { Err(said()) }
            }
            Some(_) if class == Class::Outage => Ok(()),
            Some(free) => Err(format!("it waits until {until}, and agent {free} could work")),
        }
    }
}
