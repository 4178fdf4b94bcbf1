//! The chain of agents: who works, who cannot for now, and who takes over.
//!
//! An agent that cannot work (a usage limit, an outage beyond its patience, no login, no money) is *away* until a time, or
//! until a person goes on with the run. A call goes to the first that is not, of those who can be called for its purpose; calls
//! under way stay where they are. Where there is one alone, it is never away: the run waits, or ends.

use std::collections::BTreeMap;
use std::time::Duration;

use jiff::Timestamp;

use crate::fact::Fact;
use crate::run::lane::LaneState;
use crate::run::retry::{Patience, Retries, after_limit, after_outage, back_after_limit};
use crate::run::{Backoff, Run};
use crate::spec::{AgentSpec, RunSpec};
use crate::values::{
    AgentIndex, AnswerForm, CallSummary, Class, LaneId, Now, Purpose, StopReason, UsageLimit, between, later,
};

#[cfg(test)]
mod tests;

/// An agent whose service stays out of reach is asked again after so long.
const OUTAGE: Duration = Duration::from_mins(30);

/// What is known of the agents of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Chain {
    reach: BTreeMap<AgentIndex, Reach>,
    away: BTreeMap<AgentIndex, Away>,
}

/// Attempts in a row of one agent that did not get through.
#[derive(Clone, Debug, Default, PartialEq)]
struct Reach {
    outages: Retries,
    refusals: Retries,
}

/// Why an agent cannot work, and for how long.
#[derive(Clone, Debug, PartialEq)]
struct Away {
    /// `None` = until a person goes on with the run.
    until: Option<Timestamp>,
    class: Class,
    /// One sentence.
    detail: String,
    /// It was counted: other lanes that meet the same are no further refusals.
    counted: bool,
}

impl Chain {
    /// Refusals in a row of an agent.
    pub fn refusals(&self, agent: AgentIndex) -> Retries {
        self.reach.get(&agent).map(|reach| reach.refusals.clone()).unwrap_or_default()
    }

    /// Outages in a row of an agent.
    pub fn outages(&self, agent: AgentIndex) -> Retries {
        self.reach.get(&agent).map(|reach| reach.outages.clone()).unwrap_or_default()
    }

    /// An attempt of an agent ended like this. `met`: other lanes wait for the same already, and it was counted.
    pub fn count(&mut self, agent: AgentIndex, now: Now, class: Class, met: bool) {
        let away = self.away.get_mut(&agent).filter(|_| class.is_of_reach());
        let is_counted = away.is_some_and(|away| std::mem::replace(&mut away.counted, true));
        let reach = self.reach.entry(agent).or_default();
        match class {
            class if class.is_of_reach() && (met || is_counted) => {}
            Class::Outage => reach.outages.failed(now.wall),
            Class::UsageLimit => reach.refusals.failed(now.wall),
            Class::Interrupted => {}
            _ => *reach = Reach::default(),
        }
    }

    /// A session begins in which nobody waits and nobody could work: everybody is asked again.
    pub fn begin_session(&mut self, spec: &RunSpec) {
        if self.free(spec, spec.job.mode.purpose().into()).is_none() {
            self.away.clear();
        }
    }

    /// A person goes on with a run that had ended for this reason.
    pub fn begin_anew(&mut self, ended: StopReason) {
        self.away.clear();
        for reach in self.reach.values_mut() {
            match ended {
                StopReason::AgentUnavailable => reach.outages = Retries::default(),
                StopReason::LimitWaitExceeded => reach.refusals = Retries::default(),
                _ => {}
            }
        }
    }

    fn leave(&mut self, agent: AgentIndex, away: Away) {
        let counted = self.away.get(&agent).is_some_and(|before| before.counted);
        self.away.insert(agent, Away { counted, ..away });
    }

    /// Is it known already that this agent is away at least until then?
    fn is_away_until(&self, agent: AgentIndex, until: Option<Timestamp>) -> bool {
        self.away.get(&agent).is_some_and(|away| match (away.until, until) {
            (None, _) => true,
            (Some(_), None) => false,
            (Some(known), Some(until)) => known >= until,
        })
    }

    /// The one for this call that is back first, and when; of several the first.
    fn first_back(&self, spec: &RunSpec, call_for: CallFor) -> Option<(AgentIndex, Timestamp)> {
        let until = |agent| Some((agent, self.away.get(&agent)?.until?));
        spec.candidates(call_for).filter_map(until).min_by_key(|(_, until)| *until)
    }

    /// The first for this call that is not away.
    fn free(&self, spec: &RunSpec, call_for: CallFor) -> Option<AgentIndex> {
        spec.candidates(call_for).find(|agent| !self.away.contains_key(agent))
    }
}

