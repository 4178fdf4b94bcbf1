//! Signals: said to whoever listens. What is lost may be lost, so nothing may depend on one arriving.

use std::fmt;

use async_nats::{HeaderMap, Message, Subscriber};
use windlass_core::values::{LaneId, RunId};

use crate::call::Deadline;
use crate::error::{FleetError, one_line};
use crate::fleet::Fleet;
use crate::names::WorkerName;
use crate::orders::Fences;

/// The longest piece of live text, in bytes.
pub const LONGEST_TEXT: usize = 64 * 1024;

/// Something that was said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Signal {
    /// The run is to stop now. It counts if its epoch is that of the run's lease, or a later one.
    Cancel(Fences),
    /// The worker is to take no further orders.
    Drain,
    /// What an agent says.
    Live {
        /// In which lane.
        lane: LaneId,
        /// What, bounded; what is no text is replaced.
        text: String,
    },
}

/// Says and hears signals.
#[derive(Clone, Debug)]
pub struct Signals {
    fleet: Fleet,
}

impl Signals {
    /// In this fleet.
    pub fn of(fleet: &Fleet) -> Signals {
        Signals { fleet: fleet.clone() }
    }

    /// Says to all workers that the run is to stop now. The server has it when this comes back.
    pub fn cancel(&self, run: &RunId, fences: Fences, deadline: Deadline) -> Result<(), FleetError> {
        let subject = self.fleet.line.subjects.cancel(run)?;
        self.fleet.line.tell(&format!("cancel {run}"), &subject, &fences.headers(), b"", deadline)
    }

    /// Says to a worker that it is to take no further orders. The server has it when this comes back.
    pub fn drain(&self, worker: &WorkerName, deadline: Deadline) -> Result<(), FleetError> {
        let subject = self.fleet.line.subjects.drain(worker);
        let doing = format!("drain the worker {worker}");
        self.fleet.line.tell(&doing, &subject, &HeaderMap::new(), b"", deadline)
    }

    /// Says what an agent says, at most [`LONGEST_TEXT`] bytes of it. Nothing is waited for: what cannot be said now is lost.
    pub fn live(&self, run: &RunId, lane: LaneId, text: &str) -> Result<(), FleetError> {
        let subject = self.fleet.line.subjects.live(run, lane)?;
        let text = &text.as_bytes()[..text.floor_char_boundary(LONGEST_TEXT)];
        self.fleet.line.say_in_passing(&subject, text.to_vec())
    }

    /// Listens for the end of a run.
    pub fn hear_cancel(&self, run: &RunId, deadline: Deadline) -> Result<Ear, FleetError> {
        self.listen(&self.fleet.line.subjects.cancel(run)?, Kind::Cancel, deadline)
    }

    /// Listens for what a worker is told.
    pub fn hear_drain(&self, worker: &WorkerName, deadline: Deadline) -> Result<Ear, FleetError> {
        self.listen(&self.fleet.line.subjects.drain(worker), Kind::Drain, deadline)
    }

    /// Listens to what the agents of a run say.
    pub fn hear_live(&self, run: &RunId, deadline: Deadline) -> Result<Ear, FleetError> {
        self.listen(&self.fleet.line.subjects.live_of_all_lanes(run)?, Kind::Live, deadline)
    }

    fn listen(&self, subject: &str, kind: Kind, deadline: Deadline) -> Result<Ear, FleetError> {
        let messages = self.fleet.line.listen(subject, deadline)?;
        Ok(Ear { fleet: self.fleet.clone(), kind, messages: Some(messages) })
    }
}

#[derive(Clone, Copy, Debug)]
enum Kind {
    Cancel,
    Drain,
    Live,
}

/// Hears what is said while it is there.
pub struct Ear {
    fleet: Fleet,
    kind: Kind,
    /// `None` only while it is dropped.
    messages: Option<Subscriber>,
}

impl Ear {
    /// The next signal; `None` where none came before the deadline. What is none is the error.
    pub fn next(&mut self, deadline: Deadline) -> Result<Option<Signal>, FleetError> {
        let Some(message) = self.fleet.line.hear(&mut self.messages, deadline) else { return Ok(None) };
        read(self.kind, &message).map(Some)
    }
}

fn read(kind: Kind, message: &Message) -> Result<Signal, FleetError> {
    let garbled =
        |problem: &str| FleetError::Garbled { what: "a signal".to_owned(), problem: one_line(problem) };
    match kind {
        Kind::Drain => Ok(Signal::Drain),
        Kind::Cancel => {
            Fences::read(message.headers.as_ref()).map(Signal::Cancel).map_err(|problem| garbled(&problem))
        }
        Kind::Live => {
            let lane = message.subject.rsplit('.').next().and_then(|lane| lane.parse().ok());
            let lane = LaneId(lane.ok_or_else(|| garbled("it names no lane"))?);
            if message.payload.len() > LONGEST_TEXT {
                return Err(garbled("its text is too long"));
            }
            Ok(Signal::Live { lane, text: String::from_utf8_lossy(&message.payload).into_owned() })
        }
    }
}

impl fmt::Debug for Ear {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ear").field("kind", &self.kind).finish_non_exhaustive()
    }
}

impl Drop for Ear {
    fn drop(&mut self) {
        // It says goodbye to the server, and needs the runtime for that.
        let messages = self.messages.take();
        self.fleet.wait(async { drop(messages) });
    }
}
