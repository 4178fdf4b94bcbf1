//! What reaches the lanes of this machine from their own threads and processes.

use std::io;
use std::sync::mpsc::Sender;

use windlass_core::run::Epoch;
use windlass_core::values::{JobStatus, LaneId};
use windlass_host::process::KeeperEvent;

use super::work::Worked;
use crate::executor::Waker;

/// One thing that happened.
#[derive(Debug)]
pub(super) enum Event {
    /// A lane's keeper spoke.
    Keeper(LaneId, KeeperEvent),
    /// Something in a call's stream may have moved its clocks.
    Stirred,
    /// The job's own file was read while an agent works there.
    StatusSeen(LaneId, JobStatus),
    /// A call's raw log cannot be written any more.
    LogFailed(io::Error),
    /// A worker has carried an order out, or could not.
    Worked(Epoch, Worked),
}

/// Tells of events from any thread.
#[derive(Clone)]
pub(super) struct Events {
    sender: Sender<Event>,
    wake: Waker,
}

impl Events {
    /// The loop is woken for each.
    pub fn new(sender: Sender<Event>, wake: Waker) -> Events {
        Events { sender, wake }
    }

    /// Tells. Nobody listens any more only when the run has ended.
    pub fn tell(&self, event: Event) {
        if self.sender.send(event).is_ok() {
            (self.wake)();
        }
    }
}
