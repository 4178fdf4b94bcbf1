//! A run as it happened, from its journal and the recorded streams of its calls: the same facts and observations, in
//! the same order, as whoever watched it live was told.
//!
//! Facts, call and line numbers are exactly the live ones. Two things are known less well:
//!
//! - The time of an observation comes from the call's `times` file, which has at most five entries per second: it is
//!   off by up to 0.2 s, and a few milliseconds more, since the file counts from the start of the agent.
//! - Where a fact and an observation lie closer together than that, their order can be the other one. A call's
//!   observations always come after the fact that spawned it and before the fact that says that it ended.
//!
//! Memory does not grow with the streams: they are read piece by piece, as fast as they are taken.

pub mod live;
pub mod pages;
mod reading;
mod recording;
pub(crate) mod times;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use jiff::Timestamp;
use windlass_agents::{Agent, of, usual};
use windlass_core::fact::{Entry, Fact};
use windlass_core::observation::Observation;
use windlass_core::report;
use windlass_core::spec::RunSpec;
use windlass_core::values::CallId;

use crate::executor::Place;
use crate::store::journal::Follower;
use crate::store::{RunFolder, StoreError};
pub use reading::{Everything, Reading, ToolCalls};
use recording::Recording;

/// One thing that happened.
#[derive(Clone, Debug, PartialEq)]
pub enum Replayed<T = Observation> {
    /// A fact was journalled.
    Fact(Box<Entry>),
    /// An agent said or did something.
    Observation(Place, T),
}

/// Takes what happened, and says whether there is still somebody who wants to know.
pub type Listener<'a, T = Observation> = dyn FnMut(Replayed<T>) -> ControlFlow<()> + 'a;

/// Replays a run, and follows it where it goes on.
#[derive(Debug)]
pub struct Replay<R: Reading = Everything> {
    folder: RunFolder,
    follower: Follower,
    /// Whose streams they are: the agents of the run, in their order.
    agents: Vec<&'static dyn Agent>,
    /// The streams of this iteration's calls are read and no others; `None` = all are.
    only: Option<u32>,
    /// Calls that have begun and not ended.
    calls: BTreeMap<CallId, Recording<R>>,
    ended: bool,
}

impl Replay {
    /// From the run's first fact. The journal need not exist yet; nothing is changed.
    pub fn new(folder: &RunFolder) -> Replay {
        Replay::start(folder)
    }
}

impl Replay<ToolCalls> {
    /// The same with nothing of the streams but tool calls.
    pub fn tools(folder: &RunFolder) -> Replay<ToolCalls> {
        Replay::start(folder)
    }
}

impl<R: Reading> Replay<R> {
    fn start(folder: &RunFolder) -> Self {
        Self {
            folder: folder.clone(),
            follower: Follower::new(&folder.journal()),
            agents: Vec::new(),
            only: None,
            calls: BTreeMap::new(),
            ended: false,
        }
    }

    /// The same, but only the streams of this iteration's calls are read. Facts are told all the same.
    pub fn of_iteration(self, iteration: u32) -> Self {
        Self { only: Some(iteration), ..self }
    }

    /// Is the last fact so far the run's ending?
    pub const fn has_ended(&self) -> bool {
        self.ended
    }

    /// Tells all that has happened since the last time, until there is nothing more or nobody listens.
    pub fn advance(&mut self, listener: &mut Listener<'_, R::Item>) -> Result<ControlFlow<()>, StoreError> {
        loop {
            let facts = self.follower.poll()?;
            if facts.is_empty() {
                return self.observations(Timestamp::MAX, listener);
            }
            for entry in facts {
                if self.entry(entry, listener)?.is_break() {
                    return Ok(ControlFlow::Break(()));
                }
            }
        }
    }

    fn entry(
        &mut self,
        entry: Entry,
        listener: &mut Listener<'_, R::Item>,
    ) -> Result<ControlFlow<()>, StoreError> {
        if self.observations(entry.at.wall, listener)?.is_break() {
            return Ok(ControlFlow::Break(()));
        }
        match &entry.fact {
            Fact::CallReserved { lane, call, iteration, attempt, purpose, agent, .. }
                if self.only.is_none_or(|only| only == *iteration) =>
            {
                let folder = self.folder.call(*iteration, *attempt, *purpose);
                let reading = R::of(self.agents.get(usize::from(agent.0)).copied().unwrap_or_else(usual));
                self.calls.insert(*call, Recording::new(&folder, reading, *lane, *call, entry.at.wall));
            }
            Fact::CallSpawned(report::CallSpawned { call, .. }) => {
                if let Some(recording) = self.calls.get_mut(call) {
                    recording.begin();
                }
            }
            Fact::CallFinished { call, .. } => {
                if let Some(recording) = self.calls.remove(call)
                    && rest(recording, listener)?.is_break()
                {
                    return Ok(ControlFlow::Break(()));
                }
            }
            Fact::RunFinished { .. } => self.ended = true,
            Fact::RunStarted { plan } => self.agents = agents_of(plan),
            Fact::RunResumed { plan } => {
                self.agents = agents_of(plan);
                self.ended = false;
            }
            _ => {}
        }
        Ok(listener(Replayed::Fact(Box::new(entry))))
    }

    /// Tells the observations up to this time, those of all calls in the order of their times.
    fn observations(
        &mut self,
        until: Timestamp,
        listener: &mut Listener<'_, R::Item>,
    ) -> Result<ControlFlow<()>, StoreError> {
        loop {
            let mut earliest: Option<(Timestamp, CallId)> = None;
            for (call, recording) in &mut self.calls {
                if let Some(at) = recording.next_time()?
                    && at <= until
                    && earliest.is_none_or(|(earlier, _)| at < earlier)
                {
                    earliest = Some((at, *call));
                }
            }
            let next = earliest.and_then(|(_, call)| self.calls.get_mut(&call)?.take());
            let Some((place, observation)) = next else {
                return Ok(ControlFlow::Continue(()));
            };
            if listener(Replayed::Observation(place, observation)).is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
    }
}

fn agents_of(spec: &RunSpec) -> Vec<&'static dyn Agent> {
    spec.agents().map(|(_, agent)| of(agent)).collect()
}

/// Tells what is left of a call that has ended, its last line included if that was cut off.
fn rest<R: Reading>(
    mut recording: Recording<R>,
    listener: &mut Listener<'_, R::Item>,
) -> Result<ControlFlow<()>, StoreError> {
    recording.begin();
    recording.close();
    while recording.next_time()?.is_some() {
        if let Some((place, observation)) = recording.take()
            && listener(Replayed::Observation(place, observation)).is_break()
        {
            return Ok(ControlFlow::Break(()));
        }
    }
    Ok(ControlFlow::Continue(()))
}
