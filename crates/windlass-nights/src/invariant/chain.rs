//! Several agents: each call is the first's that can work; who cannot is away until its time, and nobody is forgotten.

use std::collections::BTreeMap;

use jiff::Timestamp;
use windlass_core::fact::Fact;
use windlass_core::run::RESET_MARGIN;
use windlass_core::values::{AgentIndex, CallId, Class, LaneId, Purpose, TaskId, later};

use super::Breach;
use crate::record::{Record, What};

#[derive(Default)]
struct Chain {
    /// Those that work, in their order.
    working: u16,
    /// What each agent behind them is for: it is asked first for that, and for nothing else.
    specialists: Vec<Purpose>,
    /// The name and the model of each agent.
    names: Vec<(String, Option<String>)>,
    /// Whom each task names.
    tasks: BTreeMap<TaskId, Option<String>>,
    /// The task of each lane.
    lanes: BTreeMap<LaneId, TaskId>,
    /// What the run is for.
    purpose: Option<Purpose>,
    away: BTreeMap<AgentIndex, Option<Timestamp>>,
    /// Whose each call is, and what it is for.
    callers: BTreeMap<CallId, (AgentIndex, Occasion)>,
    /// What the calls of each agent that have ended were for, each once.
    ended: BTreeMap<AgentIndex, Vec<Occasion>>,
    /// Resets that each agent's refusals named since it was away last; `None` of one that named none.
    resets: BTreeMap<AgentIndex, Vec<Option<Timestamp>>>,
    held: Option<Timestamp>,
    finished: bool,
}

/// What a call is for, and whom its task names.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Occasion {
    purpose: Purpose,
    named: Option<AgentIndex>,
}