/// What an agent is needed for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallFor {
    /// What the call is for.
    pub purpose: Purpose,
    /// Who is asked first because the task names it.
    pub named: Option<AgentIndex>,
}

impl From<Purpose> for CallFor {
    fn from(purpose: Purpose) -> CallFor {
        CallFor { purpose, named: None }
    }
}

impl Run {
    /// Whose the next call of a lane is, for this purpose.
    pub fn agent_for(&self, lane: LaneId, purpose: Purpose) -> AgentIndex {
        let Some(spec) = &self.spec else { return AgentIndex::default() };
        let call_for = self.call_for(lane, purpose);
        let back = || Some(self.chain.first_back(spec, call_for)?.0);
        self.chain.free(spec, call_for).or_else(back).unwrap_or_default()
    }

    /// What an agent is needed for in a lane: whoever works on its task may be named by that.
    pub(super) fn call_for(&self, lane: LaneId, purpose: Purpose) -> CallFor {
        let task = self.task_in(lane).filter(|_| purpose.answer() == AnswerForm::Free);
        let named = self.spec.as_ref().zip(task.and_then(|task| task.agent.as_deref()));
        CallFor { purpose, named: named.and_then(|(spec, name)| spec.agent_named(name)) }
    }

    /// The agents that cannot work now: until when, and why. `None` = until a person goes on with the run.
    pub fn agents_away(&self) -> impl Iterator<Item = (AgentIndex, Option<Timestamp>, &str)> {
        self.chain.away.iter().map(|(agent, away)| (*agent, away.until, away.detail.as_str()))
    }

    /// The first agent whose time has passed.
    pub(super) fn agent_back(&self, now: Now) -> Option<Fact> {
        let due = |away: &Away| away.until.is_some_and(|until| until <= now.wall);
        let found = self.chain.away.iter().find(|(_, away)| due(away));
        found.map(|(agent, _)| Fact::AgentBack { agent: *agent })
    }

    /// When that is, at the earliest.
    pub(super) fn agent_back_at(&self) -> Option<Timestamp> {
        self.chain.away.values().filter_map(|away| away.until).min()
    }

    /// What follows where one of several agents could not do what it was called for; `None` where it is asked again after a
    /// pause.
    pub(super) fn handed_over(
        &self,
        spec: &RunSpec,
        call_for: CallFor,
        (agent, summary): (AgentIndex, &CallSummary),
        now: Now,
    ) -> Option<Vec<Fact>> {
        let (until, detail) = self.absence(spec, agent, summary, now)?;
        if self.chain.is_away_until(agent, until) {
            return Some(Vec::new());
        }
        let class = summary.class;
        let mut chain = self.chain.clone();
        chain.leave(agent, Away { until, class, detail: detail.clone(), counted: false });
        let by = chain.free(spec, call_for);
        let mut facts = vec![Fact::AgentAway { agent, class, until, by, detail }];
        if by.is_none() {
            facts.extend(self.nobody_left((spec, call_for), &chain, now));
        }
        Some(facts)
    }

    /// For how long an agent cannot work, and why; `None` where it is asked again after a pause.
    fn absence(
        &self,
        spec: &RunSpec,
        agent: AgentIndex,
        summary: &CallSummary,
        now: Now,
    ) -> Option<(Option<Timestamp>, String)> {
        let limits = &spec.limits;
        match summary.class {
            Class::UsageLimit => {
                let limit: UsageLimit = summary.limit.clone().unwrap_or_default();
                let before = self.chain.refusals(agent);
                match after_limit(&limit, &before, limits, now.wall) {
                    Patience::Until(until) => Some((Some(until), summary.detail.clone())),
                    Patience::Exhausted(why) => Some((back_after_limit(&limit, &before, now.wall), why)),
                }
            }
            Class::Outage => {
                let before = self.chain.outages(agent);
                match after_outage(&spec.run, &before, limits, &spec.clocks, now.wall) {
                    Patience::Until(_) => None,
                    Patience::Exhausted(why) => {
                        let again = before.lasted(now.wall) <= limits.wait;
                        Some((again.then(|| later(now.wall, OUTAGE)), why))
                    }
                }
            }
            _ => Some((None, summary.detail.clone())),
        }
    }

    /// Nobody can work: the first who is back is waited for, or the run ends.
    fn nobody_left(&self, (spec, call_for): (&RunSpec, CallFor), chain: &Chain, now: Now) -> Option<Fact> {
        let away = || spec.candidates(call_for).filter_map(|agent| Some((agent, chain.away.get(&agent)?)));
        let reasons: Vec<String> =
            away().map(|(agent, away)| format!("{}: {}", spec.agent_name(agent), away.detail)).collect();
        let detail = || format!("no agent can work: {}", reasons.join("; "));
        let fails = |stop_reason| Fact::failing(stop_reason, detail());
        match chain.first_back(spec, call_for) {
            Some((agent, until)) if between(now.wall, until) <= spec.limits.wait => {
                let class = chain.away.get(&agent).map_or(Class::UsageLimit, |away| away.class);
                let longer = self.backoff.is_none_or(|Backoff { until: earlier, .. }| earlier < until);
                longer.then_some(Fact::BackoffStarted { until, class, attempt: 1 })
            }
            _ if away().any(|(_, away)| away.class == Class::UsageLimit) => {
                Some(fails(StopReason::LimitWaitExceeded))
            }
            _ => Some(fails(StopReason::AgentUnavailable)),
        }
    }

