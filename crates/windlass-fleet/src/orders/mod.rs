//! Orders on their way: the first of a lane to whoever is free ([`Queue`]), later ones to its holder, and reports back ([`Letters`]).

mod errand;
mod letters;
mod queue;

use std::fmt;

use async_nats::{HeaderMap, Message};
pub use errand::{
    CodePart, Errand, HeldBack, MOST_FILES, MOST_HELD_BACK, MadeCode, OfferedCode, Outcome, RunFile, store_of,
};
pub use letters::{Answer, Delivered, Letter, Letters, Mailbox};
pub use queue::{ClassState, OrdersOf, Published, Queue, TakenOrder};
use serde::de::DeserializeOwned;

use crate::error::{FleetError, one_line};
use crate::leases::LeaseEpoch;
use crate::names::NameError;

/// The largest order or report, in bytes.
pub const LARGEST_ORDER: usize = 768 * 1024;

const RUNNER_EPOCH: &str = "Windlass-Runner-Epoch";
const LANE_EPOCH: &str = "Windlass-Lane-Epoch";

/// Under which leases something was sent. What comes under an old one does not count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fences {
    /// The epoch of the run's lease.
    pub runner: LeaseEpoch,
    /// The epoch of the lane's lease; `None` where nobody holds it yet.
    pub lane: Option<LeaseEpoch>,
}

impl Fences {
    pub(crate) fn headers(self) -> HeaderMap {
        let mut headers = HeaderMap::new();
        headers.insert(RUNNER_EPOCH, self.runner.0.to_string());
        if let Some(lane) = self.lane {
            headers.insert(LANE_EPOCH, lane.0.to_string());
        }
        headers
    }

    pub(crate) fn read(headers: Option<&HeaderMap>) -> Result<Fences, String> {
        let epoch = |name: &str| {
            let Some(value) = headers.and_then(|headers| headers.get(name)) else { return Ok(None) };
            value
                .as_str()
                .parse()
                .map(|epoch| Some(LeaseEpoch(epoch)))
                .map_err(|_| format!("{name} is no number"))
        };
        let runner = epoch(RUNNER_EPOCH)?.ok_or_else(|| format!("it has no {RUNNER_EPOCH}"))?;
        Ok(Fences { runner, lane: epoch(LANE_EPOCH)? })
    }
}

impl fmt::Display for Fences {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.runner.0)?;
        self.lane.map_or(Ok(()), |lane| write!(f, "/{}", lane.0))
    }
}

/// What letters and the queue carry.
pub trait Content: DeserializeOwned + sealed::Sealed {
    /// Are the names in it such as may become parts of paths and subjects?
    fn check(&self) -> Result<(), NameError>;
}

mod sealed {
    pub trait Sealed {}
}

/// What is in a message, with the fences it was sent under.
fn read<T: Content>(what: &str, message: &Message) -> Result<(Fences, T), FleetError> {
    let garbled =
        |problem: String| FleetError::Garbled { what: what.to_owned(), problem: one_line(&problem) };
    if message.payload.len() > LARGEST_ORDER {
        return Err(garbled(format!(
            "it has {} bytes, and {LARGEST_ORDER} are the most",
            message.payload.len()
        )));
    }
    let fences = Fences::read(message.headers.as_ref()).map_err(garbled)?;
    let content: T = serde_json::from_slice(&message.payload).map_err(|error| garbled(error.to_string()))?;
    content.check().map_err(|error| garbled(error.to_string()))?;
    Ok((fences, content))
}

/// As it is sent.
fn written(doing: &str, content: &impl serde::Serialize) -> Result<Vec<u8>, FleetError> {
    let bytes = serde_json::to_vec(content)
        .map_err(|error| FleetError::Other { doing: doing.to_owned(), problem: error.to_string() })?;
    if bytes.len() > LARGEST_ORDER {
        let (size, limit) = (bytes.len() as u64, LARGEST_ORDER as u64);
        return Err(FleetError::TooLarge { doing: doing.to_owned(), size, limit });
    }
    Ok(bytes)
}