pub(super) fn check(record: &Record) -> Result<(), Breach> {
    let mut chain = Chain { working: 1, ..Chain::default() };
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
                self.working = u16::try_from(1 + plan.substitutes.len()).unwrap_or(u16::MAX);
                self.specialists = plan.specialists.iter().map(|specialist| specialist.purpose).collect();
                let names = plan.agents().map(|(_, agent)| (agent.name.clone(), agent.model.clone()));
                self.names = names.collect();
                let purpose = *self.purpose.insert(plan.job.mode.purpose());
                let nobody = self.free(Occasion { purpose, named: None }).is_none() && self.held.is_none();
                if std::mem::take(&mut self.finished) || nobody {
                    self.away.clear();
                }
                Ok(())
            }
            Fact::RunFinished { .. } => {
                self.finished = true;
                Ok(())
            }
            Fact::TasksRead { tasks } => {
                self.tasks = tasks.iter().map(|row| (row.id.clone(), row.agent.clone())).collect();
                Ok(())
            }
            Fact::IterationStarted { lane, task: Some(task), .. } => {
                self.lanes.insert(*lane, task.clone());
                Ok(())
            }
            Fact::CallReserved { lane, call, agent, purpose, .. } => {
                let occasion = self.occasion(*lane, *purpose);
                self.callers.insert(*call, (*agent, occasion));
                self.called(*agent, occasion, now)
            }
            Fact::CallFinished { call, summary, .. } => {
                let Some((agent, occasion)) = self.callers.get(call).copied() else { return Ok(()) };
                let ended = self.ended.entry(agent).or_default();
                if !ended.contains(&occasion) {
                    ended.push(occasion);
                }
                if summary.class == Class::UsageLimit {
                    let reset = summary.limit.as_ref().and_then(|limit| limit.resets_at);
                    self.resets.entry(agent).or_default().push(reset);
                }
                Ok(())
            }
            Fact::AgentAway { agent, class, until, by, .. } => self.leaves(*agent, *class, *until, *by, now),
            Fact::AgentBack { agent } => self.returns(*agent, now),
            // A session that goes on with a wait tells of it again.
            Fact::BackoffStarted { until, .. } if self.held == Some(*until) => Ok(()),
            Fact::BackoffStarted { until, class, .. } => {
                self.held = Some(*until);
                self.waits(*until, *class)
            }
            Fact::BackoffEnded => {
                self.held = None;
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// What a call in a lane is for. Who looks over the work of others is none of its task's business.
    fn occasion(&self, lane: LaneId, purpose: Purpose) -> Occasion {
        let works = matches!(purpose, Purpose::Work | Purpose::Merge);
        let name = self.lanes.get(&lane).and_then(|task| self.tasks.get(task)?.as_deref()).filter(|_| works);
        let is_meant = |(own, model): &(String, Option<String>), name: &str| {
            own == name || model.as_ref().is_some_and(|model| format!("{own}:{model}") == name)
        };
        let at = name.and_then(|name| self.names.iter().position(|agent| is_meant(agent, name)));
        Occasion { purpose, named: at.and_then(|at| Some(AgentIndex(u16::try_from(at).ok()?))) }
    }

    /// Those who can be called for something, in their order.
    fn candidates(&self, occasion: Occasion) -> impl Iterator<Item = AgentIndex> {
        let Occasion { purpose, named } = occasion;
        let own = self.specialists.iter().zip(self.working..).filter(move |(own, _)| **own == purpose);
        let usual = own.map(|(_, agent)| agent).chain(0..self.working).map(AgentIndex);
        named.into_iter().chain(usual.filter(move |agent| named != Some(*agent)))
    }

    fn free(&self, occasion: Occasion) -> Option<AgentIndex> {
        self.candidates(occasion).find(|agent| !self.away.contains_key(agent))
    }

    /// When the first for something is back.
    fn first_back(&self, occasion: Occasion) -> Option<Timestamp> {
        self.candidates(occasion).filter_map(|agent| *self.away.get(&agent)?).min()
    }

    fn called(&self, agent: AgentIndex, occasion: Occasion, now: Timestamp) -> Result<(), String> {
        if let Some(free) = self.free(occasion) {
            let said = || format!("agent {agent} is called, and agent {free} could work");
            return if agent == free { Ok(()) } else { Err(said()) };
        }
        // The clock on the wall can be put back while the first who is back is waited for.
        let first = self.first_back(occasion);
        match self.away.get(&agent) {
            Some(Some(until)) if *until <= now || first == Some(*until) && self.held.is_none() => Ok(()),
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
        let ended = self.ended.get(&agent).cloned().unwrap_or_default();
        if !ended.iter().any(|occasion| self.candidates(*occasion).count() > 1) {
            return Err("one agent alone is said to be away".to_owned());
        }
        if !class.is_fatal() && !class.is_of_reach() {
            return Err(format!("agent {agent} is away because of {class:?}"));
        }
        // Of lanes that are refused at a time, each is heard by itself.
        let resets = self.resets.entry(agent).or_default();
        resets.retain(|reset| reset.is_none_or(|reset| reset > now));
        let is_its = |reset: &Option<Timestamp>| {
            reset.is_none_or(|reset| until.is_none_or(|until| later(reset, RESET_MARGIN) <= until))
        };
        if let Some(place) = resets.iter().rposition(is_its) {
            resets.remove(place);
        } else if let (Class::UsageLimit, Some(reset), Some(until)) =
            (class, resets.iter().flatten().min(), until)
        {
            return Err(format!("agent {agent} is to be back at {until}, before its reset at {reset}"));
        }
        self.away.insert(agent, until);
        // Of two lanes that are refused at a time, for two purposes, it is not known which one is meant.
        let first: Vec<Option<AgentIndex>> = ended.iter().map(|occasion| self.free(*occasion)).collect();
        if first.contains(&by) {
            Ok(())
        } else {
            Err(format!("{by:?} takes over, and {first:?} are the first who can"))
        }
    }

    fn returns(&mut self, agent: AgentIndex, now: Timestamp) -> Result<(), String> {
        match self.away.remove(&agent) {
            Some(Some(until)) if until <= now => Ok(()),
            other => Err(format!("agent {agent} is back at {now}, and was away until {other:?}")),
        }
    }

    /// Nobody waits while somebody can work, but for one whose outage is within its patience.
    fn waits(&self, until: Timestamp, class: Class) -> Result<(), String> {
        let occasions = self.callers.values().map(|(_, occasion)| *occasion);
        let waits: Vec<_> = occasions.map(|occasion| self.waits_for(occasion, until, class)).collect();
        match waits.iter().find(|wait| wait.is_ok()) {
            Some(_) => Ok(()),
            None => waits.into_iter().next().unwrap_or(Ok(())),
        }
    }

    fn waits_for(&self, occasion: Occasion, until: Timestamp, class: Class) -> Result<(), String> {
        match self.free(occasion) {
            _ if self.candidates(occasion).count() < 2 || class == Class::Outage => Ok(()),
            None => {
                let first = self.first_back(occasion);
                let said = || format!("it waits until {until}, and the first is back at {first:?}");
                if first == Some(until) { Ok(()) } else { Err(said()) }
            }
            Some(free) => Err(format!("it waits until {until}, and agent {free} could work")),
        }
    }
}