    /// A call is about to be made that nobody will ever be able to make. A task that names somebody can be waited for, and this one
    /// is another.
    pub(super) fn call_for_nobody(&self, now: Now) -> Option<Fact> {
        let spec = self.spec.as_ref().filter(|_| self.calls_may_begin())?;
        let prepared = self.lanes.iter().filter_map(|(id, lane)| match &lane.state {
            LaneState::Preparing(turn) if !self.waits_beyond_limit(&lane.state) => {
                Some(self.call_for(*id, turn.purpose))
            }
            _ => None,
        });
        let mut hopeless = prepared.filter(|call_for| {
            self.chain.free(spec, *call_for).is_none() && self.chain.first_back(spec, *call_for).is_none()
        });
        self.nobody_left((spec, hopeless.next()?), &self.chain, now)
    }

    pub(super) fn agent_leaves(
        &mut self,
        agent: AgentIndex,
        (class, until): (Class, Option<Timestamp>),
        detail: &str,
    ) -> Result<(), String> {
        if self.spec.as_ref().is_none_or(|spec| spec.agents().count() < 2) {
            return Err("nobody could take over".to_owned());
        }
        self.expect_agent(agent)?;
        let away = Away { until, class, detail: detail.to_owned(), counted: false };
        self.chain.leave(agent, away);
        Ok(())
    }

    pub(super) fn expect_agent(&self, agent: AgentIndex) -> Result<(), String> {
        let is_there = self.spec.as_ref().is_some_and(|spec| spec.agent_at(agent).is_some());
        if is_there { Ok(()) } else { Err(format!("there is no agent {agent}")) }
    }

    pub(super) fn agent_returns(&mut self, agent: AgentIndex) -> Result<(), String> {
        self.chain.away.remove(&agent).map(drop).ok_or_else(|| format!("agent {agent} was not away"))
    }
}

impl RunSpec {
    /// All agents of a run: the one that works, those that take over in their order, those for one purpose, and those that tasks
    /// name.
    pub fn agents(&self) -> impl Iterator<Item = (AgentIndex, &AgentSpec)> {
        let specialists = self.specialists.iter().map(|specialist| &specialist.agent);
        let all = std::iter::once(&self.agent).chain(&self.substitutes).chain(specialists).chain(&self.named);
        (0..).map(AgentIndex).zip(all)
    }

    /// Those who can be called for something, in the order in which they are asked: whom the task names, the purpose's own, then
    /// the one that works and those that take over.
    pub fn candidates(&self, call_for: impl Into<CallFor>) -> impl Iterator<Item = AgentIndex> {
        let CallFor { purpose, named } = call_for.into();
        let all = || self.agents().map(|(index, _)| index);
        let working = 1 + self.substitutes.len();
        let own = all().skip(working).zip(&self.specialists).filter(move |(_, own)| own.purpose == purpose);
        let usual = own.map(|(index, _)| index).chain(all().take(working));
        named.into_iter().chain(usual.filter(move |index| named != Some(*index)))
    }

    /// The agent that a task means: by its name, and its model where that is said behind a colon.
    pub fn agent_named(&self, name: &str) -> Option<AgentIndex> {
        let (name, model) = name.split_once(':').map_or((name, None), |(name, model)| (name, Some(model)));
        self.agents().find(|(_, agent)| agent.is_named(name, model)).map(|(index, _)| index)
    }

    /// Is it one of those that do not work on everything?
    pub fn is_specialist(&self, index: AgentIndex) -> bool {
        usize::from(index.0) > self.substitutes.len()
    }

    /// What one of them is called: by its name, and with its model where another one has the same.
    pub fn agent_name(&self, index: AgentIndex) -> String {
        let Some(agent) = self.agent_at(index) else { return format!("agent {index}") };
        let namesakes = self.agents().filter(|(_, other)| other.name == agent.name).count();
        match &agent.model {
            Some(model) if namesakes > 1 => format!("{} ({model})", agent.name),
            _ => agent.name.clone(),
        }
    }

    /// One of them.
    pub fn agent_at(&self, index: AgentIndex) -> Option<&AgentSpec> {
        self.agents().find(|(at, _)| *at == index).map(|(_, agent)| agent)
    }
}
