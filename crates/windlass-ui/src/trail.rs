//! The audit trail of a run: every tool call with what became of it, from facts and what streams say of tool calls.
//!
//! Calls are listed in the order in which they were made. One is listed once it is answered, so those made after it wait;
//! what waits is bounded ([`HELD_CALLS`], [`HELD_BYTES`]), and beyond that answered calls go before older ones that are
//! still open.

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use jiff::Timestamp;
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;
use strum::IntoStaticStr;
use windlass_core::fact::{Entry, Fact};
use windlass_core::observation::{Place, ToolTrace};
use windlass_core::values::{CallId, LaneId, Purpose, RunId, between};

use crate::format;
use crate::tool::Places;

/// So many calls wait for an answer at most.
const HELD_CALLS: usize = 1_000;

/// The inputs of calls that wait take so much at most, but for one.
const HELD_BYTES: usize = 64 * 1024 * 1024;

/// What became of a tool call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub(crate) enum ToolOutcome {
    /// It was answered.
    Ok,
    /// It failed.
    Error,
    /// Permissions refused it.
    Denied,
    /// There is no answer: it is at work, or was cut off.
    Open,
}

/// A tool call, as `--json` has it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct ToolCall {
    pub lane: LaneId,
    #[serde(rename = "time")]
    #[serde(serialize_with = "windlass_core::values::wall_time::serialize")]
    pub at: Timestamp,
    #[serde(flatten)]
    pub place: CallPlace,
    pub call: CallId,
    /// The line of the call's stream that it is in, from 1.
    pub line: u64,
    pub id: String,
    pub name: String,
    pub nested: bool,
    pub outcome: ToolOutcome,
    /// From the call to its answer.
    #[serde(rename = "duration_ms", serialize_with = "in_milliseconds")]
    pub took: Option<Duration>,
    /// The JSON as the agent wrote it.
    #[serde(serialize_with = "as_written")]
    pub input: String,
}

#[expect(clippy::ref_option, reason = "serde gives a reference")]
fn in_milliseconds<S: Serializer>(took: &Option<Duration>, serializer: S) -> Result<S::Ok, S::Error> {
    took.map(format::millis).serialize(serializer)
}

/// What is not strict JSON (a lone surrogate, a number out of range) is a text: whoever reads the line must not stumble
/// over what the agent wrote.
fn as_written<S: Serializer>(input: &str, serializer: S) -> Result<S::Ok, S::Error> {
    let is_strict = serde_json::from_str::<serde_json::Value>(input).is_ok();
    match serde_json::from_str::<&RawValue>(input) {
        Ok(written) if is_strict => written.serialize(serializer),
        _ => input.serialize(serializer),
    }
}

/// Which of a run's calls it belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct CallPlace {
    pub iteration: u32,
    pub attempt: u32,
    pub purpose: Purpose,
}

/// Folds facts and traces into tool calls.
#[derive(Debug, Default)]
pub(crate) struct Trail {
    pub run: Option<RunId>,
    pub roots: Places,
    places: BTreeMap<CallId, CallPlace>,
    held: VecDeque<ToolCall>,
    /// Bytes of their inputs.
    bytes: usize,
}

impl Trail {
    /// Takes a fact in. At the end of a call nothing of it is answered any more.
    pub fn fact(&mut self, entry: &Entry) -> Vec<ToolCall> {
        match &entry.fact {
            Fact::RunStarted { plan } | Fact::RunResumed { plan } => {
                self.run = Some(plan.run.clone());
                self.roots = Places::of(plan);
                Vec::new()
            }
            Fact::CallReserved { call, iteration, attempt, purpose, .. } => {
                let place = CallPlace { iteration: *iteration, attempt: *attempt, purpose: *purpose };
                self.places.insert(*call, place);
                Vec::new()
            }
            Fact::CallFinished { call, .. } => {
                self.places.remove(call);
                self.release(|held| held.call == *call || held.outcome != ToolOutcome::Open)
            }
            _ => Vec::new(),
        }
    }

    /// Takes in what a stream says. `wanted` says which tools are.
    pub fn trace(&mut self, place: Place, trace: ToolTrace, wanted: impl Fn(&str) -> bool) -> Vec<ToolCall> {
        match trace {
            ToolTrace::Called { id, name, input, nested } if wanted(&name) => {
                let Some(of) = self.places.get(&place.call).copied() else { return Vec::new() };
                // Some agents tell a call again with each step of it.
                if self.open(place.call, &id).is_some() {
                    return Vec::new();
                }
                self.bytes += input.len();
                let Place { lane, call, line, at } = place;
                let (outcome, took) = (ToolOutcome::Open, None);
                let made =
                    ToolCall { at, place: of, lane, call, line, id, name, input, nested, outcome, took };
                self.held.push_back(made);
                return self.relieve();
            }
            ToolTrace::Called { .. } => return Vec::new(),
            ToolTrace::Answered { id, is_error } => {
                if let Some(open) = self.open(place.call, &id) {
                    open.took = Some(between(open.at, place.at));
                    if open.outcome == ToolOutcome::Open {
                        open.outcome = if is_error { ToolOutcome::Error } else { ToolOutcome::Ok };
                    }
                }
            }
            ToolTrace::Refused { id } => {
                if let Some(open) = self.open(place.call, &id) {
                    open.outcome = ToolOutcome::Denied;
                }
            }
        }
        self.settled()
    }

    /// What is still open when nothing more comes.
    pub fn rest(&mut self) -> Vec<ToolCall> {
        self.release(|_| true)
    }

    fn open(&mut self, call: CallId, id: &str) -> Option<&mut ToolCall> {
        self.held.iter_mut().rev().find(|held| held.call == call && held.id == id && held.took.is_none())
    }

    /// Those at the front that are answered. A refusal is answered, too: until then the time it took is not known.
    fn settled(&mut self) -> Vec<ToolCall> {
        let mut settled = Vec::new();
        while self.held.front().is_some_and(|held| held.took.is_some()) {
            settled.extend(self.take(0));
        }
        settled
    }

    /// Makes room where too much waits.
    fn relieve(&mut self) -> Vec<ToolCall> {
        if self.held.len() <= HELD_CALLS && self.bytes <= HELD_BYTES {
            return Vec::new();
        }
        let mut released = self.release(|held| held.took.is_some());
        while self.held.len() > 1 && (self.held.len() > HELD_CALLS || self.bytes > HELD_BYTES) {
            released.extend(self.take(0));
        }
        released
    }

    fn release(&mut self, which: impl Fn(&ToolCall) -> bool) -> Vec<ToolCall> {
        let mut released = Vec::new();
        let mut index = 0;
        while let Some(held) = self.held.get(index) {
            if which(held) {
                released.extend(self.take(index));
            } else {
                index += 1;
            }
        }
        released
    }

    fn take(&mut self, index: usize) -> Option<ToolCall> {
        let taken = self.held.remove(index)?;
        self.bytes = self.bytes.saturating_sub(taken.input.len());
        Some(taken)
    }
}

#[cfg(test)]
#[path = "trail_tests.rs"]
mod tests;
